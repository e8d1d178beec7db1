package io.sluicemq.protocol.amqp10.message;

import io.sluicemq.api.Completion;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Message;

/** A delivery of a message, which nobody settles. */
record FakeDelivery(Message message, boolean redelivered, int deliveryCount, long expiresAtMillis) implements Delivery {

    static FakeDelivery first(Message message) {
        return new FakeDelivery(message, false, 0, NEVER);
    }

    @Override
    public String queue() {
        return "q";
    }

    @Override
    public boolean counted() {
        return deliveryCount > 0;
    }

    @Override
    public boolean settled() {
        return false;
    }

    @Override
    public long remaining() {
        return 0;
    }

    @Override
    public int windowBytes() {
        return message.sizeBytes();
    }

    @Override
    public void settle(Outcome outcome, Completion completion) {
        throw new UnsupportedOperationException();
    }
}
