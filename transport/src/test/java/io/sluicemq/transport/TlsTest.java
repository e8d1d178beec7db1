package io.sluicemq.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluicemq.api.Authenticator;
import io.sluicemq.base.TaskFailures;
import io.sluicemq.testkit.LogCapture;
import io.sluicemq.testkit.TestCertificates;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Handshakes of TLS, good and bad; {@link ListenerTest} has what is carried by it. */
class TlsTest {

    private static final ListenerOptions OPTIONS = ListenerOptions.of("127.0.0.1", 0);

    @TempDir
    static Path folder;

    private static TestCertificates certificates;

    private final TaskFailures failures = new TaskFailures();
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    private final NettyLoops loops =
            new NettyLoops(1, SocketKind.preferred(), failures, Duration.ofMillis(1), allocator);
    private final List<Authenticator.Peer> peers = new CopyOnWriteArrayList<>();
    private final List<Socket> sockets = new ArrayList<>();
    private Listener listener;

    @BeforeAll
    static void certify() {
        certificates = TestCertificates.in(folder)
                .add("ann", "CN=ann, O=Shop", "ca")
                .addIssuer("strangers")
                .add("stranger", "CN=ann", "strangers");
    }

    @AfterEach
    void shouldLeaveNothingBehind() throws Exception {
        for (Socket socket : sockets) {
            socket.close();
        }
        if (listener != null) {
            listener.stop("the test is over", Duration.ofMillis(100)).get(10, TimeUnit.SECONDS);
            assertThat(listener.counters().open()).isZero();
            assertThat(listener.counters().unauthenticated()).isZero();
        }
        loops.close();
        assertThat(failures.count()).isZero();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
        assertThat(allocator.metric().usedHeapMemory()).isZero();
    }

    private void listen(Tls.ClientAuth clientAuth, Duration firstBytesLimit) throws Exception {
        Path issuer = clientAuth == Tls.ClientAuth.NONE ? null : certificates.certificate("ca");
        Tls tls = Tls.read(certificates.certificate("server"), certificates.key("server"), issuer, clientAuth);
        var protocol = new FrameProtocol("PEER", wire -> {
            peers.add(wire.peer());
            wire.out().writeInt(7);
            return FrameProtocol.echo().open(wire);
        });
        listener = Listener.open(
                loops, List.of(protocol), OPTIONS.withTls(tls).withTimes(firstBytesLimit, Duration.ofSeconds(2)));
    }

    private void listen(Tls.ClientAuth clientAuth) throws Exception {
        listen(clientAuth, Duration.ofSeconds(10));
    }

    private Socket plain() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), listener.address().getPort());
        socket.setSoTimeout(30_000);
        sockets.add(socket);
        return socket;
    }

    private SSLSocket connect(SSLContext client, String... versions) throws IOException {
        SSLSocket socket = (SSLSocket) client.getSocketFactory()
                .createSocket(InetAddress.getLoopbackAddress(), listener.address().getPort());
        socket.setSoTimeout(30_000);
        if (versions.length > 0) {
            socket.setEnabledProtocols(versions);
        }
        sockets.add(socket);
        return socket;
    }

    private static void greet(Socket socket) throws IOException {
        socket.getOutputStream().write("PEER".getBytes(US_ASCII));
        assertThat(new DataInputStream(socket.getInputStream()).readInt()).isEqualTo(7);
    }

    // ------------------------------------------------------------------------------------ who is there

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void shouldTellTheCertificateOfAPeer(String version) throws Exception {
        listen(Tls.ClientAuth.OPTIONAL);
        SSLSocket known = connect(certificates.client("ann"), version);
        greet(known);
        assertThat(known.getSession().getProtocol()).isEqualTo(version);
        greet(connect(certificates.client(null), version));
        assertThat(peers).hasSize(2);
        assertThat(peers.get(0).certificate().getName()).isEqualTo("CN=ann,O=Shop");
        assertThat(peers.get(0).loopback()).isTrue();
        assertThat(peers.get(1).certificate()).isNull();
    }

    @Test
    void shouldAskForNoCertificateUnlessToldTo() throws Exception {
        listen(Tls.ClientAuth.NONE);
        greet(connect(certificates.client("ann")));
        assertThat(peers).singleElement().satisfies(peer -> assertThat(peer.certificate()).isNull());
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void shouldRefuseAPeerWithoutTheCertificateItMustHave(String version) throws Exception {
        try (var log = new LogCapture()) {
            listen(Tls.ClientAuth.REQUIRED);
            greet(connect(certificates.client("ann"), version));
            assertThatThrownBy(() -> greet(connect(certificates.client(null), version)))
                    .isInstanceOf(IOException.class);
            await().until(() -> listener.counters().open() == 1);
            assertThat(peers).hasSize(1);
            assertThat(log.messages(Level.WARN)).singleElement()
                    .satisfies(line -> assertThat(line).contains("no TLS with the peer: "));
            assertThat(log.withTrace()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void shouldRefuseACertificateOfAnotherIssuerEvenIfNoneIsNeeded(String version) throws Exception {
        listen(Tls.ClientAuth.OPTIONAL);
        // The JDK's client presents none if it knows of no issuer that the server asks for: this one does not look at that.
        SSLContext stubborn = certificates.stubbornClient("stranger");
        assertThatThrownBy(() -> greet(connect(stubborn, version))).isInstanceOf(IOException.class);
        await().until(() -> listener.counters().open() == 0);
        assertThat(peers).isEmpty();
    }

    // ------------------------------------------------------------------------------------ hostile and slow peers

    @Test
    void shouldCloseWhoSpeaksNoTls() throws Exception {
        try (var log = new LogCapture()) {
            listen(Tls.ClientAuth.NONE);
            var random = new Random(3);
            for (int i = 0; i < 50; i++) {
                byte[] garbage = new byte[1 + random.nextInt(20_000)];
                random.nextBytes(garbage);
                sendAndReadToEnd(garbage);
            }
            sendAndReadToEnd(new byte[] {'A', 'M', 'Q', 'P', 0, 0, 9, 1});
            await().until(() -> listener.counters().open() == 0);
            assertThat(peers).isEmpty();
            assertThat(log.withTrace()).isEmpty();
            assertThat(log.messages(Level.WARN)).singleElement()
                    .satisfies(line -> assertThat(line).endsWith("no TLS with the peer: it speaks something else"));
        }
    }

    /** A hello that is right to a certain byte, and then is not. */
    @Test
    void shouldCloseWhoseHelloIsSpoilt() throws Exception {
        try (var log = new LogCapture()) {
            listen(Tls.ClientAuth.OPTIONAL);
            byte[] hello = hello();
            var random = new Random(5);
            for (int i = 0; i < 100; i++) {
                byte[] spoilt = hello.clone();
                for (int k = 0; k <= i % 4; k++) {
                    spoilt[5 + random.nextInt(spoilt.length - 5)] ^= (byte) (1 << random.nextInt(8));
                }
                Socket socket = plain();
                socket.getOutputStream().write(spoilt);
                socket.shutdownOutput();
                readToEnd(socket);
                socket.close();
            }
            await().until(() -> listener.counters().open() == 0);
            assertThat(log.withTrace()).isEmpty();
            assertThat(peers).isEmpty();
        }
    }

    /** What a client says first. */
    private static byte[] hello() throws Exception {
        var engine = certificates.client(null).createSSLEngine();
        engine.setUseClientMode(true);
        var out = java.nio.ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(java.nio.ByteBuffer.allocate(0), out);
        return java.util.Arrays.copyOf(out.array(), out.position());
    }

    @Test
    void shouldNotWaitForEverForAHandshake() throws Exception {
        try (var log = new LogCapture()) {
            listen(Tls.ClientAuth.NONE, Duration.ofSeconds(1));
            Socket silent = plain();
            Socket slow = plain();
            slow.getOutputStream().write(hello(), 0, 40);
            SSLSocket wordless = connect(certificates.client(null)); // makes its handshake when it is read from
            readToEnd(silent);
            readToEnd(slow);
            readToEnd(wordless);
            await().until(() -> listener.counters().open() == 0);
            assertThat(log.withTrace()).isEmpty();
        }
    }

    @Test
    void shouldCountPeersWithoutHandshakeAsUnauthenticated() throws Exception {
        Tls tls = Tls.read(certificates.certificate("server"), certificates.key("server"), null, Tls.ClientAuth.NONE);
        listener = Listener.open(
                loops, List.of(FrameProtocol.echo()), OPTIONS.withTls(tls).withLimits(10, 2));
        plain();
        plain();
        readToEnd(plain());
        await().until(() -> listener.counters().refused() == 1);
    }

    private void sendAndReadToEnd(byte[] bytes) throws IOException {
        Socket socket = plain();
        try {
            OutputStream out = socket.getOutputStream();
            out.write(bytes);
            socket.shutdownOutput();
        } catch (IOException e) {
            assertThat(e.getMessage()).containsAnyOf("reset", "Broken pipe", "connected");
        }
        readToEnd(socket);
        socket.close();
    }

    private static void readToEnd(Socket socket) {
        try {
            socket.getInputStream().readAllBytes();
        } catch (IOException e) {
            assertThat(e.getMessage()).containsAnyOf("reset", "Broken pipe", "closed", "terminated the handshake");
        }
    }

    // ------------------------------------------------------------------------------------ files

    @Test
    void shouldSayWhatIsWrongWithAFile() throws Exception {
        Path certificate = certificates.certificate("server");
        Path key = certificates.key("server");
        Path text = Files.writeString(folder.resolve("text.pem"), "no certificate\n");
        Path empty = Files.writeString(folder.resolve("empty.pem"), "");
        Path missing = folder.resolve("missing.pem");
        assertWrong(missing, key, null, TlsException.Part.CERTIFICATE, "there is no such file");
        assertWrong(empty, key, null, TlsException.Part.CERTIFICATE, "it holds no certificate");
        assertWrong(
                text, key, null, TlsException.Part.CERTIFICATE,
                "it holds something else than certificates in PEM form");
        assertWrong(folder, key, null, TlsException.Part.CERTIFICATE, "it can't be read");
        assertWrong(certificate, missing, null, TlsException.Part.KEY, "there is no such file");
        assertWrong(certificate, text, null, TlsException.Part.KEY, "it holds no PRIVATE KEY in PEM form");
        assertWrong(
                certificate, certificates.key("ann"), null, TlsException.Part.KEY,
                "its key is not the certificate's");
        assertWrong(certificate, key, missing, TlsException.Part.CLIENT_CA, "there is no such file");
        assertWrong(
                certificate, key, text, TlsException.Part.CLIENT_CA,
                "it holds something else than certificates in PEM form");
    }

    @Test
    void shouldSayHowToMakeAKeyOfWhatIsNone() throws Exception {
        Path certificate = certificates.certificate("server");
        for (String kind : List.of("EC PRIVATE KEY", "RSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY")) {
            Path other = Files.writeString(
                    folder.resolve("other.key"), "-----BEGIN " + kind + "-----\nAAAA\n-----END " + kind + "-----\n");
            assertWrong(
                    certificate, other, null, TlsException.Part.KEY,
                    "it holds an " + kind + ", which 'openssl pkcs8 -topk8 -nocrypt' makes a PRIVATE KEY of");
        }
        byte[] rsa = KeyPairGenerator.getInstance("RSA").generateKeyPair().getPrivate().getEncoded();
        Path another = Files.writeString(
                folder.resolve("another.key"),
                "-----BEGIN PRIVATE KEY-----\n" + Base64.getMimeEncoder().encodeToString(rsa)
                        + "\n-----END PRIVATE KEY-----\n");
        assertWrong(
                certificate, another, null, TlsException.Part.KEY, "it holds no key for EC, which the certificate has");
    }

    private static void assertWrong(
            Path certificate, Path key, Path clientCa, TlsException.Part part, String message) {
        assertThatThrownBy(() -> Tls.read(
                certificate, key, clientCa, clientCa == null ? Tls.ClientAuth.NONE : Tls.ClientAuth.REQUIRED))
                .isInstanceOfSatisfying(
                        TlsException.class, e -> assertThat(e.part()).isEqualTo(part))
                .hasMessageStartingWith(message);
    }
}
