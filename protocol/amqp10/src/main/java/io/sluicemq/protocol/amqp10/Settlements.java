package io.sluicemq.protocol.amqp10;

import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp10.codec.FrameWriter;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.Role;

/**
 * The dispositions that a session owes: those of a turn leave together, and one stands for as many deliveries as follow each other
 * with the same outcome. Owned by the connection's loop.
 */
@LoopOwned
final class Settlements {

    private final AmqpSession session;
    private final Runnable flush = this::flush;
    private final Run received = new Run(true);
    private final Run sent = new Run(false);
    private boolean planned;

    Settlements(AmqpSession session) {
        this.session = session;
    }

    /** Deliveries that follow each other. */
    private final class Run {
        private final boolean receiver;
        private int first;
        private int last;
        private boolean settled;
        private boolean any;

        Run(boolean receiver) {
            this.receiver = receiver;
        }

        void add(int id, boolean settles) {
            if (any && id == last + 1 && settles == settled) {
                last = id;
                return;
            }
            write();
            any = true;
            first = id;
            last = id;
            settled = settles;
        }

        void write() {
            if (any && session.isOpen()) {
                FrameWriter.disposition(
                        session.connection().out(), session.channel(), receiver, first, last, settled,
                        FrameWriter.ACCEPTED);
            }
            any = false;
        }
    }

    /** A delivery of the peer's is accepted. */
    void accepted(int id, boolean settled) {
        received.add(id, settled);
        plan();
    }

    /** A delivery of the peer's has come to another outcome. */
    void other(int id, boolean settled, DeliveryState state) {
        received.write();
        write(Role.RECEIVER, id, settled, state);
    }

    /** A delivery of ours was accepted by the peer, and that is final. */
    void sentAccepted(int id) {
        sent.add(id, true);
        plan();
    }

    /** A delivery of ours has come to another outcome at the peer, and that is final. */
    void sentOther(int id, DeliveryState state) {
        sent.write();
        write(Role.SENDER, id, true, state);
    }

    private void write(Role role, int id, boolean settled, DeliveryState state) {
        if (session.isOpen()) {
            session.connection().write(
                    session.channel(),
                    new Disposition().setRole(role).setFirst(id).setSettled(settled).setState(state));
        }
    }

    private void plan() {
        if (!planned) {
            planned = true;
            session.connection().loop().atTurnEnd(flush);
            if (session.isOpen()) {
                // Asked for now, the buffer is flushed after that and in the same turn.
                session.connection().out();
            }
        }
    }

    private void flush() {
        planned = false;
        received.write();
        sent.write();
    }
}
