package io.sluicemq.interop.security;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.Connection;
import io.sluicemq.api.users.UserChange;
import io.sluicemq.testkit.LogCapture;
import jakarta.jms.JMSSecurityException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Passwords that are guessed, and what can be read of those that are right. */
class GuessersTest {

    @TempDir
    private Path folder;

    private static final int FREE = 6;

    private SecuredBroker broker;
    private final LogCapture log = new LogCapture();

    @BeforeEach
    void start() {
        broker = new SecuredBroker(folder, "limits: {login-failures: " + FREE + "}");
        broker.grant("#", "#", "#");
    }

    @AfterEach
    void stop() {
        broker.close();
        log.close();
    }

    /** Few are free here, so that none is forgiven before the last of them, however slow the machine. */
    @Test
    void shouldStopGuessersAndNobodyWhoWasThereBefore() throws Exception {
        broker.rabbit(SecuredBroker.BOSS).close();
        for (int i = 0; i < FREE; i++) {
            String guess = "guess" + i;
            assertThatThrownBy(() -> broker.rabbit(SecuredBroker.ANN, guess).newConnection())
                    .isInstanceOf(AuthenticationFailureException.class);
        }
        assertThatThrownBy(() -> broker.rabbit(SecuredBroker.ANN)).as("the right one is found too late")
                .isInstanceOf(AuthenticationFailureException.class);
        assertThatThrownBy(() -> broker.jms(SecuredBroker.ANN)).isInstanceOf(JMSSecurityException.class);
        try (Connection known = broker.rabbit(SecuredBroker.BOSS)) {
            assertThat(known.isOpen()).isTrue();
        }
        assertThat(log.messages(Level.WARN)).anySatisfy(
                line -> assertThat(line).contains("login of user 'ann' from 127.0.0.1:").contains("by PLAIN refused"));
    }

    /** Whatever goes wrong, with whatever was said. */
    @Test
    void shouldTellNobodyAnyPassword() throws Exception {
        String secret = "s3cr3t-w0rd";
        for (String user : List.of(SecuredBroker.ANN, "nobody", "\u0007odd\nname")) {
            assertThatThrownBy(() -> broker.rabbit(user, secret).newConnection()).hasMessageNotContaining(secret);
        }
        assertThatThrownBy(() -> broker.jms(SecuredBroker.ANN, secret, "?amqp.saslMechanisms=PLAIN"))
                .hasMessageNotContaining(secret);
        assertThatThrownBy(() -> broker.jms(SecuredBroker.ANN, secret, "?amqp.saslMechanisms=SCRAM-SHA-256"))
                .hasMessageNotContaining(secret);
        broker.users().put(SecuredBroker.ANN, new UserChange(
                Optional.of(secret), null, null), "the test");
        try (Connection connection = broker.rabbit(SecuredBroker.ANN, secret).newConnection()) {
            connection.createChannel().close();
        }
        broker.jms(SecuredBroker.ANN, secret, "").close();
        String hash = Files.readString(folder.resolve("data/users.yaml")).lines()
                .filter(line -> line.contains("password-sha-256")).findFirst().orElseThrow().split(":")[4];
        for (ILoggingEvent event : log.atLeast(Level.TRACE)) {
            assertThat(event.getFormattedMessage()).doesNotContain(secret, SecuredBroker.PASSWORD, hash)
                    .doesNotContain("\n");
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertThat(Files.readAllBytes(file)).as("%s", file)
                        .satisfies(bytes -> assertThat(new String(bytes, ISO_8859_1))
                                .doesNotContain(secret, SecuredBroker.PASSWORD));
            }
        }
    }
}
