package io.sluicemq.interop.amqp10;

import static io.sluicemq.interop.amqp10.ProtonClient.receive;
import static io.sluicemq.interop.amqp10.ProtonClient.send;
import static io.sluicemq.interop.amqp10.ProtonClient.shouldBeEmpty;
import static io.sluicemq.interop.amqp10.ProtonClient.text;
import static io.sluicemq.interop.amqp10.ProtonClient.texts;
import static io.sluicemq.interop.lab.Lab.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Reported;
import io.sluicemq.interop.lab.Spec;
import io.sluicemq.server.AddressSetting;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.client.Connection;
import org.apache.qpid.protonj2.client.Delivery;
import org.apache.qpid.protonj2.client.DeliveryState;
import org.apache.qpid.protonj2.client.Message;
import org.apache.qpid.protonj2.client.Receiver;
import org.apache.qpid.protonj2.client.ReceiverOptions;
import org.apache.qpid.protonj2.client.Sender;
import org.apache.qpid.protonj2.client.Session;
import org.apache.qpid.protonj2.client.Tracker;
import org.apache.qpid.protonj2.client.exceptions.ClientTransactionRolledBackException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Transactions of protonj2-client, which are its sessions' own and are begun by hand. */
@ExtendWith(LabExtension.class)
@BeyondRabbitMq("has no transactions in AMQP 1.0")
class ProtonTransactionsTest {

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Spec({"1.0 §4.2", "1.0 §4.3", "1.0 §4.4.1", "1.0 §4.4.4"})
    void shouldHappenTogetherOrNotAtAll(boolean commits, Lab lab) throws Exception {
        String a = ProtonClient.queue(lab);
        String b = ProtonClient.queue(lab);
        String from = ProtonClient.queue(lab);
        Connection connection = ProtonClient.connect(lab);
        send(connection, from, numbers(1, 10));
        Session session = connection.openSession();
        Sender toA = session.openSender(a);
        Sender toB = session.openSender(b);
        Receiver receiver = session.openReceiver(from, new ReceiverOptions().creditWindow(5));
        session.beginTransaction();
        for (int i = 1; i <= 10; i++) {
            assertThat(text(receive(receiver))).isEqualTo(Integer.toString(i));
            toA.send(Message.create("a" + i).durable(true));
            toB.send(Message.create("b" + i));
        }
        assertThat(lab.depth(a)).isZero();
        assertThat(lab.depth(from)).isZero();
        if (commits) {
            session.commitTransaction();
        } else {
            session.rollbackTransaction();
        }
        session.close();
        assertThat(lab.drain(a)).hasSize(commits ? 10 : 0);
        assertThat(lab.drain(b)).hasSize(commits ? 10 : 0);
        Receiver elsewhere = connection.openReceiver(from);
        if (!commits) {
            for (int i = 1; i <= 10; i++) {
                Delivery delivery = receive(elsewhere);
                assertThat(text(delivery)).isEqualTo(Integer.toString(i));
                assertThat(delivery.message().deliveryCount()).isEqualTo(1);
            }
        }
        shouldBeEmpty(elsewhere);
    }

    @Test
    @Spec({"1.0 §4.2", "1.0 §4.3", "1.0 §2.6.7"})
    @Reported("ARTEMIS-1039")
    void shouldBeCarriedOutOneAfterTheOther(Lab lab) throws Exception {
        String queue = ProtonClient.queue(lab);
        Session session = ProtonClient.connect(lab).openSession();
        Sender sender = session.openSender(queue);
        for (int i = 1; i <= 1_500; i++) {
            session.beginTransaction();
            sender.send(Message.create(Integer.toString(i)));
            if (i % 3 == 0) {
                session.rollbackTransaction();
            } else {
                session.commitTransaction();
            }
        }
        assertThat(lab.depth(queue)).isEqualTo(1_000);
        Receiver receiver = session.openReceiver(queue, new ReceiverOptions().creditWindow(1));
        for (int i = 1; i <= 1_500; i++) {
            if (i % 3 != 0) {
                session.beginTransaction();
                assertThat(text(receive(receiver))).isEqualTo(Integer.toString(i));
                session.commitTransaction();
            }
        }
        shouldBeEmpty(receiver);
    }

    @Test
    @Spec({"1.0 §4.2", "1.0 §4.4.2"})
    void shouldBeRolledBackWithTheirSession(Lab lab) throws Exception {
        String from = ProtonClient.queue(lab);
        String to = ProtonClient.queue(lab);
        Connection connection = ProtonClient.connect(lab);
        send(connection, from, numbers(1, 5));
        Session session = connection.openSession();
        Sender sender = session.openSender(to);
        Receiver receiver = session.openReceiver(from);
        session.beginTransaction();
        assertThat(texts(receiver, 5)).containsExactly(numbers(1, 5));
        sender.send(Message.create("never seen"));
        session.close();
        assertThat(texts(connection.openReceiver(from), 5)).containsExactly(numbers(1, 5));
        assertThat(lab.depth(to)).isZero();
    }

    @Test
    @Spec({"1.0 §4.3", "1.0 §4.4.1"})
    void shouldFailTogetherWithWhatIsRefused(Lab lab) throws Exception {
        String full = ProtonClient.queue(lab);
        String free = ProtonClient.queue(lab);
        lab.limit(AddressSetting.match(full).maxMessages(3).fullPolicy(FullPolicy.FAIL));
        Session session = ProtonClient.connect(lab).openSession();
        Sender toFull = session.openSender(full);
        Sender toFree = session.openSender(free);
        session.beginTransaction();
        toFree.send(Message.create("never seen"));
        for (int i = 0; i < 4; i++) {
            toFull.send(Message.create("too many"));
        }
        assertThatThrownBy(session::commitTransaction).isInstanceOf(ClientTransactionRolledBackException.class)
                .hasMessageContaining(full);
        assertThat(lab.depth(full)).isZero();
        assertThat(lab.depth(free)).isZero();
        session.beginTransaction();
        toFree.send(Message.create("kept"));
        session.commitTransaction();
        assertThat(lab.drain(free)).containsExactly("kept");
    }

    /** Its outcome is told as the transaction's, and the transaction can't be committed. */
    @Test
    @Spec({"1.0 §4.3", "1.0 §4.4.1"})
    void shouldFailTogetherWithAMessageForWhichThereIsNoAddress(Lab lab) throws Exception {
        String queue = ProtonClient.queue(lab);
        Session session = ProtonClient.connect(lab).openSession();
        Sender relay = session.openAnonymousSender();
        session.beginTransaction();
        relay.send(Message.create("never seen").to(queue));
        Tracker refused = relay.send(Message.create("refused").to("/queues/" + lab.name("nowhere")));
        refused.awaitSettlement(ProtonClient.SOON, TimeUnit.MILLISECONDS);
        assertThat(refused.remoteState().getType()).isEqualTo(DeliveryState.Type.TRANSACTIONAL);
        assertThat(refused.remoteState().isRejected()).isTrue();
        assertThatThrownBy(session::commitTransaction).isInstanceOf(ClientTransactionRolledBackException.class)
                .hasMessageContaining("nowhere");
        assertThat(lab.depth(queue)).isZero();
        session.beginTransaction();
        relay.send(Message.create("kept").to(queue));
        relay.send(Message.create("refused").to("/queues/" + lab.name("nowhere")));
        session.rollbackTransaction();
        session.beginTransaction();
        relay.send(Message.create("kept").to(queue));
        session.commitTransaction();
        assertThat(lab.drain(queue)).containsExactly("kept");
    }
}
