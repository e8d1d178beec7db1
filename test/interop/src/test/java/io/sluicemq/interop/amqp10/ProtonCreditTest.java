package io.sluicemq.interop.amqp10;

import static io.sluicemq.interop.amqp10.ProtonClient.NEVER;
import static io.sluicemq.interop.amqp10.ProtonClient.SOON;
import static io.sluicemq.interop.amqp10.ProtonClient.receive;
import static io.sluicemq.interop.amqp10.ProtonClient.send;
import static io.sluicemq.interop.amqp10.ProtonClient.shouldBeEmpty;
import static io.sluicemq.interop.amqp10.ProtonClient.text;
import static io.sluicemq.interop.amqp10.ProtonClient.texts;
import static io.sluicemq.interop.lab.Lab.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Reported;
import io.sluicemq.interop.lab.Spec;
import io.sluicemq.server.AddressSetting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.client.Connection;
import org.apache.qpid.protonj2.client.Delivery;
import org.apache.qpid.protonj2.client.DeliveryMode;
import org.apache.qpid.protonj2.client.Message;
import org.apache.qpid.protonj2.client.Receiver;
import org.apache.qpid.protonj2.client.ReceiverOptions;
import org.apache.qpid.protonj2.client.Sender;
import org.apache.qpid.protonj2.client.SenderOptions;
import org.apache.qpid.protonj2.client.Tracker;
import org.apache.qpid.protonj2.client.exceptions.ClientSendTimedOutException;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Credit as protonj2-client gives and takes it: by window, by hand, drained, and not to be had. */
@ExtendWith(LabExtension.class)
@BeyondRabbitMq("speaks AMQP 1.0 with a plugin only")
class ProtonCreditTest {

    private static final int TINY_MESSAGES = 150_000;

    private static ReceiverOptions byHand() {
        return new ReceiverOptions().creditWindow(0);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 1_000})
    @Spec("1.0 §2.6.7")
    void shouldKeepAWindowFilled(int window, Lab lab) throws Exception {
        String queue = ProtonClient.queue(lab);
        Connection connection = ProtonClient.connect(lab);
        Receiver receiver =
                connection.openReceiver(queue, new ReceiverOptions().creditWindow(window).autoAccept(false));
        send(connection, queue, numbers(1, 50));
        List<Delivery> held = new ArrayList<>();
        while (held.size() < Math.min(window, 50)) {
            held.add(receive(receiver));
        }
        if (window < 50) {
            // A window of them is held, and another may be on its way: the client fills it up when deliveries are taken from it.
            assertThat(lab.depth(queue)).isBetween(50L - 2 * window, 50L - window);
        }
        for (int i = 1; i <= 50; i++) {
            if (held.isEmpty()) {
                held.add(receive(receiver));
            }
            assertThat(text(held.getFirst())).isEqualTo(Integer.toString(i));
            held.removeFirst().accept();
        }
        shouldBeEmpty(receiver);
    }

    @Test
    @Spec("1.0 §2.6.7")
    void shouldDeliverWhatCreditIsThereFor(Lab lab) throws Exception {
        String queue = ProtonClient.queue(lab);
        Connection connection = ProtonClient.connect(lab);
        send(connection, queue, numbers(1, 20));
        Receiver receiver = connection.openReceiver(queue, byHand());
        shouldBeEmpty(receiver);
        assertThat(receiver.queuedDeliveries()).isZero();
        receiver.addCredit(3);
        assertThat(texts(receiver, 3)).containsExactly(numbers(1, 3));
        shouldBeEmpty(receiver);
        receiver.addCredit(1).addCredit(1);
        assertThat(texts(receiver, 2)).containsExactly(numbers(4, 5));
        shouldBeEmpty(receiver);
        assertThat(lab.depth(queue)).isEqualTo(15);
        receiver.addCredit(100);
        assertThat(texts(receiver, 15)).containsExactly(numbers(6, 20));
        send(connection, queue, "later");
        assertThat(text(receive(receiver))).isEqualTo("later");
    }

    @Test
    @Spec("1.0 §2.6.7")
    void shouldDrain(Lab lab) throws Exception {
        String queue = ProtonClient.queue(lab);
        Connection connection = ProtonClient.connect(lab);
        Receiver receiver = connection.openReceiver(queue, byHand());
        for (int round = 0; round < 20; round++) {
            receiver.addCredit(10);
            receiver.drain().get(SOON, TimeUnit.MILLISECONDS);
            send(connection, queue, numbers(1, 4));
            assertThat(receiver.queuedDeliveries()).isZero();
            receiver.addCredit(10);
            receiver.drain().get(SOON, TimeUnit.MILLISECONDS);
            assertThat(receiver.queuedDeliveries()).isEqualTo(4);
            assertThat(texts(receiver, 4)).containsExactly(numbers(1, 4));
        }
        send(connection, queue, "nobody has credit");
        shouldBeEmpty(receiver);
        receiver.addCredit(1);
        assertThat(text(receive(receiver))).isEqualTo("nobody has credit");
    }

    @Test
    @Spec({"1.0 §2.6.7", "1.0 §3.5.8"})
    @Reported("QPID-7962 (Broker-J)")
    void shouldDrainThoughNoneOfTheMessagesIsForThisReceiver(Lab lab) throws Exception {
        String queue = ProtonClient.queue(lab);
        Connection connection = ProtonClient.connect(lab);
        Sender sender = connection.openSender(queue);
        for (int i = 0; i < 5; i++) {
            sender.send(Message.create("other").property("k", 1)).awaitAccepted(SOON, TimeUnit.MILLISECONDS);
        }
        ReceiverOptions selective = byHand();
        selective.sourceOptions().addFilter("selector", UnsignedLong.valueOf(0x0000468C00000004L), "k = 2");
        Receiver receiver = connection.openReceiver(queue, selective);
        receiver.addCredit(10);
        receiver.drain().get(SOON, TimeUnit.MILLISECONDS);
        Receiver holding = connection.openReceiver(queue, byHand().autoAccept(false));
        holding.addCredit(5);
        for (int i = 0; i < 5; i++) {
            receive(holding);
        }
        Receiver empty = connection.openReceiver(queue, byHand());
        empty.addCredit(10);
        empty.drain().get(SOON, TimeUnit.MILLISECONDS);
        sender.send(Message.create("mine").property("k", 2)).awaitAccepted(SOON, TimeUnit.MILLISECONDS);
        shouldBeEmpty(receiver);
        receiver.addCredit(1);
        assertThat(text(receive(receiver))).isEqualTo("mine");
    }

    @Test
    @Spec({"1.0 §2.5.6", "1.0 §2.6.7"})
    @Reported({"rabbitmq/rabbitmq-server#13574", "QPID-7739 (Broker-J)"})
    void shouldDeliverALotForCreditThatIsGivenOnce(Lab lab) throws Exception {
        String queue = lab.queue();
        Connection connection = ProtonClient.connect(lab);
        Receiver receiver = connection.openReceiver(queue, byHand().deliveryMode(DeliveryMode.AT_MOST_ONCE));
        receiver.addCredit(200_000);
        ManyMessages.publish(lab, queue, TINY_MESSAGES);
        for (int i = 0; i < TINY_MESSAGES; i++) {
            assertThat(receive(receiver).<Object>message().property(ManyMessages.NUMBER)).isEqualTo(i);
        }
        shouldBeEmpty(receiver);
    }

    @Test
    @Spec("1.0 §2.6.7")
    void shouldGiveASenderNoCreditWhileItsAddressIsFull(Lab lab) throws Exception {
        String full = ProtonClient.queue(lab);
        String free = ProtonClient.queue(lab);
        lab.limit(AddressSetting.match(full).maxMessages(10).fullPolicy(FullPolicy.BLOCK));
        Connection connection = ProtonClient.connect(lab);
        Sender sender = connection.openSender(full, new SenderOptions().sendTimeout(NEVER));
        send(sender, numbers(1, 10));
        assertThatThrownBy(() -> sender.send(Message.create("too early")))
                .isInstanceOf(ClientSendTimedOutException.class);
        assertThat(sender.trySend(Message.create("too early"))).isNull();
        Sender other = connection.openSender(free);
        send(other, numbers(1, 200));
        Receiver receiver = connection.openReceiver(full, byHand());
        receiver.addCredit(10);
        assertThat(texts(receiver, 10)).containsExactly(numbers(1, 10));
        Tracker tracker =
                await().atMost(Duration.ofMillis(SOON)).until(() -> sender.trySend(Message.create("there is room")),
                        each -> each != null);
        tracker.awaitAccepted(SOON, TimeUnit.MILLISECONDS);
        receiver.addCredit(1);
        assertThat(text(receive(receiver))).isEqualTo("there is room");
    }
}
