package io.sluicemq.campaign.slow;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.sluicemq.broker.engine.BrokerCounters;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.server.ConsumerSetting;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * For each policy a broker that is configured for {@code stocks.us.*}, a producer and a fast subscriber of {@code stocks.us.acme}, and
 * a slow one that comes later and leaves again; what each experiences, and what memory the broker takes for messages. The main thread
 * looks and prints.
 */
@Command(name = "slow-consumers", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Shows what a producer, a fast and a slow subscriber of stocks.us.acme experience under each policy for slow"
                + " consumers (delete, cycle, flow, notify), and what memory the broker takes for messages meanwhile.",
        footer = {"", "Exit code: 0 if all was right, 1 if not, 2 for wrong usage."})
public final class SlowConsumers implements Callable<Integer> {

    private static final String PATTERN = "stocks.us.*";
    private static final String KEY = "stocks.us.acme";
    private static final int FAST_PREFETCH = 500;
    private static final int SLOW_PREFETCH = 10;
    private static final int LOOKS = 8;
    private static final long LONGEST_MILLIS = 30_000;

    @Option(names = "--policies", split = ",", defaultValue = "delete,cycle,flow,notify",
            description = "Which are shown (default: ${DEFAULT-VALUE}).")
    private List<ConsumerPolicy> policies;

    @Option(names = "--seconds", defaultValue = "8",
            description = "How long each part takes: without the slow subscriber, and with it (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(names = "--rate", defaultValue = "2000",
            description = "Messages a second that the producer publishes (default: ${DEFAULT-VALUE}).")
    private int rate;

    @Option(names = "--bytes", defaultValue = "1024", description = "Of each body (default: ${DEFAULT-VALUE}).")
    private int bytes;

    @Option(names = "--slow-millis", defaultValue = "100",
            description = "What the slow subscriber takes for a message (default: ${DEFAULT-VALUE}).")
    private int slowMillis;

    @Option(names = "--message-count", defaultValue = "1000",
            description = "The threshold (default: ${DEFAULT-VALUE}).")
    private int messageCount;

    @Option(names = "--check-period-millis", defaultValue = "1000",
            description = "How often consumers are looked at (default: ${DEFAULT-VALUE}).")
    private int checkPeriodMillis;

    @Option(names = "--least-ratio", defaultValue = "0.9",
            description = "What must be left of the rates of the producer and the fast subscriber, but with flow (default:"
                    + " ${DEFAULT-VALUE}).")
    private double leastRatio;

    private final PrintStream out;

    private SlowConsumers(PrintStream out) {
        this.out = out;
    }

    /** A command line that prints to a stream. */
    public static CommandLine commandLine(PrintStream out) {
        return new CommandLine(new SlowConsumers(out)).setCaseInsensitiveEnumValuesAllowed(true);
    }

    /** The command line's entry. */
    public static void main(String[] arguments) {
        System.exit(commandLine(System.out).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        List<String> wrong = new ArrayList<>();
        for (ConsumerPolicy policy : policies) {
            ConsumerSetting setting = ConsumerSetting.policy(policy).messageCount(messageCount)
                    .checkPeriod(Duration.ofMillis(checkPeriodMillis));
            try (EmbeddedBroker broker = EmbeddedBroker.start(
                    builder -> builder.anonymousLogin(true).topic(PATTERN, setting))) {
                new Run(broker, policy, wrong).run();
            }
        }
        wrong.forEach(each -> out.println("Wrong: " + each));
        out.println(wrong.isEmpty() ? "All was right." : "Something was wrong.");
        return wrong.isEmpty() ? 0 : 1;
    }

    private static Connection connect(EmbeddedBroker broker) throws IOException, TimeoutException {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost(broker.host());
        factory.setPort(broker.port());
        factory.setAutomaticRecoveryEnabled(false);
        return factory.newConnection();
    }

    /** How a part went: messages a second that were published, and that the fast subscriber got. */
    private record Part(double published, double fast, long mostBytes, boolean held) {}

    /** One policy. */
    private final class Run {
        private final EmbeddedBroker broker;
        private final String policy;
        private final ConsumerPolicy kind;
        private final List<String> wrong;
        private final long startNanos = System.nanoTime();

        Run(EmbeddedBroker broker, ConsumerPolicy kind, List<String> wrong) {
            this.broker = broker;
            this.kind = kind;
            this.policy = kind.name().toLowerCase(Locale.ROOT);
            this.wrong = wrong;
        }

        void run() throws IOException, TimeoutException, InterruptedException {
            out.printf(
                    "%n%s: %s, message-count %,d, check-period %d ms; %,d messages of %,d bytes a second, the slow one takes"
                            + " %d ms for each%n",
                    policy, PATTERN, messageCount, checkPeriodMillis, rate, bytes, slowMillis);
            out.printf("  %8s %10s %10s %8s %9s %12s %s%n", "seconds", "published", "fast got", "slow got", "messages",
                    "memory, KiB", "");
            try (Subscriber fast = new Subscriber(connect(broker), KEY, FAST_PREFETCH, 0);
                    Producer producer = new Producer(connect(broker), KEY, rate, bytes)) {
                await("the fast one gets messages", () -> fast.got() > rate / 4);
                Part alone = part(producer, fast, null);
                Part beside;
                try (Subscriber slow = new Subscriber(connect(broker), KEY, SLOW_PREFETCH, slowMillis)) {
                    beside = part(producer, fast, slow);
                    judge(alone, beside, slow);
                }
                shouldEnd(producer, fast);
            }
            await("the memory is free", () -> broker.counters().messageBytes() == 0);
            out.printf("  all have gone: %,d bytes of messages are left%n", broker.counters().messageBytes());
            expect(broker.failedTasks() == 0 && broker.counters().failedChecks() == 0, "the broker has no defect");
        }

        private Part part(Producer producer, Subscriber fast, Subscriber slow) throws InterruptedException {
            long publishedBefore = producer.published();
            long fastBefore = fast.got();
            long start = System.nanoTime();
            long mostBytes = 0;
            boolean held = false;
            for (int i = 0; i < LOOKS; i++) {
                TimeUnit.MILLISECONDS.sleep(seconds * 1_000L / LOOKS);
                BrokerCounters counters = broker.counters();
                mostBytes = Math.max(mostBytes, counters.messageBytes());
                held |= counters.parkedMessages() > 0;
                print(producer, fast, slow, counters);
            }
            double took = (System.nanoTime() - start) / 1e9;
            return new Part((producer.published() - publishedBefore) / took, (fast.got() - fastBefore) / took,
                    mostBytes,
                    held);
        }

        private void print(Producer producer, Subscriber fast, Subscriber slow, BrokerCounters counters) {
            List<String> notes = new ArrayList<>();
            if (counters.slowConsumers() > 0) {
                notes.add("a consumer is too slow");
            }
            if (counters.parkedMessages() > 0) {
                notes.add("the producer is held");
            }
            if (counters.droppedByPolicy() > 0) {
                notes.add("%,d dropped".formatted(counters.droppedByPolicy()));
            }
            if (counters.consumersCut() > 0) {
                notes.add("the slow one was cut");
            }
            out.printf("  %8.1f %,10d %,10d %8s %,9d %,12d %s%n", (System.nanoTime() - startNanos) / 1e9,
                    producer.published(), fast.got(), slow == null ? "-" : "%,d".formatted(slow.got()),
                    counters.readyMessages() + counters.unsettledMessages(), counters.messageBytes() / 1024,
                    String.join("; ", notes));
        }

        private void judge(Part alone, Part beside, Subscriber slow) throws InterruptedException {
            if (kind == ConsumerPolicy.DELETE) {
                // Its client tells it when it has dealt with what is in its hands.
                await("it is told", () -> slow.end() != null);
            }
            double producerRatio = beside.published() / alone.published();
            double fastRatio = beside.fast() / alone.fast();
            out.printf("  producer: %,.0f/s before, %,.0f/s with the slow one, %.2f%s%n", alone.published(),
                    beside.published(), producerRatio, beside.held() ? "; it was held" : "");
            out.printf("  fast one: %,.0f/s before, %,.0f/s with the slow one, %.2f%n", alone.fast(), beside.fast(),
                    fastRatio);
            out.printf("  slow one: got %,d, missed %,d between them; %s%n", slow.got(), slow.missed(),
                    slow.end() == null
                            ? "was told nothing"
                            : "was told '%s' after %,d ms".formatted(slow.end(), slow.endMillis()));
            out.printf("  memory for messages: %,d KiB at most before, %,d KiB with the slow one%n",
                    alone.mostBytes() / 1024, beside.mostBytes() / 1024);
            BrokerCounters counters = broker.counters();
            boolean ends = kind == ConsumerPolicy.DELETE;
            expect(ends == (slow.end() != null) && counters.consumersCut() == (ends ? 1 : 0),
                    ends ? "the slow one is cut, and nobody else" : "nobody is cut");
            switch (kind) {
                case DELETE -> {
                    expect("506 Consuming too slow.".equals(slow.end()), "it is told so");
                    expect(counters.queues() == 1, "its queue is deleted");
                }
                case CYCLE -> expect(counters.droppedByPolicy() > 0 && counters.slowConsumersFound() == 0,
                        "its oldest messages make room");
                case FLOW -> expect(beside.held() && counters.slowConsumers() == 1, "the producer is held");
                case NOTIFY -> expect(counters.slowConsumers() == 1, "it is found");
            }
            if (kind != ConsumerPolicy.FLOW) {
                expect(producerRatio >= leastRatio, "the producer keeps its rate");
                expect(fastRatio >= leastRatio, "the fast one keeps its rate");
            }
        }

        /** The slow one has gone: whoever was held goes on, and the fast one has missed nothing. */
        private void shouldEnd(Producer producer, Subscriber fast) throws InterruptedException {
            long published = producer.published();
            await("the producer goes on", () -> producer.published() > published + rate / 4);
            await("the fast one gets what is published", () -> fast.got() > published + rate / 4);
            expect(fast.missed() == 0 && fast.end() == null, "the fast one misses nothing");
        }

        private void expect(boolean right, String what) {
            if (!right) {
                wrong.add(policy + ": not so: " + what);
            }
        }

        private void await(String what, BooleanSupplier condition) throws InterruptedException {
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LONGEST_MILLIS);
            while (!condition.getAsBoolean()) {
                if (System.nanoTime() > end) {
                    expect(false, what);
                    return;
                }
                TimeUnit.MILLISECONDS.sleep(5);
            }
        }
    }
}
