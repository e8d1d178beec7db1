package io.sluicemq.protocol.amqp10;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Consumer;
import io.sluicemq.api.ConsumerSink;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Reply;
import io.sluicemq.api.connection.WindowOwner;
import io.sluicemq.base.LogEvent;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp10.codec.FrameReader;
import io.sluicemq.protocol.amqp10.terminus.Answer;
import io.sluicemq.protocol.amqp10.terminus.Keeping;
import io.sluicemq.protocol.amqp10.terminus.LinkEnd;
import io.sluicemq.protocol.amqp10.terminus.SourceNode;
import io.sluicemq.protocol.amqp10.terminus.TerminusError;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.Attach;
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

    /** How often a source is asked for again whose queue has gone before it could be consumed from. */
    private static final int MOST_ATTEMPTS = 20;

    private static final Symbol PRIORITY = Symbol.valueOf("priority");

    private final Attach peersAttach;
    private final boolean presettles;
    /** The largest message that the receiver takes, an unsigned number of bytes; 0 for any. */
    private final long mostBytes;
    private final ArrayDeque<Delivery> pending = new ArrayDeque<>(0);
    /** The first of {@link #resuming}, or else of {@link #pending}. */
    private final CurrentDelivery current = new CurrentDelivery(this);

    private final ReceiverOutcomes outcomes;

    /** Deliveries of the link before, to be sent before all others. */
    private final SentBefore resuming = new SentBefore(this);

    private SourceNode node;
    private Consumer consumer;
    /** What the link before has left and this one has not looked at, or what this one leaves; null if there is nothing. */
    private KeptLink kept;
    private Flow earlyFlow;
    private boolean asking;
    private int attempts;
    private LinkEnd ends;
    private boolean orderlyEnd;
    /** It was detached for being too slow. */
    private boolean wasCut;
    /** Whether there is nothing left to give back. */
    private boolean queueDeleted;

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

    private boolean waitsForOutput;
    private boolean waitsForWindow;
    private long owedBytes;

    ConsumerLink(AmqpSession session, Attach attach, int handle) {
        super(session, attach, handle);
        this.peersAttach = attach;
        this.outcomes = new ReceiverOutcomes(this, attach.getSource());
        this.presettles = attach.getSenderSettleMode() == SenderSettleMode.SETTLED;
        this.mostBytes = attach.getMaxMessageSize() == null ? 0 : attach.getMaxMessageSize().longValue();
    }

    @Override
    boolean fromPeer() {
        return false;
    }

    /** Null while, or as soon as, there is none. */
    Consumer consumer() {
        return consumer;
    }

    @Override
    String roleInWords() {
        return "consumer";
    }

    @Override
    String addressInWords() {
        return node == null ? "" : node.queue();
    }

    @Override
    long creditLeft() {
        return Math.max(0, limit - begun);
    }

    /** What becomes of its deliveries. */
    ReceiverOutcomes outcomes() {
        return outcomes;
    }

    // ---- attach

    @Override
    void open() {
        Source wanted = peersAttach.getSource();
        asking = true;
        if (wanted != null && Keeping.seconds(wanted) != 0) {
            claim();
        } else {
            findSource();
        }
    }

    @Override
    void claimed(KeptLink left) {
        kept = left;
        if (!pending()) {
            asking = false;
            leaveNode();
        } else if (left == null) {
            findSource();
        } else {
            kept = null;
            resuming.take(left, peersAttach.getUnsettled(), !presettles, this::resolved);
        }
    }

    @Override
    void claimFailed() {
        asking = false;
        leaveNode();
    }

    /** What was in doubt is in order. */
    private void resolved() {
        if (pending()) {
            findSource();
        } else {
            asking = false;
            cancel();
        }
    }

    private void findSource() {
        Source wanted = peersAttach.getSource();
        Answer<SourceNode> answer = new Answer<>() {
            @Override
            public void done(SourceNode found) {
                node = found;
                if (pending()) {
                    subscribe();
                } else {
                    asking = false;
                    cancel();
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
            cancel();
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
                resuming.giveBackRefused();
                if (pending()) {
                    attach();
                } else {
                    cancel();
                }
            }

            @Override
            public void failed(BrokerError error) {
                if (error instanceof BrokerError.NotFound && mayAskAgain()) {
                    // Such as a subscription whose last link went just now: that of this one is a new one.
                    connection().termini().lost(node);
                    node = null;
                    findSource();
                    return;
                }
                asking = false;
                if (pending()) {
                    TerminusError told = TerminusError.of(error);
                    refuse(told.condition(), told.description());
                } else {
                    cancel();
                }
            }
        });
    }

    private boolean mayAskAgain() {
        return pending() && !peersAttach.getSource().isDynamic() && ++attempts < MOST_ATTEMPTS;
    }

    private int priority() {
        Map<Symbol, Object> properties = peersAttach.getProperties();
        return properties != null && properties.get(PRIORITY) instanceof Number number ? number.intValue() : 0;
    }

    private Attach answer() {
        return new Attach()
                .setRole(Role.SENDER)
                .setSenderSettleMode(presettles || node != null && node.browses()
                        ? SenderSettleMode.SETTLED
                        : SenderSettleMode.UNSETTLED)
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
        attach(resuming.tell(answer())
                .setSource(node.answer())
                .setMaxMessageSize(UnsignedLong.valueOf(connection().options().maxMessageBytes())));
        connection().leftTermini().takenUp(this);
        if (earlyFlow != null) {
            Flow flow = earlyFlow;
            earlyFlow = null;
            flow(flow);
        }
    }

    // ---- credit

    /** What the broker may deliver since the attach. */
    private void tellLimit() {
        consumer.limit(Math.max(0, limit + returned - resuming.total()));
    }

    @Override
    void flow(Flow flow) {
        if (pending()) {
            earlyFlow = earlyFlow == null ? flow.copy() : joined(earlyFlow, flow);
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
            limit = begun - (current.isUnderWay() ? 1 : 0) + Math.min(credit, Integer.MAX_VALUE);
            tellLimit();
            giveBackSurplus();
            sendIfPossible();
        }
        boolean saysHow = flow.hasLinkCredit() || flow.hasDrain();
        if (saysHow) {
            draining = flow.getDrain();
        }
        if (draining && saysHow) {
            drain();
        } else if (flow.getEcho()) {
            tellCredit();
        }
    }

    /** Two flows in one: what the later one leaves out is as the earlier one has said. */
    private static Flow joined(Flow earlier, Flow later) {
        boolean echo = earlier.getEcho() || later.getEcho();
        if (later.hasLinkCredit()) {
            return later.copy().setEcho(echo);
        }
        if (later.hasDrain()) {
            earlier.setDrain(later.getDrain());
        }
        return earlier.setEcho(echo);
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
        if (!attached() || consumer == null) {
            return;
        }
        if (!draining) {
            // It was taken back: what credit there was is there, though the answer has ended it for the broker.
            tellLimit();
        } else if (drainAgain) {
            drain();
        } else {
            drainedIfDone();
        }
    }

    /** The peer has less credit than before: what was to be sent for it is for others (§2.6.7). */
    private void giveBackSurplus() {
        int resumed = current.isResumed() ? 1 : 0;
        long keep = (current.isUnderWay() ? 1 - resumed : 0) + Math.max(0, limit - begun - (resuming.size() - resumed));
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
        return current.isUnderWay() || begun < limit && !(pending.isEmpty() && resuming.isEmpty());
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
            if (!current.isUnderWay() && resuming.isNextOver()) {
                sendOutcome();
            } else if (!current.isUnderWay() && resuming.isEmpty() && mostBytes != 0 && isTooLarge(pending.peek())) {
                passOver(pending.poll());
            } else {
                slice += sendFrame();
            }
        }
        drainedIfDone();
        return false;
    }

    /** Resumes a delivery that is over (§2.6.13): the receiver may forget it. */
    private void sendOutcome() {
        begun++;
        deliveryCount++;
        connection().write(session().channel(), resuming.takeOver().setHandle(handle()).setDeliveryId(
                session().takeDeliveryId()));
        session().frameSent();
    }

    private boolean isTooLarge(Delivery delivery) {
        return Long.compareUnsigned(current.lengthOf(delivery), mostBytes) > 0;
    }

    /** What is larger than the receiver takes (§2.7.3, max-message-size) is for others. */
    private void passOver(Delivery delivery) {
        connection().log().line(LogEvent.MESSAGE_TOO_LARGE,
                "a message of queue '{}' is larger than the {} bytes that link '{}' takes", delivery.queue(),
                Long.toUnsignedString(mostBytes), name());
        returned++;
        int bytes = delivery.windowBytes();
        if (!delivery.settled()) {
            connection().settleLater(delivery, Outcome.RELEASED_ELSEWHERE);
        }
        if (consumer != null) {
            tellLimit();
            consumer.written(bytes);
            if (draining) {
                // What may come in its place is part of what there is.
                drain();
            }
        }
    }

    /** Sends a frame of the first delivery; returns its size in bytes. */
    private int sendFrame() {
        if (!current.isUnderWay()) {
            begin();
        }
        boolean resumed = current.isResumed();
        int length = current.writeFrame();
        if (!current.isUnderWay()) {
            deliveryCount++;
            if (resumed) {
                resuming.sent();
            } else {
                pending.poll();
                owe(current.windowBytes());
            }
        }
        return length + FrameReader.HEAD_BYTES;
    }

    private void begin() {
        boolean resumed = !resuming.isEmpty();
        Delivery delivery = resumed ? resuming.nextDelivery() : pending.peek();
        boolean settled = presettles || delivery.settled();
        int id = session().takeDeliveryId();
        long tag = resumed ? resuming.nextTag() : resuming.newTag(id);
        current.begin(delivery, id, tag, resumed, settled);
        begun++;
        if (!settled) {
            session().sent().add(id, new Sent(this, id, tag, delivery));
        }
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
        queueDeleted = true;
        ended(AmqpError.RESOURCE_DELETED, reason);
    }

    @Override
    public void revoked(String reason) {
        ended(AmqpError.UNAUTHORIZED_ACCESS, reason);
    }

    private void ended(Symbol condition, String reason) {
        consumer = null;
        if (pending()) {
            refuse(condition, reason);
        } else {
            detach(new ErrorCondition(condition, reason));
        }
    }

    @Override
    public void tooSlow(Cut cut) {
        if (pending()) {
            refuse(AmqpError.RESOURCE_LIMIT_EXCEEDED, TOO_SLOW);
        } else if (attached()) {
            wasCut = true;
            connection().transactions().doom(this);
            detach(new ErrorCondition(AmqpError.RESOURCE_LIMIT_EXCEEDED, TOO_SLOW));
        }
    }

    /** Whether it was detached for being too slow: its deliveries can have no outcome in a transaction any more. */
    boolean isCut() {
        return wasCut;
    }

    @Override
    public long sentBytes() {
        return current.sentBytes();
    }

    @Override
    public void creditWanted() {
        throw new IllegalStateException("a link's credit is not shared");
    }

    @Override
    public void creditReturned(int messages) {
        throw new IllegalStateException("a link's credit is not shared");
    }

    // ---- the end

    @Override
    void beforeDetach() {
        if (current.isUnderWay() && session().isOpen()) {
            current.abort();
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

    /** Whether what is not settled is kept for the link of this name that comes back. */
    private boolean keeps() {
        return claims()
                && (ends == LinkEnd.DETACHED || ends == LinkEnd.SESSION_ENDED || ends == LinkEnd.FAILED && isStolen());
    }

    private void giveBackAll() {
        if (wasCut) {
            connection().transactions().takeBack(this);
        }
        if (current.isResumed()) {
            resuming.sent(); // it is among those that were sent
            current.stop();
        }
        boolean partly = current.isUnderWay();
        current.stop();
        if (partly && keeps() && session().sent().get(current.id()) != null) {
            pending.poll(); // so is this
            partly = false;
        }
        while (!pending.isEmpty()) {
            Delivery delivery = pending.poll();
            // The receiver may have dealt with what it has got in part only; then it is over, or in a transaction's hands.
            Sent started = partly && !current.isSettled() ? session().sent().get(current.id()) : null;
            if (!partly) {
                giveBack(delivery);
            } else if (started != null && !started.isBound()) {
                forget(current.id());
                connection().settleLater(delivery, Outcome.RETURNED);
            }
            partly = false;
        }
        List<KeptLink.Sent> left = new ArrayList<>();
        session().sent().forEach(sent -> {
            if (sent.link() == this && !sent.isBound()) {
                forget(sent.id());
                if (keeps() && left.size() < LinkRegistry.MOST_DELIVERIES_OF_LINK) {
                    left.add(kept(sent));
                } else {
                    connection().settleLater(
                            sent.delivery(), outcomes.atEnd(node.answer().getExpiryPolicy(), ends, orderlyEnd));
                }
            }
        });
        resuming.end(keeps(), left);
        if (!left.isEmpty()) {
            kept = new KeptLink(List.of(), left, resuming.epoch(), Keeping.seconds(peersAttach.getSource()));
        }
    }

    /** It is its receiver's no more, which may not know that if the link was ended from here. */
    private void forget(int deliveryId) {
        session().sent().remove(deliveryId);
        if (wasCut) {
            session().tookBack(deliveryId, Transactions.CUT);
        } else if (ends == LinkEnd.FAILED && !queueDeleted) {
            session().tookBack(deliveryId, Transactions.ENDED);
        }
    }

    private KeptLink.Sent kept(Sent sent) {
        return sent.delivery() instanceof MovedDelivery moved
                ? new KeptLink.Sent(sent.tag(), moved.delivery(), moved.loop(), orderlyEnd)
                : new KeptLink.Sent(sent.tag(), sent.delivery(), connection().loop(), orderlyEnd);
    }

    private void leaveNode() {
        if (kept != null && ends == LinkEnd.CLOSED) {
            // It was closed before it could look at what there is.
            kept.drop(connection().loop());
            kept = null;
        }
        letGo(kept);
        if (node != null && node.tenure() == SourceNode.Tenure.LOOKED_UP && ends == LinkEnd.CLOSED) {
            connection().forgetKept(this);
        }
        if (node == null) {
            released();
            return;
        }
        SourceNode left = node;
        node = null;
        if (ends == LinkEnd.DETACHED && left.endsWithSession()) {
            connection().leftTermini().leave(
                    this, left.answer().getExpiryPolicy(), (how, done) -> end(left, how, done));
        }
        end(left, ends, this::released);
    }

    private void end(SourceNode ended, LinkEnd how, Runnable done) {
        connection().termini().ended(ended, how, whenLeft(done));
    }
}
