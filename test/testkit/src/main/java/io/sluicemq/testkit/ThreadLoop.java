package io.sluicemq.testkit;

import io.sluicemq.base.Loop;
import io.sluicemq.base.TaskFailures;
import io.sluicemq.base.Turn;
import java.util.concurrent.LinkedBlockingQueue;

/** A loop with a real thread, for tests in which threads must race. It has no timers. */
public final class ThreadLoop implements Loop {

    private static final Runnable END = () -> {};

    private final int index;
    private final Thread thread;
    private final TaskFailures failures = new TaskFailures();
    private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private final Turn turn = new Turn(this, () -> {}, failures);

    public ThreadLoop(int index) {
        this.index = index;
        this.thread = Thread.ofPlatform().name("loop-" + index).daemon().start(this::run);
    }

    private void run() {
        try {
            while (true) {
                Runnable task = tasks.take();
                while (task != null) {
                    if (task == END) {
                        return;
                    }
                    failures.guard(task);
                    task = tasks.poll();
                }
                turn.end();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public TaskFailures failures() {
        return failures;
    }

    /** Ends the loop when all that was handed to it is done. */
    public void close() throws InterruptedException {
        tasks.add(END);
        thread.join();
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public void send(Loop target, Runnable item) {
        if (target == this) {
            item.run();
        } else {
            turn.send(target, item);
        }
    }

    @Override
    public void atTurnEnd(Runnable hook) {
        turn.atEnd(hook);
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public long currentTimeMillis() {
        return System.currentTimeMillis();
    }
}
