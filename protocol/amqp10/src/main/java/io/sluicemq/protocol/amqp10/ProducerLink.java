package io.sluicemq.protocol.amqp10;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.ClientDetails;
import io.sluicemq.api.Hold;
import io.sluicemq.api.Message;
import io.sluicemq.api.Producer;
import io.sluicemq.base.LogEvent;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp10.codec.AmqpFault;
import io.sluicemq.protocol.amqp10.message.IncomingMessage;
import io.sluicemq.protocol.amqp10.message.MessageAssembly;
import io.sluicemq.protocol.amqp10.message.MessageFault;
import io.sluicemq.protocol.amqp10.terminus.Answer;
import io.sluicemq.protocol.amqp10.terminus.Destination;
import io.sluicemq.protocol.amqp10.terminus.Keeping;
import io.sluicemq.protocol.amqp10.terminus.LinkEnd;
import io.sluicemq.protocol.amqp10.terminus.NodeKind;
import io.sluicemq.protocol.amqp10.terminus.Relay;
import io.sluicemq.protocol.amqp10.terminus.TargetNode;
import io.sluicemq.protocol.amqp10.terminus.TerminusError;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Outcome;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Released;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.messaging.Terminus;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.LinkError;
import org.apache.qpid.protonj2.types.transport.ReceiverSettleMode;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.SenderSettleMode;
import org.apache.qpid.protonj2.types.transport.Transfer;

/**
 * A link on which the peer sends (part 2, §2.6): what arrives on it, and what is owed for that. Owned by the connection's loop.
 *
 * <p>What a link to the anonymous relay sends to an address that is full is settled when that has room. Invariant: a delivery that
 * was not sent settled is among the session's, and its tag in use, from its first transfer until it is settled.
 */
@LoopOwned
final class ProducerLink extends Link {

    private static final Symbol DELAYED_DELIVERY = Symbol.valueOf("DELAYED_DELIVERY");

    /** How many windows of deliveries may wait for their outcomes, or for the peer to settle them, before it gets no more credit. */
    private static final int MOST_UNSETTLED_WINDOWS = 16;

    private final Attach peersAttach;
    private final boolean settlesSecond;
    private final ProducerCredit credit;
    /** Tags of deliveries that are not settled (§2.6.12: each is unique among them). */
    private final Set<ByteBuffer> tags = new HashSet<>();

    /** Deliveries of the link that had this name, not settled when it ended. */
    private final ReceivedBefore before = new ReceivedBefore(this);
    private TargetNode node;
    private Partial partial;
    /** The payload of {@link #partial}. */
    private MessageAssembly assembly;
    /** The memory of {@link #assembly}, if it is large. */
    private MemoryTurn turn;
    private boolean asking;
    private boolean echoDue;
    private LinkEnd ends;
    private long arrivedMessages;

    ProducerLink(AmqpSession session, Attach attach, int handle) {
        super(session, attach, handle);
        this.peersAttach = attach;
        this.settlesSecond = attach.getReceiverSettleMode() == ReceiverSettleMode.SECOND;
        this.credit = new ProducerCredit(this, (int) attach.getInitialDeliveryCount());
    }

    @Override
    boolean fromPeer() {
        return true;
    }

    @Override
    String roleInWords() {
        return "producer";
    }

    @Override
    String addressInWords() {
        if (!(node instanceof TargetNode.Fixed fixed)) {
            return "";
        }
        Destination to = fixed.destination();
        String key = to.routingKey() == null ? "" : to.routingKey();
        return to.exchange().isEmpty() ? key : key.isEmpty() ? to.exchange() : to.exchange() + "/" + key;
    }

    @Override
    long creditLeft() {
        return credit.left();
    }

    /** The link as the broker sees it. */
    Producer producer() {
        return credit.producer();
    }

    /** Where it publishes to; null for one that says so in each message. */
    ClientDetails.Target target() {
        if (!(node instanceof TargetNode.Fixed fixed)) {
            return null;
        }
        Destination to = fixed.destination();
        String key = to.exchange().isEmpty() && to.routingKey() != null ? to.routingKey() : "";
        return new ClientDetails.Target(producer().description(), to.exchange(), key, arrivedMessages);
    }

    /** What it waits for, in words; empty if it may send, or has nothing that waits. */
    String waitsFor() {
        Hold hold = credit.producer().latestHold();
        if (hold != null) {
            return "room in '" + hold.address() + "' (" + hold.limit() + ")";
        }
        return credit.isAsking() ? "credit for '" + addressInWords() + "'" : "";
    }

    // ---- attach

    @Override
    void open() {
        if (!(peersAttach.<Terminus>getTarget() instanceof Target wanted)) {
            refuse(AmqpError.INVALID_FIELD, "an attach without a target");
            return;
        }
        asking = true;
        if (Keeping.seconds(wanted) != 0) {
            claim();
        } else {
            findTarget(wanted);
        }
    }

    @Override
    void claimed(KeptLink left) {
        before.take(left);
        if (pending()) {
            findTarget(peersAttach.<Target>getTarget());
        } else {
            asking = false;
            leaveNode();
        }
    }

    @Override
    void claimFailed() {
        asking = false;
        leaveNode();
    }

    private void findTarget(Target wanted) {
        connection().termini().target(name(), wanted, new Answer<>() {
            @Override
            public void done(TargetNode found) {
                asking = false;
                node = found;
                if (pending()) {
                    attach();
                } else {
                    leaveNode();
                }
            }

            @Override
            public void refused(TerminusError error) {
                asking = false;
                if (pending()) {
                    refuse(error.condition(), error.description());
                } else {
                    leaveNode();
                }
            }
        });
    }

    private Attach answer() {
        return new Attach()
                .setRole(Role.RECEIVER)
                .setSenderSettleMode(peersAttach.getSenderSettleMode())
                .setReceiverSettleMode(settlesSecond ? ReceiverSettleMode.SECOND : ReceiverSettleMode.FIRST)
                .setSource(peersAttach.getSource());
    }

    @Override
    Attach refusal() {
        return answer();
    }

    private void attach() {
        Attach answer = answer();
        tags.addAll(before.tell(answer, peersAttach.getUnsettled(), settlesSecond));
        attach(answer
                .setTarget(node.answer())
                .setMaxMessageSize(UnsignedLong.valueOf(
                        Math.min(connection().options().maxMessageBytes(), connection().client().maxMessageBytes())))
                .setOfferedCapabilities(DELAYED_DELIVERY));
        if (!attached()) {
            return;
        }
        if (node instanceof TargetNode.Fixed fixed && fixed.destination().routingKey() != null) {
            credit.openLine(fixed.destination());
        }
        connection().leftTermini().takenUp(this);
        regulateCredit();
        if (echoDue && credit.isZero()) {
            credit.tell();
        }
    }

    @Override
    void keptOutcome(KeptLink.Arrived arrived, DeliveryState outcome) {
        if (hasLetGo()) {
            passOn(arrived, outcome);
            return;
        }
        Received received = before.outcome(arrived, outcome);
        if (received != null) {
            finish(received, outcome instanceof Accepted ? null : outcome);
        }
    }

    /** The peer resumes a delivery; one that is not known here is ignored (§2.7.5, resume). */
    private void resumed(Partial resumed) {
        credit.spend();
        credit.forgo();
        Received received = before.resumed(resumed.tag);
        if (received != null) {
            if (resumed.settled) {
                tags.remove(resumed.tag);
                received.over();
            } else {
                received.resumed(this, resumed.id);
                session().received().add(resumed.id, received);
                if (received.outcome() != null) {
                    finish(received, received.outcome() instanceof Accepted ? null : received.outcome());
                }
            }
        }
        regulateCredit();
    }

    // ---- credit

    @Override
    void regulateCredit() {
        credit.regulate();
    }

    /** Whether the peer may be given credit for more. */
    boolean takesMore() {
        return attached() && !tooManyUnsettled();
    }

    private boolean tooManyUnsettled() {
        return tags.size() >= MOST_UNSETTLED_WINDOWS * connection().options().windowMessages();
    }

    @Override
    void flow(Flow flow) {
        if (flow.getEcho()) {
            if (attached()) {
                credit.tell();
            } else {
                echoDue = true;
            }
        }
    }

    // ---- transfers

    /** A transfer has come, whose payload stands in {@code bytes}. */
    void transfer(Transfer transfer, byte[] bytes, int at, int length) throws AmqpFault {
        if (partial == null) {
            session().began(transfer);
            if (!credit.isLeft()) {
                throw AmqpFault.link(LinkError.TRANSFER_LIMIT_EXCEEDED, "a delivery without credit");
            }
            ByteBuffer tag = Partial.tag(transfer);
            if (transfer.getResume()) {
                resume(transfer, tag);
                return;
            }
            if (tags.contains(tag)) {
                throw AmqpFault.link(
                        AmqpError.NOT_ALLOWED, "a delivery with the tag of another that is not settled");
            }
            if (!transfer.getMore() && !transfer.getAborted()) {
                checkSize(length);
                complete(
                        enter(transfer, tag), (int) transfer.getMessageFormat(), transfer.getState(), null, bytes, at,
                        length);
                return;
            }
            partial = new Partial(transfer, tag);
            partial.received = enter(transfer, tag);
            assembly = new MessageAssembly();
        } else {
            partial.checkContinuation(transfer);
        }
        if (transfer.getAborted()) {
            dropPartial();
            credit.spendOnAborted();
            regulateCredit();
            return;
        }
        partial.settled |= settles(transfer);
        if (partial.resumes) {
            if (!transfer.getMore()) {
                Partial whole = partial;
                partial = null;
                resumed(whole);
            }
            return;
        }
        if (transfer.getState() != null) {
            partial.state = transfer.getState();
        }
        checkSize((long) assembly.length() + length);
        int grown = assembly.add(bytes, at, length, connection().options().maxMessageBytes());
        if (turn != null) {
            turn.grown(grown);
        } else {
            connection().holdsPartial(grown);
            if (connection().largeMessages().isLarge(assembly.length(), assembly.announcedBytes())) {
                turn = connection().largeMessages().turn(this, assembly);
                turn.ask();
            }
        }
        if (partial == null) {
            return; // it had to go
        }
        if (!transfer.getMore()) {
            Partial whole = partial;
            MessageAssembly payload = assembly;
            MemoryTurn ofLarge = turn;
            if (ofLarge == null) {
                connection().holdsPartial(-payload.heldBytes());
            }
            turn = null;
            partial = null;
            assembly = null;
            complete(stillOwed(whole), whole.format, whole.state, payload, bytes, at, length);
            connection().reader().clear();
            if (ofLarge != null) {
                ofLarge.end();
            }
        }
    }

    /** What the peer has said of the delivery that is arriving; null if that is nothing, or none is. */
    DeliveryState arrivingState() {
        return partial == null ? null : partial.state;
    }

    private void resume(Transfer transfer, ByteBuffer tag) {
        Partial resumes = new Partial(transfer, tag);
        resumes.resumes = true;
        resumes.settled = settles(transfer) || transfer.getAborted();
        if (transfer.getMore() && !transfer.getAborted()) {
            partial = resumes;
        } else {
            resumed(resumes);
        }
    }

    /** A delivery begins; null if nothing is owed for it. */
    private Received enter(Transfer first, ByteBuffer tag) {
        if (settles(first)) {
            return null;
        }
        Received received = new Received(this, (int) first.getDeliveryId(), tag, settlesSecond(first));
        tags.add(tag);
        session().received().add(received.id(), received);
        return received;
    }

    /** What is owed for a delivery that is complete; null if the peer has settled it meanwhile. */
    private Received stillOwed(Partial whole) {
        if (whole.received == null || whole.received.isOver()) {
            return null;
        }
        if (whole.settled) {
            forget(whole.received);
            return null;
        }
        return whole.received;
    }

    private boolean settles(Transfer transfer) {
        return transfer.getSettled() || peersAttach.getSenderSettleMode() == SenderSettleMode.SETTLED;
    }

    private boolean settlesSecond(Transfer transfer) {
        return settlesSecond && transfer.getRcvSettleMode() != ReceiverSettleMode.FIRST;
    }

    private void checkSize(long bytes) throws AmqpFault {
        long most = connection().options().maxMessageBytes();
        if (bytes > most) {
            throw tooLarge(most);
        }
        long mostOfClient = connection().client().maxMessageBytes();
        if (bytes > mostOfClient) {
            connection().client().tooLarge();
            throw tooLarge(mostOfClient);
        }
    }

    private static AmqpFault tooLarge(long most) {
        return AmqpFault.link(LinkError.MESSAGE_SIZE_EXCEEDED, "a message of more than " + most + " bytes");
    }

    private void dropPartial() {
        if (turn != null) {
            turn.end();
            turn = null;
        } else if (assembly != null) {
            connection().holdsPartial(-assembly.heldBytes());
        }
        Received owed = partial == null ? null : partial.received;
        partial = null;
        assembly = null;
        if (owed != null && !owed.isOver()) {
            forget(owed);
        }
    }

    /**
     * All of a delivery has come.
     *
     * @param received what is owed for it; null if it is settled
     * @param format its message-format (§2.8.11)
     * @param payload null if the message stands in {@code bytes}
     */
    private void complete(
            Received received, int format, DeliveryState state, MessageAssembly payload, byte[] bytes, int at,
            int length) {
        credit.spend();
        arrivedMessages++;
        Transactions.Transaction transaction = null;
        if (state instanceof TransactionalState transactional) {
            transaction = connection().transactions().find(transactional.getTxnId());
            if (transaction == null) {
                if (received != null) {
                    forget(received);
                }
                detach(AmqpFault.link(Transactions.UNKNOWN_ID, "a transfer in a transaction that is not there"));
                return;
            }
        }
        if (format != Partial.AMQP_MESSAGE) {
            refuseUnpublished(received, transaction, AmqpError.NOT_IMPLEMENTED, Partial.unknown(format));
            return;
        }
        IncomingMessage message = connection().reader();
        try {
            if (payload == null) {
                message.read(bytes, at, length);
            } else {
                payload.read(message);
            }
        } catch (MessageFault e) {
            refuseUnpublished(received, transaction, AmqpError.DECODE_ERROR, e.getMessage());
            return;
        }
        byte[] userId = message.userId();
        if (userId != null && !connection().user().anonymous()
                && !new String(userId, StandardCharsets.UTF_8).equals(connection().user().name())) {
            refuseUnpublished(
                    received, transaction, AmqpError.UNAUTHORIZED_ACCESS,
                    "the user-id is not that of the user who is logged in");
            return;
        }
        switch (node) {
            case TargetNode.Fixed fixed -> route(
                    received, message, fixed.destination(), null, transaction, false);
            case Relay relay -> relay(received, message, relay, transaction);
        }
    }

    private void relay(Received received, IncomingMessage message, Relay relay, Transactions.Transaction transaction) {
        String to = message.to();
        NodeKind kind = NodeKind.ofAnnotation(message.jmsDestination());
        Destination known = to == null ? null : relay.known(to, kind);
        if (known != null) {
            route(received, message, known, to, transaction, false);
        } else {
            lookUp(received, message, relay, transaction, false);
        }
    }

    /** @param again whether it was sent to where its address led before, and there was nothing any more */
    private void lookUp(
            Received received, IncomingMessage message, Relay relay, Transactions.Transaction transaction,
            boolean again) {
        String to = message.to();
        NodeKind kind = NodeKind.ofAnnotation(message.jmsDestination());
        IncomingMessage kept;
        try {
            // The reader's bytes are overwritten by the next frame.
            kept = message.copy();
        } catch (MessageFault e) {
            throw new IllegalStateException("what was read once can't be read again", e);
        }
        int heldBytes = kept.sizeBytes();
        credit.lookedUp(heldBytes);
        if (transaction != null) {
            transaction.expect();
        }
        relay.resolve(to, kind, new Answer<>() {
            @Override
            public void done(Destination destination) {
                credit.lookedUp(-heldBytes);
                // Also when the link has gone meanwhile: the message came before.
                if (transaction != null && transaction.isOver()) {
                    if (received != null) {
                        finish(received, transaction.accepted());
                    }
                } else if (connection().running()) {
                    route(received, kept, destination, to, transaction, again);
                }
                if (transaction != null) {
                    transaction.arrived();
                }
            }

            @Override
            public void refused(TerminusError error) {
                credit.lookedUp(-heldBytes);
                refuseUnpublished(received, transaction, error.condition(), error.description());
                if (transaction != null) {
                    transaction.arrived();
                }
            }
        });
        // Looking up is work for other loops, as publishing is.
        connection().published();
        regulateCredit();
    }

    /** @param again whether a relay has looked up the address anew since it led nowhere */
    private void route(
            Received received, IncomingMessage incoming, Destination to, String address,
            Transactions.Transaction transaction, boolean again) {
        String key = to.keyOf(incoming.subject());
        if (key == null) {
            refuseUnpublished(
                    received, transaction, AmqpError.INVALID_FIELD, "a subject that is too long for a routing key");
            return;
        }
        Client client = connection().client();
        Message message =
                incoming.toMessage(to.exchange(), key, client, connection().loop().currentTimeMillis());
        credit.estimate(message.sizeBytes());
        int reached;
        if (transaction != null) {
            reached = transaction.publish(message, credit.producer());
        } else {
            reached = client.publish(message, received, credit.producer());
        }
        connection().published();
        if (reached > 0 || to.unreached() == Destination.Unreached.ACCEPTED && reached == 0) {
            if (transaction != null && received != null) {
                finish(received, transaction.accepted());
            } else if (received != null) {
                received.handedOut();
            }
        } else if (reached == 0 && to.unreached() == Destination.Unreached.RELEASED) {
            release(received, transaction, to);
        } else if (reached == Client.NO_ACCESS) {
            BrokerError refusal = client.publishRefusal(to.exchange(), key);
            TerminusError error = refusal == null
                    ? new TerminusError(AmqpError.UNAUTHORIZED_ACCESS, "not allowed: " + describe(to))
                    : TerminusError.of(refusal);
            refuse(received, transaction, error.condition(), error.description());
        } else {
            if (node instanceof Relay relay) {
                relay.missed(address);
                if (!again) {
                    // As at its first use: what isn't there any more may be made again, or be something else by now.
                    lookUp(received, incoming, relay, transaction, true);
                    return;
                }
            }
            refuse(received, transaction, AmqpError.NOT_FOUND, "no longer there: " + describe(to));
        }
        regulateCredit();
    }

    private static String describe(Destination to) {
        return to.exchange().isEmpty() ? "queue '" + to.routingKey() + "'" : "exchange '" + to.exchange() + "'";
    }

    // ---- outcomes

    private void refuseUnpublished(
            Received received, Transactions.Transaction transaction, Symbol condition, String description) {
        credit.forgo();
        refuse(received, transaction, condition, description);
    }

    /** Rejects a delivery, and dooms its transaction; one that was sent settled is dropped, which the log tells. */
    private void refuse(
            Received received, Transactions.Transaction transaction, Symbol condition, String description) {
        if (transaction != null) {
            transaction.doom(condition, description);
        }
        if (received == null) {
            connection().log().line(LogEvent.SETTLED_MESSAGE_DROPPED,
                    "a settled message on link '{}' is dropped: {}", name(), description);
        } else {
            finish(received, within(transaction, new Rejected().setError(new ErrorCondition(condition, description))));
        }
        regulateCredit();
    }

    /** Releases a delivery that no queue gets, and dooms its transaction. */
    private void release(Received received, Transactions.Transaction transaction, Destination to) {
        if (transaction != null) {
            transaction.doom(AmqpError.NOT_FOUND, "no queue gets it by " + describe(to));
        }
        if (received != null) {
            finish(received, within(transaction, Released.getInstance()));
        }
    }

    /** An outcome as its transaction tells it, if it has one (part 4, §4.4.1). */
    private static <O extends DeliveryState & Outcome> DeliveryState within(
            Transactions.Transaction transaction, O outcome) {
        return transaction == null ? outcome : new TransactionalState().setTxnId(transaction.id()).setOutcome(outcome);
    }

    /** What a delivery owed is done. */
    void resolved(Received received, BrokerError refusal) {
        if (refusal == null) {
            finish(received, null);
        } else if (refusal instanceof BrokerError.Unavailable && ends != null) {
            // It waited for room, and was dropped with its connection: a sender that comes back may send it anew.
            finish(received, Released.getInstance());
        } else {
            TerminusError error = TerminusError.of(refusal);
            finish(received, new Rejected().setError(new ErrorCondition(error.condition(), error.description())));
        }
    }

    /** @param state the outcome; null for accepted */
    private void finish(Received received, DeliveryState state) {
        if (received.isOver()) {
            return;
        }
        if (ends != null && ends != LinkEnd.CLOSED && received.kept() != null) {
            keptOutcome(received.kept(), state == null ? Accepted.getInstance() : state);
            return;
        }
        if (ends == LinkEnd.DETACHED || ends == LinkEnd.SESSION_ENDED) {
            // The peer does not listen: it asks when it comes back.
            received.outcome(state == null ? Accepted.getInstance() : state);
            return;
        }
        boolean settles = !received.settlesSecond();
        if (settles || ends == LinkEnd.CLOSED) {
            forget(received);
        } else {
            received.told();
            received.outcome(state == null ? Accepted.getInstance() : state);
        }
        if (state == null) {
            session().settlements().accepted(received.id(), settles);
        } else {
            session().settlements().other(received.id(), settles, state);
        }
    }

    /** A delivery is settled. */
    void forget(Received received) {
        received.over();
        session().received().remove(received.id());
        boolean tooMany = tooManyUnsettled();
        tags.remove(received.tag());
        if (tooMany) {
            regulateCredit();
        }
    }

    // ---- the end

    @Override
    void release(LinkEnd end, boolean orderly) {
        ends = end;
        if (partial != null && !peerEnds(end)) {
            connection().transactions().lost(
                    partial.state, LinkError.DETACH_FORCED, "its link was ended before all of it had come");
        }
        dropPartial();
        if (end == LinkEnd.CLOSED) {
            // Nobody is going to settle what is only waiting for that.
            session().received().forEach(received -> {
                if (received.link() == this && received.isTold()) {
                    forget(received);
                }
            });
        }
        before.end(end, Keeping.seconds(peersAttach.<Terminus>getTarget() instanceof Target target ? target : null));
        credit.close();
        if (!asking) {
            leaveNode();
        }
    }

    /** Whether it is the peer's will that it ends, so that it knows what has not come. */
    private boolean peerEnds(LinkEnd end) {
        return switch (end) {
            case CLOSED, DETACHED -> true;
            case FAILED -> false;
            case SESSION_ENDED -> session().isEndedByPeer();
        };
    }

    private void leaveNode() {
        letGo(before.left());
        if (node == null) {
            released();
            return;
        }
        if (ends == LinkEnd.DETACHED && node.endsWithSession()) {
            connection().leftTermini().leave(
                    this, node.answer().getExpiryPolicy(), (how, done) -> end(node, how, done));
        }
        end(node, ends, this::released);
    }

    private void end(TargetNode ended, LinkEnd how, Runnable done) {
        connection().termini().ended(ended, how, whenLeft(done));
    }
}
