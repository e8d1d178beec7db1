package io.sluicemq.protocol.amqp10;

import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp10.terminus.LinkEnd;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;

/**
 * What links have left that were detached and not closed, by their names and directions: it ends with the session that the link was
 * attached in, as its expiry policy says (part 3, §3.5.6), or when the link has come back and leads elsewhere. Owned by the
 * connection's loop.
 *
 * <p>Invariant: each counts among what the connection's links may take of memory, so that their number has a limit.
 */
@LoopOwned
final class LeftTermini {

    /** What one takes of memory, in bytes, by rule of thumb. */
    private static final int BYTES = 512;

    /** Ends a terminus, so far as that end does, and runs something when that is done. */
    interface Ending {
        void end(LinkEnd how, Runnable done);
    }

    private record Key(String name, boolean fromPeer) {}

    /** @param session null if that has ended */
    private record Left(AmqpSession session, TerminusExpiryPolicy expiry, Ending ending) {}

    private final ConnectionSession connection;
    private final Map<Key, Left> left = new HashMap<>();

    LeftTermini(ConnectionSession connection) {
        this.connection = connection;
    }

    private static Key key(Link link) {
        return new Key(link.name(), link.fromPeer());
    }

    /** A link has left something. */
    void leave(Link link, TerminusExpiryPolicy expiry, Ending ending) {
        connection.holdsLink(BYTES);
        Left before = left.put(key(link), new Left(link.session(), expiry, ending));
        if (before != null) {
            over(before);
        }
    }

    /**
     * A link is attached again and uses its terminus by now, be it the old one or another: nothing else uses what it has left, which goes unless
     * it is the same.
     */
    void takenUp(Link link) {
        Left before = left.remove(key(link));
        if (before != null) {
            over(before);
        }
    }

    private void over(Left each) {
        connection.linkGone(BYTES);
        each.ending.end(LinkEnd.FAILED, () -> {});
    }

    /**
     * A session ends.
     *
     * @param expected is asked, for each terminus that may end, for what to run when it has
     */
    void end(AmqpSession session, Supplier<Runnable> expected) {
        List<Left> ended = new ArrayList<>();
        left.entrySet().removeIf(each -> {
            if (each.getValue().session != session) {
                return false;
            }
            ended.add(each.getValue());
            if (LinkEnd.SESSION_ENDED.ends(each.getValue().expiry)) {
                connection.linkGone(BYTES);
                return true;
            }
            each.setValue(new Left(null, each.getValue().expiry, each.getValue().ending));
            return false;
        });
        for (Left each : ended) {
            each.ending.end(LinkEnd.SESSION_ENDED, expected.get());
        }
    }
}
