package io.sluicemq.simulation;

import io.sluicemq.api.Client;
import io.sluicemq.base.Loop;
import io.sluicemq.broker.engine.BrokerCounters;
import io.sluicemq.store.disk.Disk;
import io.sluicemq.store.sim.SimulatedDisk;
import io.sluicemq.store.sim.SimulatedDisk.Loss;
import io.sluicemq.testkit.ManualLoop;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * One run: clients that do what the seed says, on a broker whose loops and log take their turns as the seed says, with a disk that
 * fails when the seed says. What must always hold is checked on the way, on what a crash would leave, after each crash, and at
 * the end, when all must come to rest.
 *
 * <p>Runs on the caller's thread, in virtual time; the seed and the number of steps make the run.
 */
final class Simulation {

    private static final long LONGEST_WAIT_NANOS = 60_000_000_000L;
    private static final long QUIET_NANOS = 3_000_000_000L;
    private static final long RESTART_NANOS = 5_000_000;

    final long seed;
    final RandomGenerator random;
    /** Chooses limits of consumers, their drains, and delays of messages; null if there are none of these. */
    final RandomGenerator credit;
    /** Chooses groups of messages, and consumers with filters, that refuse or only look; null if there are none of these. */
    final RandomGenerator filters;
    final Plan plan;
    final Ledger ledger;
    final Limits limits;
    final Statistics statistics = new Statistics();
    private final Function<SimulatedDisk, Disk> view;
    private final Function<ManualLoop, Loop> loops;
    private final SimulatedDisk disk = new SimulatedDisk();
    private final Set<Command> open = new LinkedHashSet<>();
    private final List<Peer> peers = new ArrayList<>();
    private final List<Later> later = new ArrayList<>();
    private Machine machine;
    private AccountWatch watch;
    private long step;
    private long names;
    private long nowNanos;
    private long crashes;
    private long audits;
    private String phase = "the start";

    /** Something to be done at a later step. */
    private record Later(long step, Runnable task) {}

    /**
     * @param limited whether there are limits of addresses; without them the seed means what it does without their parts of the
     *     simulation
     */
    Simulation(long seed, boolean limited) {
        this(seed, limited, false, false);
    }

    /**
     * @param credit whether consumers have limits and are drained, and messages are delayed, too; likewise
     * @param filters whether there are groups of messages, and consumers that want, or see, only some, too; likewise
     */
    Simulation(long seed, boolean limited, boolean credit, boolean filters) {
        this(seed, limited, credit, filters, disk -> disk, loop -> loop);
    }

    /**
     * @param view the disk as the broker sees it: the disk itself, but for tests of the simulation
     * @param loops the loops as the broker sees them, likewise
     */
    Simulation(
            long seed, boolean limited, boolean credit, boolean filters, Function<SimulatedDisk, Disk> view,
            Function<ManualLoop, Loop> loops) {
        this.seed = seed;
        this.credit = credit ? new SplittableRandom(~(seed * 31)) : null;
        this.filters = filters ? new SplittableRandom(~(seed * 37)) : null;
        this.view = view;
        this.loops = loops;
        this.random = new SplittableRandom(seed);
        this.plan = Plan.of(random);
        this.limits = limited ? Limits.of(new SplittableRandom(~seed)) : Limits.none();
        this.ledger = new Ledger(() -> machine == null ? nowNanos : machine.loops.nanoTime(), limits);
        for (QueueModel queue : ledger.queues.values()) {
            queue.mayAutoAccept = random.nextInt(3) == 0;
            queue.mayPurge = random.nextInt(3) == 0;
        }
    }

    /** Runs it to its end; throws what it finds. */
    void run(long steps) {
        start();
        phase = "step";
        for (step = 0; step < steps; step++) {
            step();
            watch.look();
        }
        finish();
        statistics.limitsChanged(limits.changes());
        statistics.ran();
    }

    /** Where it is, for people. */
    String where() {
        return phase + " " + step;
    }

    /** What has happened, for people. */
    String summary() {
        return crashes + " ends of the broker, " + audits + " looks at the disk, " + ledger.confirmed() + " confirmed, "
                + ledger.settled() + " settled";
    }

    long crashes() {
        return crashes;
    }

    Command command(String what) {
        return command(what, null);
    }

    /** @param excuse whether there is a reason for it to wait though nothing goes on; null if there never is */
    Command command(String what, BooleanSupplier excuse) {
        return new Command(what, step, open, excuse);
    }

    AccountWatch watch() {
        return watch;
    }

    void afterAWhile(Runnable task) {
        later.add(new Later(step + 1 + random.nextInt(300), task));
    }

    void hasGone(Peer peer) {
        peers.remove(peer);
    }

    // ---- the broker's lives

    private void start() {
        begin();
        Peer first = connect();
        waitForAll("a connection");
        first.declaring.declaresAll();
        waitForAll("the declarations");
        while (peers.size() < plan.clients()) {
            connect();
        }
    }

    private void begin() {
        machine = open(view.apply(disk));
        watch = new AccountWatch(machine, ledger, limits, statistics);
        limits.begun();
    }

    private Machine open(Disk from) {
        try {
            return new Machine(from, plan, limits, loops, nowNanos, new SplittableRandom(random.nextLong()));
        } catch (IOException e) {
            throw new UncheckedIOException("the broker does not start: " + e.getMessage(), e);
        }
    }

    private Peer connect() {
        Peer peer = new Peer(this, machine, random.nextInt(plan.loops()), "c" + names++);
        peers.add(peer);
        return peer;
    }

    /** The power fails, or the process is killed. */
    private void crash() {
        Loss[] losses = Loss.values();
        end(losses[random.nextInt(losses.length)], false);
    }

    private void end(Loss loss, boolean orderly) {
        crashes++;
        statistics.dropped(watch.counters().droppedByPolicy());
        nowNanos = machine.loops.nanoTime() + (random.nextInt(4) == 0 ? 50_000_000 : RESTART_NANOS);
        machine = null;
        open.clear();
        peers.clear();
        later.clear();
        disk.crash(random, loss);
        disk.setCapacityBytes(Long.MAX_VALUE);
        ledger.lostMemory();
        Contents contents = drained(disk.copy());
        ledger.check(contents, true, orderly);
        ledger.settleBy(contents);
        begin();
        if (random.nextInt(4) == 0) {
            for (int i = random.nextInt(20); i > 0; i--) {
                machine.turnOfWorker();
                machine.turnOfLoop();
            }
            crash();
            return;
        }
        Peer first = connect();
        waitForAll("a connection");
        first.declaring.declaresAll();
        while (peers.size() < plan.clients()) {
            connect();
        }
    }

    private void restInOrder() {
        if (!settlesDown()) {
            return;
        }
        List.copyOf(peers).forEach(Peer::disconnects);
        waitForAll("the good-byes");
        // What nobody waits for a confirm of may still wait for room in the log; an engine at rest does not wait for it.
        machine.driveUntil(() -> false, QUIET_NANOS);
        CompletableFuture<Void> rest = machine.engine.rest();
        Broken.unless(machine.driveUntil(rest::isDone, LONGEST_WAIT_NANOS), "the engine does not come to rest");
        machine.store.close();
        end(Loss.ALL, true);
    }

    /** What a crash at this moment would leave. */
    private void audit() {
        audits++;
        nowNanos = machine.loops.nanoTime();
        SimulatedDisk left = random.nextInt(4) == 0 ? disk.copy() : disk.copySynced();
        ledger.check(drained(left), true, false);
    }

    /** What a broker finds on a disk. */
    private Contents drained(SimulatedDisk left) {
        Contents contents = open(left).drain(ledger.queues.values());
        ledger.seenUntil(contents.waitedUntilNanos);
        return contents;
    }

    // ---- steps

    private void step() {
        for (int i = 0; i < later.size(); i++) {
            if (later.get(i).step() <= step) {
                later.remove(i--).task().run();
            }
        }
        if (machine.hasFailed() && random.nextInt(100) == 0) {
            crash();
            return;
        }
        int rare = random.nextInt(10_000);
        if (rare < plan.disturb()) {
            disturb();
            return;
        }
        if (rare < plan.disturb() + plan.audit()) {
            audit();
            return;
        }
        int choice = random.nextInt(100);
        if (choice < plan.loopTurns()) {
            machine.turnOfLoop();
        } else if (choice < plan.loopTurns() + plan.workerTurns()) {
            machine.turnOfWorker();
        } else if (random.nextInt(6) == 0) {
            machine.loops.passTime(random.nextInt(random.nextInt(20) == 0 ? 60_000_000 : 1_500_000));
        } else {
            act();
        }
    }

    private void disturb() {
        switch (random.nextInt(14)) {
            case 10, 11, 12, 13 -> {
                if (!machine.hasFailed()) {
                    machine.engine.rest();
                }
            }
            case 0 -> {
                if (!machine.hasFailed()) {
                    restInOrder();
                }
            }
            case 1 -> disk.failSync(1 + random.nextInt(3));
            case 2 -> disk.failWrite(1 + random.nextInt(5));
            case 3, 4 -> {
                disk.setCapacityBytes(disk.usedBytes() + random.nextInt(80_000));
                afterAWhile(() -> disk.setCapacityBytes(Long.MAX_VALUE));
            }
            case 5 -> quietDown();
            default -> crash();
        }
    }

    private void act() {
        if (peers.isEmpty()) {
            connect();
            return;
        }
        Peer peer = peers.get(random.nextInt(peers.size()));
        if (!peer.isReady()) {
            return;
        }
        if (credit != null && credit.nextInt(6) == 0) {
            peer.changesCredit();
            return;
        }
        if (limits.isOn() && random.nextInt(5) < 2) {
            actOnLimits(peer);
            return;
        }
        int choice = random.nextInt(
                plan.publish() + plan.settle() + plan.consume() * 2 + plan.transact() + plan.topology() * 2 + 3);
        if ((choice -= plan.publish()) < 0) {
            peer.publishes(random.nextInt(8) == 0 ? 20 : 1 + random.nextInt(3));
        } else if ((choice -= plan.settle()) < 0) {
            peer.settles();
        } else if ((choice -= plan.consume()) < 0) {
            peer.gets();
        } else if ((choice -= plan.consume()) < 0) {
            if (random.nextInt(3) > 0) {
                peer.subscribes();
            } else {
                peer.cancels();
            }
        } else if ((choice -= plan.transact()) < 0) {
            peer.transacts();
        } else if ((choice -= plan.topology()) < 0) {
            peer.declaring.purges();
        } else if ((choice -= plan.topology()) < 0) {
            peer.declaring.changesTopology();
        } else if (choice < 2) {
            peer.writes();
        } else if (random.nextInt(10) == 0) {
            peer.disconnects();
            connect();
        }
    }

    /** What leads to full addresses, and out of them. */
    private void actOnLimits(Peer peer) {
        switch (random.nextInt(36)) {
            case 32, 33, 34, 35 -> {
                List<String> ruled = limits.ruled();
                if (!ruled.isEmpty()) {
                    peer.dawdles(ledger.queue(ruled.get(random.nextInt(ruled.size()))), 1 + random.nextInt(6),
                            random.nextInt(12));
                }
            }
            case 0 -> {
                // Often enough to be met by what waits, but seldom enough for others to make room before.
                if (random.nextInt(2) == 0) {
                    limits.change(machine.engine);
                }
            }
            case 1, 2, 3, 4 -> peer.drains(1 + random.nextInt(20));
            case 5, 6, 7, 8, 9 -> peer.bursts(random.nextInt(40));
            case 10, 11, 12 -> peer.settles();
            case 13 -> peer.gets();
            case 14 -> peer.subscribes();
            case 15 -> peer.cancels();
            case 16 -> {
                if (random.nextInt(5) == 0) {
                    peer.disconnects();
                    connect();
                }
            }
            case 17 -> peer.rejects();
            case 18, 19, 20, 21, 22, 23, 24, 25 -> peer.usesCredit();
            default -> peer.publishes(1 + random.nextInt(3));
        }
    }

    // ---- rest

    private void waitForAll(String what) {
        machine.driveUntil(() -> isAllAnswered() || machine.hasFailed(), LONGEST_WAIT_NANOS);
        Broken.unless(isAllAnswered(), "%s: not answered, though all works: %s; %s", what, open, machine);
    }

    /** Whether only such commands are open as may wait for room in addresses. */
    private boolean isAllAnswered() {
        return open.stream().allMatch(Command::mayWait);
    }

    /** From now on the disk works. */
    private void heal() {
        disk.setCapacityBytes(Long.MAX_VALUE);
        disk.failSync(Integer.MAX_VALUE);
        disk.failWrite(Integer.MAX_VALUE);
    }

    /** With a disk that works and nobody that does anything new, everything is answered; false if the log had failed before. */
    private boolean settlesDown() {
        heal();
        machine.driveUntil(() -> isAllAnswered() || machine.hasFailed(), LONGEST_WAIT_NANOS);
        if (machine.hasFailed()) {
            crash();
            return false;
        }
        waitForAll("in the end");
        return true;
    }

    /** Lets all that goes on end, and looks whether it does. */
    private void quietDown() {
        while (!settlesDown()) {
            // A crash was needed, and is over.
        }
        machine.driveUntil(() -> false, QUIET_NANOS);
        watch.look();
        watch.checkAside();
        watch.checkIdleCredit();
        peers.forEach(Peer::checkWaiting);
        for (Command each : List.copyOf(open)) {
            Broken.unless(each.isExcused(), "%s is not answered, and waits for nothing; %s", each, machine);
        }
        for (Peer peer : peers) {
            Broken.unless(!peer.isPaced(), "%s is held back though nothing goes on", peer);
        }
        long parked = peers.stream().mapToLong(Peer::parkedCount).sum();
        Broken.unless(parked == watch.parkedByClients(), "%d publishes of clients wait, but they know of %d",
                watch.parkedByClients(), parked);
        watch.checkBooks();
        BrokerCounters counters = machine.counters();
        long held = peers.stream().mapToLong(Peer::heldCount).sum();
        Broken.unless(counters.unsettledMessages() == held, "%d messages are unsettled, but clients hold %d",
                counters.unsettledMessages(), held);
        Map<String, Long> ready = new HashMap<>();
        peers.forEach(peer -> peer.counts(ready));
        waitForAll("the states of queues");
        for (Peer peer : peers) {
            String hungry = peer.hungry(ready);
            if (hungry != null) {
                throw new Broken(hungry);
            }
        }
    }

    private void finish() {
        phase = "the end, after step";
        quietDown();
        Client reader = null;
        Contents contents = null;
        if (limits.isOn() && random.nextBoolean() && peers.stream().noneMatch(Peer::commits)) {
            peers.forEach(Peer::takesNoMore);
            waitForAll("the ends of consumers");
            reader = machine.reader();
            contents = machine.takeAll(reader, ledger.queues.values());
            Broken.unless(machine.driveUntil(open::isEmpty, LONGEST_WAIT_NANOS),
                    "all was taken out, but this still waits for room: %s%s", open, watch.gates());
        }
        List.copyOf(peers).forEach(Peer::disconnects);
        waitForAll("the good-byes");
        BrokerCounters before = machine.counters();
        Broken.unless(before.connections() == (reader == null ? 0 : 1), "%d connections are left",
                before.connections());
        Broken.unless(before.consumers() == 0, "%d consumers are left", before.consumers());
        Broken.unless(before.unsettledMessages() == 0, "%d unsettled are left", before.unsettledMessages());
        if (reader == null) {
            reader = machine.reader();
            contents = machine.takeAll(reader, ledger.queues.values());
        }
        watch.checkEmpty();
        statistics.dropped(before.droppedByPolicy());
        machine.clear(reader, ledger.queues.values(), contents);
        watch.checkEmpty();
        ledger.check(contents, false, true);
    }
}
