package io.sluicemq.protocol.amqp10;

import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp10.codec.AmqpFault;
import io.sluicemq.protocol.amqp10.terminus.Answer;
import io.sluicemq.protocol.amqp10.terminus.LinkEnd;
import io.sluicemq.protocol.amqp10.terminus.TerminusError;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.transactions.Coordinator;
import org.apache.qpid.protonj2.types.transactions.Declare;
import org.apache.qpid.protonj2.types.transactions.Declared;
import org.apache.qpid.protonj2.types.transactions.Discharge;
import org.apache.qpid.protonj2.types.transactions.TransactionErrors;
import org.apache.qpid.protonj2.types.transactions.TxnCapability;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.LinkError;
import org.apache.qpid.protonj2.types.transport.ReceiverSettleMode;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.Transfer;

/**
 * A link on which the peer declares and discharges transactions (part 4, §4.2 and §4.3). Owned by the connection's loop.
 */
@LoopOwned
final class CoordinatorLink extends Link {

    private static final int CREDIT = 100;
    private static final int MOST_BYTES = 4096;

    private final Attach peersAttach;
    private int deliveryCount;
    private int credit;
    private Partial partial;
    private boolean gone;

    CoordinatorLink(AmqpSession session, Attach attach, int handle) {
        super(session, attach, handle);
        this.peersAttach = attach;
        this.deliveryCount = (int) attach.getInitialDeliveryCount();
    }

    @Override
    boolean fromPeer() {
        return true;
    }

    @Override
    String roleInWords() {
        return "coordinator";
    }

    @Override
    String addressInWords() {
        return "";
    }

    @Override
    long creditLeft() {
        return credit;
    }

    private Attach answer() {
        return new Attach()
                .setRole(Role.RECEIVER)
                .setSenderSettleMode(peersAttach.getSenderSettleMode())
                .setReceiverSettleMode(ReceiverSettleMode.FIRST)
                .setSource(peersAttach.getSource());
    }

    @Override
    Attach refusal() {
        return answer();
    }

    @Override
    void open() {
        Coordinator coordinator = new Coordinator();
        coordinator.setCapabilities(
                TxnCapability.LOCAL_TXN, TxnCapability.MULTI_TXNS_PER_SSN, TxnCapability.MULTI_SSNS_PER_TXN);
        attach(answer().setTarget(coordinator));
        refill();
    }

    private void refill() {
        if (attached() && credit <= CREDIT / 2) {
            credit = CREDIT;
            tellCredit();
        }
    }

    private void tellCredit() {
        session().sendFlow(handle(), deliveryCount, credit, false);
    }

    @Override
    void flow(Flow flow) {
        if (attached() && flow.getEcho()) {
            tellCredit();
        }
    }

    /** A transfer has come, whose payload stands in {@code bytes}. */
    void transfer(Transfer transfer, byte[] bytes, int at, int length) throws AmqpFault {
        if (partial == null) {
            session().began(transfer);
            if (credit == 0) {
                throw AmqpFault.link(LinkError.TRANSFER_LIMIT_EXCEEDED, "a delivery without credit");
            }
            partial = new Partial(transfer, Partial.tag(transfer));
        } else {
            partial.checkContinuation(transfer);
        }
        if (transfer.getAborted()) {
            partial = null;
            deliveryCount++;
            credit--;
            refill();
            return;
        }
        partial.settled |= transfer.getSettled();
        if (partial.length() + length > MOST_BYTES) {
            throw AmqpFault.link(LinkError.MESSAGE_SIZE_EXCEEDED, "a message to a coordinator that is too large");
        }
        partial.add(bytes, at, length, MOST_BYTES);
        if (transfer.getMore()) {
            return;
        }
        Partial whole = partial;
        partial = null;
        deliveryCount++;
        credit--;
        if (whole.format != Partial.AMQP_MESSAGE) {
            throw AmqpFault.link(AmqpError.NOT_IMPLEMENTED, Partial.unknown(whole.format));
        }
        Object section;
        try {
            section = connection().performatives().readBody(whole.bytes(), whole.length());
        } catch (AmqpFault e) {
            throw AmqpFault.link(AmqpError.DECODE_ERROR, "a message to a coordinator that can't be read");
        }
        if (!(section instanceof AmqpValue<?> value)) {
            throw AmqpFault.link(AmqpError.DECODE_ERROR, "a message to a coordinator that is no value");
        }
        switch (value.getValue()) {
            case Declare declare -> declare(whole, declare);
            case Discharge discharge -> discharge(whole, discharge);
            case null, default -> throw AmqpFault.link(
                    AmqpError.NOT_IMPLEMENTED, "a message to a coordinator that is neither declare nor discharge");
        }
        refill();
    }

    /** The peer settles what it has sent, whether all of it has arrived or not. */
    void settledByPeer(int first, int last) {
        if (partial != null && partial.id - first >= 0 && last - partial.id >= 0) {
            partial.settled = true;
        }
    }

    private void declare(Partial delivery, Declare declare) {
        if (declare.getGlobalId() != null) {
            reject(delivery, AmqpError.NOT_IMPLEMENTED, "distributed transactions are not supported");
            return;
        }
        if (delivery.settled) {
            detach(AmqpFault.link(AmqpError.NOT_ALLOWED, "a declare that was sent settled has no use"));
            return;
        }
        Transactions.Transaction transaction = connection().transactions().declare(this);
        if (transaction == null) {
            reject(
                    delivery, AmqpError.RESOURCE_LIMIT_EXCEEDED,
                    "a connection may have " + Transactions.MOST + " transactions at a time");
        } else {
            settle(delivery, new Declared().setTxnId(transaction.id()));
        }
    }

    private void discharge(Partial delivery, Discharge discharge) {
        Transactions.Transaction transaction = connection().transactions().find(discharge.getTxnId());
        if (transaction == null) {
            reject(delivery, TransactionErrors.UNKNOWN_ID, "there is no such transaction");
        } else if (discharge.getFail()) {
            transaction.rollBack();
            settle(delivery, Accepted.getInstance());
        } else {
            transaction.commit(new Answer<>() {
                @Override
                public void done(Void result) {
                    settle(delivery, Accepted.getInstance());
                }

                @Override
                public void refused(TerminusError why) {
                    rolledBack(delivery, why);
                }
            });
        }
    }

    /**
     * A commit came to nothing, and all of it is undone (part 4, §4.3): {@code amqp:transaction:rollback} says that. One client takes that
     * for doubt, and any other condition for what it means: it is told the reason's own.
     */
    private void rolledBack(Partial delivery, TerminusError why) {
        if (connection().doubtsRollback()) {
            reject(delivery, why.condition(), why.description());
        } else {
            reject(
                    delivery, TransactionErrors.TRANSACTION_ROLLBACK,
                    why.condition() + ": " + why.description());
        }
    }

    private void reject(Partial delivery, Symbol condition, String description) {
        settle(delivery, new Rejected().setError(new ErrorCondition(condition, description)));
    }

    private void settle(Partial delivery, DeliveryState state) {
        if (!delivery.settled && !gone) {
            session().settlements().other(delivery.id, true, state);
        }
    }

    @Override
    void release(LinkEnd end, boolean orderly) {
        gone = true;
        partial = null;
        connection().transactions().end(this);
        released();
    }
}
