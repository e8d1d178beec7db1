package io.sluicemq.cli.bench;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * One run of the load: declares, connects, warms up, measures second by second, drains, deletes. Everything but
 * {@link #stop} belongs to the thread that calls {@link #run}; it never publishes or consumes itself.
 */
public final class Bench {

    private static final long NANOS = 1_000_000_000L;
    private static final long PRODUCERS_END_MILLIS = 10_000;
    private static final long STALLED_NANOS = 3 * NANOS;
    private static final long DRAIN_LOOK_MILLIS = 20;

    private final BenchPlan plan;
    private final LoadClient.Opener opener;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final FirstFailure failure = new FirstFailure(ended::countDown);
    private final ProcessProbe broker;
    private final com.sun.management.OperatingSystemMXBean self =
            ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class);
    private final List<Producer> producers = new ArrayList<>();
    private final List<Subscriber> subscribers = new ArrayList<>();
    private final Histogram second = Latency.histogram();
    private final Histogram latency = Latency.histogram();
    private final Histogram confirmLatency = Latency.histogram();
    private final List<Sample> samples = new ArrayList<>();

    public Bench(BenchPlan plan, LoadClient.Opener opener) {
        this.plan = plan;
        this.opener = opener;
        this.broker = new ProcessProbe(plan.brokerPids());
    }

    /** All counters at one moment; the process figures are 0 without broker processes. */
    private record Reading(
            long nanos,
            long published,
            long confirmed,
            long consumed,
            long refused,
            long unconfirmed,
            long clientCpuNanos,
            ProcessProbe.Usage usage) {

        double secondsSince(Reading earlier) {
            return (nanos - earlier.nanos) / (double) NANOS;
        }
    }

    /**
     * Carries the plan out.
     *
     * @param live gets each second's figures as they come, on this thread
     * @return the figures; those of a part of the measured time after {@link #stop}
     * @throws BenchFailure if the broker can't be reached, refuses or goes away, or the run was stopped too early
     */
    public BenchResult run(Consumer<Sample> live) throws BenchFailure, InterruptedException {
        broker.read();
        try (LoadClient client = opener.open(plan, failure)) {
            BenchResult result;
            try {
                client.declare();
                connect(client);
                result = load(client, live);
            } catch (BenchFailure e) {
                client.expectEnd();
                deleteAfterFailure(client, e);
                throw e;
            }
            client.expectEnd();
            client.delete();
            return result;
        }
    }

    /** Ends a run before its time: it drains, cleans up and gives the figures it has. Any thread. */
    public void stop() {
        ended.countDown();
    }

    /**
     * The first failure is the one to tell; one in the clean-up after it goes along with it, where it leaves something
     * behind: transient queues end with their consumers.
     */
    private void deleteAfterFailure(LoadClient client, BenchFailure first) {
        try {
            client.delete();
        } catch (BenchFailure second) {
            if (plan.durable()) {
                first.addSuppressed(second);
            }
        }
    }

    private void connect(LoadClient client) throws BenchFailure {
        for (int i = 0; i < plan.consumers(); i++) {
            Subscriber subscriber = new Subscriber(plan, i);
            subscribers.add(subscriber);
            client.receive(i, subscriber);
        }
        for (int i = 0; i < plan.producers(); i++) {
            producers.add(new Producer(plan, i, client, failure));
        }
    }

    private BenchResult load(LoadClient client, Consumer<Sample> live) throws BenchFailure, InterruptedException {
        Reading start = read();
        for (Producer producer : producers) {
            producer.start(start.nanos());
        }
        Reading begin = start;
        Reading last = start;
        int total = plan.warmupSeconds() + plan.seconds();
        for (int i = 1; i <= total; i++) {
            boolean stopped = ended.await(start.nanos() + i * NANOS - System.nanoTime(), TimeUnit.NANOSECONDS);
            failure.throwIfHappened();
            if (stopped) {
                break;
            }
            boolean warmup = i <= plan.warmupSeconds();
            Reading now = read();
            Sample sample = sample(i, warmup, last, now, client.blockedNow());
            live.accept(sample);
            last = now;
            if (warmup) {
                begin = now;
            } else {
                samples.add(sample);
            }
        }
        boolean flowed = drain(client);
        if (samples.isEmpty()) {
            throw new BenchFailure("stopped before the first second of the measured part was over");
        }
        return result(begin, last, flowed, client);
    }

    private Reading read() throws BenchFailure {
        return new Reading(
                System.nanoTime(),
                producers.stream().mapToLong(Producer::published).sum(),
                producers.stream().mapToLong(Producer::confirmed).sum(),
                subscribers.stream().mapToLong(Subscriber::consumed).sum(),
                producers.stream().mapToLong(p -> p.nacked() + p.returned()).sum(),
                producers.stream().mapToLong(Producer::unconfirmed).sum(),
                self.getProcessCpuTime(),
                broker.read());
    }

    private long backlog(Reading now) {
        return plan.expectedDeliveries(Math.max(0, now.published() - now.refused())) - now.consumed();
    }

    private Sample sample(int number, boolean warmup, Reading last, Reading now, int blocked) {
        double seconds = now.secondsSince(last);
        second.reset();
        subscribers.forEach(each -> each.drainLatencyMicros(second));
        Percentiles latencies = Percentiles.of(second);
        if (!warmup) {
            latency.add(second);
        }
        second.reset();
        producers.forEach(each -> each.drainConfirmMicros(second));
        if (!warmup) {
            confirmLatency.add(second);
        }
        boolean probed = !plan.brokerPids().isEmpty();
        return new Sample(
                number,
                warmup,
                (now.published() - last.published()) / seconds,
                (now.confirmed() - last.confirmed()) / seconds,
                (now.consumed() - last.consumed()) / seconds,
                backlog(now),
                latencies,
                probed ? cpuPercent(last, now) : null,
                probed ? now.usage().rssBytes() : null,
                blocked);
    }

    private static double cpuPercent(Reading from, Reading to) {
        return (to.usage().cpuMicros() - from.usage().cpuMicros()) / to.secondsSince(from) / 10_000;
    }

    /**
     * Stops the producers and waits for deliveries and confirms still owed: until all is there, it stalls, or time is
     * up.
     *
     * @return false if it stalled: something is still owed and for three seconds nothing came
     */
    private boolean drain(LoadClient client) throws BenchFailure, InterruptedException {
        producers.forEach(Producer::stop);
        long begun = System.nanoTime();
        for (Producer producer : producers) {
            long left = PRODUCERS_END_MILLIS - (System.nanoTime() - begun) / 1_000_000;
            if (!producer.awaitEnd(left)) {
                throw new BenchFailure("a producer is stuck in a publish for 10 s: the broker does not read from it"
                        + (client.blockedNow() > 0 ? " (it said connection.blocked)" : ""));
            }
        }
        long limit = System.nanoTime() + plan.drainSeconds() * NANOS;
        long moved = System.nanoTime();
        Reading last = read();
        while ((backlog(last) > 0 || last.unconfirmed() > 0) && System.nanoTime() < limit) {
            if (System.nanoTime() - moved >= STALLED_NANOS) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(DRAIN_LOOK_MILLIS);
            failure.throwIfHappened();
            Reading now = read();
            if (now.consumed() != last.consumed() || now.unconfirmed() != last.unconfirmed()) {
                moved = System.nanoTime();
            }
            last = now;
        }
        return true;
    }

    private BenchResult result(Reading begin, Reading end, boolean flowed, LoadClient client) throws BenchFailure {
        Reading drained = read();
        double seconds = end.secondsSince(begin);
        long consumed = end.consumed() - begin.consumed();
        long published = end.published() - begin.published();
        long messages = Math.max(1, plan.consumers() > 0 ? consumed : published);
        boolean probed = !plan.brokerPids().isEmpty();
        long missing = subscribers.stream().mapToLong(Subscriber::missing).sum();
        long late = subscribers.stream().mapToLong(Subscriber::late).sum();
        long foreign = subscribers.stream().mapToLong(Subscriber::foreign).sum();
        long undelivered = backlog(drained);
        return new BenchResult(
                plan.displayUri(),
                seconds,
                published / seconds,
                (end.confirmed() - begin.confirmed()) / seconds,
                consumed / seconds,
                Percentiles.of(latency),
                Percentiles.of(confirmLatency),
                backlog(end),
                samples.stream().mapToLong(Sample::backlog).max().orElse(0),
                probed ? (end.usage().cpuMicros() - begin.usage().cpuMicros()) / (double) messages : null,
                probed ? cpuPercent(begin, end) : null,
                probed ? (Long) samples.stream().mapToLong(Sample::brokerRssBytes).max().orElse(0) : null,
                (end.clientCpuNanos() - begin.clientCpuNanos()) / 1000.0 / messages,
                drained.published(),
                drained.confirmed(),
                drained.consumed(),
                producers.stream().mapToLong(Producer::nacked).sum(),
                producers.stream().mapToLong(Producer::returned).sum(),
                client.blockedEvents(),
                undelivered,
                missing,
                late,
                foreign,
                problem(missing, late, foreign, flowed, drained),
                samples);
    }

    private String problem(long missing, long late, long foreign, boolean flowed, Reading drained) {
        // A refused message leaves a gap in the numbers of each queue it would have gone to.
        long excused = drained.refused() * plan.exchangeKind().copies(plan.queues());
        if (late > 0) {
            return late + " deliveries were out of order or repeated";
        }
        if (missing > excused && !plan.allowLoss()) {
            return missing + " messages are missing between those that were delivered";
        }
        if (foreign > 0) {
            return foreign + " deliveries are not of this run";
        }
        if (!flowed && backlog(drained) > 0 && !plan.allowLoss()) {
            return backlog(drained) + " messages were never delivered";
        }
        if (!flowed && drained.unconfirmed() > 0) {
            return drained.unconfirmed() + " messages were never confirmed";
        }
        return null;
    }
}
