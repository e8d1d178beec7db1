package io.sluicemq.protocol.amqp10;

import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp10.codec.AmqpFault;
import io.sluicemq.protocol.amqp10.terminus.LinkEnd;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Modified;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Released;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.Disposition;

/**
 * What becomes of the deliveries of a receiving link: by what its receiver says (part 3, §3.4), by its source's default-outcome, or by the
 * link's end. Owned by the connection's loop.
 *
 * <p>Invariant: a delivery is settled in its queue once, by the first outcome that is told; one in a transaction by that.
 */
@LoopOwned
final class ReceiverOutcomes {

    private final ConsumerLink link;
    /** What the peer's attach asks for; may be null. */
    private final Source wanted;

    ReceiverOutcomes(ConsumerLink link, Source wanted) {
        this.link = link;
        this.wanted = wanted;
    }

    private AmqpSession session() {
        return link.session();
    }

    /** The receiver says how a delivery ends (part 3, §3.4), or that it has forgotten it. */
    void disposed(Sent sent, Disposition disposition) {
        DeliveryState state = disposition.getState();
        if (sent.isBound()) {
            if (disposition.getSettled()) {
                sent.forgotten();
            }
            return;
        }
        if (state instanceof TransactionalState transactional) {
            Transactions.Transaction transaction = link.connection().transactions().find(transactional.getTxnId());
            if (transaction == null) {
                link.detach(AmqpFault.link(
                        Transactions.UNKNOWN_ID, "an outcome in a transaction that is not there"));
                return;
            }
            if (link.isCut()) {
                transaction.doom(Transactions.CUT); // the delivery is about to be taken back
                return;
            }
            DeliveryState said = (DeliveryState) transactional.getOutcome();
            Outcome outcome = outcome(said);
            if (outcome == null && disposition.getSettled()) {
                outcome = defaultOutcome();
            }
            if (outcome != null) {
                sent.bind();
                if (disposition.getSettled()) {
                    session().sent().remove(sent.id());
                }
                transaction.retire(sent, outcome, said, disposition.getSettled());
            }
            return;
        }
        Outcome outcome = outcome(state);
        if (disposition.getSettled()) {
            session().sent().remove(sent.id());
            sent.delivery().settle(outcome == null ? defaultOutcome() : outcome);
        } else if (outcome != null) {
            sent.bind();
            var owed = sent.owed(state);
            owed.hold();
            sent.delivery().settle(outcome, owed);
            owed.handedOut();
        }
    }

    /** Null if it is no outcome yet. */
    static Outcome outcome(DeliveryState state) {
        return switch (state) {
            case Accepted s -> Outcome.ACCEPTED;
            case Rejected s -> Outcome.REJECTED;
            case Released s -> Outcome.RETURNED;
            case Modified s -> {
                if (s.isUndeliverableHere()) {
                    yield s.isDeliveryFailed() ? Outcome.REQUEUED_ELSEWHERE : Outcome.RETURNED_ELSEWHERE;
                }
                yield s.isDeliveryFailed() ? Outcome.REQUEUED : Outcome.RETURNED;
            }
            case null, default -> null;
        };
    }

    /** What becomes of a delivery that is settled without an outcome (part 3, §3.5.3, default-outcome). */
    private Outcome defaultOutcome() {
        Outcome outcome = wantedDefaultOutcome();
        return outcome == null ? Outcome.RETURNED : outcome;
    }

    /** Null if none is asked for. */
    private Outcome wantedDefaultOutcome() {
        return wanted == null ? null : outcome((DeliveryState) wanted.getDefaultOutcome());
    }

    /**
     * What becomes of deliveries that are not settled at the end: the default outcome goes for them, too, if the source is destroyed
     * (part 3, §3.5.3). One that only counts them as failed does not: JMS clients ask for it always, and would have all that a
     * consumer has prefetched counted when it is closed, up to where messages become dead letters that no application has seen.
     *
     * @param expiry the policy of the link's source
     * @param orderly whether the peer knows what it has got
     */
    Outcome atEnd(TerminusExpiryPolicy expiry, LinkEnd how, boolean orderly) {
        boolean destroyed = how.ends(expiry)
                || expiry == TerminusExpiryPolicy.CONNECTION_CLOSE && !link.connection().running();
        Outcome byDefault = destroyed ? wantedDefaultOutcome() : null;
        if (byDefault != null && byDefault != Outcome.REQUEUED) {
            return byDefault;
        }
        // Where the peer has gone without a word it may have dealt with them.
        return orderly ? Outcome.RETURNED : Outcome.REQUEUED;
    }

    /** The outcome that a receiver waits for is final. */
    void outcomeFinal(Sent sent, DeliveryState state) {
        session().sent().remove(sent.id());
        if (state instanceof Accepted) {
            session().settlements().sentAccepted(sent.id());
        } else {
            session().settlements().sentOther(sent.id(), state);
        }
    }
}
