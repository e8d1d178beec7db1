package io.sluicemq.protocol.amqp10;

import io.sluicemq.api.ClientDetails;
import io.sluicemq.base.LogEvent;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp10.codec.AmqpFault;
import io.sluicemq.protocol.amqp10.codec.FrameWriter;
import io.sluicemq.protocol.amqp10.terminus.TerminusError;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.types.transactions.Coordinator;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Begin;
import org.apache.qpid.protonj2.types.transport.ConnectionError;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.End;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.LinkError;
import org.apache.qpid.protonj2.types.transport.Performative;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.SessionError;
import org.apache.qpid.protonj2.types.transport.Transfer;

/**
 * A session of a connection (part 2, §2.5): its links, its windows, and the deliveries that are not settled. Owned by the
 * connection's loop.
 *
 * <p>The window for what comes in is never closed for an address that is full: it bounds frames on their way, not messages that
 * wait. Invariant: what is sent stays within the peer's window.
 */
@LoopOwned
final class AmqpSession {

    private enum Phase {
        OPEN,
        /** We have sent an end and wait for the peer's. */
        ENDING_BY_US,
        /** The peer has sent an end, and is answered when all is given back. */
        ENDING_BY_PEER,
        GONE
    }

    /** Frames that a peer may send before it is told that they have arrived. */
    private static final int INCOMING_WINDOW = 2048;

    /** What a link takes of memory beside what its attach says, in bytes, by rule of thumb. */
    private static final int LINK_BYTES = 1024;

    private final ConnectionSession connection;
    private final int channel;
    private final Begin peersBegin;
    /** Links by the peer's handle, which is free again when the peer has detached. */
    private final Map<Long, Link> links = new HashMap<>();
    /** Links that the peer has detached and that still have something to give back, or to say. */
    private final Set<Link> leaving = new HashSet<>();
    private final BitSet handles = new BitSet();
    private final Unsettled<Sent> sent = new Unsettled<>();
    private final Unsettled<Received> received = new Unsettled<>();
    private final ArrayDeque<ConsumerLink> blocked = new ArrayDeque<>(0);
    private final List<CoordinatorLink> coordinators = new ArrayList<>(0);
    private final Settlements settlements = new Settlements(this);

    private Phase phase = Phase.OPEN;
    private int nextIncomingId;
    private int incomingWindow = INCOMING_WINDOW;
    private int nextOutgoingId;
    private int remoteWindow;
    /** Deliveries that were begun; what their ids are the low half of. */
    private long deliveries;
    /** By why; null unless a receiver was ended from here. */
    private Map<TerminusError, TakenBack> takenBack;
    private int latestIncomingDelivery;
    private boolean anyIncomingDelivery;
    private int unreleasedLinks;
    private boolean releasing;
    private boolean releasedSaid;
    private int windowHolds;

    AmqpSession(ConnectionSession connection, int channel, Begin begin) {
        this.connection = connection;
        this.channel = channel;
        this.peersBegin = begin;
        this.nextIncomingId = (int) begin.getNextOutgoingId();
        this.remoteWindow = clamp(begin.getIncomingWindow());
    }

    private static int clamp(long window) {
        return (int) Math.min(Integer.MAX_VALUE, window);
    }

    ConnectionSession connection() {
        return connection;
    }

    int channel() {
        return channel;
    }

    /** What there is to know of it, for operators. */
    ClientDetails.Channel details() {
        List<ClientDetails.Link> all = new ArrayList<>();
        List<ClientDetails.Target> targets = new ArrayList<>();
        int consumers = 0;
        int parkedMessages = 0;
        long parkedBytes = 0;
        String waitsFor = "";
        for (Link link : links.values()) {
            all.add(link.details());
            if (link instanceof ConsumerLink) {
                consumers++;
            } else if (link instanceof ProducerLink producer) {
                parkedMessages += producer.producer().parkedMessages();
                parkedBytes += producer.producer().parkedBytes();
                waitsFor = waitsFor.isEmpty() ? producer.waitsFor() : waitsFor;
                ClientDetails.Target target = producer.target();
                if (target != null) {
                    targets.add(target);
                }
            }
        }
        return new ClientDetails.Channel(
                channel, consumers, sent.size(), 0, 0, false, !coordinators.isEmpty(), parkedMessages, parkedBytes,
                waitsFor, all, targets);
    }

    /** Deliveries that we have sent. */
    Unsettled<Sent> sent() {
        return sent;
    }

    /** Deliveries that the peer has sent. */
    Unsettled<Received> received() {
        return received;
    }

    /** Where the outcomes of what has come go. */
    Settlements settlements() {
        return settlements;
    }

    /** Whether something can still be written on it. */
    boolean isOpen() {
        return phase == Phase.OPEN && connection.running();
    }

    /** Whether the peer has ended it and waits for our end. */
    boolean isEndedByPeer() {
        return phase == Phase.ENDING_BY_PEER;
    }

    /** Answers the peer's begin. */
    void open() {
        connection.write(
                channel,
                new Begin()
                        .setRemoteChannel(channel)
                        .setNextOutgoingId(nextOutgoingId)
                        .setIncomingWindow(incomingWindow)
                        .setOutgoingWindow(Integer.MAX_VALUE)
                        .setHandleMax(connection.options().handleMax()));
    }

    // ---- what comes

    /** @param bytes the array in which the payload stands at its read offset */
    void onPerformative(Performative performative, ProtonBuffer payload, byte[] bytes) throws AmqpFault {
        if (phase != Phase.OPEN) {
            if (performative instanceof End && phase == Phase.ENDING_BY_US) {
                phase = Phase.GONE;
                freeIfReleased();
            } else if (performative instanceof Transfer transfer) {
                ignored(transfer, "its session was ended");
            }
            return;
        }
        try {
            switch (performative) {
                case Transfer transfer -> transfer(transfer, payload, bytes);
                case Disposition disposition -> disposition(disposition);
                case Flow flow -> flow(flow);
                case Attach attach -> attach(attach, payload.getReadOffset());
                case Detach detach -> detach(detach);
                case End end -> endedByPeer(end);
                default -> throw AmqpFault.connection(
                        AmqpError.ILLEGAL_STATE, "a performative that belongs to no session");
            }
        } catch (AmqpFault e) {
            if (e.scope() != AmqpFault.Scope.SESSION) {
                throw e;
            }
            end(e);
        }
    }

    private Link link(long peersHandle, String what) throws AmqpFault {
        Link link = links.get(peersHandle);
        if (link == null) {
            throw AmqpFault.session(
                    SessionError.UNATTACHED_HANDLE, "a " + what + " for handle " + peersHandle + ", which no link has");
        }
        return link;
    }

    /** @param size the bytes of the attach */
    private void attach(Attach attach, int size) throws AmqpFault {
        if (attach.getHandle() > connection.options().handleMax()) {
            throw AmqpFault.connection(
                    ConnectionError.FRAMING_ERROR,
                    "handle " + attach.getHandle() + " is above the handle-max of " + connection.options().handleMax());
        }
        if (attach.getName() == null || attach.getRole() == null) {
            throw AmqpFault.session(AmqpError.INVALID_FIELD, "an attach without a name or a role");
        }
        if (links.containsKey(attach.getHandle())) {
            throw AmqpFault.session(SessionError.HANDLE_IN_USE, "handle " + attach.getHandle() + " is in use");
        }
        boolean fromPeer = attach.getRole() == Role.SENDER;
        if (fromPeer && !attach.hasInitialDeliveryCount()) {
            throw AmqpFault.session(AmqpError.INVALID_FIELD, "an attach of a sender without initial-delivery-count");
        }
        int handle = handles.nextClearBit(0);
        if (handle > peersBegin.getHandleMax()) {
            throw AmqpFault.session(
                    AmqpError.RESOURCE_LIMIT_EXCEEDED, "no handle is left below the peer's handle-max");
        }
        if (!connection.takesLink(LINK_BYTES + size)) {
            throw AmqpFault.session(AmqpError.RESOURCE_LIMIT_EXCEEDED, "the connection has too many links");
        }
        handles.set(handle);
        Link link;
        if (!fromPeer) {
            link = new ConsumerLink(this, attach, handle);
        } else if (attach.getTarget() instanceof Coordinator) {
            CoordinatorLink coordinator = new CoordinatorLink(this, attach, handle);
            coordinators.add(coordinator);
            link = coordinator;
        } else {
            link = new ProducerLink(this, attach, handle);
        }
        link.holds(LINK_BYTES + size);
        links.put(attach.getHandle(), link);
        unreleasedLinks++;
        link.openBehind(connection.linkNames().take(link.name(), fromPeer, link));
    }

    private void detach(Detach detach) throws AmqpFault {
        Link link = link(detach.getHandle(), "detach");
        links.remove(detach.getHandle());
        leaving.add(link);
        link.detachedByPeer(detach);
    }

    private void transfer(Transfer transfer, ProtonBuffer payload, byte[] bytes) throws AmqpFault {
        try {
            deliver(transfer, payload, bytes);
        } catch (AmqpFault e) {
            lost(transfer, e);
            throw e;
        }
    }

    /** A transfer is refused with its link or session. */
    private void lost(Transfer transfer, AmqpFault why) {
        DeliveryState state = transfer.getState();
        if (state == null && links.get(transfer.getHandle()) instanceof ProducerLink producer) {
            state = producer.arrivingState();
        }
        connection.transactions().lost(state, why.condition(), why.getMessage());
    }

    /** A transfer was on its way when its link or session was ended from here. */
    private void ignored(Transfer transfer, String why) {
        connection.transactions().lost(transfer.getState(), LinkError.DETACH_FORCED, why);
    }

    private void deliver(Transfer transfer, ProtonBuffer payload, byte[] bytes) throws AmqpFault {
        if (incomingWindow == 0) {
            throw AmqpFault.session(SessionError.WINDOW_VIOLATION, "a transfer beyond the window");
        }
        incomingWindow--;
        nextIncomingId++;
        Link link = link(transfer.getHandle(), "transfer");
        try {
            switch (link) {
                case ProducerLink producer when producer.attached() ->
                    producer.transfer(transfer, bytes, payload.getReadOffset(), payload.getReadableBytes());
                case CoordinatorLink coordinator when coordinator.attached() ->
                    coordinator.transfer(transfer, bytes, payload.getReadOffset(), payload.getReadableBytes());
                case ConsumerLink consumer -> throw AmqpFault.session(
                        AmqpError.NOT_ALLOWED, "a transfer on a link that is to receive, '" + consumer.name() + "'");
                case ProducerLink producer -> {
                    if (producer.pending()) {
                        throw AmqpFault.session(AmqpError.ILLEGAL_STATE, "a transfer before the attach was answered");
                    }
                    ignored(transfer, "its link was detached");
                }
                case CoordinatorLink coordinator -> {}
            }
        } catch (AmqpFault e) {
            if (e.scope() != AmqpFault.Scope.LINK) {
                throw e;
            }
            lost(transfer, e);
            link.detach(e);
        }
        openWindow();
    }

    /** Says that the next delivery has begun; its id must be behind all before. */
    void began(Transfer transfer) throws AmqpFault {
        if (!transfer.hasDeliveryId()) {
            throw AmqpFault.session(AmqpError.INVALID_FIELD, "a delivery without delivery-id");
        }
        int id = (int) transfer.getDeliveryId();
        if (anyIncomingDelivery && id - latestIncomingDelivery <= 0) {
            throw AmqpFault.session(
                    AmqpError.INVALID_FIELD,
                    "delivery-id " + Integer.toUnsignedString(id) + " behind "
                            + Integer.toUnsignedString(latestIncomingDelivery));
        }
        anyIncomingDelivery = true;
        latestIncomingDelivery = id;
    }

    private void openWindow() {
        if (incomingWindow <= INCOMING_WINDOW / 2 && windowHolds == 0 && isOpen()) {
            incomingWindow = INCOMING_WINDOW;
            sendFlow();
        }
    }

    /** A large message waits for memory: frames of this session may come only as far as the peer was told. */
    void holdWindow() {
        windowHolds++;
    }

    void releaseWindow() {
        windowHolds--;
        openWindow();
    }

    private void disposition(Disposition disposition) {
        int first = (int) disposition.getFirst();
        int last = disposition.hasLast() ? (int) disposition.getLast() : first;
        if (disposition.getRole() == Role.RECEIVER) {
            sent.forEach(first, last, each -> each.link().outcomes().disposed(each, disposition));
            if (takenBack != null && disposition.getState() instanceof TransactionalState state) {
                Transactions.Transaction transaction = connection.transactions().find(state.getTxnId());
                takenBack.forEach((why, taken) -> {
                    if (transaction != null && taken.anyOf(number(first), number(last))) {
                        transaction.doom(why);
                    }
                });
            }
        } else if (disposition.getSettled()) {
            received.forEach(first, last, Received::settledByPeer);
            for (CoordinatorLink each : coordinators) {
                each.settledByPeer(first, last);
            }
        }
    }

    // ---- windows

    private void flow(Flow flow) throws AmqpFault {
        int seen = flow.hasNextIncomingId() ? (int) flow.getNextIncomingId() : 0;
        // Serial numbers (§2.8.10): it is their difference that counts.
        remoteWindow = clamp(Math.max(0, flow.getIncomingWindow() + (seen - nextOutgoingId)));
        nextIncomingId = (int) flow.getNextOutgoingId();
        if (flow.hasHandle()) {
            link(flow.getHandle(), "flow").flow(flow);
        } else if (flow.getEcho()) {
            sendFlow();
        }
        while (remoteWindow > 0 && !blocked.isEmpty()) {
            connection.output().add(blocked.poll());
        }
    }

    private void sendFlow() {
        FrameWriter.sessionFlow(
                connection.out(), channel, nextIncomingId, incomingWindow, nextOutgoingId, Integer.MAX_VALUE);
    }

    /** Tells the peer how a link stands. */
    void sendFlow(int handle, int deliveryCount, int credit, boolean drain) {
        if (isOpen()) {
            FrameWriter.linkFlow(
                    connection.out(), channel, nextIncomingId, incomingWindow, nextOutgoingId, Integer.MAX_VALUE,
                    handle, deliveryCount, credit, drain);
        }
    }

    /** Whether the peer takes one more frame. */
    boolean hasWindow() {
        return remoteWindow > 0;
    }

    /** A frame of a delivery was written. */
    void frameSent() {
        nextOutgoingId++;
        remoteWindow--;
    }

    int takeDeliveryId() {
        return (int) deliveries++;
    }

    /** The number of a delivery of ours, given that it is not far from the latest one. */
    private long number(int deliveryId) {
        return deliveries + (deliveryId - (int) deliveries);
    }

    /** A delivery was taken from its receiver, which was ended from here and may not know yet. */
    void tookBack(int deliveryId, TerminusError why) {
        if (releasing) {
            return; // nothing of the receiver's is heard any more
        }
        if (takenBack == null) {
            takenBack = new HashMap<>();
        }
        TakenBack taken = takenBack.computeIfAbsent(why, key -> new TakenBack());
        int before = taken.bytes();
        taken.add(number(deliveryId));
        connection.holdsLink(taken.bytes() - before);
    }

    /** A link has something to send and waits for the window. */
    void block(ConsumerLink link) {
        blocked.add(link);
    }

    void unblock(ConsumerLink link) {
        blocked.remove(link);
    }

    /** Links that are to have more credit get it. */
    void regulateCredit() {
        for (Link link : List.copyOf(links.values())) {
            link.regulateCredit();
        }
    }

    // ---- ends

    /** Another may have the link's name. */
    void freeName(Link link) {
        connection.linkNames().free(link.name(), link.fromPeer(), link);
    }

    /** A link has been detached by both sides and has given back what it held. */
    void linkGone(Link link) {
        handles.clear(link.handle());
        links.remove(link.peersHandle(), link);
        leaving.remove(link);
        if (link instanceof CoordinatorLink coordinator) {
            coordinators.remove(coordinator);
        }
        connection.linkGone(link.heldBytes());
        unreleasedLinks--;
        releasedIfDone();
    }

    /** Ends the session for an error of the client's. */
    private void end(AmqpFault fault) {
        connection.log().line(LogEvent.SESSION_ERROR,
                "session {} error, {}: {}", channel, fault.condition(), fault.getMessage());
        phase = Phase.ENDING_BY_US;
        connection.write(channel, new End().setError(fault.error()));
        stopLinks();
        release(true);
    }

    private void endedByPeer(End end) {
        if (end.getError() != null) {
            connection.log().debug("session {} is ended with {}", channel, end.getError());
        }
        phase = Phase.ENDING_BY_PEER;
        stopLinks();
        release(true);
    }

    /** The connection goes, and the session with it, without a word; returns whether {@link #release} is to follow. */
    boolean stop() {
        boolean live = !releasing;
        phase = Phase.GONE;
        stopLinks();
        return live;
    }

    private void stopLinks() {
        for (Link link : allLinks()) {
            link.stop();
        }
    }

    private List<Link> allLinks() {
        List<Link> all = new ArrayList<>(links.values());
        all.addAll(leaving);
        return all;
    }

    /**
     * Gives back all it holds.
     *
     * @param orderly whether the peer knows what it has got and what not
     */
    void release(boolean orderly) {
        releasing = true;
        blocked.clear();
        if (takenBack != null) {
            takenBack.values().forEach(taken -> connection.holdsLink(-taken.bytes()));
            takenBack = null;
        }
        unreleasedLinks++; // this loop itself: the last link is not the end of it
        for (Link link : allLinks()) {
            link.releaseWithSession(orderly);
        }
        connection.leftTermini().end(this, () -> {
            unreleasedLinks++;
            return () -> {
                unreleasedLinks--;
                releasedIfDone();
            };
        });
        unreleasedLinks--;
        releasedIfDone();
    }

    private void releasedIfDone() {
        if (!releasing || unreleasedLinks > 0 || releasedSaid) {
            return;
        }
        releasedSaid = true;
        if (phase == Phase.ENDING_BY_PEER) {
            phase = Phase.GONE;
            if (connection.running()) {
                connection.write(channel, new End());
            }
        }
        freeIfReleased();
        connection.sessionReleased();
    }

    private void freeIfReleased() {
        if (phase == Phase.GONE && releasedSaid) {
            connection.forget(this);
        }
    }
}
