package io.sluicemq.campaign.full;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.MessageProperties;
import io.sluicemq.campaign.BrokerProcess;
import io.sluicemq.campaign.BrokerUnderTest;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Many messages come to an address with the policy page that nobody reads: what memory the broker takes for them, how they are
 * drained, and how fast another address is meanwhile.
 */
@Command(name = "paged-addresses", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Fills an address far beyond its memory, drains it in order, and measures memory and rates.",
        footer = {"", "Exit code: 0 if all was right, 1 if not, 2 for wrong usage."})
public final class PagedAddresses implements Callable<Integer> {

    private static final long MIB = 1 << 20;
    private static final int WINDOW = 1_000;
    private static final long OTHER_NANOS = 5_000_000_000L;
    private static final String PAGED = "paged";
    private static final String PLAIN = "plain";
    private static final String OTHER = "other";

    @Option(names = "--messages", defaultValue = "1000000", description = "How many (default: ${DEFAULT-VALUE}).")
    private int messages;

    @Option(names = "--bytes", defaultValue = "1024", description = "Of each body (default: ${DEFAULT-VALUE}).")
    private int bytes;

    @Option(names = "--limit-mib", defaultValue = "10",
            description = "What the address may have in memory (default: ${DEFAULT-VALUE}).")
    private int limitMib;

    @Option(names = "--max-heap-growth-mib", defaultValue = "64",
            description = "By how much the heap may grow, after garbage collection (default: ${DEFAULT-VALUE}).")
    private int maxHeapGrowthMib;

    private final PrintStream out;

    /** Prints to a stream. */
    public PagedAddresses(PrintStream out) {
        this.out = out;
    }

    /** The command line's entry. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new PagedAddresses(System.out)).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        boolean right = run(false) & run(true);
        out.println(right ? "Within the limits." : "Above a limit.");
        return right ? 0 : 1;
    }

    private boolean run(boolean persistent) throws IOException, TimeoutException, InterruptedException {
        Map<String, Long> settings = Map.of(PAGED, limitMib * MIB);
        try (BrokerProcess process = BrokerProcess.start(settings); Connection connection = connect(process.broker())) {
            Channel channel = connection.createChannel();
            for (String queue : new String[] {PAGED, PLAIN, OTHER}) {
                channel.queueDeclare(queue, true, false, false, null);
            }
            // What fits into memory, as what to compare with; it also warms the broker up.
            int few = messages / 10;
            publish(connection, PLAIN, few, persistent);
            double plainDrain = drain(connection, PLAIN, few);
            publish(connection, PLAIN, few, persistent);
            plainDrain = Math.max(plainDrain, drain(connection, PLAIN, few));
            double otherAlone = otherRate(connection, OTHER_NANOS);
            long heapBefore = process.heapBytes();
            long residentBefore = process.residentBytes();
            double published = publish(connection, PAGED, messages, persistent);
            long heapAfter = process.heapBytes();
            long residentAfter = process.residentBytes();
            double otherBeside = otherRate(connection, OTHER_NANOS);
            double drain = drain(connection, PAGED, messages);
            out.printf("%,d %s messages of %,d bytes, %d MiB of them in memory: published at %,.0f/s%n", messages,
                    persistent ? "persistent" : "transient", bytes, limitMib, published);
            out.printf("  heap after GC: %.1f MiB before, %.1f MiB with them; resident memory: %.0f MiB, %.0f MiB%n",
                    mib(heapBefore), mib(heapAfter), mib(residentBefore), mib(residentAfter));
            out.printf("  drained in order at %,.0f/s, %.2f of %,.0f/s for what is in memory%n", drain,
                    drain / plainDrain, plainDrain);
            out.printf("  another address: %,.0f/s alone, %,.0f/s beside it, %.2f%n", otherAlone, otherBeside,
                    otherBeside / otherAlone);
            return heapAfter - heapBefore <= maxHeapGrowthMib * MIB
                    && drain >= plainDrain / 2
                    && otherBeside >= otherAlone * 0.9;
        }
    }

    private static Connection connect(BrokerUnderTest broker) throws IOException, TimeoutException {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost(broker.host());
        factory.setPort(broker.port());
        return factory.newConnection();
    }

    /** Publishes numbered messages with confirms, up to a window ahead; returns how many a second. */
    private double publish(Connection connection, String queue, int count, boolean persistent)
            throws IOException, TimeoutException, InterruptedException {
        BasicProperties properties =
                persistent ? MessageProperties.MINIMAL_PERSISTENT_BASIC : MessageProperties.MINIMAL_BASIC;
        try (Channel channel = connection.createChannel()) {
            channel.confirmSelect();
            long start = System.nanoTime();
            for (int i = 0; i < count; i++) {
                channel.basicPublish("", queue, properties, ByteBuffer.allocate(bytes).putLong(i).array());
                if (i % WINDOW == WINDOW - 1) {
                    channel.waitForConfirmsOrDie();
                }
            }
            channel.waitForConfirmsOrDie();
            return count * 1e9 / (System.nanoTime() - start);
        }
    }

    /** Consumes numbered messages and checks their order; returns how many a second. */
    private double drain(Connection connection, String queue, int count)
            throws IOException, TimeoutException, InterruptedException {
        try (Channel channel = connection.createChannel()) {
            channel.basicQos(WINDOW);
            CountDownLatch done = new CountDownLatch(1);
            AtomicLong next = new AtomicLong();
            AtomicLong wrong = new AtomicLong(-1);
            long start = System.nanoTime();
            channel.basicConsume(queue, false, new DefaultConsumer(channel) {
                @Override
                public void handleDelivery(String tag, Envelope envelope, BasicProperties properties, byte[] body)
                        throws IOException {
                    long expected = next.getAndIncrement();
                    if (ByteBuffer.wrap(body).getLong() != expected) {
                        wrong.compareAndSet(-1, expected);
                    }
                    if (expected % 100 == 99 || expected == count - 1) {
                        channel.basicAck(envelope.getDeliveryTag(), true);
                    }
                    if (expected == count - 1) {
                        done.countDown();
                    }
                }
            });
            done.await();
            if (wrong.get() >= 0) {
                throw new IllegalStateException("message " + wrong.get() + " was not in its place");
            }
            return count * 1e9 / (System.nanoTime() - start);
        }
    }

    /** Publishes to another address, and consumes there, for so long; returns how many a second. */
    private double otherRate(Connection connection, long nanos)
            throws IOException, TimeoutException, InterruptedException {
        try (Channel consumer = connection.createChannel(); Channel publisher = connection.createChannel()) {
            consumer.basicQos(WINDOW);
            consumer.basicConsume(OTHER, true, (tag, delivery) -> {}, tag -> {});
            publisher.confirmSelect();
            byte[] body = new byte[bytes];
            long start = System.nanoTime();
            long count = 0;
            while (System.nanoTime() - start < nanos) {
                publisher.basicPublish("", OTHER, MessageProperties.MINIMAL_BASIC, body);
                if (++count % WINDOW == 0) {
                    publisher.waitForConfirmsOrDie();
                }
            }
            publisher.waitForConfirmsOrDie();
            return count * 1e9 / (System.nanoTime() - start);
        }
    }

    private static double mib(long count) {
        return (double) count / MIB;
    }
}
