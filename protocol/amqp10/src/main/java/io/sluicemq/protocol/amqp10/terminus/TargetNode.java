package io.sluicemq.protocol.amqp10.terminus;

import org.apache.qpid.protonj2.types.messaging.Target;

/** What a client's sending link leads to. */
public sealed interface TargetNode permits TargetNode.Fixed, Relay {

    /** The name of the link. */
    String linkName();

    /** What the attach is answered with. */
    Target answer();

    /** Whether something may be left of it when its link is detached that goes with the session. */
    default boolean endsWithSession() {
        return this instanceof Fixed fixed && fixed.dynamic() != null;
    }

    /**
     * One queue, topic or exchange.
     *
     * @param dynamic its link to a dynamic node of this connection; null if it leads to another
     */
    record Fixed(String linkName, Target answer, Destination destination, DynamicNode.Link dynamic)
            implements TargetNode {}
}
