package io.sluicemq.protocol.amqp10;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Completion;
import io.sluicemq.api.Delivery;
import org.apache.qpid.protonj2.types.transport.DeliveryState;

/** A delivery that we have sent and that is not settled. Owned by the connection's loop. */
final class Sent {

    private final ConsumerLink link;
    private final int id;
    private final long tag;
    private final Delivery delivery;
    /** Whether its outcome is part of a transaction, or is being made final. */
    private boolean bound;
    private boolean forgotten;

    Sent(ConsumerLink link, int id, long tag, Delivery delivery) {
        this.link = link;
        this.id = id;
        this.tag = tag;
        this.delivery = delivery;
    }

    ConsumerLink link() {
        return link;
    }

    int id() {
        return id;
    }

    long tag() {
        return tag;
    }

    Delivery delivery() {
        return delivery;
    }

    boolean isBound() {
        return bound;
    }

    void bind() {
        bound = true;
    }

    void unbind() {
        bound = false;
    }

    /** The receiver has settled it, after it had told an outcome that is not final yet. */
    void forgotten() {
        forgotten = true;
    }

    boolean isForgotten() {
        return forgotten;
    }

    /** What is owed to a receiver that waits for its outcome to be settled by us. */
    Completion owed(DeliveryState state) {
        return new Completion(link.connection().loop()) {
            @Override
            protected void complete(BrokerError refusal) {
                link.outcomes().outcomeFinal(Sent.this, state);
            }
        };
    }
}
