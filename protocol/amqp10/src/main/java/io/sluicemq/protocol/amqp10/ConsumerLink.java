package io.sluicemq.protocol.amqp10;

import io.netty.buffer.ByteBuf;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Consumer;
import io.sluicemq.api.ConsumerSink;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Reply;
import io.sluicemq.api.connection.WindowOwner;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp10.codec.AmqpFault;
import io.sluicemq.protocol.amqp10.codec.FrameReader;
import io.sluicemq.protocol.amqp10.codec.FrameWriter;
import io.sluicemq.protocol.amqp10.message.OutgoingMessage;
import io.sluicemq.protocol.amqp10.terminus.Answer;
import io.sluicemq.protocol.amqp10.terminus.LinkEnd;
import io.sluicemq.protocol.amqp10.terminus.SourceNode;
import io.sluicemq.protocol.amqp10.terminus.TerminusError;
import java.util.ArrayDeque;
import java.util.Map;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Modified;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Released;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.ReceiverSettleMode;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.SenderSettleMode;

/**
 * A link on which the peer receives (part 2, §2.6): a consumer whose limit is the peer's credit, what is on its way to the peer, and
 * what becomes of it. Owned by the connection's loop.
 *
 * <p>Invariant: no more deliveries are begun than the peer has credit for; while something waits here that could be sent, the link
 * waits with the {@link Output} for the socket, or with its session for the window.
 */
@LoopOwned
final class ConsumerLink extends Link implements ConsumerSink, WindowOwner, Output.Source {

    /** Bytes that one link sends before it is another's turn. */
    private static final int SLICE_BYTES = 64 * 1024;

    private static final Symbol PRIORITY = Symbol.valueOf("priority");

    private final Attach peersAttach;
    private final boolean presettles;
    /** The largest message that the receiver takes, an unsigned number of bytes; 0 for any. */
    private final long mostBytes;
    private final ArrayDeque<Delivery> pending = new ArrayDeque<>(0);
    private final OutgoingMessage message = new OutgoingMessage();

    private SourceNode node;
    private Consumer consumer;
    private Flow earlyFlow;
    private boolean asking;
    private LinkEnd ends;
    private boolean orderlyEnd;

    /** Deliveries that have been begun since the attach; the link's delivery-count, which begins at 0, counts the drained ones, too. */
    private long begun;
    private int deliveryCount;
    /** How many deliveries the peer has credit for since the attach. */
    private long limit;
    private boolean draining;
    private boolean drainAsked;
    /** A drain has come while another is being asked for. */
    private boolean drainAgain;
    /** Deliveries that were given back unsent: for the broker they count. */
    private long returned;

    /** The first of {@link #pending}, part of which was sent. */
    private boolean current;
    private int currentId;
    /** What it says of itself; once the receiver has settled it, it is not to be asked any more. */
    private boolean currentSettled;
    private int currentWindowBytes;
    private long currentAt;
    private boolean waitsForOutput;
    private boolean waitsForWindow;
    private long owedBytes;
    /** Bytes of messages that were sent on it. */
    private long sentBytes;

    ConsumerLink(AmqpSession session, Attach attach, int handle) {
        super(session, attach, handle);
        this.peersAttach = attach;
        this.presettles = attach.getSenderSettleMode() == SenderSettleMode.SETTLED;
        this.mostBytes = attach.getMaxMessageSize() == null ? 0 : attach.getMaxMessageSize().longValue();
    }

    @Override
    boolean fromPeer() {
        return false;
    }

    // ---- attach

    @Override
    void open() {
        Source wanted = peersAttach.getSource();
        asking = true;
        Answer<SourceNode> answer = new Answer<>() {
            @Override
            public void done(SourceNode found) {
                node = found;
                if (pending()) {
                    subscribe();
                } else {
                    asking = false;
                    leaveNode();
                }
            }

            @Override
            public void refused(TerminusError error) {
                asking = false;
                refuseOrEnd(error);
            }
        };
        if (wanted == null) {
            connection().termini().lookup(name(), answer);
        } else {
            connection().termini().source(name(), wanted, answer);
        }
    }

    private void refuseOrEnd(TerminusError error) {
        if (pending()) {
            refuse(error.condition(), error.description());
        } else {
            leaveNode();
        }
    }

    private void subscribe() {
        if (node.tenure() == SourceNode.Tenure.LOOKED_UP) {
            asking = false;
            attach();
            return;
        }
        connection().client().subscribe(node.consumer(presettles, priority()), this, new Reply<>() {
            @Override
            public void done(Consumer opened) {
                asking = false;
                consumer = opened;
                if (pending()) {
                    attach();
                } else {
                    cancel();
                }
            }

            @Override
            public void failed(BrokerError error) {
                asking = false;
                if (pending()) {
                    TerminusError told = TerminusError.of(error);
                    refuse(told.condition(), told.description());
                } else {
                    leaveNode();
                }
            }
        });
    }

    private int priority() {
        Map<Symbol, Object> properties = peersAttach.getProperties();
        return properties != null && properties.get(PRIORITY) instanceof Number number ? number.intValue() : 0;
    }

    private Attach answer() {
        return new Attach()
                .setRole(Role.SENDER)
                .setSenderSettleMode(presettles ? SenderSettleMode.SETTLED : SenderSettleMode.UNSETTLED)
                .setReceiverSettleMode(
                        peersAttach.getReceiverSettleMode() == ReceiverSettleMode.SECOND
                                ? ReceiverSettleMode.SECOND
                                : ReceiverSettleMode.FIRST)
                .setInitialDeliveryCount(0)
                .setTarget(peersAttach.getTarget() instanceof Target target
                        ? target
                        : null);
    }

    @Override
    Attach refusal() {
        return answer().setTarget((Target) null);
    }

    private void attach() {
        attach(answer()
                .setSource(node.answer())
                .setMaxMessageSize(UnsignedLong.valueOf(connection().options().maxMessageBytes())));
        if (earlyFlow != null) {
            Flow flow = earlyFlow;
            earlyFlow = null;
            flow(flow);
        }
    }

    // ---- credit

    @Override
    void flow(Flow flow) {
        if (pending()) {
            earlyFlow = flow.copy();
            return;
        }
        if (!attached()) {
            return;
        }
        if (consumer == null) {
            withoutMessages(flow);
            return;
        }
        if (flow.hasLinkCredit()) {
            // What the peer had seen when it wrote; what it counts as seen may be behind what was sent (§2.6.7).
            int seen = flow.hasDeliveryCount() ? (int) flow.getDeliveryCount() : 0;
            long credit = Math.max(0, flow.getLinkCredit() + (seen - deliveryCount));
            limit = begun - (current ? 1 : 0) + Math.min(credit, Integer.MAX_VALUE);
            consumer.limit(limit + returned);
            giveBackSurplus();
            sendIfPossible();
        }
        draining = flow.getDrain();
        if (draining) {
            drain();
        } else if (flow.getEcho()) {
            tellCredit();
        }
    }

    /** A flow for a link that was only to look something up. */
    private void withoutMessages(Flow flow) {
        if (flow.getDrain() && flow.hasLinkCredit()) {
            int seen = flow.hasDeliveryCount() ? (int) flow.getDeliveryCount() : 0;
            session().sendFlow(handle(), seen + (int) flow.getLinkCredit(), 0, true);
        } else if (flow.getEcho()) {
            tellCredit();
        }
    }

    private void tellCredit() {
        session().sendFlow(handle(), deliveryCount, credit(), draining);
    }

    private int credit() {
        return (int) Math.max(0, limit - begun);
    }

    private void drain() {
        if (drainAsked) {
            drainAgain = true;
            return;
        }
        drainAsked = true;
        drainAgain = false;
        consumer.drain(new Reply<>() {
            @Override
            public void done(Void result) {
                drainAnswered();
            }

            @Override
            public void failed(BrokerError error) {
                drainAnswered();
            }
        });
    }

    private void drainAnswered() {
        drainAsked = false;
        if (drainAgain && draining && attached() && consumer != null) {
            drain();
        } else {
            drainedIfDone();
        }
    }

    /** The peer has less credit than before: what was to be sent for it is for others (§2.6.7). */
    private void giveBackSurplus() {
        long keep = (current ? 1 : 0) + Math.max(0, limit - begun);
        long bytes = 0;
        while (pending.size() > keep && !pending.peekLast().settled()) {
            Delivery delivery = pending.pollLast();
            returned++;
            bytes += delivery.windowBytes();
            giveBack(delivery);
        }
        if (bytes > 0) {
            // They never were in the buffer, and nothing may be that will be flushed.
            consumer.written(bytes);
        }
    }

    /** What there was is sent: the rest of the credit is used up, and the peer is told so (§2.6.7). */
    private void drainedIfDone() {
        if (!draining || drainAsked || !attached() || canBegin()) {
            return;
        }
        deliveryCount += credit();
        limit = begun;
        tellCredit();
        draining = false;
    }

    // ---- deliveries

    @Override
    public void deliver(Delivery delivery) {
        if (!attached() && !pending()) {
            giveBack(delivery);
            return;
        }
        pending.add(delivery);
        sendIfPossible();
    }

    /** A delivery that was not sent returns to its queue as if it had not left. */
    private void giveBack(Delivery delivery) {
        if (!delivery.settled()) {
            connection().settleLater(delivery, Outcome.RELEASED);
        }
    }

    private void sendIfPossible() {
        if (waitsForOutput || waitsForWindow || !attached() || !canBegin()) {
            return;
        }
        if (connection().output().isFree()) {
            if (sendSlice()) {
                waitsForOutput = true;
                connection().output().add(this);
            }
        } else {
            waitsForOutput = true;
            connection().output().add(this);
        }
    }

    private boolean canBegin() {
        return current || !pending.isEmpty() && begun < limit;
    }

    @Override
    public boolean sendSlice() {
        waitsForOutput = false;
        waitsForWindow = false;
        int slice = 0;
        while (attached() && canBegin()) {
            if (!session().hasWindow()) {
                waitsForWindow = true;
                session().block(this);
                return false;
            }
            if (!connection().output().hasRoom() || slice >= SLICE_BYTES) {
                waitsForOutput = true;
                return true;
            }
            if (!current && mostBytes != 0 && isTooLarge(pending.peek())) {
                passOver(pending.poll());
            } else {
                slice += sendFrame();
            }
        }
        drainedIfDone();
        return false;
    }

    private boolean isTooLarge(Delivery delivery) {
        long length = message.of(delivery, connection().loop().currentTimeMillis()).length();
        message.clear();
        return Long.compareUnsigned(length, mostBytes) > 0;
    }

    /** What is larger than the receiver takes (§2.7.3, max-message-size) is for others. */
    private void passOver(Delivery delivery) {
        connection().log().info(
                "a message of queue '{}' is larger than the {} bytes that link '{}' takes", delivery.queue(),
                Long.toUnsignedString(mostBytes), name());
        returned++;
        int bytes = delivery.windowBytes();
        if (!delivery.settled()) {
            connection().settleLater(delivery, Outcome.RELEASED_ELSEWHERE);
        }
        if (consumer != null) {
            consumer.limit(limit + returned);
            consumer.written(bytes);
        }
    }

    /** Sends a frame of the first delivery; returns its size in bytes. */
    private int sendFrame() {
        boolean first = !current;
        if (first) {
            Delivery delivery = pending.peek();
            currentSettled = presettles || delivery.settled();
            currentWindowBytes = delivery.windowBytes();
            message.of(delivery, connection().loop().currentTimeMillis());
            current = true;
            currentAt = 0;
            currentId = session().takeDeliveryId();
            begun++;
            if (!currentSettled) {
                session().sent().add(currentId, new Sent(this, currentId, delivery));
            }
        }
        long left = message.length() - currentAt;
        int most = connection().peerFrameMax() - FrameWriter.TRANSFER_BYTES;
        int length = (int) Math.min(left, most);
        boolean more = length < left;
        ByteBuf out = connection().out();
        int start = FrameWriter.beginTransfer(
                out, session().channel(), handle(), currentId, Integer.toUnsignedLong(currentId), first,
                currentSettled, more);
        message.write(currentAt, length, out);
        FrameWriter.endTransfer(out, start);
        session().frameSent();
        currentAt += length;
        sentBytes += length;
        if (!more) {
            message.clear();
            current = false;
            deliveryCount++;
            pending.poll();
            owe(currentWindowBytes);
        }
        return length + FrameReader.HEAD_BYTES;
    }

    private void owe(int bytes) {
        if (owedBytes == 0) {
            connection().owes(this);
        }
        owedBytes += bytes;
    }

    @Override
    public void giveBack() {
        long bytes = owedBytes;
        owedBytes = 0;
        if (consumer != null && bytes > 0) {
            consumer.written(bytes);
        }
    }

    @Override
    public void cancelled(String reason) {
        consumer = null;
        if (pending()) {
            refuse(AmqpError.RESOURCE_DELETED, reason);
        } else {
            detach(new ErrorCondition(AmqpError.RESOURCE_DELETED, reason));
        }
    }

    @Override
    public void tooSlow(Cut cut) {
        if (pending()) {
            refuse(AmqpError.RESOURCE_LIMIT_EXCEEDED, TOO_SLOW);
        } else {
            detach(new ErrorCondition(AmqpError.RESOURCE_LIMIT_EXCEEDED, TOO_SLOW));
        }
    }

    @Override
    public long sentBytes() {
        return sentBytes;
    }

    @Override
    public void creditWanted() {
        throw new IllegalStateException("a link's credit is not shared");
    }

    @Override
    public void creditReturned(int messages) {
        throw new IllegalStateException("a link's credit is not shared");
    }

    // ---- outcomes

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
            Transactions.Transaction transaction = connection().transactions().find(transactional.getTxnId());
            if (transaction == null) {
                detach(AmqpFault.link(
                        Transactions.UNKNOWN_ID, "an outcome in a transaction that is not there"));
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
            case Released s -> Outcome.RELEASED;
            case Modified s -> {
                if (s.isUndeliverableHere()) {
                    yield s.isDeliveryFailed() ? Outcome.REQUEUED_ELSEWHERE : Outcome.RELEASED_ELSEWHERE;
                }
                yield s.isDeliveryFailed() ? Outcome.REQUEUED : Outcome.RELEASED;
            }
            case null, default -> null;
        };
    }

    /** What becomes of a delivery that is settled without an outcome (part 3, §3.5.3, default-outcome). */
    private Outcome defaultOutcome() {
        Outcome outcome = peersAttach.getSource() == null
                ? null
                : outcome((DeliveryState) peersAttach.getSource().getDefaultOutcome());
        return outcome == null ? Outcome.RELEASED : outcome;
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

    // ---- the end

    @Override
    void beforeDetach() {
        if (current && session().isOpen()) {
            FrameWriter.abortTransfer(connection().out(), session().channel(), handle(), currentId);
        }
    }

    @Override
    void release(LinkEnd end, boolean orderly) {
        ends = end;
        orderlyEnd = orderly;
        connection().output().remove(this);
        session().unblock(this);
        if (!asking) {
            cancel();
        }
    }

    private void cancel() {
        if (consumer == null) {
            giveBackAll();
            leaveNode();
            return;
        }
        // Once it is cancelled nothing comes any more, and what goes back is not delivered to it once more.
        consumer.cancel(new Reply<>() {
            @Override
            public void done(Void result) {
                giveBackAll();
                leaveNode();
            }

            @Override
            public void failed(BrokerError error) {
                giveBackAll();
                leaveNode();
            }
        });
    }

    private void giveBackAll() {
        boolean partly = current;
        current = false;
        message.clear();
        while (!pending.isEmpty()) {
            Delivery delivery = pending.poll();
            // The receiver may have dealt with what it has got in part only; then it is over, or in a transaction's hands.
            Sent started = partly && !currentSettled ? session().sent().get(currentId) : null;
            if (!partly || started != null && !started.isBound()) {
                giveBack(delivery);
            }
            if (started != null && !started.isBound()) {
                session().sent().remove(currentId);
            }
            partly = false;
        }
        session().sent().forEach(sent -> {
            if (sent.link() == this && !sent.isBound()) {
                session().sent().remove(sent.id());
                // Where the peer has gone without a word it may have dealt with them.
                connection().settleLater(sent.delivery(), orderlyEnd ? Outcome.RELEASED : Outcome.REQUEUED);
            }
        });
    }

    private void leaveNode() {
        if (node == null) {
            released();
            return;
        }
        SourceNode left = node;
        node = null;
        end(left, ends, this::released);
        if (ends == LinkEnd.DETACHED && left.endsWithSession()) {
            session().detached(this, done -> end(left, LinkEnd.SESSION_ENDED, done));
        }
    }

    private void end(SourceNode ended, LinkEnd how, Runnable done) {
        connection().termini().ended(ended, how, whenLeft(done));
    }
}
