package io.sluicemq.protocol.amqp10;

import io.sluicemq.protocol.amqp10.codec.Frames;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.transactions.Coordinator;
import org.apache.qpid.protonj2.types.transactions.Declare;
import org.apache.qpid.protonj2.types.transactions.Declared;
import org.apache.qpid.protonj2.types.transactions.Discharge;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.Role;
import org.junit.jupiter.api.Test;

/** Messages to a coordinator (1.0 §4.2, §4.3). */
class CoordinatorTest {

    private final Lab lab = new Lab();
    private final Peer peer = Peer.connected(lab);
    private long nextId;

    private void attachCoordinator() {
        peer.send(new Attach()
                .setName("c").setHandle(0).setRole(Role.SENDER).setInitialDeliveryCount(0).setSource(new Source())
                .setCoordinator(new Coordinator()));
        peer.expect(Attach.class);
    }

    /** Proton sends a header and properties before the body. */
    @Test
    void shouldFindTheBodyBehindOtherSections() {
        attachCoordinator();
        byte[] before = Frames.join(Frames.encode(new Header()), Frames.encode(new Properties()));
        peer.send(Frames.frame(
                0, Peer.transfer(0, 0), Frames.join(before, Frames.encode(new AmqpValue<>(new Declare())))));
        Declared declared = (Declared) peer.expect(Disposition.class).getState();
        peer.send(Frames.frame(
                0, Peer.transfer(0, 1),
                Frames.join(before, Frames.encode(new AmqpValue<>(new Discharge().setTxnId(declared.getTxnId()))))));
        peer.expectOutcome(1, 1, Accepted.class);
    }

    @Test
    void shouldDetachForWhatIsNoMessageToACoordinator() {
        for (byte[] bad : new byte[][] {
            Frames.encode(new Data(new byte[3])), {0, 0x53, 0x77}, {1, 2, 3}, {}}) {
            attachCoordinator();
            peer.send(Frames.frame(0, Peer.transfer(0, nextId++), bad));
            peer.expectDetach(AmqpError.DECODE_ERROR);
            peer.send(new org.apache.qpid.protonj2.types.transport.Detach().setHandle(0).setClosed(true));
            peer.expectNothing();
        }
    }

    private static byte[] discharge() {
        return Frames.encode(new AmqpValue<>(new Discharge().setTxnId(new Binary(new byte[8]))));
    }

    /** §2.7.5: what a continuation says of its delivery is what its first transfer has said. */
    @Test
    void shouldRefuseAContinuationOfAnotherDelivery() {
        attachCoordinator();
        peer.send(Frames.frame(0, Peer.transfer(0, 0).setMore(true), new byte[0]));
        peer.send(Frames.frame(0, Peer.transfer(0, 0).setDeliveryTag(new byte[] {9}), discharge()));
        peer.expectDetach(AmqpError.INVALID_FIELD);
        peer.send(new org.apache.qpid.protonj2.types.transport.Detach().setHandle(0).setClosed(true));
        attachCoordinator();
        peer.send(Frames.frame(0, Peer.transfer(0, 1).setMore(true), new byte[0]));
        peer.send(Frames.frame(0, Peer.transfer(0, 2), discharge()));
        peer.expectEnd(AmqpError.INVALID_FIELD);
    }

    @Test
    void shouldDetachForAMessageOfAFormatThatItDoesNotKnow() {
        attachCoordinator();
        peer.send(Frames.frame(0, Peer.transfer(0, 0).setMessageFormat(17), discharge()));
        peer.expectDetach(AmqpError.NOT_IMPLEMENTED);
    }

    @Test
    void shouldDetachForADeliveryWithoutTag() {
        attachCoordinator();
        peer.send(Frames.frame(0, Peer.transfer(0, 0).setDeliveryTag((byte[]) null), discharge()));
        peer.expectDetach(AmqpError.INVALID_FIELD);
    }

    /** §2.6.12: the sender may settle a delivery before all of it was sent. */
    @Test
    void shouldSayNothingOfADischargeThatIsSettledWhileItArrives() {
        attachCoordinator();
        peer.send(Frames.frame(0, Peer.transfer(0, 0).setMore(true), new byte[0]));
        peer.send(Peer.settle(Role.SENDER, 0, 0, null));
        peer.send(Frames.frame(0, new org.apache.qpid.protonj2.types.transport.Transfer().setHandle(0), discharge()));
        peer.expectNothing();
    }
}
