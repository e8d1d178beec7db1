package io.sluicemq.interop.slow;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Delivery;
import io.sluicemq.broker.engine.BrokerCounters;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.hostile.Amqp10Peer;
import io.sluicemq.interop.amqp10.JmsClient;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.Mailbox;
import io.sluicemq.interop.lab.Spec;
import io.sluicemq.protocol.amqp10.codec.Frames;
import io.sluicemq.server.AddressSetting;
import io.sluicemq.server.ConsumerSetting;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.jms.JmsQueue;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** How the producers of a queue are held whose consumer is too slow, with AMQP 1.0 by credit, and that they go on when it has caught up. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(60)
@DisabledIfSystemProperty(named = "interop.uri", matches = ".+",
        disabledReason = "needs a broker that is set up for it")
class FlowHoldsTest {

    private static final int THRESHOLD = 10;
    private static final int PREFETCH = 5;
    private static final Duration PERIOD = Duration.ofMillis(100);

    private SlowLab slowLab;
    private EmbeddedBroker broker;
    private Lab lab;

    @BeforeEach
    void start() {
        slowLab = SlowLab.start(builder -> builder.addressSettings(AddressSetting.match("slow.#")
                .consumer(ConsumerSetting.policy(ConsumerPolicy.FLOW).messageCount(THRESHOLD).checkPeriod(PERIOD))));
        broker = slowLab.broker();
        lab = slowLab.lab();
    }

    @AfterEach
    void stop() throws Exception {
        slowLab.leave();
    }

    private String slowQueue() throws Exception {
        String queue = lab.forget("slow." + lab.name("q"));
        lab.channel().queueDeclare(queue, true, false, false, null);
        return queue;
    }

    /** One that holds its prefetch, and is found to be slow. */
    private Mailbox holder(Channel channel, String queue) throws Exception {
        channel.basicQos(PREFETCH);
        Mailbox mailbox = Lab.consume(channel, queue, false);
        Lab.until("it is found", () -> broker.counters().slowConsumers() == 1);
        return mailbox;
    }

    /** Takes and acknowledges so many. */
    private static void take(Channel channel, Mailbox mailbox, int count) throws Exception {
        for (int left = count; left > 0; left -= PREFETCH) {
            List<Delivery> next = mailbox.next(Math.min(left, PREFETCH));
            channel.basicAck(next.getLast().getEnvelope().getDeliveryTag(), true);
        }
    }

    private long stored() {
        BrokerCounters now = broker.counters();
        return now.readyMessages() + now.unsettledMessages();
    }

    private static byte[] message(long id) {
        return Frames.frame(0, Amqp10Peer.transfer(0, id), Frames.encode(new Data(Long.toString(id).getBytes())));
    }

    /** Reads up to a flow that says how much credit there is. */
    private static long awaitCredit(Amqp10Peer peer, boolean some) throws Exception {
        Flow flow;
        do {
            flow = peer.skipTo(Flow.class);
        } while (!flow.hasLinkCredit() || flow.getLinkCredit() > 0 != some);
        return flow.getLinkCredit();
    }

    /** What crosses the flow that calls its credit back waits, and does not come in. */
    @Test
    @Spec({"1.0 §2.6.7", "RabbitMQ publisher confirms"})
    void shouldCallBackTheCreditOfALinkAndHoldWhatWasUnderWay() throws Exception {
        String queue = slowQueue();
        Amqp10Peer peer = lab.closing(Amqp10Peer.open(broker.port(), 0));
        peer.send(Frames.frame(0, Amqp10Peer.sender(0, queue)));
        peer.skipTo(Attach.class);
        assertThat(awaitCredit(peer, true)).isGreaterThan(2 * THRESHOLD);
        Channel publisher = lab.connect().createChannel();
        publisher.confirmSelect();
        lab.sendNumbers(queue, 1, 2 * THRESHOLD);
        Channel channel = lab.connect().createChannel();
        Mailbox mailbox = holder(channel, queue);

        for (long id = 0; id < THRESHOLD; id++) {
            peer.send(message(id)); // it has not read of its credit's end
        }
        publisher.basicPublish("", queue, null, "held".getBytes());
        assertThat(awaitCredit(peer, false)).isZero();
        lab.awaitParked(THRESHOLD + 1);
        assertThat(stored()).as("what was there when it was found").isEqualTo(2 * THRESHOLD);

        take(channel, mailbox, 2 * THRESHOLD);
        take(channel, mailbox, THRESHOLD + 1);

        int accepted = 0;
        while (accepted < THRESHOLD) {
            Disposition outcome = peer.skipTo(Disposition.class);
            assertThat(outcome.getState()).isInstanceOf(Accepted.class);
            accepted += (int) ((outcome.hasLast() ? outcome.getLast() : outcome.getFirst()) - outcome.getFirst() + 1);
        }
        publisher.waitForConfirmsOrDie(10_000);
        peer.send(message(THRESHOLD)); // credit has come with all that
        assertThat(peer.skipTo(Disposition.class).getState()).isInstanceOf(Accepted.class);
        take(channel, mailbox, 1);
        Lab.until("all is dealt with", () -> stored() == 0);
    }

    /** A JMS producer is held in its call, and no message of it comes in. */
    @Test
    @Spec("1.0 §2.6.7")
    void shouldHoldAProducerOfQpidJms() throws Exception {
        String queue = slowQueue();
        Session session = JmsClient.connect(lab).createSession();
        MessageProducer producer = session.createProducer(new JmsQueue(queue));
        for (int i = 0; i < 2 * THRESHOLD; i++) {
            producer.send(session.createTextMessage("before"));
        }
        Channel channel = lab.connect().createChannel();
        Mailbox mailbox = holder(channel, queue);
        CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
            try {
                for (int i = 0; i < THRESHOLD; i++) {
                    producer.send(session.createTextMessage("held"));
                }
            } catch (jakarta.jms.JMSException e) {
                throw new IllegalStateException(e);
            }
        });
        Lab.until("somebody waits", () -> !broker.address(queue).waiting().isEmpty());
        assertThat(stored()).isEqualTo(2 * THRESHOLD);
        assertThat(sending).isNotDone();

        take(channel, mailbox, 2 * THRESHOLD);
        take(channel, mailbox, THRESHOLD);
        sending.get(10, TimeUnit.SECONDS);
        Lab.until("all is dealt with", () -> stored() == 0);
    }
}
