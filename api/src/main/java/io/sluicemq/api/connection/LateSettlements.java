package io.sluicemq.api.connection;

import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.util.ArrayList;
import java.util.List;

/**
 * Deliveries that a client never sees and that are settled for it: not at once but in a turn to come, since their queue may
 * be in the middle of delivering, and would find the next consumer that settles like this, and so on, ever deeper. Owned by
 * the connection's loop.
 */
@LoopOwned
public final class LateSettlements {

    private record Due(Delivery delivery, Outcome outcome) {}

    private final Loop loop;
    private final Runnable whenSettled;
    private final Runnable settle = this::settle;
    private List<Due> due = new ArrayList<>(0);

    /** @param whenSettled run each time when none is left */
    public LateSettlements(Loop loop, Runnable whenSettled) {
        this.loop = loop;
        this.whenSettled = whenSettled;
    }

    public boolean isEmpty() {
        return due.isEmpty();
    }

    public void add(Delivery delivery, Outcome outcome) {
        if (due.isEmpty()) {
            loop.execute(settle);
        }
        due.add(new Due(delivery, outcome));
    }

    private void settle() {
        List<Due> now = due;
        due = new ArrayList<>(0);
        for (Due each : now) {
            each.delivery.settle(each.outcome);
        }
        if (due.isEmpty()) {
            whenSettled.run();
        }
    }
}
