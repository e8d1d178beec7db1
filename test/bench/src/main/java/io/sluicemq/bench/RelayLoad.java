package io.sluicemq.bench;

import io.sluicemq.cli.bench.BenchFailure;
import io.sluicemq.cli.bench.ProcessProbe;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * The load for the relay: what the client library does to its sockets (a write a message, reads into 8 KiB), with the
 * bytes that a message has in AMQP 0-9-1, and nothing else. The threads of producer and consumers share counters with
 * the one that measures.
 */
final class RelayLoad {

    /** Method, header and frame bytes of basic.publish and its content on the default exchange. */
    private static final int PROTOCOL_BYTES = 75;

    private static final int STREAM_BUFFER_BYTES = 8192;
    private static final long HIGHEST_MICROS = 3_600_000_000L;
    private static final long END_MILLIS = 10_000;

    private final Peer.Running relay;
    private final Timing timing;
    private final int subscribers;
    private final int messageBytes;
    private final ProcessProbe probe;
    private final com.sun.management.OperatingSystemMXBean self =
            ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class);
    private final AtomicLong published = new AtomicLong();
    private final List<AtomicLong> consumed = new ArrayList<>();
    private final List<SingleWriterRecorder> latencies = new ArrayList<>();
    private volatile boolean stopping;
    private volatile IOException failure;

    RelayLoad(Peer.Running relay, Scenario scenario, Timing timing) {
        this.relay = relay;
        this.timing = timing;
        this.subscribers = scenario.subscribers();
        this.messageBytes = scenario.size() + PROTOCOL_BYTES;
        this.probe = new ProcessProbe(relay.pids());
    }

    private record Reading(long nanos, long published, long consumed, long clientCpuNanos, ProcessProbe.Usage usage) {}

    Measurement run() throws PeerFailure, InterruptedException {
        List<Socket> sockets = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        try {
            for (int i = 0; i < subscribers; i++) {
                Socket socket = connect(sockets);
                AtomicLong count = new AtomicLong();
                SingleWriterRecorder recorder = new SingleWriterRecorder(HIGHEST_MICROS, 3);
                consumed.add(count);
                latencies.add(recorder);
                threads.add(Thread.ofPlatform().daemon().start(() -> consume(socket, count, recorder)));
            }
            Socket socket = connect(sockets);
            threads.add(Thread.ofPlatform().daemon().start(() -> produce(socket)));
            TimeUnit.SECONDS.sleep(timing.warmupSeconds());
            latencies.forEach(SingleWriterRecorder::getIntervalHistogram);
            Reading begin = read();
            TimeUnit.SECONDS.sleep(timing.seconds());
            Reading end = read();
            Measurement measurement = measurement(begin, end);
            stopping = true;
            threads.getLast().join(END_MILLIS);
            if (failure != null) {
                throw new PeerFailure("the relay's load failed: " + failure.getMessage(), failure);
            }
            return measurement;
        } catch (IOException | BenchFailure e) {
            throw new PeerFailure("the relay's load failed: " + e.getMessage(), e);
        } finally {
            stopping = true;
            closeAll(sockets);
        }
    }

    private Socket connect(List<Socket> sockets) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), relay.port());
        socket.setTcpNoDelay(true);
        sockets.add(socket);
        return socket;
    }

    private static void closeAll(List<Socket> sockets) throws PeerFailure {
        for (Socket socket : sockets) {
            try {
                socket.close();
            } catch (IOException e) {
                throw new PeerFailure("cannot close a socket of the relay's load: " + e.getMessage(), e);
            }
        }
    }

    private Reading read() throws BenchFailure {
        return new Reading(
                System.nanoTime(),
                published.getAcquire(),
                consumed.stream().mapToLong(AtomicLong::getAcquire).sum(),
                self.getProcessCpuTime(),
                probe.read());
    }

    private Measurement measurement(Reading begin, Reading end) {
        Histogram latency = new Histogram(HIGHEST_MICROS, 3);
        latencies.forEach(each -> latency.add(each.getIntervalHistogram()));
        double seconds = (end.nanos() - begin.nanos()) / 1e9;
        double messages = Math.max(1, end.consumed() - begin.consumed());
        return new Measurement(
                (end.published() - begin.published()) / seconds,
                0,
                messages / seconds,
                (end.usage().cpuMicros() - begin.usage().cpuMicros()) / messages,
                latency.getValueAtPercentile(50) / 1000.0,
                latency.getValueAtPercentile(99) / 1000.0,
                0,
                end.usage().rssBytes(),
                Math.max(0, end.published() * subscribers - end.consumed()),
                (end.clientCpuNanos() - begin.clientCpuNanos()) / 1000.0 / messages,
                null);
    }

    private void produce(Socket socket) {
        byte[] message = new byte[messageBytes];
        ByteBuffer stamp = ByteBuffer.wrap(message);
        try {
            OutputStream out = new BufferedOutputStream(socket.getOutputStream(), STREAM_BUFFER_BYTES);
            for (long n = 1; !stopping; n++) {
                stamp.putLong(0, System.nanoTime());
                out.write(message);
                out.flush();
                published.setRelease(n);
            }
        } catch (IOException e) {
            fail(e);
        }
    }

    private void consume(Socket socket, AtomicLong count, SingleWriterRecorder recorder) {
        byte[] message = new byte[messageBytes];
        ByteBuffer stamp = ByteBuffer.wrap(message);
        try {
            InputStream in = new BufferedInputStream(socket.getInputStream(), STREAM_BUFFER_BYTES);
            for (long n = 1; in.readNBytes(message, 0, messageBytes) == messageBytes; n++) {
                recorder.recordValue(Math.max(0, (System.nanoTime() - stamp.getLong(0)) / 1000));
                count.setRelease(n);
            }
        } catch (IOException e) {
            fail(e);
        }
    }

    private void fail(IOException e) {
        if (!stopping) {
            failure = e;
        }
    }
}
