package io.sluicemq.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.sluicemq.server.config.ConfigException;
import io.sluicemq.testkit.LogCapture;
import io.sluicemq.testkit.TestCertificates;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.stream.Collectors;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
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

    private static HttpRequest whoami(SluiceMQ broker) {
        return HttpRequest.newBuilder(URI.create(broker.httpUri().orElseThrow() + "/api/whoami"))
                .header("Authorization", "Basic Z3Vlc3Q6Z3Vlc3Q=")
                .build();
    }

    @Test
    void shouldServeOperatorsByTls() throws Exception {
        Path certificate = Files.copy(certificates.certificate("server"), folder.resolve("http.pem"));
        Path key = Files.copy(certificates.key("server"), folder.resolve("http.key"));
        Path config = Files.writeString(folder.resolve("http.yaml"), """
                listeners:
                  amqp:
                    port: 0
                http:
                  enabled: true
                  port: 0
                  request-time-limit: 1s
                  tls:
                    certificate: '%s'
                    key: '%s'
                """.formatted(certificate, key));
        try (SluiceMQ broker = SluiceMQ.builder().config(config).start();
                HttpClient client = HttpClient.newBuilder().sslContext(certificates.client("server")).build()) {
            assertThat(broker.httpUri()).hasValueSatisfying(uri -> assertThat(uri).startsWith("https://127.0.0.1:"));
            assertThat(client.send(whoami(broker), HttpResponse.BodyHandlers.ofString()).body()).contains("guest");
            assertThat(peer(broker, "TLSv1.2")).isEqualTo("CN=localhost");
            shouldKeepAConnectionThatIsUsed(broker);

            certificates.add("renewed", "CN=renewed", "ca", "-ext", "san=ip:127.0.0.1");
            Files.copy(certificates.certificate("renewed"), certificate, StandardCopyOption.REPLACE_EXISTING);
            assertThatThrownBy(broker::reload).as("they don't fit together")
                    .isInstanceOf(ConfigException.class).hasMessageContaining("http.tls.key is");
            Files.copy(certificates.key("renewed"), key, StandardCopyOption.REPLACE_EXISTING);
            assertThat(broker.reload()).isEqualTo(new Reload(config, List.of("http.tls"), List.of()));
            assertThat(peer(broker, "TLSv1.2")).isEqualTo("CN=renewed");
            assertThat(broker.reload().applied()).as("nothing is new").isEmpty();

            Files.writeString(config, Files.readString(config) + "    min-version: '1.3'\n");
            assertThat(broker.reload()).isEqualTo(new Reload(config, List.of("http.tls"), List.of()));
            assertThat(peer(broker, "TLSv1.3")).isEqualTo("CN=renewed");
            assertThatThrownBy(() -> peer(broker, "TLSv1.2")).isInstanceOf(SSLException.class);

            Files.writeString(config, Files.readString(config).lines().limit(7).collect(Collectors.joining("\n")));
            assertThat(broker.reload().needRestart()).as("without TLS").contains("http.tls.certificate");
        }
    }

    /** Whose certificate it shows to somebody who speaks this version. */
    private static String peer(SluiceMQ broker, String version) throws IOException {
        URI uri = URI.create(broker.httpUri().orElseThrow());
        try (SSLSocket socket = (SSLSocket) certificates.client("server").getSocketFactory()
                .createSocket(uri.getHost(), uri.getPort())) {
            socket.setEnabledProtocols(new String[] {version});
            socket.startHandshake();
            return ((X509Certificate) socket.getSession().getPeerCertificates()[0]).getSubjectX500Principal().getName();
        }
    }

    /** The limit of time is each request's, and not the connection's. */
    private static void shouldKeepAConnectionThatIsUsed(SluiceMQ broker) throws IOException {
        URI uri = URI.create(broker.httpUri().orElseThrow());
        try (Socket socket = certificates.client("server").getSocketFactory()
                .createSocket(uri.getHost(), uri.getPort())) {
            byte[] request =
                    "HEAD /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
            byte[] answer = new byte[8192];
            for (long begun = System.nanoTime(); System.nanoTime() - begun < 1_200_000_000L;) {
                socket.getOutputStream().write(request);
                assertThat(socket.getInputStream().read(answer)).isPositive();
            }
        }
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
