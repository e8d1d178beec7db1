package io.sluicemq.protocol.amqp10;

import io.sluicemq.api.ClientDetails;
import io.sluicemq.base.LogEvent;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp10.codec.AmqpFault;
import io.sluicemq.protocol.amqp10.terminus.Answer;
import io.sluicemq.protocol.amqp10.terminus.LinkEnd;
import io.sluicemq.protocol.amqp10.terminus.TerminusError;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.LinkError;

/**
 * A link of a session (part 2, §2.6): from the peer's attach, over ours, to both detaches. Owned by the connection's loop.
 *
 * <p>Invariant: each side's detach is sent once; a link's handle is free when both have been, and when it has given back what it
 * held.
 */
@LoopOwned
abstract sealed class Link permits ProducerLink, ConsumerLink, CoordinatorLink {

    private enum Phase {
        /** The peer's attach is being dealt with. */
        PENDING,
        ATTACHED,
        /** We have sent a detach and wait for the peer's. */
        DETACHED_BY_US,
        /** The peer has sent a detach, and is answered when all is given back. */
        DETACHED_BY_PEER,
        /** Nothing of it is left, or its session ends. */
        GONE
    }

    private final AmqpSession session;
    private final String name;
    private final int handle;
    private final long peersHandle;
    private Phase phase = Phase.PENDING;
    private int heldBytes;
    private boolean attachSent;
    /** Why what the peer wants of the link's end could not be; null if it could. */
    private ErrorCondition leftBehind;
    private boolean peersDetachClosed;
    private boolean released;
    private boolean releasing;
    /** The link that had the name before and is not gone yet: this one is opened behind it. */
    private Link predecessor;
    private Link successor;
    /** Its hold on its name among the links of all connections; null if it needs none. */
    private LinkClaim claim;
    private boolean claimGranted;
    private boolean letGo;
    private boolean stolen;

    Link(AmqpSession session, Attach attach, int handle) {
        this.session = session;
        this.name = attach.getName();
        this.peersHandle = attach.getHandle();
        this.handle = handle;
    }

    final AmqpSession session() {
        return session;
    }

    final ConnectionSession connection() {
        return session.connection();
    }

    /** What there is to know of it, for operators. */
    final ClientDetails.Link details() {
        return new ClientDetails.Link(name, roleInWords(), addressInWords(), creditLeft());
    }

    /** What the peer is on it. */
    abstract String roleInWords();

    /** Where it leads to or comes from; empty if that is not known. */
    abstract String addressInWords();

    /** How many messages its sender may still send. */
    abstract long creditLeft();

    final String name() {
        return name;
    }

    /** Our handle. */
    final int handle() {
        return handle;
    }

    /** It takes so many bytes of what its connection's links may take. */
    final void holds(int bytes) {
        heldBytes = bytes;
    }

    final int heldBytes() {
        return heldBytes;
    }

    final long peersHandle() {
        return peersHandle;
    }

    final boolean attached() {
        return phase == Phase.ATTACHED;
    }

    /** Whether the peer's attach has not been answered, nor come to nothing. */
    final boolean pending() {
        return phase == Phase.PENDING;
    }

    /** Whether it is the peer that sends. */
    abstract boolean fromPeer();

    /** The peer's attach came; to be answered by {@link #attach} or {@link #refuse}, perhaps later. */
    abstract void open();

    /** A flow came for it. */
    abstract void flow(Flow flow);

    /** Gives more credit, if that is the case. */
    void regulateCredit() {}

    /** Gives back all it holds, and calls {@link #released} then; called once. */
    abstract void release(LinkEnd end, boolean orderly);

    // ---- attach

    /** Opens it when {@code before}, which had its name and loses it now, is gone; null if nobody had. */
    final void openBehind(Link before) {
        if (before != null) {
            before.stolen();
            if (!before.isOut()) {
                predecessor = before;
                before.successor = this;
                return;
            }
        }
        open();
    }

    private boolean isOut() {
        return released && predecessor == null;
    }

    private void letSuccessorIn() {
        if (successor != null && isOut()) {
            Link next = successor;
            successor = null;
            next.predecessor = null;
            if (next.pending()) {
                next.open();
            } else {
                next.letSuccessorIn();
            }
        }
    }

    /** Answers the peer's attach. */
    final void attach(Attach ours) {
        phase = Phase.ATTACHED;
        send(ours);
    }

    private void send(Attach ours) {
        attachSent = true;
        connection().write(session.channel(), ours.setName(name).setHandle(handle));
    }

    /** Our attach without a terminus, which says that there will be no link (§2.6.3). */
    abstract Attach refusal();

    /** Answers the peer's attach with one without a terminus, and detaches with the reason (§2.6.3). */
    final void refuse(Symbol condition, String description) {
        if (phase == Phase.PENDING) {
            attach(refusal());
            detach(AmqpFault.link(condition, description));
        }
    }

    // ---- detach

    final void detach(AmqpFault fault) {
        connection().log().line(LogEvent.LINK_ERROR,
                "link '{}' error, {}: {}", name, fault.condition(), fault.getMessage());
        detach(fault.error());
    }

    /** Ends the link for a reason of ours. */
    final void detach(ErrorCondition error) {
        if (phase != Phase.ATTACHED) {
            return;
        }
        phase = Phase.DETACHED_BY_US;
        beforeDetach();
        connection().write(
                session.channel(), new Detach().setHandle(handle).setClosed(true).setError(error));
        releaseOnce(LinkEnd.FAILED, true);
    }

    /** Another link of the same name has come (§2.6.1). */
    private void stolen() {
        stolen = true;
        String reason = "another link of the name '" + name + "' was attached";
        refuse(LinkError.STOLEN, reason);
        detach(new ErrorCondition(LinkError.STOLEN, reason));
    }

    /** Whether another link goes on with what this one leaves. */
    final boolean isStolen() {
        return stolen;
    }

    // ---- its name among the links of all connections

    /** Asks for its name, as what it leads to outlives its connection; {@link #claimed} follows, or {@link #claimFailed}. */
    final void claim() {
        claim = new LinkClaim(
                connection().key(this), connection().loop(), connection().user().usage().keptLinks(), new Holder());
        connection().links().claim(connection().loop(), claim);
    }

    final boolean claims() {
        return claim != null;
    }

    /** Whether the name is another's by now, and with it what was kept. */
    final boolean hasLetGo() {
        return letGo;
    }

    /**
     * The name is free for a link that comes back. To be called once nothing of this one is under way any more.
     *
     * @param kept what it leaves; null if that is nothing
     */
    final void letGo(KeptLink kept) {
        if (claimGranted) {
            claimGranted = false;
            letGo = true;
            connection().links().letGo(connection().loop(), claim, kept);
        }
    }

    /** What another connection goes on with has come to an outcome here. */
    final void passOn(KeptLink.Arrived arrived, DeliveryState outcome) {
        connection().links().outcome(connection().loop(), claim.key(), arrived, outcome);
    }

    /** The name is this link's. */
    void claimed(KeptLink kept) {
        throw new IllegalStateException("a link that has claimed nothing");
    }

    /** The name went to a link that came later. */
    void claimFailed() {
        throw new IllegalStateException("a link that has claimed nothing");
    }

    /** Something that the link before was sent has come to an outcome. */
    void keptOutcome(KeptLink.Arrived arrived, DeliveryState outcome) {
        throw new IllegalStateException("a link that keeps nothing");
    }

    private final class Holder implements LinkClaim.Holder {
        @Override
        public void granted(KeptLink kept) {
            claimGranted = true;
            claimed(kept);
        }

        @Override
        public void stolen(boolean granted) {
            Link.this.stolen();
            if (!granted) {
                claimFailed();
            }
        }

        @Override
        public void outcome(KeptLink.Arrived arrived, DeliveryState outcome) {
            keptOutcome(arrived, outcome);
        }
    }

    // ---- detach, by either side

    /** Something may have to be written before a detach of ours. */
    void beforeDetach() {}

    /** The peer has sent a detach. */
    final void detachedByPeer(Detach detach) {
        if (detach.getError() != null) {
            connection().log().debug("link '{}' is detached with {}", name, detach.getError());
        }
        switch (phase) {
            case PENDING, ATTACHED -> {
                phase = Phase.DETACHED_BY_PEER;
                peersDetachClosed = detach.getClosed();
                releaseOnce(peersDetachClosed ? LinkEnd.CLOSED : LinkEnd.DETACHED, true);
            }
            case DETACHED_BY_US -> {
                phase = Phase.GONE;
                freeIfDone();
            }
            case DETACHED_BY_PEER, GONE -> {}
        }
    }

    /** The session goes, and the link with it, without a word; returns whether {@link #releaseWithSession} is to follow. */
    final boolean stop() {
        boolean live = !releasing;
        phase = Phase.GONE;
        return live;
    }

    final void releaseWithSession(boolean orderly) {
        if (released) {
            // The detach of the peer's that it waited for will not come.
            freeIfDone();
        } else {
            releaseOnce(LinkEnd.SESSION_ENDED, orderly);
        }
    }

    private void releaseOnce(LinkEnd end, boolean orderly) {
        if (!releasing) {
            releasing = true;
            release(end, orderly);
        }
    }

    /** Runs {@code done} when its terminus has been dealt with; what could not be done about that goes into our detach. */
    final Answer<Void> whenLeft(Runnable done) {
        return new Answer<>() {
            @Override
            public void done(Void result) {
                done.run();
            }

            @Override
            public void refused(TerminusError error) {
                connection().log().line(LogEvent.LINK_NOT_LEFT_AS_MEANT,
                        "what link '{}' was to leave behind: {}", name, error.description());
                leftBehind = new ErrorCondition(error.condition(), error.description());
                done.run();
            }
        };
    }

    /** It has given back all that it held. */
    final void released() {
        released = true;
        session.freeName(this);
        if (phase == Phase.DETACHED_BY_PEER) {
            phase = Phase.GONE;
            if (!attachSent) {
                send(refusal());
            }
            connection().write(
                    session.channel(),
                    new Detach().setHandle(handle).setClosed(peersDetachClosed).setError(leftBehind));
        }
        freeIfDone();
        letSuccessorIn();
    }

    private void freeIfDone() {
        if (phase == Phase.GONE && released) {
            session.linkGone(this);
        }
    }
}
