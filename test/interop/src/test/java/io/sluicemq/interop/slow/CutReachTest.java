package io.sluicemq.interop.slow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.sluicemq.api.ConsumerSink.Cut;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.interop.amqp10.JmsClient;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.Mailbox;
import io.sluicemq.interop.lab.Refusal;
import io.sluicemq.interop.lab.Spec;
import io.sluicemq.server.AddressSetting;
import io.sluicemq.server.ConsumerSetting;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.ResourceAllocationException;
import jakarta.jms.Session;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import org.apache.qpid.jms.JmsQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** How far the cut of a slow consumer reaches: what else of its connection goes on. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(60)
@DisabledIfSystemProperty(named = "interop.uri", matches = ".+",
        disabledReason = "needs a broker that is set up for it")
class CutReachTest {

    private EmbeddedBroker broker;
    private Lab lab;

    private static ConsumerSetting setting(Cut cut) {
        return ConsumerSetting.policy(ConsumerPolicy.DELETE).messageCount(10).checkPeriod(Duration.ofMillis(100))
                .cut(cut);
    }

    @BeforeEach
    void start() {
        broker = EmbeddedBroker.start(builder -> builder.addressSettings(
                AddressSetting.match("channel.#").consumer(setting(Cut.CHANNEL)),
                AddressSetting.match("consumer.#").consumer(setting(Cut.CONSUMER))));
        lab = Lab.at(broker);
    }

    @AfterEach
    void stop() throws Exception {
        try {
            lab.leave();
        } finally {
            broker.close();
        }
    }

    /** A queue whose name begins as the rule says, with more messages than that allows. */
    private String slowQueue(String rule) throws Exception {
        String queue = lab.forget(rule + "." + lab.name("q"));
        lab.channel().queueDeclare(queue, true, false, false, null);
        lab.sendNumbers(queue, 1, 20);
        return queue;
    }

    @Test
    @Spec("0-9-1 channel.close 506")
    void shouldLeaveOtherChannelsOfTheConnectionAlone() throws Exception {
        Connection connection = lab.connect();
        String other = lab.queue();
        Channel going = connection.createChannel();
        Mailbox mailbox = Lab.consume(going, other, false);
        Channel cut = connection.createChannel();
        cut.basicQos(5);
        String slow = slowQueue("channel");

        Refusal.of(cut, () -> Lab.consume(cut, slow, false))
                .shouldBe(Refusal.channel(506, "Consuming too slow.", "0.0"));

        lab.send(other, "m");
        going.basicAck(mailbox.next().getEnvelope().getDeliveryTag(), false);
        going.exchangeDeclarePassive("amq.direct");
        Lab.until("what it held is back", () -> lab.depth(slow) == 20);
    }

    @Test
    @Spec("RabbitMQ consumer_cancel_notify")
    void shouldLeaveOtherConsumersOfTheChannelAlone() throws Exception {
        Channel channel = lab.connect().createChannel();
        channel.basicQos(5);
        String other = lab.queue();
        Mailbox going = Lab.consume(channel, other, false);
        lab.send(other, "before");
        long tag = going.next().getEnvelope().getDeliveryTag();
        String slow = slowQueue("consumer");
        Mailbox mailbox = Lab.consume(channel, slow, false);
        mailbox.next(5);

        mailbox.shouldBeCancelled();

        channel.basicAck(tag, false);
        lab.send(other, "after");
        channel.basicAck(going.next().getEnvelope().getDeliveryTag(), false);
        channel.exchangeDeclarePassive("amq.direct");
        Lab.until("what it held is back", () -> lab.depth(slow) == 20);
        assertThat(lab.depth(other)).isZero();
    }

    /** Without a message listener nobody but the next call is told. */
    @Test
    @Spec("1.0 §2.6.4")
    void shouldTellAJmsReceiverByItsNextCallAndLeaveItsSessionAlone() throws Exception {
        String slow = slowQueue("channel");
        String other = lab.queue();
        jakarta.jms.Connection connection = JmsClient.connect(lab, "jms.prefetchPolicy.all=5");
        BlockingQueue<JMSException> problems = JmsClient.problems(connection);
        Session session = connection.createSession(Session.CLIENT_ACKNOWLEDGE);
        MessageConsumer going = session.createConsumer(new JmsQueue(other));
        MessageConsumer consumer = session.createConsumer(new JmsQueue(slow));
        Lab.until("it is cut", () -> broker.counters().consumersCut() == 1);

        Lab.until("it knows", () -> {
            try {
                consumer.getMessageSelector();
                return false;
            } catch (jakarta.jms.IllegalStateException e) {
                return true;
            }
        });
        assertThatThrownBy(() -> consumer.receive(1)).isInstanceOfAny(
                ResourceAllocationException.class, jakarta.jms.IllegalStateException.class)
                .hasStackTraceContaining("Consuming too slow.");
        assertThat(problems).isEmpty();
        lab.send(other, "m");
        assertThat(going.receive(10_000)).isNotNull();
        Lab.until("what it held is back", () -> lab.depth(slow) == 20);
    }
}
