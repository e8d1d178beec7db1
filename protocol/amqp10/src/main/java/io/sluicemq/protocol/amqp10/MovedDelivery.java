package io.sluicemq.protocol.amqp10;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Completion;
import io.sluicemq.api.Consumer;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Message;
import io.sluicemq.api.Reply;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.util.function.Supplier;

/**
 * A delivery that has come with its link from another connection, on whose loop it has to be settled. Owned by the loop of the connection that has
 * it now.
 *
 * <p>Its consumer has ended. What is said about that (that it is not to have the message again) holds for the one of the link that has
 * it now.
 */
@LoopOwned
final class MovedDelivery implements Delivery {

    private final Loop here;
    private final Loop loop;
    private final Delivery delivery;
    private final Supplier<Consumer> heir;

    /**
     * @param loop the one that {@code delivery} is to be settled on
     * @param heir the consumer that stands for the one it was delivered to; null if there is none
     */
    MovedDelivery(Loop here, Loop loop, Delivery delivery, Supplier<Consumer> heir) {
        this.here = here;
        this.loop = loop;
        this.delivery = delivery;
        this.heir = heir;
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
        Consumer consumer = isForOthers(outcome) ? heir.get() : null;
        if (consumer == null) {
            settleThere(outcome, completion);
            return;
        }
        consumer.refuse(delivery, new Reply<>() {
            @Override
            public void done(Void result) {
                settleThere(outcome, completion);
            }

            @Override
            public void failed(BrokerError error) {
                settleThere(outcome, completion);
            }
        });
    }

    /** Whether the consumer is not to have the message again. */
    static boolean isForOthers(Outcome outcome) {
        return switch (outcome) {
            case REQUEUED_ELSEWHERE, RELEASED_ELSEWHERE, RETURNED_ELSEWHERE -> true;
            case ACCEPTED, REJECTED, UNDELIVERABLE, REQUEUED, RELEASED, RETURNED -> false;
        };
    }

    private void settleThere(Outcome outcome, Completion completion) {
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
