package io.sluicemq.protocol.amqp10;

import io.sluicemq.protocol.amqp10.codec.Frames;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.transactions.Coordinator;
import org.apache.qpid.protonj2.types.transactions.Declare;
import org.apache.qpid.protonj2.types.transactions.Declared;
import org.apache.qpid.protonj2.types.transactions.Discharge;
import org.apache.qpid.protonj2.types.transactions.TransactionalState;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.Role;

/** A peer as the controller of transactions (1.0 §4.1), on its session 0. */
final class Controller {

    private static final int HANDLE = 9;

    private final Peer peer;
    private long nextId;

    Controller(Peer peer) {
        this.peer = peer;
    }

    /** The id of the next delivery that the peer sends on the session, to its coordinator or elsewhere. */
    long takeId() {
        return nextId++;
    }

    void attach() {
        peer.send(new Attach()
                .setName("coordinator")
                .setHandle(HANDLE)
                .setRole(Role.SENDER)
                .setInitialDeliveryCount(0)
                .setSource(new Source())
                .setCoordinator(new Coordinator()));
        peer.expect(Attach.class);
        peer.expect(Flow.class);
    }

    Binary declare() {
        return ((Declared) ask(new Declare())).getTxnId();
    }

    /** The answer's state. */
    DeliveryState discharge(Binary transaction, boolean fail) {
        return ask(new Discharge().setTxnId(transaction).setFail(fail));
    }

    private DeliveryState ask(Object request) {
        peer.send(frame(request));
        return peer.expect(Disposition.class).getState();
    }

    /** A message to the coordinator. */
    byte[] frame(Object request) {
        return Frames.frame(0, Peer.transfer(HANDLE, takeId()), Frames.encode(new AmqpValue<>(request)));
    }

    /** Accepts deliveries in a transaction. */
    static Disposition accept(Binary transaction, long first, long last, boolean settled) {
        return new Disposition()
                .setRole(Role.RECEIVER)
                .setFirst(first)
                .setLast(last)
                .setSettled(settled)
                .setState(new TransactionalState().setTxnId(transaction).setOutcome(Accepted.getInstance()));
    }
}
