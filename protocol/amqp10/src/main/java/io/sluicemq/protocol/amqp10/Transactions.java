package io.sluicemq.protocol.amqp10;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Message;
import io.sluicemq.api.Producer;
import io.sluicemq.api.Reply;
import io.sluicemq.base.LoopOwned;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.transactions.TransactionErrors;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;

/**
 * The transactions of a connection (part 4): they may span its links and sessions. Owned by the connection's loop.
 */
@LoopOwned
final class Transactions {

    static final Symbol UNKNOWN_ID = TransactionErrors.UNKNOWN_ID;

    /** Transactions that a connection may have at a time. */
    static final int MOST = 1024;

    private final ConnectionSession connection;
    private final Map<Long, Transaction> open = new HashMap<>();
    private long nextId = 1;

    Transactions(ConnectionSession connection) {
        this.connection = connection;
    }

    /** Begins one; null if there are too many. */
    Transaction declare(CoordinatorLink by) {
        if (open.size() == MOST) {
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
        return found == null || found.discharged != null ? null : found;
    }

    /** Those of a coordinator that has gone are rolled back (part 4, §4.4.2), unless they were discharged before. */
    void end(CoordinatorLink by) {
        for (Transaction each : List.copyOf(open.values())) {
            if (each.by == by && each.discharged == null) {
                each.rollBack();
            }
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

        private record Retired(Sent sent, Outcome outcome, boolean settled) {}

        private final long number;
        private final CoordinatorLink by;
        private final Client.Transaction work = connection.client().begin();
        private final List<Retired> retired = new ArrayList<>();
        private final TransactionalState accepted;
        /** Messages whose addresses are being looked up. */
        private int awaited;
        /** Who waits for the commit, if it waits for those. */
        private Reply<Void> discharged;

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

        /** Whether it is neither committed nor rolled back. */
        boolean isOpen() {
            return open.get(number) == this;
        }

        /** A message of it will be published when it is known where it goes: a commit waits for that. */
        void awaitsAddress() {
            awaited++;
        }

        /** That is known, and the message is published or refused. */
        void addressKnown() {
            awaited--;
            if (awaited == 0 && discharged != null && isOpen()) {
                commitAll(discharged);
            }
        }

        int publish(Message message, Producer producer) {
            return work.publish(message, producer);
        }

        /** A delivery ends so, if it is committed. */
        void retire(Sent sent, Outcome outcome, boolean settled) {
            retired.add(new Retired(sent, outcome, settled));
        }

        void rollBack() {
            open.remove(number);
            work.discard();
            giveBack();
        }

        /** What was retired has not been: what its receiver has settled returns, the rest is the receiver's again. */
        private void giveBack() {
            for (Retired each : retired) {
                if (each.settled || !each.sent.link().attached()) {
                    each.sent.link().session().sent().remove(each.sent.id());
                    connection.settleLater(each.sent.delivery(), Outcome.REQUEUED);
                } else {
                    each.sent.unbind();
                }
            }
            retired.clear();
        }

        void commit(Reply<Void> reply) {
            if (awaited > 0) {
                discharged = reply;
            } else {
                commitAll(reply);
            }
        }

        private void commitAll(Reply<Void> reply) {
            open.remove(number);
            Outcome run = null;
            List<Delivery> deliveries = new ArrayList<>();
            for (Retired each : retired) {
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
                    for (Retired each : retired) {
                        if (!each.settled) {
                            each.sent.link().outcomeFinal(each.sent, Accepted.getInstance());
                        }
                    }
                    reply.done(null);
                }

                @Override
                public void failed(BrokerError error) {
                    giveBack();
                    reply.failed(error);
                }
            });
        }
    }
}
