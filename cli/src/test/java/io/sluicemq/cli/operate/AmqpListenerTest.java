package io.sluicemq.cli.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluicemq.base.option.InvalidValue;
import io.sluicemq.cli.http.Access;
import io.sluicemq.cli.http.ApiUnreachable;
import io.sluicemq.cli.http.Trust;
import io.sluicemq.testkit.TestCertificates;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AmqpListenerTest {

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:5672, 127.0.0.1, 5672, false", "amqp://broker.example, broker.example, 5672, false",
        "AMQPS://broker.example, broker.example, 5671, true", "amqps://broker.example:1/, broker.example, 1, true",
        "amqps://[::1], ::1, 5671, true", "[::1]:7, ::1, 7, false"
    })
    void shouldBeSaidWithAndWithoutTls(String text, String host, int port, boolean tls) throws InvalidValue {
        assertThat(AmqpListener.parse(text)).isEqualTo(new AmqpListener(host, port, tls));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "here", ":5672", "here:", "here:0", "here:70000", "amqp://", "http://here:1",
        "amqps://ann:x@here",
        "amqp://here/vhost"})
    void shouldRefuseAllElse(String text) {
        assertThatThrownBy(() -> AmqpListener.parse(text)).isInstanceOf(InvalidValue.class);
    }

    @Test
    void shouldSayWhoDoesNotSpeakAmqp() throws Exception {
        try (ServerSocket http = answering(new ServerSocket(0, 9, InetAddress.getLoopbackAddress()))) {
            int port = http.getLocalPort();
            ApiUnreachable plain = unreachable(port, false, null);
            assertThat(plain).hasMessage(
                    "can't receive from 127.0.0.1:" + port + ": what answers there does not speak AMQP");
            assertThat(plain.hints()).anyMatch(hint -> hint.contains("5672"))
                    .contains("if it speaks TLS there: --amqp amqps://127.0.0.1:" + port);

            ApiUnreachable tls = unreachable(port, true, null);
            assertThat(tls).hasMessageEndingWith("it doesn't speak TLS there, or not as it should");
            assertThat(tls.hints()).anyMatch(hint -> hint.endsWith("--amqp amqp://127.0.0.1:" + port));
        }
    }

    @Test
    void shouldSayWhoIsNotTrusted(@TempDir Path folder) throws Exception {
        TestCertificates certificates = TestCertificates.in(folder).addIssuer("other");
        try (ServerSocket https = answering(certificates.client("server").getServerSocketFactory()
                .createServerSocket(0, 9, InetAddress.getLoopbackAddress()))) {
            int port = https.getLocalPort();
            ApiUnreachable untrusted = unreachable(port, true, null);
            assertThat(untrusted).hasMessage("can't receive from 127.0.0.1:" + port
                    + ": the broker's certificate is not trusted: --ca FILE");
            assertThat(unreachable(port, true, Trust.of(certificates.certificate("other"))).hints())
                    .singleElement().asString().contains("has not who issued it");
            assertThat(unreachable(port, true, Trust.of(certificates.certificate("ca"))))
                    .as("whom it trusts it talks to").hasMessageContaining("does not speak AMQP");
        }
    }

    @Test
    void shouldSayThatNothingListens() throws Exception {
        int free;
        try (ServerSocket socket = new ServerSocket(0)) {
            free = socket.getLocalPort();
        }
        assertThat(unreachable(free, false, null)).hasMessageEndingWith(": nothing listens there");
    }

    /** Has a server answer whatever it is told as one of HTTP would. */
    private static ServerSocket answering(ServerSocket server) {
        Thread.ofVirtual().start(() -> {
            while (!server.isClosed()) {
                try (Socket socket = server.accept()) {
                    socket.getOutputStream()
                            .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    socket.getInputStream().readAllBytes();
                } catch (IOException e) {
                    continue; // a client that doesn't trust it, or its end
                }
            }
        });
        return server;
    }

    private static ApiUnreachable unreachable(int port, boolean tls, SSLContext trust) {
        Access access = new Access(URI.create("http://127.0.0.1:1"), "guest", "guest", "/", trust);
        return catchThrowableOfType(
                ApiUnreachable.class, () -> new AmqpListener("127.0.0.1", port, tls).connect(access, "test"));
    }
}
