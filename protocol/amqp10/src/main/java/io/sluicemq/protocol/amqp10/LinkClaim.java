package io.sluicemq.protocol.amqp10;

import io.sluicemq.base.Ceiling;
import io.sluicemq.base.Loop;
import org.apache.qpid.protonj2.types.transport.DeliveryState;

/**
 * A link's hold on its name among all connections of its container: what the {@link LinkRegistry} knows of it. It is made on the
 * connection's loop, where its holder is told what comes; the registry only compares it and passes it on.
 *
 * @param loop the connection's
 * @param mostKept how many links of its user may be kept, at any moment
 */
record LinkClaim(Key key, Loop loop, Ceiling mostKept, Holder holder) {

    /** A link between two containers (§2.6.1), of one user in one virtual host. */
    record Key(String virtualHost, String user, String container, String name, boolean fromPeer) {}

    /** The link; called on its connection's loop. */
    interface Holder {

        /**
         * The name is its own now.
         *
         * @param kept what the link before has left; null if there is nothing
         */
        void granted(KeptLink kept);

        /**
         * Another has come that wants the name.
         *
         * @param granted whether it has the name, and is to {@linkplain LinkRegistry#letGo let go} of it; else it will not get it
         */
        void stolen(boolean granted);

        /** What the link before had been sent has come to an outcome. */
        void outcome(KeptLink.Arrived arrived, DeliveryState outcome);
    }

    /** Identity, not equality: two links of one name are two claims. */
    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
