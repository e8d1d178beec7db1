package io.sluicemq.campaign;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.impl.Frame;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Many connections with some channels each do nothing; what heap they take, and how long a message between two of them takes. */
@Command(name = "idle-connections", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Opens many idle connections and channels, and checks the broker's heap and its delivery times.",
        footer = {"", "Exit code: 0 if all was right, 1 if not, 2 for wrong usage."})
public final class IdleConnections implements Callable<Integer> {

    private static final int MIB = 1024 * 1024;
    private static final int NANOS_PER_MICRO = 1_000;
    private static final int MICROS_PER_MILLI = 1_000;

    @Option(names = "--connections", defaultValue = "1000", description = "How many (default: ${DEFAULT-VALUE}).")
    private int connections;

    @Option(names = "--channels", defaultValue = "10", description = "How many on each (default: ${DEFAULT-VALUE}).")
    private int channels;

    @Option(names = "--messages", defaultValue = "500",
            description = "How many messages go from one to another, one at a time (default: ${DEFAULT-VALUE}).")
    private int messages;

    @Option(names = "--max-heap-mib", defaultValue = "150",
            description = "How much heap the broker may use after garbage collection (default: ${DEFAULT-VALUE}).")
    private long maxHeapMib;

    @Option(names = "--max-millis", defaultValue = "100",
            description = "How long each message may take (default: ${DEFAULT-VALUE}).")
    private long maxMillis;

    @Option(names = "--seed", defaultValue = "1", description = "Which go to which (default: ${DEFAULT-VALUE}).")
    private long seed;

    private final PrintStream out;

    /** Prints to a stream. */
    public IdleConnections(PrintStream out) {
        this.out = out;
    }

    /** The command line's entry. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new IdleConnections(System.out)).execute(arguments));
    }

    @Override
    public Integer call() throws IOException {
        try (BrokerProcess process = BrokerProcess.start()) {
            long before = process.heapBytes();
            List<RawAmqp> peers = new ArrayList<>();
            try {
                for (int i = 0; i < connections; i++) {
                    peers.add(open(process.broker()));
                }
                long idle = process.heapBytes();
                long[] micros = exchangeMessages(peers);
                long after = process.heapBytes();
                return report(before, idle, after, micros);
            } finally {
                for (RawAmqp peer : peers) {
                    peer.close();
                }
            }
        }
    }

    private RawAmqp open(BrokerUnderTest broker) throws IOException {
        RawAmqp peer = RawAmqp.open(broker);
        byte[][] opens = new byte[channels][];
        for (int channel = 1; channel <= channels; channel++) {
            opens[channel - 1] = RawAmqp.bytes(channel, new AMQP.Channel.Open.Builder().build());
        }
        peer.send(RawAmqp.join(opens));
        for (int channel = 1; channel <= channels; channel++) {
            peer.expect(channel, AMQP.Channel.OpenOk.class);
        }
        return peer;
    }

    /** Sends messages between two peers at a time, and returns how many microseconds each took, in ascending order. */
    private long[] exchangeMessages(List<RawAmqp> peers) throws IOException {
        Random random = new Random(seed);
        long[] micros = new long[messages];
        for (int i = 0; i < messages; i++) {
            RawAmqp receiver = peers.get(random.nextInt(peers.size()));
            RawAmqp sender = peers.get(random.nextInt(peers.size()));
            int channel = 1 + random.nextInt(channels);
            receiver.send(channel, new AMQP.Queue.Declare.Builder().exclusive(true).build());
            String queue = receiver.expect(channel, AMQP.Queue.DeclareOk.class).getQueue();
            receiver.send(channel, new AMQP.Basic.Consume.Builder().queue(queue).noAck(true).build());
            receiver.expect(channel, AMQP.Basic.ConsumeOk.class);
            long start = System.nanoTime();
            sender.publish(1 + random.nextInt(channels), queue, "message " + i);
            receiver.expect(channel, AMQP.Basic.Deliver.class);
            Frame header = receiver.readContent();
            Frame body = receiver.readContent();
            micros[i] = (System.nanoTime() - start) / NANOS_PER_MICRO;
            if (header == null || body == null) {
                throw new IOException("the broker has cut a connection");
            }
            receiver.send(channel, new AMQP.Queue.Delete.Builder().queue(queue).build());
            receiver.skipTo(channel, AMQP.Queue.DeleteOk.class);
        }
        Arrays.sort(micros);
        return micros;
    }

    private int report(long before, long idle, long after, long[] micros) {
        long heap = Math.max(idle, after);
        long slowest = micros[micros.length - 1];
        out.printf("%d connections x %d channels%n", connections, channels);
        out.printf("heap after GC: %.1f MiB without them, %.1f MiB idle, %.1f MiB after %d messages (limit %d MiB)%n",
                mib(before), mib(idle), mib(after), messages, maxHeapMib);
        out.printf("publish to delivery: median %.1f ms, 99 %% %.1f ms, slowest %.1f ms (limit %d ms)%n",
                millis(micros[micros.length / 2]), millis(micros[micros.length * 99 / 100]), millis(slowest),
                maxMillis);
        boolean right = heap <= maxHeapMib * MIB && slowest <= maxMillis * MICROS_PER_MILLI;
        out.println(right ? "Within the limits." : "Above a limit.");
        return right ? 0 : 1;
    }

    private static double mib(long bytes) {
        return (double) bytes / MIB;
    }

    private static double millis(long micros) {
        return (double) micros / MICROS_PER_MILLI;
    }
}
