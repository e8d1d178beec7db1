package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.Completion;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Message;

/**
 * A delivery that its client has asked for once more (basic.recover without requeue). It has taken its place in the
 * consumer's window before.
 */
record ResentDelivery(Delivery original) implements Delivery {

    /** {@code delivery}, to be sent again. */
    static ResentDelivery of(Delivery delivery) {
        return delivery instanceof ResentDelivery resent ? resent : new ResentDelivery(delivery);
    }

    @Override
    public Message message() {
        return original.message();
    }

    @Override
    public String queue() {
        return original.queue();
    }

    @Override
    public boolean redelivered() {
        return true;
    }

    @Override
    public int deliveryCount() {
        return original.deliveryCount();
    }

    @Override
    public long expiresAtMillis() {
        return original.expiresAtMillis();
    }

    @Override
    public boolean counted() {
        return original.counted();
    }

    @Override
    public boolean settled() {
        return original.settled();
    }

    @Override
    public long remaining() {
        return original.remaining();
    }

    @Override
    public int windowBytes() {
        return 0;
    }

    @Override
    public void settle(Outcome outcome, Completion completion) {
        original.settle(outcome, completion);
    }

    @Override
    public Delivery origin() {
        return original.origin();
    }
}
