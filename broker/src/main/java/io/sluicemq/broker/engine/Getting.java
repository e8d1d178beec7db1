package io.sluicemq.broker.engine;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Completion;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.operate.MessageView;
import io.sluicemq.api.operate.Operations.GetMode;
import io.sluicemq.base.LoopOwned;
import java.util.ArrayList;
import java.util.List;

/**
 * Messages that an operator takes from a queue: one after the other, and settled all together. Owned by its client's loop.
 *
 * <p>Invariant: what it has taken is settled once: as was asked, or returned if nobody waits for it any more.
 */
@LoopOwned
final class Getting {

    private final Acts.Act<List<MessageView>> act;
    private final String queue;
    private final int most;
    private final GetMode mode;
    private final int mostBodyBytes;
    private final List<Delivery> taken = new ArrayList<>();
    private final List<MessageView> views = new ArrayList<>();
    private long bytes;

    Getting(Acts.Act<List<MessageView>> act, String queue, int most, GetMode mode, int mostBodyBytes) {
        this.act = act;
        this.queue = queue;
        this.most = most;
        this.mode = mode;
        this.mostBodyBytes = mostBodyBytes;
    }

    void next() {
        act.client().get(queue, false, new io.sluicemq.api.Reply<>() {
            @Override
            public void done(Delivery delivery) {
                got(delivery);
            }

            @Override
            public void failed(BrokerError error) {
                giveBack();
                act.failed(error);
            }
        });
    }

    private void got(Delivery delivery) {
        if (delivery != null) {
            taken.add(delivery);
        }
        if (act.isOver()) {
            giveBack();
            return;
        }
        if (delivery == null) {
            settle();
            return;
        }
        try {
            views.add(MessageViews.of(delivery, mostBodyBytes));
        } catch (RuntimeException e) {
            giveBack();
            throw e;
        }
        bytes += views.getLast().body().length;
        if (taken.size() < most && bytes < MessageViews.MOST_BYTES) {
            act.loop().execute(() -> act.guarded(this::goOn)); // others have their turn in between
        } else {
            settle();
        }
    }

    private void goOn() {
        if (act.isOver()) {
            giveBack();
        } else {
            next();
        }
    }

    private void giveBack() {
        taken.forEach(each -> each.settle(Delivery.Outcome.RELEASED));
        taken.clear();
    }

    private void settle() {
        Delivery.Outcome outcome = switch (mode) {
            case ACCEPT -> Delivery.Outcome.ACCEPTED;
            case REQUEUE -> Delivery.Outcome.REQUEUED;
            case REJECT -> Delivery.Outcome.REJECTED;
        };
        Completion settled = new Completion(act.loop()) {
            @Override
            protected void complete(BrokerError refusal) {
                if (refusal == null) {
                    act.done(List.copyOf(views));
                } else {
                    act.failed(refusal);
                }
            }
        };
        // The last first, so that the queue needs not look for each one's place.
        for (Delivery each : taken.reversed()) {
            settled.hold();
            each.settle(outcome, settled);
        }
        taken.clear();
        settled.handedOut();
    }
}
