package io.sluicemq.interop.slow;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Method;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.campaign.RawAmqp;
import io.sluicemq.hostile.Amqp10Peer;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.Mailbox;
import io.sluicemq.interop.lab.Refusal;
import io.sluicemq.interop.lab.Reported;
import io.sluicemq.protocol.amqp10.codec.Frames;
import io.sluicemq.server.AddressSetting;
import io.sluicemq.server.ConsumerSetting;
import io.sluicemq.testkit.LogCapture;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.SenderSettleMode;
import org.apache.qpid.protonj2.types.transport.Transfer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** Reported faults of finding slow consumers: who is not found, who is for nothing, and what is told of it. */
@Timeout(60)
@DisabledIfSystemProperty(named = "interop.uri", matches = ".+",
        disabledReason = "needs a broker that is set up for it")
class ReportedSlowTest {

    private static final Duration PERIOD = Duration.ofMillis(200);

    private SlowLab slowLab;
    private EmbeddedBroker broker;
    private Lab lab;
    private Markers markers;

    @BeforeEach
    void start() {
        slowLab = SlowLab.start(PERIOD);
        broker = slowLab.broker();
        lab = slowLab.lab();
        markers = slowLab.markers();
    }

    @AfterEach
    void stop() throws Exception {
        slowLab.leave();
    }

    private static ConsumerSetting rate(ConsumerPolicy policy) {
        return ConsumerSetting.policy(policy).rate(10).checkPeriod(PERIOD);
    }

    private void rule(AddressSetting setting) {
        slowLab.rule(PERIOD, setting);
    }

    // ---- queues on the disk

    @Test
    @Reported("ARTEMIS-913")
    void shouldFindASlowConsumerOfAQueueThatIsMostlyOnTheDisk() throws Exception {
        String queue = lab.queue();
        AddressSetting paged = AddressSetting.match(queue).maxSizeBytes(1 << 20).fullPolicy(FullPolicy.PAGE);
        rule(paged.consumer(rate(ConsumerPolicy.NOTIFY)));
        byte[] body = new byte[100_000];
        Channel publisher = lab.connect().createChannel();
        publisher.confirmSelect();
        for (int i = 0; i < 1_000; i++) {
            publisher.basicPublish("", queue, null, body);
        }
        publisher.waitForConfirmsOrDie(30_000);
        Channel channel = lab.connect().createChannel();
        channel.basicQos(10);
        Mailbox mailbox = Lab.consume(channel, queue, false);
        mailbox.next(10);
        long start = System.nanoTime();
        Lab.until("it is found", () -> broker.counters().slowConsumers() == 1);
        // Two periods, and what a busy machine adds.
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PERIOD.multipliedBy(2).plusSeconds(2));
        assertThat(channel.isOpen()).isTrue();

        Refusal.of(channel, () -> rule(paged.consumer(rate(ConsumerPolicy.DELETE))))
                .shouldBe(Refusal.channel(506, "Consuming too slow.", "0.0"));
        Lab.until("all is there", () -> lab.depth(queue) == 1_000);
    }

    // ---- those who acknowledge nothing

    /** Reads a delivery of one body frame. */
    private static void readDelivery(RawAmqp client) throws Exception {
        client.expect(1, AMQP.Basic.Deliver.class);
        client.readContent();
        client.readContent();
    }

    @Test
    @Reported("ARTEMIS-767")
    void shouldSpareANoAckConsumerUnlessItsSocketTakesNothing() throws Exception {
        String queue = lab.queue();
        rule(AddressSetting.match(queue).consumer(rate(ConsumerPolicy.DELETE)));
        RawAmqp client = lab.closing(RawAmqp.dial(broker, 32 << 10));
        client.authenticate(broker);
        client.tuneAndOpen(broker, 0, 128 << 10, 0);
        client.openChannel(1);
        client.send(1, new AMQP.Basic.Consume.Builder().queue(queue).noAck(true).build());
        client.expect(1, AMQP.Basic.ConsumeOk.class);

        for (int i = 0; i < 3; i++) {
            Channel marker = markers.begin();
            do {
                lab.send(queue, Lab.numbers(1, 20));
                for (int j = 0; j < 20; j++) {
                    readDelivery(client);
                }
            } while (marker.isOpen());
        }
        assertThat(broker.counters().slowConsumersFound()).isEqualTo(markers.cut());

        sendLarge(queue, 300);
        Lab.until("it is cut", () -> broker.counters().consumersCut() == markers.cut() + 1);
        Method close = client.skipTo(1, AMQP.Channel.Close.class);
        assertThat(((AMQP.Channel.Close) close).getReplyCode()).isEqualTo(506);
        assertThat(((AMQP.Channel.Close) close).getReplyText()).isEqualTo("Consuming too slow.");
    }

    /** More than sockets take. */
    private void sendLarge(String queue, int count) throws Exception {
        Channel publisher = lab.connect().createChannel();
        publisher.confirmSelect();
        for (int i = 0; i < count; i++) {
            publisher.basicPublish("", queue, null, new byte[100_000]);
        }
        publisher.waitForConfirmsOrDie(30_000);
    }

    @Test
    @Reported("ARTEMIS-767")
    void shouldSpareAReceiverOfSettledMessagesUnlessItsSocketTakesNothing() throws Exception {
        String queue = lab.queue();
        rule(AddressSetting.match(queue).consumer(rate(ConsumerPolicy.DELETE)));
        Amqp10Peer peer = lab.closing(Amqp10Peer.open(broker.port(), 32 << 10));
        peer.send(
                Frames.frame(0, Amqp10Peer.receiver(0, queue).setSenderSettleMode(SenderSettleMode.SETTLED)),
                Frames.frame(0, Amqp10Peer.credit(0, 1_000_000)));
        peer.skipTo(Attach.class);

        for (int i = 0; i < 3; i++) {
            Channel marker = markers.begin();
            do {
                lab.send(queue, Lab.numbers(1, 20));
                for (int j = 0; j < 20; j++) {
                    peer.skipTo(Transfer.class);
                }
            } while (marker.isOpen());
        }
        assertThat(broker.counters().slowConsumersFound()).isEqualTo(markers.cut());

        sendLarge(queue, 300);
        Lab.until("it is cut", () -> broker.counters().consumersCut() == markers.cut() + 1);
        Detach detach = peer.skipTo(Detach.class);
        assertThat(detach.getClosed()).isTrue();
        assertThat(detach.getError().getCondition()).hasToString("amqp:resource-limit-exceeded");
        assertThat(detach.getError().getDescription()).isEqualTo("Consuming too slow.");
    }

    // ---- events

    private static long lines(LogCapture log, String queue, String words) {
        return log.messages(Level.INFO).stream().filter(each -> each.contains(queue) && each.contains(words)).count();
    }

    @Test
    @Reported({"AMQ-9153", "AMQ-7077"})
    void shouldTellOfEachEpisodeOnceAndOfItsEnd() throws Exception {
        String queue = lab.queue();
        rule(AddressSetting.match(queue).consumer(
                ConsumerSetting.policy(ConsumerPolicy.NOTIFY).messageCount(10).checkPeriod(PERIOD)));
        try (LogCapture log = new LogCapture()) {
            lab.sendNumbers(queue, 1, 20);
            Connection connection = lab.connect();
            Channel channel = connection.createChannel();
            channel.basicQos(5);
            Mailbox mailbox = Lab.consume(channel, queue, false, Map.of());
            mailbox.next(5);
            Lab.until("it is told of", () -> lines(log, queue, "is too slow since") > 0);
            markers.awaitChecks();
            assertThat(lines(log, queue, "is too slow since")).as("once an episode").isEqualTo(1);
            String line =
                    log.messages(Level.WARN).stream().filter(each -> each.contains(queue)).findFirst().orElseThrow();
            int port = ((com.rabbitmq.client.impl.AMQConnection) connection).getLocalPort();
            assertThat(line).startsWith("consumer '" + mailbox.tag() + "' of queue '" + queue + "' in vhost '/', of ")
                    .contains("127.0.0.1:" + port + " -> ").contains("message-count 20 > 10").contains(" ms: ");

            lab.cut(connection);
            Lab.until("its end is told of", () -> lines(log, queue, "is not too slow any more") == 1);
            assertThat(lines(log, queue, "it has gone")).isEqualTo(1);
            Channel next = lab.connect().createChannel();
            next.basicQos(50);
            List<Delivery> all = Lab.consume(next, queue, false).next(20);
            next.basicAck(all.getLast().getEnvelope().getDeliveryTag(), true);
            markers.awaitChecks();
            assertThat(lines(log, queue, "is too slow since")).as("nobody is slow now").isEqualTo(1);
            next.exchangeDeclarePassive("amq.direct");
        }
    }

    /** It goes while it is about to be cut, and one of the same name takes its place at once. */
    @Test
    @Reported({"AMQ-9153", "AMQ-7077"})
    void shouldDoNothingToTheNextConsumer() throws Exception {
        String queue = lab.queue();
        rule(AddressSetting.match(queue).consumer(
                ConsumerSetting.policy(ConsumerPolicy.DELETE).messageCount(10).checkPeriod(PERIOD)));
        for (int i = 0; i < 5; i++) {
            lab.sendNumbers(queue, 1, 20);
            Connection first = lab.connect();
            Channel channel = first.createChannel();
            channel.basicQos(5);
            Mailbox mailbox = new Mailbox(channel);
            channel.basicConsume(queue, false, "the same tag", mailbox);
            mailbox.next(5);
            long found = broker.counters().slowConsumersFound();
            Lab.until("it is found", () -> broker.counters().slowConsumersFound() > found);
            lab.cut(first);

            Channel next = lab.connect().createChannel();
            next.basicQos(50);
            Mailbox successor = new Mailbox(next);
            next.basicConsume(queue, false, "the same tag", successor);
            List<Delivery> all = successor.next(20);
            next.basicAck(all.getLast().getEnvelope().getDeliveryTag(), true);
            markers.awaitChecks();
            next.exchangeDeclarePassive("amq.direct");
            assertThat(lab.depth(queue)).isZero();
            next.close();
        }
    }
}
