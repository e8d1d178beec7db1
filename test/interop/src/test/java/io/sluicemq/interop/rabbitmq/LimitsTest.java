package io.sluicemq.interop.rabbitmq;

import static io.sluicemq.interop.lab.Lab.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.campaign.RawAmqp;
import io.sluicemq.interop.lab.Confirms;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.Refusal;
import io.sluicemq.interop.lab.Spec;
import io.sluicemq.server.config.LimitsSection;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** What clients see of limits, virtual hosts, users and the end of a broker that is set up for the test. */
@DisabledIfSystemProperty(named = "interop.uri", matches = ".+",
        disabledReason = "needs brokers with settings of their own")
class LimitsTest {

    @Test
    @Spec({"RabbitMQ connection.blocked", "RabbitMQ connection.unblocked"})
    void shouldTellPublishersThatTheyAreBlockedAndUnblocked() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker
                .start(builder -> builder.limit(LimitsSection.MESSAGE_MEMORY, 1L << 20))) {
            Lab lab = Lab.at(broker);
            String queue = lab.queue();
            Connection publishing = lab.connect();
            CompletableFuture<String> blocked = new CompletableFuture<>();
            CompletableFuture<Void> unblocked = new CompletableFuture<>();
            publishing.addBlockedListener(blocked::complete, () -> unblocked.complete(null));
            Channel channel = publishing.createChannel();
            Confirms confirms = Confirms.on(channel);
            // What consumers hold can't leave memory for the disk.
            Channel holding = lab.connect().createChannel();
            holding.basicConsume(queue, false, (tag, delivery) -> {}, tag -> {});
            for (int i = 0; i < 40; i++) {
                channel.basicPublish("", queue, null, new byte[100_000]);
            }
            assertThat(blocked.get(10, TimeUnit.SECONDS)).as("the reason").isNotBlank();
            assertThat(unblocked).isNotDone();
            // consumers, and those that only declare, go on
            lab.connect().createChannel().queueDeclarePassive(queue);
            holding.close();
            unblocked.get(10, TimeUnit.SECONDS);
            assertThat(confirms.acked(40)).hasSize(40);
            lab.leave();
        }
    }

    @Test
    @Spec("0-9-1 connection.start")
    void shouldCutPeersThatDoNotLogInInTime() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.start(
                builder -> builder.limit(LimitsSection.HANDSHAKE_TIME_LIMIT, Duration.ofMillis(300)))) {
            Lab lab = Lab.at(broker);
            RawAmqp silent = lab.dial();
            RawAmqp slow = lab.dial();
            slow.send(new byte[] {'A', 'M'});
            RawAmqp stopped = lab.dial();
            stopped.authenticate(broker);
            RawAmqp inTime = lab.raw();
            assertThat(silent.readToEnd()).isEmpty();
            slow.readToEnd();
            stopped.readToEnd();
            inTime.openChannel(1);
            lab.leave();
        }
    }

    @Test
    @Spec("0-9-1 connection.start")
    void shouldKeepToItsNumbersOfConnections() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker
                .start(builder -> builder.limit(LimitsSection.MAX_UNAUTHENTICATED_CONNECTIONS, 3))) {
            Lab lab = Lab.at(broker);
            RawAmqp[] waiting = {lab.dial(), lab.dial(), lab.dial()};
            for (RawAmqp peer : waiting) {
                peer.send(RawAmqp.HEADER);
                peer.expect(0, AMQP.Connection.Start.class);
            }
            RawAmqp oneTooMany = lab.dial();
            assertThat(oneTooMany.readToEnd()).isEmpty();
            waiting[0].close();
            await().atMost(Duration.ofSeconds(5)).until(() -> {
                try {
                    return lab.connect().isOpen();
                } catch (IOException e) {
                    return false;
                }
            });
            lab.leave();
        }
    }

    @Test
    @Spec("0-9-1 basic.publish")
    void shouldRefuseMessagesAboveTheLargestSize() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker
                .start(builder -> builder.limit(LimitsSection.MAX_MESSAGE_SIZE, 10_000L))) {
            Lab lab = Lab.at(broker);
            String queue = lab.queue();
            Channel channel = lab.channel();
            channel.basicPublish("", queue, null, new byte[10_000]);
            Refusal.of(channel, () -> channel.basicPublish("", queue, null, new byte[10_001]))
                    .shouldBe(
                            Refusal.channel(406, "PRECONDITION_FAILED - message size 10001 is larger than ", "60.40"));
            assertThat(lab.depth(queue)).isEqualTo(1);
            lab.leave();
        }
    }

    @Test
    @Spec("0-9-1 connection.open")
    void shouldKeepVirtualHostsAndTheirUsersApart() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.start(builder -> builder.virtualHosts("/", "one", "two")
                .user("guest", "guest").user("ann", "secret", Set.of("one")))) {
            Lab lab = Lab.at(broker);
            Connection ann = lab.connect(factory -> {
                factory.setUsername("ann");
                factory.setPassword("secret");
                factory.setVirtualHost("one");
            });
            Channel one = ann.createChannel();
            one.queueDeclare("same name", false, true, false, null);
            one.basicPublish("", "same name", null, bytes("in one"));
            Channel two = lab.connect(factory -> factory.setVirtualHost("two")).createChannel();
            two.queueDeclare("same name", false, true, false, null);
            assertThat(two.basicGet("same name", true)).isNull();
            assertThat(Lab.text(one.basicGet("same name", true))).isEqualTo("in one");
            Refusal refusal = lab.refusedConnection(factory -> {
                factory.setUsername("ann");
                factory.setPassword("secret");
                factory.setVirtualHost("two");
            });
            assertThat(refusal.code()).isEqualTo(AMQP.NOT_ALLOWED);
            assertThat(refusal.text()).startsWith("NOT_ALLOWED - ")
                    .contains("access to vhost 'two' refused for user 'ann'");
            lab.leave();
        }
    }

    @Test
    @Spec("0-9-1 connection.close")
    void shouldSayGoodbyeWhenItStops() throws Exception {
        EmbeddedBroker broker = EmbeddedBroker.start();
        Lab lab = Lab.at(broker);
        Connection connection = lab.connect();
        Channel channel = connection.createChannel();
        Lab.consume(channel, channel.queueDeclare().getQueue(), false);
        CompletableFuture<ShutdownSignalException> ended = new CompletableFuture<>();
        connection.addShutdownListener(ended::complete);
        broker.close();
        AMQP.Connection.Close close = (AMQP.Connection.Close) ended.get(5, TimeUnit.SECONDS).getReason();
        assertThat(close.getReplyCode()).isEqualTo(AMQP.CONNECTION_FORCED);
        assertThat(close.getReplyText()).startsWith("CONNECTION_FORCED - ");
        assertThatThrownBy(lab::connect).isInstanceOf(java.net.ConnectException.class);
    }
}
