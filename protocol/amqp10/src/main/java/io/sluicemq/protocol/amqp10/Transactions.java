package io.sluicemq.protocol.amqp10;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.ConsumerSink;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Message;
import io.sluicemq.api.Producer;
import io.sluicemq.api.Reply;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp10.terminus.Answer;
import io.sluicemq.protocol.amqp10.terminus.TerminusError;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.transactions.TransactionErrors;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.LinkError;

/**
 * The transactions of a connection (part 4): they may span its links and sessions. Owned by the connection's loop.
 */
@LoopOwned
final class Transactions {

    static final Symbol UNKNOWN_ID = TransactionErrors.UNKNOWN_ID;

    /** Transactions that a connection may have at a time, those whose commits wait among them. */
    static final int MOST = 1024;

    /** What an outcome takes of memory while its transaction lasts, in bytes, by rule of thumb. */
    private static final int RETIRED_BYTES = 160;

    /** Why one is rolled back that ends deliveries of a link which was cut. */
    static final TerminusError CUT = new TerminusError(
            AmqpError.RESOURCE_LIMIT_EXCEEDED,
            ConsumerSink.TOO_SLOW
                    + " Its link was detached, and the deliveries that were to end with this are taken back");

    /** Likewise of a link that was ended from here for another reason. */
    static final TerminusError ENDED = new TerminusError(
            LinkError.DETACH_FORCED,
            "the link of a delivery that was to end with this was detached, and the delivery is taken back");

    private final ConnectionSession connection;
    private final Map<Long, Transaction> open = new HashMap<>();
    /** Those that are not open any more, but not committed yet. */
    private int committing;
    private long nextId = 1;

    Transactions(ConnectionSession connection) {
        this.connection = connection;
    }

    /** Begins one; null if there are too many. */
    Transaction declare(CoordinatorLink by) {
        if (open.size() + committing >= MOST) {
            return null;
        }
        Transaction transaction = new Transaction(nextId++, by);
        open.put(transaction.number, transaction);
        return transaction;
    }

    /** The transaction of that id; null if there is none. */
    Transaction find(Binary id) {
        if (id == null || id.getLength() != Long.BYTES) {
            return null;
        }
        Transaction found = open.get(ByteBuffer.wrap(id.asByteArray()).getLong());
        return found == null || found.discharge != null ? null : found;
    }

    /** Those of a coordinator that has gone are rolled back (part 4, §4.4.2). */
    void end(CoordinatorLink by) {
        for (Transaction each : List.copyOf(open.values())) {
            if (each.by == by && each.discharge == null) {
                each.rollBack();
            }
        }
    }

    /** A link is cut: what ends deliveries of it can't be committed any more. */
    void doom(ConsumerLink cut) {
        for (Transaction each : open.values()) {
            if (each.retired.containsKey(cut)) {
                each.doom(CUT);
            }
        }
    }

    /**
     * A transfer comes to nothing, and its sender may never hear of that by an outcome: what it was part of can't be committed any more.
     *
     * @param state of the transfer; null if it has none
     */
    void lost(DeliveryState state, Symbol condition, String why) {
        Transaction transaction = state instanceof TransactionalState in ? find(in.getTxnId()) : null;
        if (transaction != null) {
            transaction.doom(condition, why);
        }
    }

    /** A link that was cut gives back all it has sent, which is also what would end with a transaction that is doomed. */
    void takeBack(ConsumerLink cut) {
        for (Transaction each : open.values()) {
            each.takeBack(cut);
        }
    }

    /** The connection ends: all are rolled back. */
    void end() {
        for (Transaction each : List.copyOf(open.values())) {
            each.rollBack();
        }
    }

    /** Publishes and outcomes that happen together or not at all. */
    final class Transaction {

        /** @param number in the order of all of the transaction */
        private record Retired(long number, Sent sent, Outcome outcome, DeliveryState state, boolean settled) {}

        private final long number;
        private final CoordinatorLink by;
        private final Client.Transaction work = connection.client().begin();
        /** By link, as one that is cut takes its own back; in their order. */
        private final Map<ConsumerLink, List<Retired>> retired = new LinkedHashMap<>();
        private final TransactionalState accepted;
        /** Messages whose addresses are being looked up: they belong to it, and a commit waits for them. */
        private int underWay;
        private long retirements;
        /** The commit that waits. */
        private Answer<Void> discharge;
        /** Why it can't be committed; null if it can. */
        private TerminusError doom;
        private boolean over;

        private Transaction(long number, CoordinatorLink by) {
            this.number = number;
            this.by = by;
            this.accepted = new TransactionalState().setTxnId(id()).setOutcome(Accepted.getInstance());
        }

        Binary id() {
            return new Binary(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
        }

        /** The state of a delivery that is accepted if it is committed. */
        TransactionalState accepted() {
            return accepted;
        }

        int publish(Message message, Producer producer) {
            return work.publish(message, producer);
        }

        /** Whether it is discharged, so that nothing can be published in it any more. */
        boolean isOver() {
            return over;
        }

        /** A message is to be published in it, but not yet; {@link #arrived} follows. */
        void expect() {
            underWay++;
        }

        /** A message that was expected is published, or isn't going to be. */
        void arrived() {
            underWay--;
            if (underWay == 0 && discharge != null && !over) {
                finish(discharge);
            }
        }

        /**
         * A message of it is refused or lost: it must not be committed without. Its sender may not look at outcomes before it commits, and
         * is never told one if it has sent the message settled.
         */
        void doom(Symbol condition, String why) {
            doom(new TerminusError(condition, "a message of it is refused: " + why));
        }

        /** It can't be committed any more. */
        void doom(TerminusError why) {
            if (doom == null) {
                doom = why;
            }
        }

        /** At once, as others wait for it; the rest when it is discharged. */
        private void takeBack(ConsumerLink link) {
            List<Retired> taken = retired.remove(link);
            if (taken == null) {
                return;
            }
            for (Retired each : taken) {
                link.session().sent().remove(each.sent.id());
                if (!each.settled) {
                    link.session().tookBack(each.sent.id(), CUT); // its receiver may say another outcome in the next one
                }
                connection.settleLater(each.sent.delivery(), Outcome.REQUEUED);
            }
            connection.holdsMemory(-(long) RETIRED_BYTES * taken.size());
        }

        /**
         * A delivery ends so, if it is committed.
         *
         * @param state the same as the receiver has said it, which is told to it then unless it has settled the delivery
         */
        void retire(Sent sent, Outcome outcome, DeliveryState state, boolean settled) {
            connection.holdsMemory(RETIRED_BYTES);
            retired.computeIfAbsent(sent.link(), link -> new ArrayList<>())
                    .add(new Retired(retirements++, sent, outcome, state, settled));
        }

        void rollBack() {
            open.remove(number);
            over = true;
            work.discard();
            giveBack();
        }

        /** What was retired has not been: what its receiver has settled returns, the rest is the receiver's again. */
        private void giveBack() {
            for (Retired each : inOrder()) {
                if (each.settled || each.sent.isForgotten() || !each.sent.link().attached()) {
                    each.sent.link().session().sent().remove(each.sent.id());
                    connection.settleLater(each.sent.delivery(), Outcome.REQUEUED);
                } else {
                    each.sent.unbind();
                }
            }
            forgetRetired();
        }

        private List<Retired> inOrder() {
            if (retired.size() == 1) {
                return retired.values().iterator().next();
            }
            return retired.values().stream()
                    .flatMap(List::stream)
                    .sorted(Comparator.comparingLong(Retired::number))
                    .toList();
        }

        private void forgetRetired() {
            long count = retired.values().stream().mapToLong(List::size).sum();
            connection.holdsMemory(-RETIRED_BYTES * count);
            retired.clear();
        }

        /** @param answer refused if all of it is undone */
        void commit(Answer<Void> answer) {
            if (underWay > 0) {
                discharge = answer;
            } else {
                finish(answer);
            }
        }

        private void finish(Answer<Void> answer) {
            if (doom != null) {
                rollBack();
                answer.refused(doom);
                return;
            }
            open.remove(number);
            over = true;
            committing++;
            Outcome run = null;
            List<Delivery> deliveries = new ArrayList<>();
            for (Retired each : inOrder()) {
                if (each.outcome != run && !deliveries.isEmpty()) {
                    work.settle(deliveries, run);
                    deliveries = new ArrayList<>();
                }
                run = each.outcome;
                deliveries.add(each.sent.delivery());
            }
            if (!deliveries.isEmpty()) {
                work.settle(deliveries, run);
            }
            work.commit(new Reply<>() {
                @Override
                public void done(Void result) {
                    committing--;
                    for (Retired each : inOrder()) {
                        if (!each.settled) {
                            each.sent.link().outcomes().outcomeFinal(each.sent, each.state);
                        }
                    }
                    forgetRetired();
                    answer.done(null);
                }

                @Override
                public void failed(BrokerError error) {
                    committing--;
                    giveBack();
                    answer.refused(TerminusError.of(error));
                }
            });
        }
    }
}
