package io.sluicemq.interop.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultSaslConfig;
import io.sluicemq.server.Reload;
import io.sluicemq.server.SluiceMQ;
import io.sluicemq.server.config.ConfigException;
import io.sluicemq.testkit.LogCapture;
import io.sluicemq.testkit.TestCertificates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Duration;
import javax.net.ssl.SSLSocket;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Certificates of clients that are not good, and new ones of the broker while it runs. */
class CertificatesTest {

    @TempDir
    private static Path folder;

    private static TestCertificates certificates;
    private static Path certificate;
    private static Path key;
    private static SluiceMQ broker;

    @BeforeAll
    static void start() throws IOException {
        certificates = TestCertificates.in(folder)
                .add("renewed", "CN=localhost, O=Renewed", "ca", "-ext", "san=ip:127.0.0.1,dns:localhost")
                .add("ann", "CN=ann", "ca")
                .add("expired", "CN=ann", "ca", "-startdate", "-10d", "-validity", "5")
                .addIssuer("stranger")
                .add("forged", "CN=ann", "stranger");
        certificate = folder.resolve("current.pem");
        key = folder.resolve("current.key");
        install("server");
        Path config = Files.writeString(folder.resolve("broker.yaml"), """
                listeners:
                  amqps:
                    port: 0
                    tls:
                      certificate: '%s'
                      key: '%s'
                      client-ca: '%s'
                      client-auth: optional
                      min-version: 1.3
                users:
                  - {name: ann, password: secret}
                """.formatted(certificate, key, certificates.certificate("ca")));
        broker = SluiceMQ.builder().config(config).start();
    }

    @AfterAll
    static void stop() {
        broker.stop();
    }

    private static void install(String alias) throws IOException {
        Files.copy(certificates.certificate(alias), certificate, StandardCopyOption.REPLACE_EXISTING);
        Files.copy(certificates.key(alias), key, StandardCopyOption.REPLACE_EXISTING);
    }

    private static ConnectionFactory client(String alias) {
        var factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(broker.port("amqps"));
        factory.useSslProtocol(certificates.client(alias));
        factory.setSaslConfig(DefaultSaslConfig.EXTERNAL);
        factory.setAutomaticRecoveryEnabled(false);
        return factory;
    }

    private static void assertRefused(String alias, String why) {
        try (var log = new LogCapture()) {
            assertThatThrownBy(() -> client(alias).newConnection()).isInstanceOf(IOException.class);
            Awaitility.await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> assertThat(log.atLeast(Level.WARN))
                    .anySatisfy(line -> {
                        assertThat(line.getLoggerName()).isEqualTo("audit");
                        assertThat(line.getFormattedMessage()).contains("no TLS with the peer: " + why);
                    }));
        }
    }

    /** One line in ten seconds says so: one broker for one such client. */
    @Test
    void shouldRefuseACertificateThatHasExpiredAndSayWhy() throws Exception {
        assertRefused("expired", "its certificate has expired: ");
        client("ann").newConnection().close();
    }

    @Test
    void shouldTakeANewCertificateWhileItRunsAndNothingElse() throws Exception {
        try (var before = client("ann").newConnection()) {
            install("renewed");
            Reload reload = broker.reload();
            assertThat(reload.applied()).containsExactly("listeners.amqps.tls");
            assertThat(reload.needRestart()).isEmpty();
            assertThat(subject()).contains("O=Renewed");
            assertThat(before.isOpen()).isTrue();

            Files.copy(certificates.key("server"), key, StandardCopyOption.REPLACE_EXISTING);
            assertThatThrownBy(broker::reload).isInstanceOf(ConfigException.class)
                    .hasMessageContaining("its key is not the certificate's");
            assertThat(subject()).contains("O=Renewed");
            client("ann").newConnection().close();
        } finally {
            install("server");
            broker.reload();
        }
        assertThat(subject()).doesNotContain("O=Renewed");
    }

    @Test
    void shouldSpeakNoOlderVersionThanItIsTold() throws Exception {
        try (SSLSocket socket = (SSLSocket) certificates.client("ann").getSocketFactory()
                .createSocket("127.0.0.1", broker.port("amqps"))) {
            socket.setEnabledProtocols(new String[] {"TLSv1.2"});
            assertThatThrownBy(socket::startHandshake).isInstanceOf(IOException.class);
        }
    }

    private static String subject() throws IOException {
        try (SSLSocket socket = (SSLSocket) certificates.client("ann").getSocketFactory()
                .createSocket("127.0.0.1", broker.port("amqps"))) {
            socket.startHandshake();
            return ((X509Certificate) socket.getSession().getPeerCertificates()[0]).getSubjectX500Principal().getName();
        }
    }
}
