package io.sluicemq.protocol.amqp10;

import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.base.Loop;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.qpid.protonj2.types.transport.DeliveryState;

/**
 * The deliveries of a link that were not settled when it ended, for the link of its name that may come back (part 2, §2.6.5). It goes from
 * the loop of the one connection over that of the {@link LinkRegistry} to the loop of another, and belongs to whoever has it.
 *
 * @param arrived what the peer has sent; empty if it receives
 * @param sent what the peer was sent; empty if it sends
 * @param epoch how often the link has come back: what tells the tags of its deliveries apart
 * @param lifetimeSeconds how long it is kept; negative for ever
 */
record KeptLink(List<Arrived> arrived, List<Sent> sent, int epoch, long lifetimeSeconds) {

    int deliveries() {
        return arrived.size() + sent.size();
    }

    /** A delivery that has come from the peer. */
    static final class Arrived {

        private final ByteBuffer tag;
        private DeliveryState outcome;

        Arrived(ByteBuffer tag, DeliveryState outcome) {
            this.tag = tag;
            this.outcome = outcome;
        }

        ByteBuffer tag() {
            return tag;
        }

        /** Its outcome; null if it has not come to one. */
        DeliveryState outcome() {
            return outcome;
        }

        void outcome(DeliveryState state) {
            outcome = state;
        }
    }

    /**
     * A delivery that the peer was sent and that is not settled in its queue.
     *
     * @param delivery to be settled on {@code loop}
     * @param orderly whether the link has ended in order, so that the peer knows what it has got
     */
    record Sent(long tag, Delivery delivery, Loop loop, boolean orderly) {

        /** What becomes of it if the peer does not know it. */
        Outcome unknown() {
            return orderly ? Outcome.RETURNED : Outcome.REQUEUED;
        }
    }

    /** Gives back what nobody comes for. */
    void drop(Loop here) {
        for (Sent each : sent) {
            here.send(each.loop, () -> each.delivery.settle(each.unknown()));
        }
    }
}
