package io.sluicemq.interop.amqp10;

import static io.sluicemq.interop.amqp10.ProtonClient.SOON;
import static io.sluicemq.interop.amqp10.ProtonClient.receive;
import static io.sluicemq.interop.amqp10.ProtonClient.send;
import static io.sluicemq.interop.amqp10.ProtonClient.text;
import static io.sluicemq.interop.amqp10.ProtonClient.texts;
import static io.sluicemq.interop.lab.Lab.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Reported;
import io.sluicemq.interop.lab.Spec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.client.Client;
import org.apache.qpid.protonj2.client.Connection;
import org.apache.qpid.protonj2.client.ConnectionOptions;
import org.apache.qpid.protonj2.client.Delivery;
import org.apache.qpid.protonj2.client.Receiver;
import org.apache.qpid.protonj2.client.ReceiverOptions;
import org.apache.qpid.protonj2.client.Sender;
import org.apache.qpid.protonj2.client.exceptions.ClientConnectionSecuritySaslException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections of protonj2-client: how they log in, how they stay and how they are made anew. */
@ExtendWith(LabExtension.class)
@BeyondRabbitMq("speaks AMQP 1.0 with a plugin only")
class ProtonConnectionsTest {

    private static void carry(Connection connection, String queue) throws Exception {
        send(connection, queue, numbers(1, 3));
        Receiver receiver = connection.openReceiver(queue);
        assertThat(texts(receiver, 3)).containsExactly(numbers(1, 3));
        receiver.close();
    }

    // ---- logins

    @ParameterizedTest
    @ValueSource(strings = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "ANONYMOUS"})
    @Spec({"1.0 §5.3.2", "1.0 §5.3.3"})
    void shouldLogIn(String mechanism, Lab lab) throws Exception {
        Connection connection = ProtonClient.connect(lab, settings -> {
            settings.saslOptions().addAllowedMechanism(mechanism);
            if (mechanism.equals("ANONYMOUS")) {
                settings.user(null).password(null);
            }
        });
        carry(connection, ProtonClient.queue(lab));
        assertThat(connection.properties()).containsEntry("product", "SluiceMQ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"})
    @Spec("1.0 §5.3.3")
    void shouldRefuseAWrongPasswordAndAnUnknownUser(String mechanism, Lab lab) {
        assertThatThrownBy(() -> ProtonClient.connect(lab, settings -> settings.password("wrong").saslOptions()
                .addAllowedMechanism(mechanism))).hasCauseInstanceOf(ClientConnectionSecuritySaslException.class);
        assertThatThrownBy(() -> ProtonClient.connect(lab, settings -> settings.user("nobody").saslOptions()
                .addAllowedMechanism(mechanism))).hasCauseInstanceOf(ClientConnectionSecuritySaslException.class);
    }

    /** It offers neither that nor a mechanism that a client could make do with. */
    @ParameterizedTest
    @ValueSource(strings = {"CRAM-MD5", "SCRAM-SHA-1", "XOAUTH2"})
    @Spec("1.0 §5.3.2")
    void shouldNotOfferWhatIsWeakOrMissing(String mechanism, Lab lab) {
        assertThatThrownBy(() -> ProtonClient.connect(lab, settings -> settings.saslOptions()
                .addAllowedMechanism(mechanism))).hasCauseInstanceOf(ClientConnectionSecuritySaslException.class);
    }

    @Test
    @Spec({"1.0 §5.3.3"})
    @Reported("QPID-8648 (Broker-J)")
    void shouldTellOfAPasswordThatIsLong(Lab lab) {
        assertThatThrownBy(() -> ProtonClient.connect(lab, settings -> settings.password("x".repeat(6_000))
                .saslOptions().addAllowedMechanism("PLAIN")))
                .hasCauseInstanceOf(ClientConnectionSecuritySaslException.class);
    }

    // ---- silence

    @Test
    @Spec("1.0 §2.4.5")
    void shouldKeepUpTheOthersIdleTimeOut(Lab lab) throws Exception {
        BlockingQueue<String> ends = new LinkedBlockingQueue<>();
        Connection connection = ProtonClient.connect(lab, settings -> settings.idleTimeout(2_000)
                .disconnectedHandler((it, event) -> ends.add(event.failureCause().toString())));
        String queue = ProtonClient.queue(lab);
        Receiver receiver = connection.openReceiver(queue);
        await().pollInterval(Duration.ofMillis(50)).during(Duration.ofSeconds(3)).atMost(Duration.ofSeconds(10))
                .until(ends::isEmpty);
        send(connection, queue, "still here");
        assertThat(text(receive(receiver))).isEqualTo("still here");
    }

    /** It looks once a second whether it has to say something, so that it can't keep up less than two seconds. */
    @Test
    @Spec("1.0 §2.4.5")
    void shouldHearTheClientThatHasNothingToSay(@TempDir Path folder) throws Exception {
        Path config = Files.writeString(folder.resolve("broker.yaml"), """
                limits:
                  heartbeat: 4s
                """);
        try (EmbeddedBroker broker = EmbeddedBroker.start(
                builder -> builder.config(config).data(folder.resolve("data")))) {
            Lab lab = Lab.at(broker);
            BlockingQueue<String> ends = new LinkedBlockingQueue<>();
            Connection connection = ProtonClient.connect(lab, settings -> settings.idleTimeout(0)
                    .disconnectedHandler((it, event) -> ends.add(event.failureCause().toString())));
            Receiver receiver = connection.openReceiver("orders");
            await().pollInterval(Duration.ofMillis(50)).during(Duration.ofSeconds(5)).atMost(Duration.ofSeconds(10))
                    .until(ends::isEmpty);
            send(connection, "orders", "still here");
            assertThat(text(receive(receiver))).isEqualTo("still here");
            receiver.close();
            lab.forget("orders");
            lab.leave();
        }
    }

    // ---- ends

    @Test
    @Spec({"1.0 §2.4.3", "1.0 §2.8.16"})
    void shouldBeReconnectedTo(@TempDir Path data) throws Exception {
        BlockingQueue<String> reconnections = new LinkedBlockingQueue<>();
        Connection connection;
        Sender sender;
        Receiver receiver;
        Delivery first;
        int port;
        try (Client client = Client.create()) {
            try (EmbeddedBroker broker = EmbeddedBroker.start(builder -> builder.data(data.resolve("data")))) {
                port = broker.port();
                ConnectionOptions options = ProtonClient.options(Lab.at(broker)).reconnectEnabled(true)
                        .reconnectedHandler((it, event) -> reconnections.add(event.host()));
                options.reconnectOptions().reconnectDelay(20).useReconnectBackOff(false);
                connection = client.connect("127.0.0.1", port, options);
                sender = connection.openSender("orders");
                receiver = connection.openReceiver("orders");
                Receiver undecided = connection.openReceiver("undecided", new ReceiverOptions().autoAccept(false));
                send(connection, "undecided", numbers(1, 3));
                first = receive(undecided);
                send(sender, "before");
                assertThat(text(receive(receiver))).isEqualTo("before");
                // The client accepts behind the receive, by a thread of its own: what it has not told before the end comes again.
                Lab.until("it is accepted", () -> broker.counters().unsettledMessages() == 3);
            }
            int same = port;
            try (EmbeddedBroker broker =
                    EmbeddedBroker.start(builder -> builder.data(data.resolve("data")).port(same))) {
                assertThat(reconnections.poll(SOON, TimeUnit.MILLISECONDS)).isEqualTo("127.0.0.1");
                send(sender, "after");
                assertThat(text(receive(receiver))).isEqualTo("after");
                assertThat(text(first)).isEqualTo("1");
                connection.close();
                Lab lab = Lab.at(broker);
                assertThat(lab.drain("undecided")).containsExactly(numbers(1, 3));
                lab.forget("orders");
                lab.forget("undecided");
                lab.leave();
            }
        }
    }

    /** An outcome that the queue has got is in the log when the broker has stopped in order, however soon that is. */
    @Test
    @Spec("1.0 §3.4.2")
    void shouldRememberWhatWasAcceptedJustBeforeItsEnd(@TempDir Path data) throws Exception {
        try (Client client = Client.create()) {
            for (int round = 0; round < 8; round++) {
                try (EmbeddedBroker broker = EmbeddedBroker.start(builder -> builder.data(data.resolve("data")))) {
                    assertThat(broker.counters().readyMessages()).as("what has come again, round " + round).isZero();
                    Connection connection =
                            client.connect("127.0.0.1", broker.port(), ProtonClient.options(Lab.at(broker)));
                    send(connection, "orders", numbers(1, 20));
                    assertThat(texts(connection.openReceiver("orders"), 20)).containsExactly(numbers(1, 20));
                    Lab.until("all are accepted", () -> broker.counters().unsettledMessages() == 0);
                }
            }
        }
    }

    @Test
    @Spec({"1.0 §2.4.3", "1.0 §2.8.16"})
    void shouldTellWhyTheBrokerHasGone(@TempDir Path data) throws Exception {
        BlockingQueue<String> ends = new LinkedBlockingQueue<>();
        try (Client client = Client.create()) {
            try (EmbeddedBroker broker = EmbeddedBroker.start(builder -> builder.data(data.resolve("data")))) {
                Connection connection = client.connect("127.0.0.1", broker.port(),
                        ProtonClient.options(Lab.at(broker))
                                .disconnectedHandler((it, event) -> ends.add(event.failureCause().toString())));
                connection.openFuture().get(SOON, TimeUnit.MILLISECONDS);
            }
            assertThat(ends.poll(SOON, TimeUnit.MILLISECONDS)).contains("amqp:connection:forced");
        }
    }
}
