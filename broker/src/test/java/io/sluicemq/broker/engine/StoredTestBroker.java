package io.sluicemq.broker.engine;

import io.sluicemq.api.Message;
import io.sluicemq.api.MessageFilter;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.store.Log;
import io.sluicemq.store.LogOptions;
import io.sluicemq.store.LogState;
import io.sluicemq.store.sim.ManualWorkers;
import io.sluicemq.store.sim.SimulatedDisk;
import io.sluicemq.store.sim.SimulatedDisk.Loss;
import io.sluicemq.testkit.ManualLoops;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * The real engine with the real log, on hand-driven loops and workers and a simulated disk. Nothing is written, synced or read
 * unless the test says so: {@link #settle} drives the loops alone while the disk is {@linkplain #holdDisk held}.
 */
final class StoredTestBroker extends TestBroker {

    static final LogOptions SMALL = LogOptions.defaults()
            .withSegmentBytes(64 << 10)
            .withBuffers(8, 16 << 10)
            .withMaxRecordBytes(256 << 10)
            .withReads(1, 4, 64 << 10, 16 << 10)
            .withCompaction(0, 1 << 30);
    private static final long STEP_NANOS = 5_000_000;

    /** What a broker is opened with, again and again. */
    record Setup(int loops, BrokerConfig config, LogOptions options) {

        Setup(int loops) {
            this(loops, SMALL);
        }

        Setup(int loops, LogOptions options) {
            this(loops, config(List.of("/"), 1L << 40), options);
        }

        Setup withMemory(long budgetBytes) {
            return new Setup(loops, config(config.virtualHosts(), budgetBytes), options);
        }

        Setup withHosts(List<String> hosts) {
            return new Setup(loops, config(hosts, config.memoryBudgetBytes()), options);
        }

        Setup withAddressSettings(AddressSettings settings) {
            return new Setup(loops, config.withAddressSettings(settings), options);
        }

        Setup withWitness(Witness witness) {
            return new Setup(loops, config.withWitness(witness), options);
        }

        Setup withFilters(Function<String, MessageFilter> filters) {
            return new Setup(loops, config.withFilters(filters), options);
        }

        private static BrokerConfig config(List<String> hosts, long memoryBudgetBytes) {
            int[] names = new int[1];
            return new BrokerConfig(hosts, memoryBudgetBytes, () -> "name-" + names[0]++)
                    .withFormats(List.of(TestFormat.INSTANCE));
        }
    }

    final Setup setup;
    final SimulatedDisk disk;
    final ManualWorkers workers;
    final BrokerStore store;
    final List<LogState> states;
    private boolean diskHeld;

    /** What is made before the engine. */
    private record Parts(
            Setup setup, SimulatedDisk disk, ManualLoops loops, ManualWorkers workers, BrokerStore store,
            List<LogState> states) {}

    private StoredTestBroker(Parts parts) {
        super(parts.loops, parts.setup.config, parts.store, parts.states::add);
        setup = parts.setup;
        disk = parts.disk;
        workers = parts.workers;
        store = parts.store;
        states = parts.states;
        settle();
    }

    static StoredTestBroker fresh(int loops) {
        return open(new Setup(loops));
    }

    static StoredTestBroker open(Setup setup) {
        return open(setup, new SimulatedDisk(), 0);
    }

    private static StoredTestBroker open(Setup setup, SimulatedDisk disk, long sinceNanos) {
        ManualLoops loops = new ManualLoops(setup.loops);
        loops.advance(Math.max(0, sinceNanos - loops.nanoTime()));
        ManualWorkers workers = new ManualWorkers(loops::nanoTime);
        try {
            BrokerStore store = BrokerStore.open(disk, setup.options, workers);
            return new StoredTestBroker(new Parts(setup, disk, loops, workers, store, new ArrayList<>()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Takes the power away, with what was not synced, and starts anew. */
    StoredTestBroker crashesAndReopens() {
        return crashesAndReopens(new SplittableRandom(1), Loss.ALL);
    }

    StoredTestBroker crashesAndReopens(RandomGenerator random, Loss loss) {
        disk.crash(random, loss);
        return open(setup, disk, loops.nanoTime());
    }

    /** Ends as a broker does whose clients are gone, and starts anew. */
    StoredTestBroker stopsAndReopens() {
        return stopsAndReopens(setup);
    }

    /** The same, with what another configuration says. */
    StoredTestBroker stopsAndReopens(Setup next) {
        checkpoint();
        store.close();
        return open(next, disk, loops.nanoTime());
    }

    /** Writes a checkpoint, and waits for it. */
    void checkpoint() {
        CompletableFuture<Void> done = engine.rest();
        settle();
        if (!done.isDone()) {
            throw new AssertionError("no checkpoint was written");
        }
    }

    Log log() {
        return store.log();
    }

    /** From now on nothing is written, synced or read, but by {@link #step}. */
    void holdDisk() {
        diskHeld = true;
    }

    /** What was held back is done. */
    void letDiskGo() {
        diskHeld = false;
        settle();
    }

    /** Writes, or syncs what was written before, and lets the loops hear of it. */
    void stepWriter() {
        workers.step("log-writer");
        settle();
    }

    @Override
    void settle() {
        if (workers == null || diskHeld) {
            super.settle();
            return;
        }
        if (schedule == null) {
            do {
                super.settle();
            } while (workers.runAll());
            return;
        }
        while (stepRandomly()) {}
    }

    /** One turn of a loop, or one step of a worker, whatever comes; false if nobody has anything to do. */
    boolean stepRandomly() {
        int ready = 0;
        for (int i = 0; i < loops.size(); i++) {
            ready += loops.get(i).isReady() ? 1 : 0;
        }
        if ((ready == 0 || schedule.nextInt(4) == 0) && workers.step(schedule)) {
            return true;
        }
        if (ready == 0) {
            return false;
        }
        int chosen = schedule.nextInt(ready);
        for (int i = 0;; i++) {
            if (loops.get(i).isReady() && chosen-- == 0) {
                loops.get(i).runTurn();
                return true;
            }
        }
    }

    /** Lets time pass, for loops and workers alike. */
    void passMillis(long millis) {
        for (long left = millis * 1_000_000; left > 0; left -= STEP_NANOS) {
            loops.advance(Math.min(left, STEP_NANOS));
            settle();
        }
    }

    /** How many messages' records the log is told to keep, each counted for each of its queues. */
    long retainedRecords() {
        return log().segmentUse().stream().mapToLong(Log.SegmentUse::retainedRecords).sum();
    }

    /** Bytes of messages in memory, index included. */
    long messageBytes() {
        return counters().messageBytes();
    }

    /** The queue itself, for what clients can't see. */
    Queue queue(String name) {
        for (int i = 0; i < loops.size(); i++) {
            for (Queue queue : engine.context(i).queues) {
                if (queue.name().equals(name)) {
                    return queue;
                }
            }
        }
        throw new AssertionError("no queue '" + name + "'");
    }

    static Message persistent(String queue, String text) {
        return persistent("", queue, text);
    }
}
