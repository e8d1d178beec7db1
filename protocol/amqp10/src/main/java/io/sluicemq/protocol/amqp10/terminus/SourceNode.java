package io.sluicemq.protocol.amqp10.terminus;

import io.sluicemq.api.ConsumerSpec;
import io.sluicemq.api.MessageFilter;
import java.util.Map;
import org.apache.qpid.protonj2.types.messaging.Source;

/**
 * What a client's receiving link is fed from.
 *
 * @param linkName the name of the link
 * @param queue the queue to consume from
 * @param answer what the attach is answered with
 * @param browses it sees the messages and leaves them where they are
 * @param noLocal not the messages that this connection has published; for subscriptions the queue sees to that
 * @param exclusive nobody else may consume at the same time
 * @param filter which messages it wants, null for all; for subscriptions the queue sees to that
 * @param tenure what becomes of the queue when the link ends
 * @param dynamic its link to a dynamic node of this connection; null if it is fed by another
 */
public record SourceNode(
        String linkName,
        String queue,
        Source answer,
        boolean browses,
        boolean noLocal,
        boolean exclusive,
        MessageFilter filter,
        Tenure tenure,
        DynamicNode.Link dynamic) {

    /** What becomes of a source's queue when its link ends. */
    public enum Tenure {
        /** It isn't the link's. */
        STANDING,
        /** A subscription's, known to its connection alone: it goes as the expiry policy says. */
        OWN,
        /** A subscription's that is found again by its name: it goes when the client closes the link, or by a timeout. */
        NAMED,
        /** A durable subscription's: it goes when the client closes the link. */
        DURABLE,
        /** A durable subscription's that several links may share: it goes when its client closes the last of them. */
        SHARED,
        /** A subscription's that several links may share: it goes with the last of them. */
        SHARED_VOLATILE,
        /** A durable subscription's that was only looked up: closing the link asks for it to be deleted. */
        LOOKED_UP
    }

    /** Whether something may be left of it when its link is detached that goes with the session. */
    public boolean endsWithSession() {
        return tenure == Tenure.OWN || dynamic != null;
    }

    /**
     * The consumer for it, with a limit as credit.
     *
     * @param settled whether the link sends its deliveries settled
     * @param priority among the queue's consumers
     */
    public ConsumerSpec consumer(boolean settled, int priority) {
        return new ConsumerSpec(
                queue, linkName, settled || browses, exclusive, noLocal, 0, ConsumerSpec.Credit.LIMIT, priority,
                browses,
                filter, Map.of());
    }
}
