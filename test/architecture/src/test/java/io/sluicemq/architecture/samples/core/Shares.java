package io.sluicemq.architecture.samples.core;

import java.lang.invoke.MethodHandles;
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

    VarHandle handle() throws ReflectiveOperationException {
        return MethodHandles.lookup().findVarHandle(Shares.class, "open", boolean.class);
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
