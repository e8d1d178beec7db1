package io.sluicemq.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Authenticator.Peer;
import io.sluicemq.api.users.UserLimit;
import io.sluicemq.api.users.UserView;
import io.sluicemq.server.SluiceMQ;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sluicemq user}, with a broker and without. */
class UserCommandTest {

    @TempDir
    private Path folder;

    private Path data;
    private Path secret;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void prepare() throws Exception {
        data = folder.resolve("data");
        secret = Files.writeString(folder.resolve("secret"), "correct horse\nnot this\n");
    }

    private int run(String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return Main.run(new PrintWriter(out), new PrintWriter(err), arguments);
    }

    private int user(String command, String... arguments) {
        String[] all = new String[arguments.length + 4];
        all[0] = "user";
        all[1] = command;
        System.arraycopy(arguments, 0, all, 2, arguments.length);
        all[all.length - 2] = "--data";
        all[all.length - 1] = data.toString();
        return run(all);
    }

    @Test
    void shouldMakeUsersForABrokerThatIsYetToStart() {
        assertThat(user("add", "ann", "--role", "administrator", "--all", "--password-file", secret.toString()))
                .as(err.toString()).isZero();
        assertThat(out.toString()).isEqualTo("User 'ann' is added in " + data.resolve("users.yaml") + ".\n"
                + "No broker runs on " + data + ": one that is started with it will know. --data names another"
                + " folder.\n");
        assertThat(user("add", "app", "--no-password", "--loopback-only")).isZero();
        assertThat(user("grant", "app", "--write", "orders.#", "--read", "regex:^orders", "--read", "news.*")).isZero();
        assertThat(user("list")).isZero();
        assertThat(out.toString()).isEqualTo("""
                ann: administrator
                  in /: configure #, write #, read #
                app: no role, no password, from loopback only
                  in /: configure nothing, write orders.#, read regex:^orders, news.*
                """);
        try (SluiceMQ broker = SluiceMQ.builder().port(0).data(data).start()) {
            assertThat(broker.users().list()).extracting(UserView::name).containsExactly("ann", "app");
            assertThat(broker.users().login("ann", "correct horse".getBytes(UTF_8), new Peer("192.0.2.7:1", false)))
                    .succeedsWithin(Duration.ofSeconds(20)).matches(user -> user.isPresent());
        }
    }

    @Test
    void shouldTellABrokerThatRuns() {
        try (SluiceMQ broker = SluiceMQ.builder().port(0).data(data).start()) {
            assertThat(user("add", "app", "--no-password")).isZero();
            assertThat(out.toString()).contains("User 'app' is added", "The broker on " + data + " knows.");
            assertThat(broker.users().list()).extracting(UserView::name).containsExactly("app");
            assertThat(user("alter", "app", "--role", "monitor")).isZero();
            assertThat(broker.users().find("app").orElseThrow().role()).isPresent();
            assertThat(user("alter", "app", "--max-queues", "3", "--max-message-size", "64KiB", "--max-channels", "5"))
                    .isZero();
            assertThat(user("alter", "app", "--max-channels", "-1", "--max-kept-links", "0")).isZero();
            assertThat(broker.users().find("app").orElseThrow().limits().limits()).isEqualTo(Map.of(
                    UserLimit.QUEUES, 3L, UserLimit.MESSAGE_BYTES, 65_536L, UserLimit.KEPT_LINKS, 0L));
            assertThat(user("list")).isZero();
            assertThat(out.toString())
                    .contains("app: monitor, no password, max-queues 3, max-message-size 64KiB, max-kept-links 0\n");
            assertThat(user("alter", "app", "--max-queues", "many")).isEqualTo(2);
            assertThat(err.toString())
                    .isEqualTo(
                            "sluicemq user: max-queues can't be 'many': expected a whole number, or none, at least 0\n");
            assertThat(user("grant", "app", "--virtual-host", "shop", "--read", "#")).isZero();
            assertThat(broker.users().find("app").orElseThrow().permissions().orElseThrow()).containsKey("shop");
            assertThat(user("revoke", "app", "--virtual-host", "shop")).isZero();
            assertThat(broker.users().find("app").orElseThrow().permissions().orElseThrow()).isEmpty();
            assertThat(user("remove", "app")).isZero();
            assertThat(broker.users().list()).isEmpty();
        }
    }

    @Test
    void shouldSayWhatIsWrong() throws Exception {
        assertThat(user("list")).isEqualTo(1);
        assertThat(err.toString()).isEqualTo("sluicemq user: there is no file " + data.resolve("users.yaml")
                + ": 'sluicemq user add' makes it, and --data names another folder\n");
        assertThat(user("remove", "nobody")).isEqualTo(1);
        assertThat(err.toString()).isEqualTo("sluicemq user: there is no user 'nobody'\n");
        assertThat(user("add", "app", "--no-password")).isZero();
        assertThat(user("add", "app", "--no-password")).isEqualTo(1);
        assertThat(err.toString()).startsWith("sluicemq user: there is a user 'app'");
        assertThat(user("grant", "app", "--write", "a..b")).isEqualTo(2);
        assertThat(err.toString()).contains("'a..b' has an empty word");
        assertThat(user("passwd", "app", "--password-file", folder.resolve("none").toString())).isEqualTo(2);
        assertThat(run("user")).isEqualTo(2);
        Files.writeString(data.resolve("users.yaml"), "users: [{nome: x}]\n");
        assertThat(user("list")).isEqualTo(2);
        assertThat(err.toString()).contains("users.yaml:1:10: unknown key 'nome' in users[0]: did you mean 'name'?");
        assertThat(user("remove", "x")).isEqualTo(2);
    }

    @Test
    void shouldFindTheFileThatTheConfigurationNames() throws Exception {
        Path config = Files.writeString(
                folder.resolve("sluicemq.yaml"), "users-file: '" + folder.resolve("elsewhere.yaml") + "'\n");
        assertThat(run("user", "add", "app", "--no-password", "--config", config.toString())).isZero();
        assertThat(folder.resolve("elsewhere.yaml")).exists();
        try (SluiceMQ broker = SluiceMQ.builder().config(config).port(0).start()) {
            assertThat(broker.users().list()).extracting(UserView::name).containsExactly("app");
        }
    }
}
