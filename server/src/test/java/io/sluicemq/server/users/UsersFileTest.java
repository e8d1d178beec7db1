package io.sluicemq.server.users;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluicemq.api.users.Role;
import io.sluicemq.api.users.UserLimit;
import io.sluicemq.api.users.UserLimits;
import io.sluicemq.base.option.Problem;
import io.sluicemq.security.Grant;
import io.sluicemq.security.StoredPassword;
import io.sluicemq.server.config.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UsersFileTest {

    private static StoredPassword password;

    @TempDir
    private Path folder;

    private UsersFile file;

    @BeforeAll
    static void hash() {
        password = StoredPassword.of("pencil");
    }

    @BeforeEach
    void name() {
        file = new UsersFile(folder.resolve("users.yaml"));
    }

    private static StoredUser user(String name) {
        return new StoredUser(name, password, Optional.of(Role.OPERATOR), true, Map.of(
                "/", Grant.of(List.of("#"), List.of("orders.#", "regex:^a\\\\b\"$"), List.of()),
                "b c", Grant.of(List.of(), List.of(), List.of("x"))),
                new UserLimits(Map.of(
                        UserLimit.CONNECTIONS, 7L, UserLimit.MESSAGE_BYTES, 65_536L, UserLimit.QUEUES, 0L)));
    }

    @Test
    void shouldReadWhatItHasWritten() throws Exception {
        StoredUsers written = file.change(users -> users
                .with(user("ann"))
                .with(user("\"quo\\ted\": é\u200b#"))
                .with(new StoredUser("certified", null, Optional.empty(), false, Map.of(), UserLimits.NONE)));
        assertThat(file.read()).isEqualTo(written);
        assertThat(file.read().users()).hasSize(3).contains(user("ann"));
    }

    @Test
    void shouldBeForItsOwnerAlone() throws Exception {
        file.change(users -> users.with(user("ann")));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.path()))).isEqualTo("rw-------");
        assertThat(file.isOpenToOthers()).isFalse();
        Files.setPosixFilePermissions(file.path(), PosixFilePermissions.fromString("rw-r-----"));
        assertThat(file.isOpenToOthers()).isTrue();
        file.change(users -> users.with(user("bob")));
        assertThat(file.isOpenToOthers()).isFalse();
    }

    @Test
    void shouldLeaveNothingButTheFileAndItsLock() throws Exception {
        file.change(users -> users.with(user("ann")));
        try (var files = Files.list(folder)) {
            assertThat(files.map(each -> each.getFileName().toString()))
                    .containsExactlyInAnyOrder("users.yaml", "users.yaml.lock");
        }
    }

    @Test
    void shouldFollowALinkToTheFile() throws Exception {
        Path real = folder.resolve("elsewhere/real.yaml");
        new UsersFile(real).change(users -> users.with(user("ann")));
        Files.createSymbolicLink(file.path(), real);
        file.change(users -> users.with(user("bob")));
        assertThat(file.path()).isSymbolicLink();
        assertThat(new UsersFile(real).read().users()).extracting(StoredUser::name).containsExactly("ann", "bob");
    }

    @Test
    void shouldLoseNoChangeOfSeveralAtATime() throws Exception {
        List<Thread> threads = IntStream.range(0, 8)
                .mapToObj(i -> Thread.ofPlatform().start(() -> {
                    try {
                        file.change(users -> users.with(user("u" + i)));
                    } catch (IOException | ConfigException e) {
                        throw new IllegalStateException(e);
                    }
                }))
                .toList();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(file.read().users()).hasSize(8);
    }

    @Test
    void shouldChangeNothingIfTheChangeFails() throws Exception {
        file.change(users -> users.with(user("ann")));
        String before = Files.readString(file.path());
        assertThatThrownBy(() -> file.change(users -> {
            throw new IllegalStateException("no");
        })).hasMessage("no");
        assertThat(Files.readString(file.path())).isEqualTo(before);
    }

    @Test
    void shouldSayWhereItIsDamagedAndNothingOfTheHashes() throws Exception {
        file.change(users -> users.with(user("ann")));
        String text = Files.readString(file.path());
        String salt = password.sha256().split(":")[1];
        Files.writeString(file.path(), text.replace("password-sha-256: \"600000:", "password-sha-256: \"6:"));
        ConfigException wrong = catchThrowableOfType(ConfigException.class, file::read);
        assertThat(wrong.problems()).extracting(Problem::toString)
                .containsExactly(file.path() + ":7:23: the stored password of user ann is damaged: expected 4096 to"
                        + " 10000000 iterations");
        assertThat(wrong.problems().toString()).doesNotContain(salt);
        Files.writeString(file.path(), text.replaceFirst("    password-sha-512: .*\n", ""));
        wrong = catchThrowableOfType(ConfigException.class, file::read);
        assertThat(wrong.problems().toString()).contains("expected both or none").doesNotContain(salt);
        Files.writeString(file.path(), text.replace("role: operator", "rule: operator"));
        wrong = catchThrowableOfType(ConfigException.class, file::read);
        assertThat(wrong.problems().toString()).contains("did you mean 'role'?");
    }

    @Test
    void shouldGiveTheSameSaltsToNamesThatNobodyHas() throws Exception {
        byte[] secret = file.change(users -> users.with(user("ann"))).decoySecret();
        assertThat(secret).hasSize(32);
        assertThat(file.change(users -> users.with(user("bob"))).decoySecret()).isEqualTo(secret);
        assertThat(file.read().toString()).isEqualTo("2 users");
    }
}
