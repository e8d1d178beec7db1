package io.sluicemq.protocol.amqp10.terminus;

import io.sluicemq.base.LoopOwned;
import org.apache.qpid.protonj2.types.messaging.DeleteOnClose;
import org.apache.qpid.protonj2.types.messaging.DeleteOnNoLinks;
import org.apache.qpid.protonj2.types.messaging.LifetimePolicy;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;

/**
 * A queue or topic that was made for a link (part 3, §3.5.10), and the links of this connection that use it. Owned by the client's
 * loop.
 */
@LoopOwned
final class DynamicNode {

    /** How long one lives; its connection's end is the latest. */
    enum Lifetime {
        /** As long as the link it was made for. */
        CREATING_LINK(DeleteOnClose.getInstance()),
        /** As long as any link of its connection leads to it or from it. */
        ANY_LINK(DeleteOnNoLinks.getInstance());

        private final LifetimePolicy policy;

        Lifetime(LifetimePolicy policy) {
            this.policy = policy;
        }

        LifetimePolicy policy() {
            return policy;
        }
    }

    private final String name;
    private final boolean topic;
    private final Lifetime lifetime;
    private final LinkKey creator;
    private int links;
    /** How many of them are links that it was made for: one and, for a moment, the same that has come back. */
    private int creatingLinks;

    /** A link, by what tells it from the others of its connection. */
    record LinkKey(String name, boolean fromPeer) {}

    DynamicNode(String name, boolean topic, Lifetime lifetime, LinkKey creator) {
        this.name = name;
        this.topic = topic;
        this.lifetime = lifetime;
        this.creator = creator;
    }

    String name() {
        return name;
    }

    boolean isTopic() {
        return topic;
    }

    Lifetime lifetime() {
        return lifetime;
    }

    /** One more link uses it: the one that it was made for, perhaps when that comes back, or another. */
    Link link(LinkKey by, TerminusExpiryPolicy expiry) {
        boolean creating = by.equals(creator);
        links++;
        if (creating) {
            creatingLinks++;
        }
        return new Link(this, creating, expiry);
    }

    /** A link's use of a dynamic node. */
    @LoopOwned
    static final class Link {

        private final DynamicNode node;
        private final boolean creating;
        private final TerminusExpiryPolicy expiry;
        private boolean ended;

        Link(DynamicNode node, boolean creating, TerminusExpiryPolicy expiry) {
            this.node = node;
            this.creating = creating;
            this.expiry = expiry;
        }

        DynamicNode node() {
            return node;
        }

        /** The link has ended in some way; returns whether its node ends by it. */
        boolean ends(LinkEnd how) {
            if (ended || !how.ends(expiry)) {
                return false;
            }
            leave();
            return node.lifetime == Lifetime.CREATING_LINK ? creating && node.creatingLinks == 0 : node.links == 0;
        }

        /** It doesn't use the node, which may have gone already. */
        void leave() {
            ended = true;
            node.links--;
            if (creating) {
                node.creatingLinks--;
            }
        }
    }
}
