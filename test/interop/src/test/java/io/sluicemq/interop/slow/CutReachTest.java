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
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.ResourceAllocationException;
import jakarta.jms.Session;
import jakarta.jms.TransactionRolledBackException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.jms.JmsQueue;
import org.apache.qpid.jms.provider.exceptions.ProviderResourceAllocationException;
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

    private SlowLab slowLab;
    private EmbeddedBroker broker;
    private Lab lab;

    private static ConsumerSetting setting(Cut cut) {
        return ConsumerSetting.policy(ConsumerPolicy.DELETE).messageCount(10).checkPeriod(Duration.ofMillis(100))
                .cut(cut);
    }

    @BeforeEach
    void start() {
        slowLab = SlowLab.start(builder -> builder.addressSettings(
                AddressSetting.match("channel.#").consumer(setting(Cut.CHANNEL)),
                AddressSetting.match("consumer.#").consumer(setting(Cut.CONSUMER))));
        broker = slowLab.broker();
        lab = slowLab.lab();
    }

    @AfterEach
    void stop() throws Exception {
        slowLab.leave();
    }

    /** A queue whose name begins as the rule says, with more messages than that allows. */
    private String slowQueue(String rule) throws Exception {
        String queue = emptyQueue(rule);
        lab.sendNumbers(queue, 1, 20);
        return queue;
    }

    private String emptyQueue(String rule) throws Exception {
        String queue = lab.forget(rule + "." + lab.name("q"));
        lab.channel().queueDeclare(queue, true, false, false, null);
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

    // ---- transactions

    /** What an application sees of it that waits for messages itself: nothing but that its commit fails, and why. */
    @Test
    @Spec({"1.0 §4.3", "1.0 §2.6.4"})
    void shouldFailTheCommitOfWhatAJmsReceiverHasTaken() throws Exception {
        String slow = emptyQueue("channel");
        jakarta.jms.Connection connection = JmsClient.connect(lab, "jms.prefetchPolicy.all=5");
        BlockingQueue<Throwable> closed = ClosedConsumers.of(connection);
        Session session = connection.createSession(Session.SESSION_TRANSACTED);
        MessageConsumer consumer = session.createConsumer(new JmsQueue(slow));
        lab.sendNumbers(slow, 1, 3);
        for (int i = 1; i <= 3; i++) {
            assertThat(text(consumer.receive(10_000))).isEqualTo(Integer.toString(i));
        }
        lab.sendNumbers(slow, 4, 20);
        shouldUndoAllOf(session, slow, closed);
    }

    @Test
    @Spec({"1.0 §4.3", "1.0 §2.6.4"})
    void shouldFailTheCommitOfWhatAJmsListenerHasTaken() throws Exception {
        String slow = emptyQueue("channel");
        CountDownLatch go = new CountDownLatch(1);
        lab.closing(go::countDown); // before the connection, whose close waits for the listener
        jakarta.jms.Connection connection = JmsClient.connect(lab, "jms.prefetchPolicy.all=5");
        BlockingQueue<JMSException> problems = JmsClient.problems(connection);
        BlockingQueue<String> taken = new LinkedBlockingQueue<>();
        Session session = connection.createSession(Session.SESSION_TRANSACTED);
        session.createConsumer(new JmsQueue(slow)).setMessageListener(message -> {
            taken.add(text(message));
            try {
                go.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        lab.sendNumbers(slow, 1, 1);
        assertThat(taken.poll(10, TimeUnit.SECONDS)).isEqualTo("1");
        lab.sendNumbers(slow, 2, 20);
        Lab.until("it is cut", () -> broker.counters().consumersCut() == 1);
        go.countDown();
        shouldUndoAllOf(session, slow, problems);
    }

    /** What it has taken and what it sends: others get the messages, even before it knows. */
    private void shouldUndoAllOf(Session session, String slow, BlockingQueue<? extends Throwable> told)
            throws Exception {
        Lab.until("all is back", () -> lab.depth(slow) == 20);
        assertThat(lab.drain(slow)).containsExactly(Lab.numbers(1, 20));
        assertThat(told.poll(10, TimeUnit.SECONDS))
                .isInstanceOfAny(ResourceAllocationException.class, ProviderResourceAllocationException.class)
                .hasMessageStartingWith("Consuming too slow.");
        String other = lab.queue();
        MessageProducer producer = session.createProducer(new JmsQueue(other));
        producer.send(session.createTextMessage("never seen"));

        assertThatThrownBy(session::commit).isInstanceOf(TransactionRolledBackException.class)
                .hasMessageStartingWith("Consuming too slow.").hasMessageContaining("amqp:resource-limit-exceeded");

        assertThat(lab.depth(other)).isZero();
        assertThat(lab.depth(slow)).isZero();
        producer.send(session.createTextMessage("the next transaction's"));
        session.commit();
        assertThat(lab.drain(other)).containsExactly("the next transaction's");
        assertThat(told).isEmpty();
    }

    private static String text(Message message) {
        try {
            return new String(message.getBody(byte[].class), StandardCharsets.US_ASCII);
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }
}
