package io.sluicemq.protocol.amqp10;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Completion;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.messaging.Modified;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.Transfer;

/**
 * What a receiving link goes on with that the link before had sent (part 2, §2.6.13): deliveries to be sent again, and outcomes to be told, in
 * their old order. Owned by the connection's loop.
 *
 * <p>Invariant: what stands here with an outcome is settled in its queue, or about to be, with the link's consumer or its end; the rest is to be
 * settled by whoever takes it from here.
 */
@LoopOwned
final class SentBefore {

    /** Bytes of an attach of ours with source and target of usual size, beside its name. */
    private static final int ATTACH_BYTES = 400;

    /** Bytes of an entry of an unsettled map. */
    private static final int UNSETTLED_ENTRY_BYTES = 24;

    private final ConsumerLink link;
    private final ArrayDeque<Entry> due = new ArrayDeque<>(0);
    private final List<Refused> refused = new ArrayList<>(0);
    private int total;
    private int epoch;

    /**
     * A delivery of the link before.
     *
     * @param delivery as it is to be settled here
     * @param outcome what it has come to at the receiver, and in its queue by now; null if it is to be sent again
     */
    private record Entry(KeptLink.Sent kept, Delivery delivery, DeliveryState outcome) {}

    /** A delivery that the receiver is not to have again: it goes back when there is a consumer to which that can be told. */
    private record Refused(Delivery delivery, Outcome outcome) {}

    SentBefore(ConsumerLink link) {
        this.link = link;
    }

    /**
     * Settles what the peer has an outcome for, or doesn't know; what it knows is to be resumed.
     *
     * @param unsettled the peer's map; null if it knows nothing
     * @param again whether deliveries may be sent again; else they go back, and come as new ones
     * @param then run when all that is settled is final: what goes back is in its queue before anybody consumes from that
     */
    void take(KeptLink left, Map<Binary, DeliveryState> unsettled, boolean again, Runnable then) {
        Loop here = link.connection().loop();
        Completion resolved = new Completion(here) {
            @Override
            protected void complete(BrokerError refusal) {
                then.run();
            }
        };
        Map<Long, DeliveryState> known = ofOurs(unsettled);
        epoch = left.epoch() + 1;
        for (KeptLink.Sent each : left.sent()) {
            Delivery delivery = new MovedDelivery(here, each.loop(), each.delivery(), link::consumer);
            boolean isKnown = known.containsKey(each.tag());
            DeliveryState state = known.get(each.tag());
            Outcome outcome = isKnown ? ReceiverOutcomes.outcome(state) : null;
            boolean goesBack = outcome == null && !(isKnown && again);
            if (outcome != null && MovedDelivery.isForOthers(outcome)) {
                refused.add(new Refused(delivery, outcome));
            } else if (outcome != null || goesBack) {
                resolved.hold();
                delivery.settle(goesBack ? each.unknown() : outcome, resolved);
            }
            if (!goesBack) {
                due.add(new Entry(each, delivery, outcome == null ? null : withoutFields(state)));
            }
        }
        total = due.size();
        resolved.handedOut();
    }

    /** Tags that could be ours, and what the peer says of their deliveries. */
    private static Map<Long, DeliveryState> ofOurs(Map<Binary, DeliveryState> unsettled) {
        Map<Long, DeliveryState> known = new HashMap<>();
        if (unsettled != null) {
            unsettled.forEach((tag, state) -> {
                if (tag.getLength() == Long.BYTES) {
                    known.put(ByteBuffer.wrap(tag.asByteArray()).getLong(), state);
                }
            });
        }
        return known;
    }

    private static byte[] bytes(long tag) {
        return ByteBuffer.allocate(Long.BYTES).putLong(tag).array();
    }

    /** An outcome as small as it gets: the receiver knows what it has said. */
    private static DeliveryState withoutFields(DeliveryState state) {
        return switch (state) {
            case Rejected rejected -> new Rejected();
            case Modified modified -> new Modified()
                    .setDeliveryFailed(modified.isDeliveryFailed())
                    .setUndeliverableHere(modified.isUndeliverableHere());
            default -> state;
        };
    }

    /** The link has a consumer, or will have none: gives back what that one is not to have. */
    void giveBackRefused() {
        for (Refused each : refused) {
            link.connection().settleLater(each.delivery, each.outcome);
        }
        refused.clear();
    }

    /** Tells what is to be resumed, as far as that fits into a frame. */
    Attach tell(Attach answer) {
        if (due.isEmpty()) {
            return answer;
        }
        Map<Binary, DeliveryState> unsettled = new LinkedHashMap<>();
        int room = link.connection().peerFrameMax() - ATTACH_BYTES - 4 * link.name().length();
        for (Entry each : due) {
            room -= UNSETTLED_ENTRY_BYTES;
            if (room < 0) {
                answer.setIncompleteUnsettled(true);
                break;
            }
            unsettled.put(new Binary(bytes(each.kept.tag())), each.outcome);
        }
        return answer.setUnsettled(unsettled);
    }

    boolean isEmpty() {
        return due.isEmpty();
    }

    /** How many are still to be sent, the one among them of which a part was. */
    int size() {
        return due.size();
    }

    /** How many there were: they take credit of the link, and are no deliveries of its consumer. */
    int total() {
        return total;
    }

    /** How often the link has come back. */
    int epoch() {
        return epoch;
    }

    /** The tag of a delivery that is new: none of the link before can have it. */
    long newTag(int deliveryId) {
        return (long) epoch << Integer.SIZE | Integer.toUnsignedLong(deliveryId);
    }

    /** Whether of the next one only the outcome is to be told. */
    boolean isNextOver() {
        return !due.isEmpty() && due.peek().outcome != null;
    }

    /** Takes the next one, which is over, as a transfer without handle and delivery-id. */
    Transfer takeOver() {
        Entry over = due.poll();
        return new Transfer()
                .setDeliveryTag(bytes(over.kept.tag()))
                .setMessageFormat(0)
                .setSettled(true)
                .setState(over.outcome)
                .setResume(true);
    }

    Delivery nextDelivery() {
        return due.peek().delivery;
    }

    long nextTag() {
        return due.peek().kept.tag();
    }

    /** All of the next one was sent, or it is dealt with otherwise. */
    void sent() {
        due.poll();
    }

    /**
     * The link ends.
     *
     * @param keeps whether the rest is for a link that follows, and added to {@code left}; else it is given back
     */
    void end(boolean keeps, List<KeptLink.Sent> left) {
        giveBackRefused();
        for (Entry each : due) {
            if (each.outcome != null) {
                continue;
            }
            if (keeps) {
                left.add(each.kept);
            } else {
                link.connection().settleLater(each.delivery, each.kept.unknown());
            }
        }
        due.clear();
    }
}
