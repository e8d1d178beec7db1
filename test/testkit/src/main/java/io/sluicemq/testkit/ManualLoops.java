package io.sluicemq.testkit;

import io.sluicemq.base.TaskFailures;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * A set of {@link ManualLoop}s with one virtual clock, all driven by the test's own thread: nothing happens until the test
 * says so, and the same calls give the same run. Not safe for use by several threads.
 *
 * <p>Invariant: at most one of the loops is current, and time moves in {@link #advance} and {@link #passTime} only.
 */
public final class ManualLoops {

    /** The most turns that one call drives before it takes the loops to be busy for ever. */
    private static final int MAX_TURNS = 1_000_000;

    private static final long WALL_CLOCK_START_MILLIS = 1_767_225_600_000L; // 2026-01-01T00:00:00Z
    private static final long START_NANOS = 1_000_000_000L;

    private final List<ManualLoop> loops = new ArrayList<>();
    private final TaskFailures failures = new TaskFailures();
    private long nanoTime = START_NANOS;
    private ManualLoop current;
    private long expectedFailures;

    public ManualLoops(int count) {
        for (int i = 0; i < count; i++) {
            loops.add(new ManualLoop(this, i));
        }
    }

    public ManualLoop get(int index) {
        return loops.get(index);
    }

    public int size() {
        return loops.size();
    }

    /** Drives turns, loop after loop, until none has anything ready. Time stands still: timers of the future wait. */
    public void runAll() {
        int turns = 0;
        boolean ran = true;
        while (ran) {
            ran = false;
            for (ManualLoop loop : loops) {
                if (loop.isReady()) {
                    loop.runTurn();
                    turns = counted(turns);
                    ran = true;
                }
            }
        }
    }

    /** As {@link #runAll()}, but {@code random} chooses whose turn it is: one seed is one schedule. */
    public void runAll(RandomGenerator random) {
        int turns = 0;
        List<ManualLoop> ready = readyLoops();
        while (!ready.isEmpty()) {
            ready.get(random.nextInt(ready.size())).runTurn();
            turns = counted(turns);
            ready = readyLoops();
        }
    }

    /** Runs what is ready, then moves time on by {@code nanos}, stopping at each timer to run it and what it causes. */
    public void advance(long nanos) {
        long end = nanoTime + nanos;
        runAll();
        for (long next = nextDeadline(end); next < end; next = nextDeadline(end)) {
            nanoTime = next;
            runAll();
        }
        nanoTime = end;
        runAll();
    }

    /** Moves time on by {@code nanos} and runs nothing: timers that have come due are ready. */
    public void passTime(long nanos) {
        nanoTime += nanos;
    }

    public long nanoTime() {
        return nanoTime;
    }

    public long currentTimeMillis() {
        return WALL_CLOCK_START_MILLIS + (nanoTime - START_NANOS) / 1_000_000;
    }

    /**
     * What tasks have thrown. A turn in which a task throws fails the test with an {@link AssertionError}, unless
     * {@link #expectFailures} announced it.
     */
    public TaskFailures failures() {
        return failures;
    }

    /** Says that {@code count} more tasks will throw, and that this is what the test is about. */
    public void expectFailures(int count) {
        expectedFailures += count;
    }

    ManualLoop current() {
        return current;
    }

    /** Runs {@code work} with {@code loop} current. */
    void enter(ManualLoop loop, Runnable work) {
        if (current != null) {
            throw new IllegalStateException("loop " + current.index() + " is in a turn, and loop " + loop.index()
                    + " can't have one inside it: let it send, then drive the loops from outside");
        }
        current = loop;
        try {
            work.run();
        } finally {
            current = null;
        }
        if (failures.count() > expectedFailures) {
            throw new AssertionError("a task failed on loop " + loop.index(), failures.last());
        }
    }

    private List<ManualLoop> readyLoops() {
        return loops.stream().filter(ManualLoop::isReady).toList();
    }

    private long nextDeadline(long end) {
        long next = end;
        for (ManualLoop loop : loops) {
            next = Math.min(next, loop.nextDeadline());
        }
        return next;
    }

    private static int counted(int turns) {
        if (turns == MAX_TURNS) {
            throw new AssertionError("the loops are still busy after " + MAX_TURNS + " turns");
        }
        return turns + 1;
    }
}
