package io.sluicemq.protocol.amqp10;

import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp10.terminus.LinkEnd;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Released;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.DeliveryState;

/**
 * What a sending link of the peer goes on with that the link before had been sent, and what it leaves itself (part 2, §2.6.13). Owned by
 * the connection's loop.
 */
@LoopOwned
final class ReceivedBefore {

    /** Bytes of an attach of ours with source and target of usual size, beside its name. */
    private static final int ATTACH_BYTES = 300;

    /** Bytes of an entry of an unsettled map beside its tag. */
    private static final int UNSETTLED_ENTRY_BYTES = 10;

    private final ProducerLink link;
    /** What the peer may resume. */
    private Map<ByteBuffer, Received> resumable = Map.of();
    /** What came from another connection and has not come to an outcome. */
    private final Map<KeptLink.Arrived, Received> awaited = new HashMap<>(0);
    /** What the link before has left and this one has not looked at, or what this one leaves; null if there is nothing. */
    private KeptLink kept;

    ReceivedBefore(ProducerLink link) {
        this.link = link;
    }

    private ConnectionSession connection() {
        return link.connection();
    }

    /** Takes what another connection has left, or this one; null if that is nothing. */
    void take(KeptLink left) {
        kept = left;
    }

    /**
     * Tells what has become of the deliveries that the peer has not settled, as far as that fits into a frame; others are forgotten.
     *
     * @param unsettled the peer's map; null if it knows nothing
     * @param second whether the link settles when the peer has
     * @return the tags that are in use
     */
    Set<ByteBuffer> tell(Attach answer, Map<Binary, DeliveryState> unsettled, boolean second) {
        Set<ByteBuffer> known = new HashSet<>();
        if (unsettled != null) {
            for (Binary tag : unsettled.keySet()) {
                known.add(ByteBuffer.wrap(tag.asByteArray()));
            }
        }
        resumable = link.claims()
                ? ofKept(known, second)
                : new LinkedHashMap<>(connection().suspendedLinks().take(link.name(), known));
        if (resumable.isEmpty()) {
            return Set.of();
        }
        Map<Binary, DeliveryState> told = new LinkedHashMap<>();
        int room = connection().peerFrameMax() - ATTACH_BYTES - 4 * link.name().length();
        for (Received each : resumable.values()) {
            // Only an outcome without fields is sure to fit; that there is another is told when it is resumed.
            room -= each.tag().remaining() + UNSETTLED_ENTRY_BYTES;
            if (room < 0) {
                answer.setIncompleteUnsettled(true);
                break;
            }
            DeliveryState state = each.outcome();
            told.put(
                    new Binary(each.tag().array()),
                    state instanceof Accepted || state instanceof Released ? state : null);
        }
        answer.setUnsettled(told);
        return Set.copyOf(resumable.keySet());
    }

    private Map<ByteBuffer, Received> ofKept(Set<ByteBuffer> known, boolean second) {
        Map<ByteBuffer, Received> taken = new LinkedHashMap<>();
        if (kept != null) {
            for (KeptLink.Arrived each : kept.arrived()) {
                if (known.contains(each.tag())) {
                    Received received = new Received(link, 0, each.tag(), second);
                    received.keptAs(each);
                    received.outcome(each.outcome());
                    taken.put(each.tag(), received);
                    if (each.outcome() == null) {
                        awaited.put(each, received);
                    }
                }
            }
            kept = null;
        }
        return taken;
    }

    /** The peer resumes a delivery; null if it isn't known. */
    Received resumed(ByteBuffer tag) {
        return resumable.remove(tag);
    }

    /** Something has come to an outcome that the peer may be waiting for; returns it if that is so. */
    Received outcome(KeptLink.Arrived arrived, DeliveryState outcome) {
        Received received = awaited.remove(arrived);
        if (received == null) {
            arrived.outcome(outcome); // it is kept, and on nobody's way yet
            return null;
        }
        if (resumable.containsValue(received)) {
            received.outcome(outcome);
            return null;
        }
        return received;
    }

    /**
     * The link ends: what is not settled is for the one of its name that comes back.
     *
     * @param lifetimeSeconds how long it is to be kept for any connection
     */
    void end(LinkEnd how, long lifetimeSeconds) {
        if (how == LinkEnd.CLOSED) {
            resumable.values().forEach(Received::over);
            resumable = Map.of();
            kept = null;
            return;
        }
        List<Received> unsettled = takeUnsettled();
        if (unsettled.isEmpty()) {
            return;
        }
        if (link.claims()) {
            keep(unsettled, lifetimeSeconds);
        } else {
            connection().suspendedLinks().keep(link.name(), unsettled);
        }
    }

    private List<Received> takeUnsettled() {
        List<Received> unsettled = new ArrayList<>(resumable.values());
        resumable = Map.of();
        Unsettled<Received> ofSession = link.session().received();
        ofSession.forEach(received -> {
            if (received.link() == link) {
                unsettled.add(received);
            }
        });
        unsettled.forEach(received -> ofSession.remove(received.id()));
        return unsettled;
    }

    private void keep(List<Received> unsettled, long lifetimeSeconds) {
        List<KeptLink.Arrived> arrived = new ArrayList<>();
        int left = unsettled.size();
        for (Received each : unsettled) {
            // What is accepted if a transaction is committed can't outlive that transaction's connection.
            if (left-- > LinkRegistry.MOST_DELIVERIES_OF_LINK || each.outcome() instanceof TransactionalState) {
                each.over();
                continue;
            }
            KeptLink.Arrived as =
                    each.kept() == null ? new KeptLink.Arrived(each.tag(), each.outcome()) : each.kept();
            as.outcome(each.outcome());
            each.keptAs(as);
            arrived.add(as);
        }
        awaited.clear();
        kept = arrived.isEmpty() ? null : new KeptLink(arrived, List.of(), 0, lifetimeSeconds);
    }

    /** What is left for a link that comes back on any connection; null if that is nothing. */
    KeptLink left() {
        return kept;
    }
}
