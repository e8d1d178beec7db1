package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.Completion;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Message;
import java.util.List;

/** A delivery that notes how it was settled, in a list shared by those of one queue. */
final class FakeDelivery implements Delivery {

    private final Message message;
    private final boolean settled;
    private final List<FakeDelivery> order;
    boolean redelivered;
    int deliveryCount;
    boolean counted;
    long remaining;
    Outcome outcome;

    FakeDelivery(Message message, boolean settled, List<FakeDelivery> order) {
        this.message = message;
        this.settled = settled;
        this.order = order;
    }

    @Override
    public Message message() {
        return message;
    }

    @Override
    public String queue() {
        return "q";
    }

    @Override
    public boolean redelivered() {
        return redelivered;
    }

    @Override
    public int deliveryCount() {
        return deliveryCount;
    }

    @Override
    public boolean counted() {
        return counted;
    }

    @Override
    public boolean settled() {
        return settled;
    }

    @Override
    public long remaining() {
        return remaining;
    }

    @Override
    public int windowBytes() {
        return message.sizeBytes();
    }

    @Override
    public void settle(Outcome end, Completion completion) {
        if (outcome != null || settled) {
            throw new IllegalStateException("settled twice");
        }
        outcome = end;
        order.add(this);
    }

    @Override
    public String toString() {
        return new String(message.body(), java.nio.charset.StandardCharsets.UTF_8) + "=" + outcome;
    }
}
