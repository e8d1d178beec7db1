package io.sluicemq.store.sim;

import io.sluicemq.store.Workers;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/** Workers that the test drives, a step at a time, on its own thread. */
public final class ManualWorkers implements Workers {

    private static final int MAX_STEPS = 1_000_000;

    private final LongSupplier clock;
    private final List<ManualWorker> workers = new ArrayList<>();

    /** @param clock virtual time in nanoseconds */
    public ManualWorkers(LongSupplier clock) {
        this.clock = clock;
    }

    @Override
    public Worker start(String name, Step step) {
        ManualWorker worker = new ManualWorker(name, step);
        workers.add(worker);
        return worker;
    }

    @Override
    public long nanoTime() {
        return clock.getAsLong();
    }

    /** Whether a worker has something to do now. */
    public boolean isReady() {
        return workers.stream().anyMatch(ManualWorker::isReady);
    }

    /** Runs one step of one worker that is ready; false if none is. */
    public boolean step(RandomGenerator random) {
        List<ManualWorker> ready = workers.stream().filter(ManualWorker::isReady).toList();
        if (ready.isEmpty()) {
            return false;
        }
        ready.get(random.nextInt(ready.size())).step();
        return true;
    }

    /** Runs one step of the worker of this name, whether it is ready or not. */
    public void step(String name) {
        workers.stream().filter(each -> each.name.equals(name) && !each.ended).forEach(ManualWorker::step);
    }

    /** Runs steps until no worker is ready. Time stands still. */
    public boolean runAll() {
        boolean any = false;
        for (int steps = 0; steps < MAX_STEPS; steps++) {
            boolean ran = false;
            for (ManualWorker worker : workers) {
                if (worker.isReady()) {
                    worker.step();
                    ran = true;
                }
            }
            if (!ran) {
                return any;
            }
            any = true;
        }
        throw new AssertionError("the workers are still busy after " + MAX_STEPS + " steps");
    }

    private final class ManualWorker implements Worker {

        private final String name;
        private final Step step;
        private boolean woken = true;
        private long due = Long.MAX_VALUE;
        private boolean ended;

        ManualWorker(String name, Step step) {
            this.name = name;
            this.step = step;
        }

        boolean isReady() {
            return !ended && (woken || due <= nanoTime());
        }

        void step() {
            woken = false;
            long pause = step.run();
            ended = pause == ENDED;
            due = pause == UNTIL_WOKEN ? Long.MAX_VALUE : nanoTime() + Math.max(0, pause);
        }

        @Override
        public void wake() {
            woken = true;
        }

        @Override
        public void awaitEnd() {
            for (int steps = 0; !ended; steps++) {
                if (steps == MAX_STEPS) {
                    throw new AssertionError(name + " does not end");
                }
                step();
            }
        }
    }
}
