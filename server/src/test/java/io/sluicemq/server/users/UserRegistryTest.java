package io.sluicemq.server.users;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.sluicemq.api.Authenticator.Peer;
import io.sluicemq.api.users.PermissionPatterns;
import io.sluicemq.api.users.Role;
import io.sluicemq.api.users.UserChange;
import io.sluicemq.api.users.UserDirectory;
import io.sluicemq.api.users.UserLimits;
import io.sluicemq.api.users.UserRefused;
import io.sluicemq.api.users.UserView;
import io.sluicemq.server.SluiceMQ;
import io.sluicemq.testkit.LogCapture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What administrators see of users of a broker that runs, and change. */
class UserRegistryTest {

    private static final Peer NEAR = new Peer("127.0.0.1:50123", true);
    private static final Peer FAR = new Peer("192.0.2.7:50123", false);
    private static final String BY = "the test";

    @TempDir
    private Path folder;

    private SluiceMQ broker;
    private UserDirectory users;
    private final LogCapture log = new LogCapture();

    @BeforeEach
    void start() {
        broker = SluiceMQ.builder().port(0).data(folder.resolve("data")).start();
        users = broker.users();
    }

    @AfterEach
    void stop() {
        broker.stop();
        log.close();
    }

    private static UserChange password(String password) {
        return new UserChange(Optional.of(password), null, null);
    }

    private Optional<String> login(String name, String password, Peer peer) {
        return users.login(name, password.getBytes(UTF_8), peer).join().map(UserView::name);
    }

    @Test
    void shouldHaveGuestAsLongAsThereIsNobodyElse() {
        assertThat(users.list()).extracting(UserView::name).containsExactly("guest");
        assertThat(users.find("guest")).get().extracting(UserView::role).isEqualTo(Optional.of(Role.ADMINISTRATOR));
        assertThat(login("guest", "guest", NEAR)).contains("guest");
        assertThat(login("guest", "guest", FAR)).isEmpty();
        users.put("ann", password("pencil"), BY);
        assertThat(users.list()).extracting(UserView::name).containsExactly("ann");
        assertThat(login("guest", "guest", NEAR)).isEmpty();
        users.remove("ann", BY);
        assertThat(users.list()).isEmpty();
        assertThat(login("guest", "guest", NEAR)).isEmpty();
    }

    @Test
    void shouldChangeWhatIsSaidAndLeaveTheRest() {
        users.put("ann", new UserChange(Optional.of("pencil"), Optional.of(Role.MONITOR), true), BY);
        assertThat(login("ann", "pencil", NEAR)).contains("ann");
        assertThat(login("ann", "pencil", FAR)).isEmpty();
        users.put("ann", new UserChange(null, Optional.of(Role.OPERATOR), false), BY);
        assertThat(login("ann", "pencil", FAR)).contains("ann");
        users.put("ann", password("brush"), BY);
        assertThat(login("ann", "pencil", FAR)).isEmpty();
        assertThat(login("ann", "brush", FAR)).contains("ann");
        users.put("ann", new UserChange(Optional.empty(), null, null), BY);
        assertThat(login("ann", "brush", FAR)).isEmpty();
        assertThat(users.find("ann")).contains(
                new UserView("ann", Optional.of(Role.OPERATOR), false, false, true, Optional.of(Map.of()),
                        UserLimits.NONE));
    }

    @Test
    void shouldKeepPermissionsByVirtualHost() {
        users.put("ann", password("pencil"), BY);
        var patterns = new PermissionPatterns(List.of(), List.of("orders.#"), List.of("regex:^orders"));
        users.grant("ann", "/", patterns, BY);
        assertThat(users.find("ann").orElseThrow().permissions().orElseThrow()).containsEntry("/", patterns);
        assertThat(users.regex(patterns.write())).isEqualTo("^orders(\\.[^.]*)*$");
        assertThat(users.regex(List.of())).isEqualTo("^$");
        users.revoke("ann", "/", BY);
        assertThat(users.find("ann").orElseThrow().permissions().orElseThrow()).isEmpty();
    }

    @Test
    void shouldRefuseWhatMakesNoSense() {
        assertThatThrownBy(() -> users.remove("nobody", BY)).isInstanceOfSatisfying(UserRefused.class,
                refused -> assertThat(refused.reason()).isEqualTo(UserRefused.Reason.NOT_FOUND));
        assertThatThrownBy(() -> users.put("a\nb", password("pencil"), BY)).isInstanceOf(UserRefused.class);
        assertThatThrownBy(() -> users.put("ann", password("\u0007bell"), BY)).isInstanceOf(UserRefused.class)
                .hasMessageNotContaining("bell");
        users.put("ann", password("pencil"), BY);
        assertThatThrownBy(
                () -> users.grant("ann", "/", new PermissionPatterns(List.of("a..b"), List.of(), List.of()), BY))
                .isInstanceOf(UserRefused.class).hasMessageContaining("'a..b' has an empty word");
    }

    @Test
    void shouldTellTheAuditLogWhoHasChangedWhat() {
        users.put("ann", new UserChange(Optional.of("pencil"), Optional.of(Role.MONITOR), null), BY);
        users.grant("ann", "/", new PermissionPatterns(List.of(), List.of("a"), List.of()), BY);
        users.put("ann", password("brush"), BY);
        users.remove("ann", BY);
        assertThat(log.messages(Level.INFO)).containsSubsequence(
                "the test: user 'ann' added, role monitor",
                "the test: user 'ann' changed, role monitor, in vhost '/' configure [] write [a] read []",
                "the test: user 'ann' changed, with another password, role monitor, in vhost '/' configure [] write [a]"
                        + " read []",
                "the test: user 'ann' removed");
        assertThat(log.messages(Level.INFO).toString()).doesNotContain("pencil").doesNotContain("brush");
    }

    @Test
    void shouldHaveTheSameUsersAfterARestart() throws Exception {
        users.put("ann", password("pencil"), BY);
        broker.stop();
        assertThat(Files.readString(folder.resolve("data/users.yaml"))).doesNotContain("pencil");
        broker = SluiceMQ.builder().port(0).data(folder.resolve("data")).start();
        users = broker.users();
        assertThat(login("ann", "pencil", FAR)).contains("ann");
    }

    @Test
    void shouldLeaveUsersOfTheConfigurationAlone() {
        try (SluiceMQ other =
                SluiceMQ.builder().port(0).data(folder.resolve("other")).user("bob", "secret").start()) {
            assertThat(other.users().list()).extracting(UserView::changeable).containsExactly(false);
            assertThatThrownBy(() -> other.users().remove("bob", BY)).isInstanceOfSatisfying(UserRefused.class,
                    refused -> assertThat(refused.reason()).isEqualTo(UserRefused.Reason.NOT_CHANGEABLE));
            other.users().put("ann", password("pencil"), BY);
            assertThat(other.users().list()).extracting(UserView::name).containsExactly("ann", "bob");
        }
    }
}
