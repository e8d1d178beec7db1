package io.sluicemq.architecture.samples.core;

import java.lang.invoke.VarHandle;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/** Everything that a class owned by a loop has no need of. */
class Shares {
    final ReentrantLock lock = new ReentrantLock();
    final AtomicLong count = new AtomicLong();
    final ConcurrentHashMap<String, String> map = new ConcurrentHashMap<>();
    volatile boolean open;

    static boolean swap(VarHandle handle) {
        VarHandle.fullFence();
        return handle.compareAndSet(new Shares(), false, true);
    }

    synchronized void method() {
        open = true;
    }

    void block() {
        synchronized (lock) {
            open = false;
        }
    }

    void waits() throws InterruptedException {
        lock.wait();
    }
}
