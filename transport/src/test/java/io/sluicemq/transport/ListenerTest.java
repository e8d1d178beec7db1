package io.sluicemq.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluicemq.api.LateBytes;
import io.sluicemq.api.Protocol;
import io.sluicemq.api.Wire;
import io.sluicemq.base.TaskFailures;
import io.sluicemq.testkit.LogCapture;
import io.sluicemq.testkit.TestCertificates;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Listeners and connections on real sockets of every kind that this machine offers, without and with TLS. */
@ParameterizedClass(name = "{0}, TLS: {1}")
@MethodSource("everyWay")
class ListenerTest {

    private static final int MEBIBYTE = 1024 * 1024;

    /** More than the buffers of two sockets hold. */
    private static final int TOTAL = 32 * MEBIBYTE;

    private static final ListenerOptions OPTIONS = ListenerOptions.of("127.0.0.1", 0);

    private static Tls tls;
    private static SSLContext client;

    @Parameter(0)
    private SocketKind kind;

    @Parameter(1)
    private boolean secure;

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    private final TaskFailures failures = new TaskFailures();
    private final List<Socket> sockets = new ArrayList<>();
    private NettyLoops loops;
    private Listener listener;

    static List<Arguments> everyWay() {
        return NettyLoopTest.available().stream()
                .flatMap(kind -> Stream.of(Arguments.of(kind, false), Arguments.of(kind, true)))
                .toList();
    }

    @BeforeAll
    static void certify(@TempDir Path folder) throws TlsException {
        if (tls == null) {
            TestCertificates certificates = TestCertificates.in(folder);
            tls = Tls.read(
                    certificates.certificate("server"), certificates.key("server"), null, Tls.ClientAuth.NONE);
            client = certificates.client(null);
        }
    }

    @BeforeEach
    void start() {
        loops = new NettyLoops(2, kind, failures, Duration.ofMillis(1), allocator);
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
        assertThat(allocator.metric().usedDirectMemory()).isZero();
        assertThat(allocator.metric().usedHeapMemory()).isZero();
    }

    // ------------------------------------------------------------------------------------ carrying bytes

    @Test
    void shouldCarryFramesOfAllSizesBothWays() throws Exception {
        listen(OPTIONS, FrameProtocol.echo());
        var random = new Random(42);
        List<CompletableFuture<Void>> clients = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Socket socket = connect();
            long seed = random.nextLong();
            clients.add(inBackground(() -> sendAndCompare(socket, new Random(seed))));
        }
        for (CompletableFuture<Void> client : clients) {
            client.get(60, TimeUnit.SECONDS);
        }
        ListenerCounters counters = listener.counters();
        assertThat(counters.open()).isEqualTo(4);
        assertThat(counters.accepted()).isEqualTo(4);
        assertThat(counters.unauthenticated()).isZero();
        assertThat(counters.bytesIn()).isEqualTo(counters.bytesOut() + 4 * 4);
    }

    private void sendAndCompare(Socket socket, Random random) {
        byte[][] frames = new byte[300][];
        for (int i = 0; i < frames.length; i++) {
            frames[i] = new byte[random.nextInt(10) == 0 ? random.nextInt(300_000) : random.nextInt(3000)];
            random.nextBytes(frames[i]);
        }
        try {
            var writer = inBackground(() -> {
                try {
                    var out = new DataOutputStream(socket.getOutputStream());
                    out.write("ECHO".getBytes(US_ASCII));
                    for (byte[] frame : frames) {
                        out.writeInt(frame.length);
                        out.write(frame);
                    }
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            var in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            for (byte[] frame : frames) {
                assertThat(in.readInt()).isEqualTo(frame.length);
                assertThat(in.readNBytes(frame.length)).isEqualTo(frame);
            }
            writer.get(10, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldGiveConnectionsToItsLoopsInTurn() throws Exception {
        List<Integer> indexes = new CopyOnWriteArrayList<>();
        listen(OPTIONS, new FrameProtocol("INDX", wire -> {
            indexes.add(wire.loop().index());
            return new IdleSession(wire);
        }));
        for (int i = 0; i < 6; i++) {
            send(connect(), "INDX");
            int expected = i + 1;
            await().until(() -> indexes.size() == expected);
        }
        assertThat(indexes).containsExactly(0, 1, 0, 1, 0, 1);
    }

    @Test
    void shouldTellThePeersAddress() throws Exception {
        var wires = new CopyOnWriteArrayList<Wire>();
        listen(OPTIONS, new FrameProtocol("NAME", wire -> {
            wires.add(wire);
            return new IdleSession(wire);
        }));
        Socket socket = connect();
        send(socket, "NAME");
        await().until(() -> wires.size() == 1);
        Wire wire = wires.getFirst();
        assertThat(wire.peer().loopback()).isTrue();
        assertThat(wire.peer().address()).isEqualTo("127.0.0.1:" + socket.getLocalPort());
        assertThat(wire.name()).isEqualTo("127.0.0.1:" + socket.getLocalPort() + " -> 127.0.0.1:"
                + listener.address().getPort());
    }

    @Test
    void shouldChooseAmongProtocolsByTheFirstBytes() throws Exception {
        listen(OPTIONS, FrameProtocol.echo(), new FrameProtocol("ELSE", wire -> {
            wire.out().writeBytes("welcome".getBytes(US_ASCII));
            return new IdleSession(wire);
        }));
        Socket socket = connect();
        send(socket, "E");
        send(socket, "LS");
        send(socket, "E");
        assertThat(socket.getInputStream().readNBytes(7)).isEqualTo("welcome".getBytes(US_ASCII));
    }

    @Test
    void shouldInviteAPeerThatSpeaksSomethingUnknownHoweverMuchItHasSent() throws Exception {
        listen(OPTIONS, FrameProtocol.echo());
        Socket socket = connect();
        socket.getOutputStream().write(new byte[50_000]);
        assertThat(socket.getInputStream().readAllBytes()).isEqualTo("speak ECHO".getBytes(US_ASCII));
        await().until(() -> listener.counters().unknownProtocol() == 1);
    }

    // ------------------------------------------------------------------------------------ limits

    @Test
    void shouldSayWhichAddressIsInUse() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            ListenerOptions options = ListenerOptions.of("127.0.0.1", taken.getLocalPort());
            assertThatThrownBy(() -> Listener.open(loops, List.of(FrameProtocol.echo()), options))
                    .isInstanceOf(ListenException.class)
                    .hasMessage("cannot listen on 127.0.0.1:" + taken.getLocalPort() + ": Address already in use");
        }
    }

    @Test
    void shouldSayWhichHostIsUnknown() {
        assertThatThrownBy(
                () -> Listener.open(loops, List.of(FrameProtocol.echo()), ListenerOptions.of("no.such.invalid", 1)))
                .isInstanceOf(ListenException.class)
                .hasMessage("cannot listen on no.such.invalid:1: the host name is unknown");
    }

    @Test
    void shouldRefuseConnectionsBeyondTheLimit() throws Exception {
        try (var log = new LogCapture()) {
            listen(OPTIONS.withLimits(3, 100), FrameProtocol.echo());
            for (int i = 0; i < 3; i++) {
                ping(connect());
            }
            assertRefused(connect());
            assertRefused(connect());
            assertThat(listener.counters().refused()).isEqualTo(2);
            assertThat(log.messages(Level.WARN)).containsExactly("127.0.0.1:" + listener.address().getPort()
                    + ": the limit of 3 connections is reached, one from 127.0.0.1 was refused");

            sockets.getFirst().close();
            await().until(() -> listener.counters().open() == 2);
            ping(connect());
        }
    }

    @Test
    void shouldRefuseUnauthenticatedConnectionsBeyondTheLimit() throws Exception {
        try (var log = new LogCapture()) {
            listen(OPTIONS.withLimits(100, 2), FrameProtocol.echo());
            ping(connect());
            ping(connect());
            connect();
            connect();
            assertRefused(connect());
            assertThat(log.atLeast(Level.WARN)).singleElement()
                    .satisfies(event -> assertThat(event.getFormattedMessage()).contains("have not logged in"));

            sockets.get(2).close();
            await().until(() -> listener.counters().unauthenticated() == 1);
            ping(connect());
        }
    }

    @Test
    void shouldCloseAPeerThatSaysNothing() throws Exception {
        listen(OPTIONS.withTimes(Duration.ofMillis(50), Duration.ofSeconds(2)), FrameProtocol.echo());
        assertThat(connect().getInputStream().read()).isEqualTo(-1);
        Socket slow = connect();
        send(slow, "EC");
        assertThat(slow.getInputStream().read()).isEqualTo(-1);
    }

    // ------------------------------------------------------------------------------------ back-pressure

    @Test
    void shouldStopProducingForAPeerThatDoesNotRead() throws Exception {
        var produced = new AtomicLong();
        listen(OPTIONS, new FrameProtocol("POUR", wire -> new PouringSession(wire, produced, TOTAL)));
        Socket socket = connect();
        send(socket, "POUR");
        long stalledAt = awaitStall(produced::get);

        assertThat(stalledAt).isLessThan(TOTAL);
        assertThat(allocator.metric().usedDirectMemory()).isLessThan(MEBIBYTE);

        var in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        for (long i = 0; i < TOTAL / 8; i++) {
            if (in.readLong() != i) {
                throw new AssertionError("the number " + i + " is not in its place");
            }
        }
        assertThat(produced.get()).isEqualTo(TOTAL);
    }

    /** What is to be sent late is made when it can leave, and stands in its place among the rest. */
    @Test
    void shouldMakeLargeOutputWhenThePeerTakesIt() throws Exception {
        var made = new AtomicLong();
        listen(OPTIONS.withTimes(Duration.ofSeconds(10), Duration.ofSeconds(30)),
                new FrameProtocol("LATE", wire -> new IdleSession(wire) {
                    @Override
                    public void input(ByteBuf in) {
                        in.skipBytes(in.readableBytes());
                        wire.out().writeInt(1);
                        wire.write(new CountingBytes(TOTAL, made));
                        wire.out().writeInt(2);
                        assertThat(wire.isWritable()).isFalse();
                        wire.write(new CountingBytes(TOTAL, made));
                        wire.out().writeInt(3);
                        wire.close();
                    }
                }));
        Socket socket = connect();
        send(socket, "LATE");
        assertThat(awaitStall(made::get)).isLessThan(TOTAL);
        assertThat(allocator.metric().usedDirectMemory()).isLessThan(MEBIBYTE);
        assertThat(allocator.metric().usedHeapMemory()).isLessThan(MEBIBYTE);

        var in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        assertThat(in.readInt()).isEqualTo(1);
        expectCounting(in);
        assertThat(in.readInt()).isEqualTo(2);
        expectCounting(in);
        assertThat(in.readInt()).isEqualTo(3);
        assertThat(in.read()).isEqualTo(-1);
    }

    private static void expectCounting(DataInputStream in) throws IOException {
        for (long i = 0; i < TOTAL / 8; i++) {
            if (in.readLong() != i) {
                throw new AssertionError("the number " + i + " is not in its place");
            }
        }
    }

    /** More than a peer may leave unread before it is not read from; all of it may go at once, without a word of the channel. */
    @Test
    void shouldReadOnAfterLargeOutput() throws Exception {
        listen(OPTIONS, new FrameProtocol("MORE", wire -> new FrameProtocol.FrameSession(wire) {
            @Override
            protected void frame(ByteBuf frame) {
                frame.release();
                wire.write(new CountingBytes(2 * MEBIBYTE, new AtomicLong()));
            }
        }));
        Socket socket = connect();
        send(socket, "MORE");
        var in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        for (int i = 0; i < 20; i++) {
            send(socket, "\0\0\0\1x");
            in.skipNBytes(2 * MEBIBYTE);
        }
    }

    /** Numbers, and how far they have been made. */
    private record CountingBytes(long length, AtomicLong made) implements LateBytes {

        @Override
        public void copy(long position, ByteBuffer target) {
            long at = position;
            while (target.hasRemaining() && at < length) {
                target.put((byte) (at / 8 >>> 8 * (7 - at % 8)));
                at++;
            }
            made.accumulateAndGet(at, Math::max);
        }
    }

    @Test
    void shouldCutAPeerThatDoesNotTakeLargeOutputBeforeTheEnd() throws Exception {
        listen(OPTIONS.withTimes(Duration.ofSeconds(10), Duration.ofMillis(100)),
                new FrameProtocol("LATE", wire -> new IdleSession(wire) {
                    @Override
                    public void input(ByteBuf in) {
                        in.skipBytes(in.readableBytes());
                        wire.write(new CountingBytes(TOTAL, new AtomicLong()));
                        wire.out().writeInt(3);
                        wire.close();
                    }
                }));
        Socket socket = connect();
        send(socket, "LATE");
        await().until(() -> listener.counters().open() == 0);
    }

    @Test
    void shouldNotReadRequestsOfAPeerThatDoesNotReadAnswers() throws Exception {
        listen(OPTIONS, FrameProtocol.echo());
        Socket socket = connect();
        int frames = TOTAL / 1024;
        var writer = inBackground(() -> {
            try {
                var out = new BufferedOutputStream(socket.getOutputStream(), 16 * 1024);
                out.write("ECHO".getBytes(US_ASCII));
                ByteBuffer frame = ByteBuffer.allocate(1024).putInt(1020);
                for (int i = 0; i < frames; i++) {
                    out.write(frame.putInt(4, i).array());
                }
                out.flush();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        awaitStall(() -> listener.counters().bytesIn());
        assertThat(writer).isNotDone();
        assertThat(allocator.metric().usedDirectMemory()).isLessThan(3 * MEBIBYTE);

        var in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        for (int i = 0; i < frames; i++) {
            in.skipNBytes(4);
            if (in.readInt() != i) {
                throw new AssertionError("frame " + i + " is not in its place");
            }
            in.skipNBytes(1016);
        }
        writer.get(10, TimeUnit.SECONDS);
    }

    @Test
    void shouldHoldBackAPeerWhoseSessionPausesAndLoseNothing() throws Exception {
        var session = new CompletableFuture<PausingSession>();
        listen(OPTIONS, new FrameProtocol("WAIT", wire -> {
            var opened = new PausingSession(wire);
            session.complete(opened);
            return opened;
        }));
        Socket socket = connect();
        int frames = TOTAL / 1024;
        var writer = inBackground(() -> {
            try {
                var out = new DataOutputStream(
                        new BufferedOutputStream(socket.getOutputStream(), 16 * 1024));
                out.write("WAIT".getBytes(US_ASCII));
                byte[] rest = new byte[1016];
                for (int i = 0; i < frames; i++) {
                    out.writeInt(1020);
                    out.writeInt(i);
                    out.write(rest);
                }
                out.flush();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        PausingSession paused = session.get(10, TimeUnit.SECONDS);
        long stalledAt = awaitStall(() -> listener.counters().bytesIn());
        assertThat(stalledAt).isLessThan(MEBIBYTE);
        assertThat(writer).isNotDone();

        paused.resumeEvery(100);
        writer.get(30, TimeUnit.SECONDS);
        await().until(() -> paused.frames.get() == frames);
        assertThat(paused.inOrder.get()).isTrue();
    }

    @Test
    void shouldServeOthersWhileOnePeerFloods() throws Exception {
        loops.close();
        loops = new NettyLoops(1, kind, failures, Duration.ofMillis(1), allocator);
        listen(OPTIONS, FrameProtocol.echo(), new FrameProtocol("SINK", SinkingSession::new));
        var stop = new AtomicBoolean();
        List<CompletableFuture<Void>> floods = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Socket flooding = connect();
            floods.add(inBackground(() -> {
                try {
                    send(flooding, "SINK");
                    byte[] frames = new byte[256 * 1024]; // frames of no bytes
                    while (!stop.get()) {
                        flooding.getOutputStream().write(frames);
                    }
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            }));
        }
        Socket polite = connect();
        for (int i = 0; i < 20; i++) {
            ping(polite);
        }
        stop.set(true);
        for (CompletableFuture<Void> flood : floods) {
            flood.get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldHoldNoBuffersForIdleConnections() throws Exception {
        listen(OPTIONS, FrameProtocol.echo());
        int count = secure ? 200 : 1000;
        for (int i = 0; i < count; i++) {
            ping(connect());
        }
        // A ring has a buffer for every read that is under way; the others read only what is there.
        long bound = kind == SocketKind.IO_URING ? count * 24L * 1024 : 0;
        await().until(() -> allocator.metric().usedDirectMemory() <= bound);
    }

    // ------------------------------------------------------------------------------------ the end

    @Test
    void shouldAnswerAPeerThatHasEndedItsSide() throws Exception {
        listen(OPTIONS, FrameProtocol.echo());
        Socket socket = connect();
        var out = new DataOutputStream(socket.getOutputStream());
        out.write("ECHO".getBytes(US_ASCII));
        byte[] frame = new byte[200_000];
        Arrays.fill(frame, (byte) 7);
        out.writeInt(frame.length);
        out.write(frame);
        socket.shutdownOutput();

        byte[] answer = socket.getInputStream().readAllBytes();
        assertThat(answer).hasSize(4 + frame.length).endsWith(frame);
        await().until(() -> listener.counters().open() == 0);
    }

    @Test
    void shouldCloseOnceAndLogOneQuietLineWhenAPeerResets() throws Exception {
        try (var log = new LogCapture()) {
            var closings = new AtomicInteger();
            listen(OPTIONS,
                    new FrameProtocol("POUR", wire -> new PouringSession(wire, new AtomicLong(), Long.MAX_VALUE) {
                        @Override
                        public void closed() {
                            closings.incrementAndGet();
                        }
                    }));
            Socket socket = connect();
            send(socket, "POUR");
            socket.getInputStream().readNBytes(100_000);
            socket.setSoLinger(true, 0);
            socket.close();

            await().until(() -> listener.counters().open() == 0);
            assertThat(closings).hasValue(1);
            assertThat(log.atLeast(Level.INFO)).isEmpty();
            assertThat(log.withTrace()).isEmpty();
            assertThat(log.atLeast(Level.DEBUG).stream()
                    .filter(event -> event.getFormattedMessage().contains("IOException")
                            || event.getFormattedMessage().contains("SocketException")
                            || event.getFormattedMessage().contains("reset")
                            || event.getFormattedMessage().contains("Broken pipe")))
                    .hasSizeLessThanOrEqualTo(1);
        }
    }

    @Test
    void shouldLogOneErrorAndCloseWhenASessionThrows() throws Exception {
        try (var log = new LogCapture()) {
            var closings = new AtomicInteger();
            listen(OPTIONS, new FrameProtocol("FAIL", wire -> new FrameProtocol.FrameSession(wire) {
                @Override
                protected void frame(ByteBuf frame) {
                    frame.release();
                    throw new IllegalStateException("meant by the test");
                }

                @Override
                public void closed() {
                    closings.incrementAndGet();
                }
            }));
            Socket socket = connect();
            send(socket, "FAIL\0\0\0\1x\0\0\0\1x");
            readToEnd(socket);
            await().until(() -> closings.get() == 1);
            assertThat(failures.count()).isOne();
            assertThat(log.atLeast(Level.WARN)).hasSize(1);
            assertThat(log.withTrace()).hasSize(1);
        }
    }

    @Test
    void shouldNotTellASessionOfItsEndFromWithinItsOwnCall() throws Exception {
        var reentered = new CompletableFuture<Boolean>();
        listen(OPTIONS, new FrameProtocol("QUIT", wire -> new FrameProtocol.FrameSession(wire) {
            private boolean inside;

            @Override
            protected void frame(ByteBuf frame) {
                frame.release();
                inside = true;
                wire.out().writeByte(1);
                wire.abort();
                inside = false;
            }

            @Override
            public void closed() {
                reentered.complete(inside);
            }
        }));
        Socket socket = connect();
        send(socket, "QUIT\0\0\0\1x");
        assertThat(reentered.get(10, TimeUnit.SECONDS)).isFalse();
        readToEnd(socket);
    }

    @Test
    void shouldStopInOrder() throws Exception {
        listen(OPTIONS, FrameProtocol.echo());
        Socket polite = connect();
        ping(polite);
        Socket silent = connect();
        await().until(() -> listener.counters().open() == 2);

        var stopped = listener.stop("going down", Duration.ofSeconds(30));
        assertThat(polite.getInputStream().readAllBytes()).isEqualTo("going down".getBytes(US_ASCII));
        polite.close();
        readToEnd(silent);
        stopped.get(10, TimeUnit.SECONDS);
        assertThatThrownBy(this::connect).isInstanceOf(IOException.class);
    }

    @Test
    void shouldCutSessionsThatDoNotEndInTime() throws Exception {
        listen(OPTIONS, new FrameProtocol("STAY", wire -> new IdleSession(wire) {
            @Override
            public void shutdown(String reason) {}
        }));
        Socket socket = connect();
        send(socket, "STAY");
        await().until(() -> listener.counters().bytesIn() == 4);
        listener.stop("going down", Duration.ofMillis(50)).get(10, TimeUnit.SECONDS);
        readToEnd(socket);
    }

    // ------------------------------------------------------------------------------------ the test's own

    private void listen(ListenerOptions options, Protocol... protocols) throws ListenException {
        listener = Listener.open(loops, List.of(protocols), options.withTls(secure ? tls : null));
    }

    private Socket connect() throws IOException {
        int port = listener.address().getPort();
        InetAddress address = InetAddress.getLoopbackAddress();
        Socket socket = secure ? client.getSocketFactory().createSocket(address, port) : new Socket(address, port);
        socket.setSoTimeout(30_000);
        socket.setTcpNoDelay(true);
        sockets.add(socket);
        return socket;
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(US_ASCII));
    }

    private final List<Socket> greeted = new ArrayList<>();

    /** A frame there and back. */
    private void ping(Socket socket) throws IOException {
        if (!greeted.contains(socket)) {
            send(socket, "ECHO");
            greeted.add(socket);
        }
        send(socket, "\0\0\0\4ping");
        assertThat(socket.getInputStream().readNBytes(8)).endsWith("ping".getBytes(US_ASCII));
    }

    private static CompletableFuture<Void> inBackground(Runnable work) {
        return CompletableFuture.runAsync(work, Thread::startVirtualThread);
    }

    /** Reads until the peer has closed, in whichever way. */
    private void readToEnd(Socket socket) throws IOException {
        try {
            socket.getInputStream().readAllBytes();
        } catch (SocketException e) {
            // A client of TLS that has not written yet writes first.
            assertThat(e.getMessage()).containsAnyOf("reset", secure ? "Broken pipe" : "reset");
        } catch (SSLHandshakeException e) {
            assertThat(e).hasMessageContaining("terminated the handshake");
        }
    }

    private void assertRefused(Socket socket) throws IOException {
        if (secure) {
            readToEnd(socket);
        } else {
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    /** Waits until {@code value} has not changed for a while. */
    private static long awaitStall(java.util.function.LongSupplier value) {
        var last = new AtomicLong(-1);
        await().pollInterval(Duration.ofMillis(150))
                .until(() -> last.getAndSet(value.getAsLong()) == value.getAsLong() && last.get() > 0);
        return last.get();
    }

    private static class IdleSession extends FrameProtocol.FrameSession {

        IdleSession(Wire wire) {
            super(wire);
        }

        @Override
        protected void frame(ByteBuf frame) {
            frame.release();
        }
    }

    private static final class SinkingSession extends IdleSession {

        SinkingSession(Wire wire) {
            super(wire);
        }

        @Override
        public void input(ByteBuf in) {
            in.skipBytes(in.readableBytes());
        }
    }

    /** Writes numbers for as long as the wire takes them. */
    private static class PouringSession extends IdleSession {

        private final ByteBuffer numbers = ByteBuffer.allocate(1024);
        private final AtomicLong produced;
        private final long total;
        private long next;

        PouringSession(Wire wire, AtomicLong produced, long total) {
            super(wire);
            this.produced = produced;
            this.total = total;
        }

        @Override
        public void input(ByteBuf in) {
            in.skipBytes(in.readableBytes());
            pour();
        }

        @Override
        public void flushed() {
            pour();
        }

        private void pour() {
            while (wire.isWritable() && next * 8 < total) {
                for (int i = 0; i < 128; i++) {
                    numbers.putLong(i * 8, next++);
                }
                wire.out().writeBytes(numbers.array());
            }
            produced.set(next * 8);
        }
    }

    /** Takes nothing until told, and then pauses again and again. */
    private static final class PausingSession extends FrameProtocol.FrameSession {

        final AtomicInteger frames = new AtomicInteger();
        final AtomicBoolean inOrder = new AtomicBoolean(true);
        private int atOnce;
        private int left;

        PausingSession(Wire wire) {
            super(wire);
            wire.pauseReading();
        }

        void resumeEvery(int count) {
            wire.loop().execute(() -> {
                atOnce = count;
                resume();
            });
        }

        private void resume() {
            left = atOnce;
            wire.resumeReading();
        }

        @Override
        protected boolean mayRead() {
            return left > 0;
        }

        @Override
        protected void frame(ByteBuf frame) {
            if (frame.getInt(4) != frames.getAndIncrement()) {
                inOrder.set(false);
            }
            frame.release();
            left--;
            if (left == 0) {
                wire.pauseReading();
                wire.loop().execute(this::resume);
            }
        }
    }
}
