package io.sluicemq.simulation;

import io.sluicemq.api.Access;
import io.sluicemq.api.Broker.ClientSpec;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.Client.QueueStatus;
import io.sluicemq.api.ClientEvents;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Principal;
import io.sluicemq.api.Reply;
import io.sluicemq.base.Loop;
import io.sluicemq.broker.engine.BrokerConfig;
import io.sluicemq.broker.engine.BrokerCounters;
import io.sluicemq.broker.engine.BrokerEngine;
import io.sluicemq.broker.engine.BrokerStore;
import io.sluicemq.store.LogState;
import io.sluicemq.store.disk.Disk;
import io.sluicemq.store.sim.ManualWorkers;
import io.sluicemq.testkit.ManualLoop;
import io.sluicemq.testkit.ManualLoops;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * A broker from its start on a disk to its end: its loops, its log's workers and their clock. Nothing runs unless it is driven; a
 * crash is to drop it.
 */
final class Machine {

    private static final long LONGEST_DELAY_NANOS = 1_000_000_000L;
    private static final int MOST_STEPS = 300_000;

    /** An empty queue may keep the first part of an index for each of its priorities. */
    private static final long MOST_BYTES_EMPTY = 8 << 10;

    final ManualLoops loops;
    final ManualWorkers workers;
    final BrokerStore store;
    final BrokerEngine engine;
    private final RandomGenerator random;
    private int names;

    /**
     * @param nowNanos where its clock stands
     * @param view the loops as the broker sees them: the loops themselves, but for tests of the simulation
     */
    Machine(
            Disk disk, Plan plan, Limits limits, Function<ManualLoop, Loop> view, long nowNanos,
            RandomGenerator random)
            throws IOException {
        this.random = random;
        loops = new ManualLoops(plan.loops());
        loops.passTime(Math.max(0, nowNanos - loops.nanoTime()));
        workers = new ManualWorkers(loops::nanoTime);
        store = BrokerStore.open(disk, plan.log(), workers);
        List<Loop> all = new ArrayList<>();
        for (int i = 0; i < plan.loops(); i++) {
            all.add(view.apply(loops.get(i)));
        }
        BrokerConfig config = new BrokerConfig(List.of("/"), plan.memoryBytes(), () -> "name-" + names++)
                .withFormats(List.of(Payload.FORMAT));
        engine = new BrokerEngine(limits.configure(config), all, store, state -> {});
    }

    boolean hasFailed() {
        return store.log().state().kind() == LogState.Kind.FAILED;
    }

    void turnOfLoop() {
        List<ManualLoop> ready = new ArrayList<>(loops.size());
        for (int i = 0; i < loops.size(); i++) {
            if (loops.get(i).isReady()) {
                ready.add(loops.get(i));
            }
        }
        if (!ready.isEmpty()) {
            ready.get(random.nextInt(ready.size())).runTurn();
        }
    }

    boolean isAnyLoopReady() {
        for (int i = 0; i < loops.size(); i++) {
            if (loops.get(i).isReady()) {
                return true;
            }
        }
        return false;
    }

    void turnOfWorker() {
        workers.step(random);
    }

    /** Runs all that is ready until nothing is. Time stands still. */
    void drive() {
        for (int steps = 0; steps < MOST_STEPS; steps++) {
            boolean loopReady = isAnyLoopReady();
            if (loopReady && random.nextBoolean()) {
                turnOfLoop();
            } else if (!workers.step(random)) {
                if (!loopReady) {
                    return;
                }
                turnOfLoop();
            }
        }
        throw new Broken("the broker is still busy after " + MOST_STEPS + " steps, though time stands still; " + this);
    }

    /** Lets time pass until {@code done}, or for {@code nanos}; what is ready runs. */
    boolean driveUntil(java.util.function.BooleanSupplier done, long nanos) {
        long end = loops.nanoTime() + nanos;
        drive();
        for (long step = 1_000_000; !done.getAsBoolean() && loops.nanoTime() < end; step = step * 3 / 2) {
            loops.passTime(Math.min(step, end - loops.nanoTime()));
            drive();
        }
        return done.getAsBoolean();
    }

    BrokerCounters counters() {
        CompletableFuture<BrokerCounters> counters = engine.counters();
        drive();
        return counters.join();
    }

    /** How many messages the log keeps. */
    long retained() {
        return store.log().segmentUse().stream().mapToLong(each -> each.retainedRecords()).sum();
    }

    /** Something that was asked for, driven until it is answered. */
    private <T> T ask(String what, java.util.function.Consumer<Reply<T>> request) {
        List<T> results = new ArrayList<>();
        List<BrokerError> errors = new ArrayList<>();
        boolean[] answered = new boolean[1];
        loops.get(0).execute(() -> request.accept(new Reply<>() {
            @Override
            public void done(T result) {
                Broken.unless(!answered[0], "%s was answered twice", what);
                answered[0] = true;
                results.add(result);
            }

            @Override
            public void failed(BrokerError error) {
                done(null);
                errors.add(error);
            }
        }));
        drive();
        Broken.unless(answered[0], "%s is not answered; %s", what, this);
        if (!errors.isEmpty()) {
            if (errors.get(0) instanceof BrokerError.NotFound) {
                return null;
            }
            throw new Broken(what + ": " + errors.get(0));
        }
        return results.get(0);
    }

    /** Takes everything out of these queues. Nothing else may use them. */
    Contents drain(Collection<QueueModel> queues) {
        Client client = reader();
        BrokerCounters before = counters();
        Contents contents = takeAll(client, queues);
        long there = before.readyMessages() + before.parkedMessages() + before.delayedMessages();
        Broken.unless(contents.size() <= there, "queues held %d messages, but the broker has counted %d",
                contents.size(), there);
        clear(client, queues, contents);
        return contents;
    }

    /** A client that takes everything. */
    Client reader() {
        return this.<Client>ask(
                "a connection",
                reply -> engine.connect(
                        new ClientSpec("/", Principal.named("reader", Access.ALL), "reader", "test", "test",
                                new Deaf()),
                        loops.get(0), reply));
    }

    /** Takes everything out of these queues, also what waits for the room that this makes. */
    Contents takeAll(Client client, Collection<QueueModel> queues) {
        Contents contents = new Contents();
        Map<QueueModel, List<Long>> taken = new LinkedHashMap<>();
        for (QueueModel queue : queues) {
            QueueStatus status = this.<QueueStatus>ask(
                    "the state of " + queue, reply -> client.findQueue(queue.name, reply));
            if (status != null) {
                taken.put(queue, new ArrayList<>());
            }
        }
        boolean any = true;
        while (any) {
            any = false;
            for (Map.Entry<QueueModel, List<Long>> each : taken.entrySet()) {
                Delivery next = get(client, each.getKey());
                while (next != null) {
                    any = true;
                    each.getValue().add(Payload.id(next.message()));
                    next = get(client, each.getKey());
                }
            }
            any |= counters().delayedMessages() > 0;
            if (!any) {
                break;
            }
            if (counters().delayedMessages() > 0) {
                driveUntil(() -> counters().delayedMessages() == 0, LONGEST_DELAY_NANOS);
                contents.waitedUntilNanos = loops.nanoTime();
            }
        }
        for (QueueModel queue : taken.keySet()) {
            String exchange = queue.temporary ? Ledger.TEMPORARY_EXCHANGE : Ledger.EXCHANGE;
            Client.Bound bound = this.<Client.Bound>ask(
                    "a question about bindings", reply -> client.isBound(exchange, queue.name, null, reply));
            contents.found(queue.name, taken.get(queue), bound == Client.Bound.YES);
        }
        return contents;
    }

    /** Deletes these queues, of which everything was taken out, and has the reader go; nothing may be left. */
    void clear(Client client, Collection<QueueModel> queues, Contents contents) {
        checkEmpty();
        for (QueueModel queue : queues) {
            if (contents.has(queue)) {
                this.<Long>ask(
                        "the deletion of " + queue, reply -> client.deleteQueue(queue.name, false, false, reply));
            }
        }
        this.<Void>ask("a good-bye", client::close);
        BrokerCounters after = counters();
        Broken.unless(after.messageBytes() == 0, "%d bytes of messages without queues", after.messageBytes());
        Broken.unless(after.queues() == 0 && after.bindings() == 0 && after.connections() == 0,
                "something is left that was deleted: %s", after);
    }

    private Delivery get(Client client, QueueModel queue) {
        return this.<Delivery>ask("a get from " + queue, reply -> client.get(queue.name, true, reply));
    }

    /** Nothing may be left of messages when all queues are empty. */
    void checkEmpty() {
        driveUntil(() -> retained() == 0, 1_000_000_000L);
        BrokerCounters counters = counters();
        Broken.unless(counters.readyMessages() == 0, "%d ready messages in empty queues", counters.readyMessages());
        Broken.unless(
                counters.unsettledMessages() == 0, "%d unsettled messages that nobody holds",
                counters.unsettledMessages());
        Broken.unless(
                counters.messageBytes() <= MOST_BYTES_EMPTY, "%d bytes of messages in empty queues",
                counters.messageBytes());
        Broken.unless(retained() == 0, "%d records are kept for empty queues", retained());
    }

    @Override
    public String toString() {
        return "log " + store.log().state() + ", durable " + store.log().durable() + " of " + store.log().end();
    }

    /** Hears nothing. */
    private static final class Deaf implements ClientEvents {

        @Override
        public void closeRequested(String reason) {
            throw new Broken("asked to close: " + reason);
        }

        @Override
        public void resourcesLow(String reason) {
            // It publishes nothing.
        }

        @Override
        public void resourcesRecovered() {
            // It publishes nothing.
        }
    }
}
