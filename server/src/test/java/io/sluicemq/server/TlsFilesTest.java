package io.sluicemq.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.sluicemq.server.config.ConfigException;
import io.sluicemq.testkit.LogCapture;
import io.sluicemq.testkit.TestCertificates;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files that a configuration names for TLS. */
class TlsFilesTest {

    @TempDir
    static Path folder;

    private static TestCertificates certificates;

    @BeforeAll
    static void certify() {
        certificates = TestCertificates.in(folder);
    }

    private static Path config(Path certificate, Path key) throws IOException {
        return Files.writeString(folder.resolve("broker.yaml"), """
                listeners:
                  amqp:
                    port: 0
                    tls:
                      certificate: '%s'
                      key: '%s'
                """.formatted(certificate, key));
    }

    @Test
    void shouldTellTheLineThatNamesAFileThatIsNoGood() throws IOException {
        Path missing = Path.of("/missing.pem");
        Path text = Files.writeString(folder.resolve("t"), "text");
        Path config = config(missing, certificates.key("server"));
        assertProblem(
                config,
                config + ":5:20: listeners.amqp.tls.certificate is '/missing.pem': expected a file with the listener's"
                        + " certificate (there is no such file)");
        Path other = config(certificates.certificate("server"), text);
        assertThatThrownBy(() -> SluiceMQ.builder().config(other).source().read())
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith(other + ":6:12: listeners.amqp.tls.key is '")
                .hasMessageEndingWith(
                        "': expected a file with the certificate's key (it holds no PRIVATE KEY in PEM form)");
    }

    @Test
    void shouldServeOperatorsByTls() throws Exception {
        Path config = Files.writeString(folder.resolve("http.yaml"), """
                listeners:
                  amqp:
                    port: 0
                http:
                  enabled: true
                  port: 0
                  tls:
                    certificate: '%s'
                    key: '%s'
                """.formatted(certificates.certificate("server"), certificates.key("server")));
        try (SluiceMQ broker = SluiceMQ.builder().config(config).start();
                HttpClient client = HttpClient.newBuilder().sslContext(certificates.client("server")).build()) {
            assertThat(broker.httpUri()).hasValueSatisfying(uri -> assertThat(uri).startsWith("https://127.0.0.1:"));
            HttpRequest request = HttpRequest.newBuilder(URI.create(broker.httpUri().orElseThrow() + "/api/whoami"))
                    .header("Authorization", "Basic Z3Vlc3Q6Z3Vlc3Q=")
                    .build();
            assertThat(client.send(request, HttpResponse.BodyHandlers.ofString()).body()).contains("guest");
        }
        Files.writeString(config, Files.readString(config).replace(certificates.key("server").toString(), "/none"));
        assertThatThrownBy(() -> SluiceMQ.builder().config(config).source().read())
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("http.tls.key is '/none'");
    }

    private static void assertProblem(Path config, String problem) {
        assertThatThrownBy(() -> SluiceMQ.builder().config(config).source().read())
                .isInstanceOf(ConfigException.class)
                .hasMessage(problem);
        assertThatThrownBy(() -> SluiceMQ.builder().config(config).start()).isInstanceOf(StartFailure.class);
    }

    @Test
    void shouldWarnOfAKeyThatEverybodyMayRead() throws IOException {
        Path key = certificates.key("server");
        Path config = config(certificates.certificate("server"), key);
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
        try (var log = new LogCapture(); SluiceMQ broker = SluiceMQ.builder().config(config).start()) {
            assertThat(log.messages(Level.WARN))
                    .containsExactly(key + ", the key of listener amqp, can be read by every user of this machine");
            assertThat(broker.amqpUri()).isEqualTo("amqps://127.0.0.1:" + broker.amqpPort());
            assertThat(broker.amqpUri("a", "b", "/")).startsWith("amqps://a:b@127.0.0.1:");
            assertThat(broker.uris()).containsExactly(broker.amqpUri());
        }
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r-----"));
        try (var log = new LogCapture(); SluiceMQ broker = SluiceMQ.builder().config(config).start()) {
            assertThat(log.messages(Level.WARN)).isEmpty();
            assertThat(broker.failedTasks()).isZero();
        }
    }
}
