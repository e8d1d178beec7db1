package io.sluicemq.interop.amqp10;

import static io.sluicemq.interop.amqp10.ProtonClient.SOON;
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
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.client.Connection;
import org.apache.qpid.protonj2.client.Delivery;
import org.apache.qpid.protonj2.client.DeliveryMode;
import org.apache.qpid.protonj2.client.DeliveryState;
import org.apache.qpid.protonj2.client.Message;
import org.apache.qpid.protonj2.client.Receiver;
import org.apache.qpid.protonj2.client.ReceiverOptions;
import org.apache.qpid.protonj2.client.Rejected;
import org.apache.qpid.protonj2.client.Sender;
import org.apache.qpid.protonj2.client.SenderOptions;
import org.apache.qpid.protonj2.client.Tracker;
import org.apache.qpid.protonj2.client.exceptions.ClientDeliveryStateException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What becomes of messages by the outcomes that protonj2-client gives them, and what it is told of its own. */
@ExtendWith(LabExtension.class)
@BeyondRabbitMq("counts releases as deliveries")
class ProtonOutcomesTest {

    private static ReceiverOptions undecided() {
        return new ReceiverOptions().autoAccept(false).creditWindow(0);
    }

    /** The next delivery, which there was no credit for before. */
    private static Delivery next(Receiver receiver) throws Exception {
        return receive(receiver.addCredit(1));
    }

    private static void shouldBe(Delivery delivery, String text, long deliveryCount) throws Exception {
        assertThat(text(delivery)).isEqualTo(text);
        assertThat(delivery.message().deliveryCount()).isEqualTo(deliveryCount);
        if (deliveryCount > 0) {
            assertThat(delivery.message().firstAcquirer()).isFalse();
        }
    }

    @Test
    @Spec({"1.0 §3.4.4", "1.0 §3.4.5", "1.0 §3.4.2"})
    void shouldComeAgainIfReleasedOrModified(Lab lab) throws Exception {
        String queue = ProtonClient.queue(lab);
        Connection connection = ProtonClient.connect(lab);
        send(connection, queue, numbers(1, 3));
        Receiver receiver = connection.openReceiver(queue, undecided());
        shouldBe(next(receiver).release(), "1", 0);
        shouldBe(next(receiver).modified(true, false), "1", 0);
        shouldBe(next(receiver).release(), "1", 1);
        shouldBe(next(receiver).modified(false, false), "1", 1);
        shouldBe(next(receiver).disposition(DeliveryState.modified(true, false), true), "1", 1);
        shouldBe(next(receiver).accept(), "1", 2);
        shouldBe(next(receiver).accept(), "2", 0);
        shouldBe(next(receiver).accept(), "3", 0);
        shouldBeEmpty(receiver.addCredit(1));
        assertThat(lab.depth(queue)).isZero();
    }

    @Test
    @Spec("1.0 §3.4.5")
    @Reported("QPID-7960 (Broker-J)")
    void shouldComeToAnotherLinkIfUndeliverableHere(Lab lab) throws Exception {
        String queue = ProtonClient.queue(lab);
        Connection connection = ProtonClient.connect(lab);
        send(connection, queue, "1", "2");
        Receiver here = connection.openReceiver(queue, undecided());
        next(here).modified(false, true);
        assertThat(text(next(here).accept())).isEqualTo("2");
        shouldBeEmpty(here.addCredit(1));
        Receiver there = connection.openReceiver(queue, undecided());
        shouldBe(next(there).release(), "1", 0);
        shouldBe(next(there).accept(), "1", 0);
        shouldBeEmpty(here);
    }

    @Test
    @Spec("1.0 §3.4.3")
    void shouldBecomeADeadLetterIfRejected(Lab lab) throws Exception {
        String dead = lab.queue();
        String queue = lab.queue(Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead));
        Connection connection = ProtonClient.connect(lab);
        send(connection, queue, "bad", "good");
        Receiver receiver = connection.openReceiver(queue, undecided());
        next(receiver).reject("shop:broken", "who ordered that?");
        assertThat(text(next(receiver).accept())).isEqualTo("good");
        Receiver ofDead = connection.openReceiver(dead);
        Delivery letter = receive(ofDead);
        assertThat(text(letter)).isEqualTo("bad");
        assertThat(letter.message().hasAnnotation("x-opt-deaths")).isTrue();
    }

    @Test
    @Spec({"1.0 §2.6.12", "1.0 §3.5.3"})
    void shouldTakeTheDefaultOutcomeIfNoneIsSaid(Lab lab) throws Exception {
        String queue = ProtonClient.queue(lab);
        Connection connection = ProtonClient.connect(lab);
        send(connection, queue, "m");
        ReceiverOptions releasing = undecided();
        releasing.sourceOptions().defaultOutcome(DeliveryState.released());
        Receiver released = connection.openReceiver(queue, releasing);
        next(released).settle();
        released.close();
        ReceiverOptions failing = undecided();
        failing.sourceOptions().defaultOutcome(DeliveryState.modified(true, false));
        Receiver modified = connection.openReceiver(queue, failing);
        shouldBe(next(modified).settle(), "m", 0);
        shouldBe(next(modified).accept(), "m", 1);
    }

    @Test
    @Spec({"1.0 §2.6.12", "1.0 §2.6.5"})
    void shouldComeAgainIfItsLinkEnds(Lab lab) throws Exception {
        String queue = ProtonClient.queue(lab);
        Connection connection = ProtonClient.connect(lab);
        send(connection, queue, numbers(1, 10));
        for (int round = 0; round < 3; round++) {
            Receiver receiver = connection.openReceiver(queue, undecided().creditWindow(10));
            assertThat(texts(receiver, 10)).containsExactly(numbers(1, 10));
            if (round == 1) {
                receiver.detach();
            } else {
                receiver.close();
            }
        }
        assertThat(lab.drain(queue)).containsExactly(numbers(1, 10));
    }

    @Test
    @Spec({"1.0 §2.6.12", "1.0 §2.7.5"})
    void shouldBeGoneWhenSentIfSettledAtOnce(Lab lab) throws Exception {
        String queue = ProtonClient.queue(lab);
        Connection connection = ProtonClient.connect(lab);
        Sender sender = connection.openSender(queue, new SenderOptions().deliveryMode(DeliveryMode.AT_MOST_ONCE));
        for (String text : numbers(1, 20)) {
            Tracker tracker = sender.send(Message.create(text));
            assertThat(tracker.settled()).isTrue();
            assertThat(tracker.remoteState()).isEqualTo(tracker.state());
        }
        Receiver receiver = connection.openReceiver(
                queue, undecided().creditWindow(20).deliveryMode(DeliveryMode.AT_MOST_ONCE));
        for (int i = 1; i <= 20; i++) {
            Delivery delivery = receive(receiver);
            assertThat(text(delivery)).isEqualTo(Integer.toString(i));
            assertThat(delivery.remoteSettled()).isTrue();
        }
        receiver.close();
        assertThat(lab.depth(queue)).isZero();
    }

    @Test
    @Spec({"1.0 §3.4.3", "1.0 §2.6.12"})
    void shouldTellTheSenderTheOutcome(Lab lab) throws Exception {
        String full = ProtonClient.queue(lab);
        lab.limit(AddressSetting.match(full).maxMessages(1).fullPolicy(FullPolicy.FAIL));
        Connection connection = ProtonClient.connect(lab);
        Sender sender = connection.openSender(full);
        assertThat(sender.send(Message.create("fits")).awaitSettlement(SOON, TimeUnit.MILLISECONDS).remoteState()
                .isAccepted()).isTrue();
        Tracker tracker = sender.send(Message.create("does not")).awaitSettlement(SOON, TimeUnit.MILLISECONDS);
        assertThat(tracker.remoteState()).isInstanceOfSatisfying(Rejected.class, rejected -> {
            assertThat(rejected.getCondition()).isEqualTo("amqp:resource-limit-exceeded");
            assertThat(rejected.getDescription()).contains(full);
        });
        assertThatThrownBy(
                () -> sender.send(Message.create("nor does this")).awaitAccepted(SOON, TimeUnit.MILLISECONDS))
                .isInstanceOf(ClientDeliveryStateException.class);
        assertThat(lab.drain(full)).containsExactly("fits");
        // No queue is bound to that key: RabbitMQ's addresses tell so.
        Sender nowhere = connection.openSender("/exchanges/amq.direct/" + lab.name("key"));
        assertThat(nowhere.send(Message.create("m")).awaitSettlement(SOON, TimeUnit.MILLISECONDS).remoteState()
                .isReleased()).isTrue();
    }
}
