package io.sluicemq.base;

import java.util.ArrayList;
import java.util.List;

/**
 * What a loop has collected during the turn at hand: a batch for each other loop, and hooks to run at its end. The part
 * that all {@link Loop} implementations share; owned by that loop.
 *
 * <p>Invariant: while anything is collected, the loop has been asked exactly once to call {@link #end}.
 */
@LoopOwned
public final class Turn {

    private final Loop loop;
    private final Runnable requestEnd;
    private final TaskFailures failures;
    private final List<Batch> batches = new ArrayList<>();
    private List<Runnable> hooks = new ArrayList<>();
    private List<Runnable> spareHooks = new ArrayList<>();
    private boolean endRequested;

    /**
     * @param requestEnd arranges that the loop calls {@link #end} once the work at hand is done
     * @param failures told of every hook or item that throws
     */
    public Turn(Loop loop, Runnable requestEnd, TaskFailures failures) {
        this.loop = loop;
        this.requestEnd = requestEnd;
        this.failures = failures;
    }

    /** As {@link Loop#send}, for another loop than the owner. */
    public void send(Loop target, Runnable item) {
        int index = target.index();
        while (batches.size() <= index) {
            batches.add(null);
        }
        Batch batch = batches.get(index);
        if (batch == null) {
            batch = new Batch(target, failures);
            batches.set(index, batch);
            requestEnd();
        }
        batch.add(item);
    }

    /** As {@link Loop#atTurnEnd}. */
    public void atEnd(Runnable hook) {
        hooks.add(hook);
        requestEnd();
    }

    /** Runs the hooks, then sends each batch on its way. */
    public void end() {
        endRequested = false;
        List<Runnable> due = hooks;
        hooks = spareHooks;
        for (int i = 0; i < due.size(); i++) {
            failures.guard(due.get(i));
        }
        due.clear();
        spareHooks = due;
        for (int i = 0; i < batches.size(); i++) {
            Batch batch = batches.get(i);
            if (batch != null) {
                batches.set(i, null);
                batch.target.execute(batch);
            }
        }
    }

    private void requestEnd() {
        if (!endRequested) {
            assert loop.isCurrent() : "a turn is collected on its own loop";
            endRequested = true;
            requestEnd.run();
        }
    }

    /** What one turn of one loop wants of another. Filled by the sender, run once by the target. */
    private static final class Batch implements Runnable {

        private final Loop target;
        private final TaskFailures failures;
        private Runnable[] items = new Runnable[16];
        private int size;

        Batch(Loop target, TaskFailures failures) {
            this.target = target;
            this.failures = failures;
        }

        void add(Runnable item) {
            if (size == items.length) {
                items = java.util.Arrays.copyOf(items, size * 2);
            }
            items[size++] = item;
        }

        @Override
        public void run() {
            for (int i = 0; i < size; i++) {
                failures.guard(items[i]);
            }
        }
    }
}
