package io.sluicemq.testkit;

import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.base.Turn;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.Supplier;

/**
 * A {@link Loop} that the test drives by hand, on the test's thread and in virtual time. A turn runs the timers that are due,
 * then the tasks that were waiting when it began, then its end; what these add waits for the next turn.
 *
 * <p>A test acts as the loop with {@link #run} or {@link #call}, and then lets things happen with {@link #runAll} or {@link
 * #advance}. For more than one loop see {@link ManualLoops}.
 *
 * <p>Invariant: the loop is current only inside {@link #runTurn}, {@link #run} and {@link #call}.
 */
@LoopOwned
public final class ManualLoop implements Loop {

    private final ManualLoops loops;
    private final int index;
    private final Turn turn;
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final PriorityQueue<ManualTimer> timers = new PriorityQueue<>(
            Comparator.<ManualTimer>comparingLong(timer -> timer.deadline).thenComparingLong(timer -> timer.number));
    private boolean endRequested;
    private long timersScheduled;
    private long executeCalls;

    ManualLoop(ManualLoops loops, int index) {
        this.loops = loops;
        this.index = index;
        this.turn = new Turn(this, () -> endRequested = true, loops.failures());
    }

    /** A loop without peers. */
    public static ManualLoop single() {
        return new ManualLoops(1).get(0);
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public boolean isCurrent() {
        return loops.current() == this;
    }

    @Override
    public void execute(Runnable task) {
        executeCalls++;
        tasks.add(task);
    }

    @Override
    public void send(Loop target, Runnable item) {
        assertCurrent();
        if (target == this) {
            item.run();
        } else {
            turn.send(target, item);
        }
    }

    @Override
    public void atTurnEnd(Runnable hook) {
        assertCurrent();
        turn.atEnd(hook);
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        assertCurrent();
        ManualTimer timer = new ManualTimer(nanoTime() + Math.max(0, delayNanos), timersScheduled++, task);
        timers.add(timer);
        return () -> timers.remove(timer);
    }

    @Override
    public long nanoTime() {
        return loops.nanoTime();
    }

    @Override
    public long currentTimeMillis() {
        return loops.currentTimeMillis();
    }

    /** The loops that this one belongs to. */
    public ManualLoops loops() {
        return loops;
    }

    /** Acts as this loop: runs {@code work} at once, as a turn of its own that ends after it. What it throws is thrown here. */
    public void run(Runnable work) {
        loops.enter(this, () -> {
            try {
                work.run();
            } finally {
                end();
            }
        });
    }

    /** As {@link #run}, with a result. */
    public <T> T call(Supplier<T> work) {
        var result = new ArrayDeque<T>(1);
        run(() -> {
            T value = work.get();
            if (value != null) {
                result.add(value);
            }
        });
        return result.poll();
    }

    /** Whether a turn would find something to do now. */
    public boolean isReady() {
        return endRequested || !tasks.isEmpty() || nextDeadline() <= nanoTime();
    }

    /** One turn of this loop alone. */
    public void runTurn() {
        loops.enter(this, () -> {
            int waiting = tasks.size();
            long scheduled = timersScheduled;
            while (nextDeadline() <= nanoTime() && timers.peek().number < scheduled) {
                loops.failures().guard(timers.poll().task);
            }
            for (int i = 0; i < waiting; i++) {
                loops.failures().guard(tasks.poll());
            }
            end();
        });
    }

    /** As {@link ManualLoops#runAll()}: drives this loop and its peers until none has anything ready. */
    public void runAll() {
        loops.runAll();
    }

    /** As {@link ManualLoops#advance}: moves the clock of this loop and its peers. */
    public void advance(long nanos) {
        loops.advance(nanos);
    }

    /** How often {@link #execute} was called so far: the wake-ups that this loop was given. */
    public long executeCalls() {
        return executeCalls;
    }

    /** How many timers wait for their time; 0 where everything that was scheduled has been taken back. */
    public int pendingTimers() {
        return timers.size();
    }

    long nextDeadline() {
        ManualTimer next = timers.peek();
        return next == null ? Long.MAX_VALUE : next.deadline;
    }

    private void end() {
        if (endRequested) {
            endRequested = false;
            turn.end();
        }
    }

    private record ManualTimer(long deadline, long number, Runnable task) {}
}
