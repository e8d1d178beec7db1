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

import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Spec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.client.Client;
import org.apache.qpid.protonj2.client.Connection;
import org.apache.qpid.protonj2.client.Delivery;
import org.apache.qpid.protonj2.client.DistributionMode;
import org.apache.qpid.protonj2.client.Message;
import org.apache.qpid.protonj2.client.Receiver;
import org.apache.qpid.protonj2.client.ReceiverOptions;
import org.apache.qpid.protonj2.client.Rejected;
import org.apache.qpid.protonj2.client.Sender;
import org.apache.qpid.protonj2.client.SenderOptions;
import org.apache.qpid.protonj2.client.Tracker;
import org.apache.qpid.protonj2.client.exceptions.ClientLinkRemotelyClosedException;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.DeleteOnClose;
import org.apache.qpid.protonj2.types.messaging.DeleteOnNoMessages;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Where the links of protonj2-client lead: to queues, nodes of their own, topics, subscriptions, and anywhere. */
@ExtendWith(LabExtension.class)
@BeyondRabbitMq("has other addresses")
class ProtonTerminiTest {

    private static SenderOptions toTopic() {
        SenderOptions options = new SenderOptions();
        options.targetOptions().capabilities("topic");
        return options;
    }

    private static ReceiverOptions of(String... capabilities) {
        ReceiverOptions options = new ReceiverOptions();
        options.sourceOptions().capabilities(capabilities);
        return options;
    }

    /** The condition with which a link is refused. */
    private static void shouldBeRefused(org.apache.qpid.protonj2.client.Link<?> link, String condition) {
        assertThatThrownBy(() -> link.openFuture().get(SOON, TimeUnit.MILLISECONDS))
                .isInstanceOf(ExecutionException.class).cause()
                .isInstanceOfSatisfying(ClientLinkRemotelyClosedException.class,
                        refusal -> assertThat(refusal.getErrorCondition().condition()).isEqualTo(condition));
    }

    @Test
    @Spec({"1.0 §3.5.3", "1.0 §3.5.10"})
    void shouldMakeANodeForAReceiver(Lab lab) throws Exception {
        Connection server = ProtonClient.connect(lab);
        String requests = ProtonClient.queue(lab);
        Receiver asked = server.openReceiver(requests);
        Sender answers = server.openAnonymousSender();
        Connection connection = ProtonClient.connect(lab);
        Receiver replies = connection.openDynamicReceiver();
        String address = replies.address();
        assertThat(replies.source().dynamic()).isTrue();
        Sender sender = connection.openSender(requests);
        for (int i = 0; i < 20; i++) {
            sender.send(Message.create("q" + i).replyTo(address).messageId("id" + i));
            Message<String> request = receive(asked).message();
            answers.send(Message.create("re: " + request.body()).to(request.replyTo())
                    .correlationId(request.messageId())).awaitAccepted(SOON, TimeUnit.MILLISECONDS);
            Message<String> reply = receive(replies).message();
            assertThat(reply.body()).isEqualTo("re: q" + i);
            assertThat(reply.correlationId()).isEqualTo("id" + i);
        }
        shouldBeRefused(server.openReceiver(address), "amqp:resource-locked");
        replies.close();
        shouldBeRefused(connection.openSender(address, queueThatMustBeThere()), "amqp:not-found");
        Tracker tooLate = answers.send(Message.create("m").to(address)).awaitSettlement(SOON, TimeUnit.MILLISECONDS);
        assertThat(((Rejected) tooLate.remoteState()).getCondition()).isEqualTo("amqp:not-found");
        // One with a lifetime-policy of its own, and one that is not offered.
        Receiver named = connection.openDynamicReceiver(
                Map.of("lifetime-policy", DeleteOnClose.getInstance()), of("temporary-topic"));
        send(connection.openSender(named.address()), "to a topic of its own");
        assertThat(text(receive(named))).isEqualTo("to a topic of its own");
        shouldBeRefused(connection.openDynamicReceiver(Map.of("lifetime-policy", DeleteOnNoMessages.getInstance())),
                "amqp:not-implemented");
    }

    private static SenderOptions queueThatMustBeThere() {
        SenderOptions options = new SenderOptions();
        options.targetOptions().capabilities("temporary-queue");
        return options;
    }

    @Test
    @Spec({"1.0 §3.5.4", "1.0 §3.4.3"})
    void shouldRelayToTheAddressOfEachMessage(Lab lab) throws Exception {
        String one = ProtonClient.queue(lab);
        String two = ProtonClient.queue(lab);
        Connection connection = ProtonClient.connect(lab);
        assertThat(connection.offeredCapabilities()).contains("ANONYMOUS-RELAY");
        List<Tracker> trackers = new ArrayList<>();
        for (int i = 1; i <= 50; i++) {
            trackers.add(connection.send(Message.create(Integer.toString(i)).to(i % 2 == 0 ? two : one)));
        }
        for (Tracker each : trackers) {
            each.awaitAccepted(SOON, TimeUnit.MILLISECONDS);
        }
        assertThat(lab.drain(one)).hasSize(25).startsWith("1", "3");
        assertThat(lab.drain(two)).hasSize(25).startsWith("2", "4");
        Sender relay = connection.openAnonymousSender();
        Tracker lost = relay.send(Message.create("m")).awaitSettlement(SOON, TimeUnit.MILLISECONDS);
        assertThat(((Rejected) lost.remoteState()).getCondition()).isEqualTo("amqp:precondition-failed");
        Tracker nowhere = relay.send(Message.create("m").to("/queues/" + lab.name("nowhere")))
                .awaitSettlement(SOON, TimeUnit.MILLISECONDS);
        assertThat(((Rejected) nowhere.remoteState()).getCondition()).isEqualTo("amqp:not-found");
        relay.send(Message.create("the link goes on").to(one)).awaitAccepted(SOON, TimeUnit.MILLISECONDS);
        assertThat(lab.drain(one)).containsExactly("the link goes on");
    }

    @Test
    @Spec({"1.0 §3.5.3", "1.0 §3.5.5", "1.0 §2.6.5"})
    void shouldKeepADurableSubscription(Lab lab) throws Exception {
        String topic = lab.name("topic");
        Connection publishing = ProtonClient.connect(lab);
        Sender publisher = publishing.openSender(topic, toTopic());
        Client client = ProtonClient.client(lab, lab.name("container"));
        try (Connection connection = ProtonClient.connect(client, lab, settings -> {})) {
            Receiver receiver = connection.openDurableReceiver(topic, "prices", of("topic"));
            receiver.openFuture().get(SOON, TimeUnit.MILLISECONDS);
            send(publisher, "1", "2");
            assertThat(texts(receiver, 2)).containsExactly("1", "2");
            receiver.detach();
            send(publisher, "3", "4");
        }
        send(publisher, "5");
        Connection connection = ProtonClient.connect(client, lab, settings -> {});
        Receiver receiver = connection.openDurableReceiver(topic, "prices", of("topic"));
        assertThat(texts(receiver, 3)).containsExactly("3", "4", "5");
        shouldBeRefused(publishing.openReceiver("/queues/subscription:" + client.containerId() + ":nobody's"),
                "amqp:not-found");
        receiver.close();
        send(publisher, "nobody is subscribed any more");
        Receiver anew = connection.openDurableReceiver(topic, "prices", of("topic"));
        anew.openFuture().get(SOON, TimeUnit.MILLISECONDS);
        send(publisher, "6");
        assertThat(text(receive(anew))).isEqualTo("6");
        anew.close();
    }

    @Test
    @Spec("1.0 §3.5.3")
    void shouldShareASubscription(Lab lab) throws Exception {
        String topic = lab.name("topic");
        List<Receiver> receivers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Receiver receiver = ProtonClient.connect(lab).openReceiver(
                    topic, of("topic", "shared", "global").linkName("prices|" + i).creditWindow(1));
            receiver.openFuture().get(SOON, TimeUnit.MILLISECONDS);
            receivers.add(receiver);
        }
        Receiver own = ProtonClient.connect(lab).openReceiver(topic, of("topic"));
        own.openFuture().get(SOON, TimeUnit.MILLISECONDS);
        send(ProtonClient.connect(lab).openSender(topic, toTopic()), numbers(1, 30));
        assertThat(texts(own, 30)).containsExactly(numbers(1, 30));
        List<String> shared = new ArrayList<>();
        Lab.until("each has come once", () -> {
            for (Receiver each : receivers) {
                Delivery delivery = each.tryReceive();
                if (delivery != null) {
                    shared.add(text(delivery));
                }
            }
            return shared.size() >= 30;
        });
        assertThat(shared).containsExactlyInAnyOrder(numbers(1, 30));
    }

    @Test
    @Spec({"1.0 §3.5.3", "1.0 §3.5.7", "1.0 §3.5.8"})
    void shouldBrowseAndSelect(Lab lab) throws Exception {
        String queue = ProtonClient.queue(lab);
        Connection connection = ProtonClient.connect(lab);
        Sender sender = connection.openSender(queue);
        for (int i = 1; i <= 30; i++) {
            sender.send(Message.create(Integer.toString(i)).property("third", i % 3 == 0))
                    .awaitAccepted(SOON, TimeUnit.MILLISECONDS);
        }
        ReceiverOptions browsing = new ReceiverOptions();
        browsing.sourceOptions().distributionMode(DistributionMode.COPY);
        Receiver browser = connection.openReceiver(queue, browsing);
        assertThat(texts(browser, 30)).containsExactly(numbers(1, 30));
        browser.close();
        ReceiverOptions selecting = new ReceiverOptions();
        selecting.sourceOptions().addFilter(
                "mine", Symbol.valueOf("apache.org:selector-filter:string"), "third");
        Receiver selective = connection.openReceiver(queue, selecting);
        for (int i = 3; i <= 30; i += 3) {
            assertThat(text(receive(selective))).isEqualTo(Integer.toString(i));
        }
        shouldBeEmpty(selective);
        ReceiverOptions wrong = new ReceiverOptions();
        wrong.sourceOptions().addFilter("mine", Symbol.valueOf("apache.org:selector-filter:string"), "third = = 1");
        shouldBeRefused(connection.openReceiver(queue, wrong), "amqp:invalid-field");
        assertThat(lab.drain(queue)).hasSize(20);
    }
}
