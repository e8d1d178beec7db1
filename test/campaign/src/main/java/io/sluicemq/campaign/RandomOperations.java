package io.sluicemq.campaign;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Many clients do valid things at random for some time; then everything is drained and deleted, and nothing may be left.
 * The seed decides what each client does; how the clients' steps mix is up to the machine, so a seed narrows a failure down
 * and does not repeat it to the letter.
 */
@Command(name = "random-operations", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Has many clients do valid things at random, drains everything, and checks that nothing is left.",
        footer = {"", "Exit code: 0 if all was right, 1 if not, 2 for wrong usage."})
public final class RandomOperations implements Callable<Integer> {

    private static final long DRAIN_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    @Option(names = "--seconds", defaultValue = "600", description = "How long (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(names = "--seed", description = "What the clients do (default: another each time; it is printed).")
    private Long seed;

    @Option(names = "--clients", defaultValue = "16", description = "How many at a time (default: ${DEFAULT-VALUE}).")
    private int clients;

    @Option(names = "--uri", description = "A running broker, such as amqp://guest:guest@127.0.0.1:5672"
            + " (default: a SluiceMQ inside this process). Of one that runs, only what clients can see is checked.")
    private String uri;

    private final PrintStream out;
    private final Findings findings = new Findings();

    /** Prints to a stream. */
    public RandomOperations(PrintStream out) {
        this.out = out;
    }

    /** The command line's entry. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new RandomOperations(System.out)).execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException {
        long chosen = seed == null ? System.nanoTime() : seed;
        try (BrokerUnderTest broker = BrokerUnderTest.at(uri)) {
            out.printf("%d clients at %s for %d s; to do the same again: --seed %d%n", clients, broker, seconds,
                    chosen);
            // RabbitMQ has delivery limits for a queue type that can do less otherwise
            Field field = new Field("random-" + Long.toString(chosen, 36) + "-", broker instanceof EmbeddedBroker);
            play(broker, field, chosen);
            clear(broker, field);
            if (broker instanceof EmbeddedBroker embedded) {
                inspect(embedded);
            }
        }
        findings.counts().forEach((what, count) -> out.printf("%,12d  %s%n", count, what));
        findings.faults().forEach(fault -> out.println("FAULT: " + fault));
        out.printf(findings.faultCount() == 0
                ? "Nothing was left and nothing went wrong.%n"
                : "%d faults; seed %d%n", findings.faultCount(), chosen);
        return findings.faultCount() == 0 ? 0 : 1;
    }

    private void play(BrokerUnderTest broker, Field field, long chosen) throws InterruptedException {
        AtomicBoolean stopped = new AtomicBoolean();
        CountDownLatch broken = new CountDownLatch(1);
        Random seeds = new Random(chosen);
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i <= clients; i++) {
            RandomClient client = new RandomClient(broker, field, findings, "client-" + i, seeds.nextLong());
            threads.add(Thread.ofPlatform().name("client-" + i).uncaughtExceptionHandler((thread, failure) -> {
                failure.printStackTrace(out);
                findings.fault(thread.getName() + ": " + failure);
            }).start(() -> {
                try {
                    client.run(stopped::get);
                } finally {
                    broken.countDown();
                }
            }));
        }
        if (broken.await(seconds, TimeUnit.SECONDS)) {
            out.println("A client has given up before its time.");
        }
        stopped.set(true);
        for (Thread thread : threads) {
            thread.join(TimeUnit.SECONDS.toMillis(60));
            if (thread.isAlive()) {
                findings.fault(thread.getName() + " does not come to its end");
                for (StackTraceElement frame : thread.getStackTrace()) {
                    out.println("    at " + frame);
                }
            }
        }
    }

    /** Takes every message out, until none moves any more, and deletes everything. */
    private void clear(BrokerUnderTest broker, Field field) {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost(broker.host());
        factory.setPort(broker.port());
        factory.setUsername(broker.user());
        factory.setPassword(broker.password());
        factory.setVirtualHost(broker.virtualHost());
        factory.setAutomaticRecoveryEnabled(false);
        try (Connection connection = factory.newConnection()) {
            Set<Field.QueueKind> there = new HashSet<>();
            for (Field.QueueKind queue : field.queues()) {
                try (Channel channel = connection.createChannel()) {
                    channel.queueDeclarePassive(queue.name());
                    there.add(queue);
                } catch (IOException e) {
                    requireNotFound(e);
                }
            }
            long end = System.nanoTime() + DRAIN_LIMIT_NANOS;
            // a message may be on its way from one queue to another, by a death: several rounds must find nothing
            for (int quiet = 0; quiet < 10; LockSupport.parkNanos(PAUSE_NANOS)) {
                quiet = drain(connection, there) == 0 ? quiet + 1 : 0;
                if (System.nanoTime() > end) {
                    findings.fault(
                            "messages still come after " + TimeUnit.NANOSECONDS.toSeconds(DRAIN_LIMIT_NANOS) + " s");
                    break;
                }
            }
            try (Channel channel = connection.createChannel()) {
                for (Field.QueueKind queue : field.queues()) {
                    int left = channel.queueDelete(queue.name()).getMessageCount();
                    if (left != 0) {
                        findings.fault(left + " messages were left in " + queue.name());
                    }
                }
                for (Field.ExchangeKind exchange : field.exchanges()) {
                    channel.exchangeDelete(exchange.name());
                }
            }
        } catch (IOException | TimeoutException | RuntimeException e) {
            findings.fault("draining failed: " + e + (e.getCause() == null ? "" : ": " + e.getCause().getMessage()));
        }
    }

    private static void requireNotFound(IOException e) throws IOException {
        if (!(e.getCause() instanceof ShutdownSignalException signal)
                || !String.valueOf(signal.getReason()).contains("NOT_FOUND")) {
            throw e;
        }
    }

    private long drain(Connection connection, Set<Field.QueueKind> there) throws IOException, TimeoutException {
        long taken = 0;
        for (Field.QueueKind queue : List.copyOf(there)) {
            try (Channel channel = connection.createChannel()) {
                for (GetResponse got = channel.basicGet(queue.name(), true); got != null;
                        got = channel.basicGet(queue.name(), true)) {
                    taken++;
                    findings.count("drained");
                    if (queue.tracked()) {
                        findings.settled(queue.name(), got.getProps().getMessageId());
                    }
                }
            } catch (IOException e) {
                // one that expires when nobody uses it
                requireNotFound(e);
                there.remove(queue);
            }
        }
        return taken;
    }

    /** Checks what only an embedded broker tells. */
    private void inspect(EmbeddedBroker broker) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        Presence left = Presence.of(broker.counters());
        while (!left.equals(Presence.NONE) && System.nanoTime() < end) {
            LockSupport.parkNanos(PAUSE_NANOS);
            left = Presence.of(broker.counters());
        }
        out.println(broker.counters());
        if (!left.equals(Presence.NONE)) {
            findings.fault("left at the broker: " + left);
        }
        if (broker.failedTasks() != 0) {
            findings.fault(broker.failedTasks() + " tasks of the broker have failed");
        }
        broker.log().lines().forEach(line -> findings.fault("log line above INFO: " + line.text()));
    }
}
