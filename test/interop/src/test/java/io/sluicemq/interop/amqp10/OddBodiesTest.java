package io.sluicemq.interop.amqp10;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.hostile.Amqp10Peer;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.Reported;
import io.sluicemq.interop.lab.Spec;
import io.sluicemq.protocol.amqp10.codec.Frames;
import io.sluicemq.protocol.amqp10.codec.Frames.Frame;
import jakarta.jms.BytesMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.TextMessage;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.qpid.jms.JmsQueue;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.AmqpSequence;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Section;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.Transfer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Messages with a body that is none, or empty, written frame by frame, as libraries for JMS would not. */
@DisabledIfSystemProperty(named = "interop.uri", matches = ".+", disabledReason = "needs a broker that it may restart")
class OddBodiesTest {

    private static final List<List<Section<?>>> BODIES = List.of(
            List.of(new Properties().setSubject("no body")),
            List.of(new Data(new byte[0])),
            List.of(new AmqpValue<>(null)),
            List.of(new AmqpValue<>("")),
            List.of(new Data(new byte[] {1}), new Data(new byte[] {2, 3})),
            List.of(new AmqpSequence<>(List.of())));

    private static byte[] encoded(List<Section<?>> sections) {
        return Frames.join(sections.stream().map(Frames::encode).toArray(byte[][]::new));
    }

    private static Frame nextTransfer(Amqp10Peer peer) throws Exception {
        for (Frame frame = peer.read(); frame != null; frame = peer.read()) {
            if (frame.performative() instanceof Transfer) {
                return frame;
            }
        }
        throw new AssertionError("the stream ended before a transfer");
    }

    /** Each twice: once for a peer that sees the bytes, once for JMS. */
    @Test
    @Spec({"1.0 §3.2", "1.0 §3.2.6", "1.0 §3.2.7", "1.0 §3.2.8"})
    @Reported("QPID-6404 (Broker-J)")
    void shouldBeDeliveredAsSentAfterARestart(@TempDir Path data) throws Exception {
        byte[] durable = Frames.encode(new Header().setDurable(true));
        try (EmbeddedBroker broker = EmbeddedBroker.start(builder -> builder.data(data.resolve("data")))) {
            Amqp10Peer peer = Amqp10Peer.open(broker.port(), 0).attachSender(0, "orders");
            for (int i = 0; i < 2 * BODIES.size(); i++) {
                byte[] message = Frames.join(durable, encoded(BODIES.get(i % BODIES.size())));
                peer.send(Frames.frame(0, Amqp10Peer.transfer(0, i), message));
                assertThat(peer.skipTo(Disposition.class).getState()).isEqualTo(Accepted.getInstance());
            }
            peer.bye();
        }
        try (EmbeddedBroker broker = EmbeddedBroker.start(builder -> builder.data(data.resolve("data")))) {
            Amqp10Peer peer = Amqp10Peer.open(broker.port(), 0);
            peer.send(Frames.frame(0, Amqp10Peer.receiver(0, "orders")),
                    Frames.frame(0, Amqp10Peer.credit(0, BODIES.size())));
            for (List<Section<?>> each : BODIES) {
                byte[] payload = nextTransfer(peer).payload();
                byte[] sent = encoded(each);
                // Before it there is a header alone, which the broker writes anew.
                assertThat(payload).endsWith(sent);
                assertThat(Arrays.copyOf(payload, 3)).containsExactly(0, 0x53, 0x70);
                assertThat(payload[4] + 5).isEqualTo(payload.length - sent.length);
            }
            peer.send(Frames.frame(0, new Disposition().setRole(Role.RECEIVER).setFirst(0).setLast(BODIES.size() - 1)
                    .setSettled(true).setState(Accepted.getInstance())));
            peer.bye();
            Lab lab = Lab.at(broker);
            lab.forget("orders");
            MessageConsumer consumer = JmsClient.connect(lab).createSession().createConsumer(new JmsQueue("orders"));
            Message withoutBody = JmsClient.receive(consumer);
            assertThat(withoutBody.getJMSType()).isEqualTo("no body");
            assertThat(((BytesMessage) withoutBody).getBodyLength()).isZero();
            assertThat(((BytesMessage) JmsClient.receive(consumer)).getBodyLength()).isZero();
            assertThat(((TextMessage) JmsClient.receive(consumer)).getText()).isNull();
            assertThat(((TextMessage) JmsClient.receive(consumer)).getText()).isEmpty();
            assertThat(JmsClient.receive(consumer)).isInstanceOf(BytesMessage.class);
            assertThat(JmsClient.receive(consumer).getJMSDeliveryMode()).isEqualTo(Message.DEFAULT_DELIVERY_MODE);
            JmsClient.shouldBeEmpty(consumer);
            lab.leave();
        }
    }
}
