package io.sluicemq.protocol.amqp10;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Completion;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Message;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;

/**
 * A delivery that has come with its link from a connection on another loop, on which it has to be settled. Owned by the loop of the
 * connection that has it now.
 */
@LoopOwned
final class MovedDelivery implements Delivery {

    private final Loop here;
    private final Loop loop;
    private final Delivery delivery;

    /** @param loop the one that {@code delivery} is to be settled on */
    MovedDelivery(Loop here, Loop loop, Delivery delivery) {
        this.here = here;
        this.loop = loop;
        this.delivery = delivery;
    }

    /** The queue's own, to be settled on {@link #loop}. */
    Delivery delivery() {
        return delivery;
    }

    Loop loop() {
        return loop;
    }

    @Override
    public Message message() {
        return delivery.message();
    }

    @Override
    public String queue() {
        return delivery.queue();
    }

    @Override
    public boolean redelivered() {
        return delivery.redelivered();
    }

    @Override
    public boolean acquiredBefore() {
        return delivery.acquiredBefore();
    }

    @Override
    public int deliveryCount() {
        return delivery.deliveryCount();
    }

    @Override
    public long expiresAtMillis() {
        return delivery.expiresAtMillis();
    }

    @Override
    public boolean counted() {
        return delivery.counted();
    }

    @Override
    public boolean settled() {
        return delivery.settled();
    }

    @Override
    public long remaining() {
        return delivery.remaining();
    }

    @Override
    public int windowBytes() {
        return delivery.windowBytes();
    }

    @Override
    public Delivery origin() {
        return delivery.origin();
    }

    @Override
    public void settle(Outcome outcome, Completion completion) {
        here.send(loop, () -> {
            if (completion == null) {
                delivery.settle(outcome);
                return;
            }
            Completion there = new Completion(loop) {
                @Override
                protected void complete(BrokerError refusal) {
                    if (refusal == null) {
                        completion.met(loop);
                    } else {
                        completion.refused(loop, refusal);
                    }
                }
            };
            there.hold();
            delivery.settle(outcome, there);
            there.handedOut();
        });
    }
}
