package io.sluicemq.broker.engine;

import io.sluicemq.api.Client.Reservation;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;

/** Memory for one large message, asked for by a client; owned by its loop. */
@LoopOwned
final class MemoryReservation implements Reservation {

    private final MemoryBudget budget;
    private final Loop loop;
    private final long bytes;
    private final Runnable granted;
    private boolean has;
    private boolean released;

    MemoryReservation(MemoryBudget budget, Loop loop, long bytes, Runnable granted) {
        this.budget = budget;
        this.loop = loop;
        this.bytes = bytes;
        this.granted = granted;
    }

    Loop loop() {
        return loop;
    }

    long bytes() {
        return bytes;
    }

    /** The budget has granted it. */
    void grant() {
        if (released) {
            budget.giveBack(loop, bytes);
        } else {
            has = true;
            granted.run();
        }
    }

    @Override
    public void release() {
        loop.assertCurrent();
        if (released) {
            throw new IllegalStateException("a reservation was released twice");
        }
        released = true;
        if (has) {
            budget.giveBack(loop, bytes);
        } else {
            budget.withdraw(loop, this);
        }
    }
}
