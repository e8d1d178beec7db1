package io.sluicemq.interop.slow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.ShutdownSignalException;
import io.sluicemq.api.ConsumerSink.Cut;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.server.ConsumerSetting;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.apache.qpid.jms.JmsTopic;
import org.junit.jupiter.api.Test;

/** What clients see of rules about slow consumers, each policy by RabbitMQ's Java client and the first by Qpid JMS for AMQP 1.0. */
class SlowConsumersTest {

    private static final int COUNT = 50;
    private static final Duration SOON = Duration.ofSeconds(15);

    private static EmbeddedBroker start(ConsumerSetting setting) {
        return EmbeddedBroker.start(
                builder -> builder.topic("stocks.#", setting.messageCount(COUNT).checkPeriod(Duration.ofMillis(300))));
    }

    private static void publish(Channel channel, int count) throws Exception {
        for (int i = 0; i < count; i++) {
            channel.basicPublish("amq.topic", "stocks.us.ibm", null, ("m" + i).getBytes(StandardCharsets.UTF_8));
        }
    }

    private static String subscribe(Channel channel, boolean durable) throws Exception {
        String queue = durable
                ? channel.queueDeclare("durable", true, false, false, Map.of()).getQueue()
                : channel.queueDeclare().getQueue();
        channel.queueBind(queue, "amq.topic", "stocks.us.*");
        return queue;
    }

    /** Takes messages and never acknowledges one. */
    private static final class Sleeper extends DefaultConsumer {
        private final AtomicInteger received = new AtomicInteger();
        private final BlockingQueue<ShutdownSignalException> shutdowns = new LinkedBlockingQueue<>();
        private final BlockingQueue<String> cancels = new LinkedBlockingQueue<>();

        Sleeper(Channel channel) {
            super(channel);
        }

        @Override
        public void handleDelivery(String tag, Envelope envelope, BasicProperties properties, byte[] body) {
            received.incrementAndGet();
        }

        @Override
        public void handleShutdownSignal(String tag, ShutdownSignalException signal) {
            shutdowns.add(signal);
        }

        @Override
        public void handleCancel(String tag) {
            cancels.add(tag);
        }
    }

    private static List<String> consumeAll(Channel channel, String queue) throws Exception {
        List<String> received = new CopyOnWriteArrayList<>();
        channel.basicConsume(queue, true, (tag, delivery) -> received.add(
                new String(delivery.getBody(), StandardCharsets.UTF_8)), tag -> {});
        return received;
    }

    private static boolean exists(Connection connection, String queue) throws Exception {
        try (Channel channel = connection.createChannel()) {
            channel.queueDeclarePassive(queue);
            return true;
        } catch (java.io.IOException e) {
            return false;
        }
    }

    @Test
    void shouldCloseTheChannelDeleteTheSubscriptionAndLeaveOthersAlone() throws Exception {
        try (EmbeddedBroker broker = start(ConsumerSetting.policy(ConsumerPolicy.DELETE))) {
            Lab lab = Lab.at(broker);
            Connection connection = lab.connect();
            Channel slow = connection.createChannel();
            Channel fast = connection.createChannel();
            Channel publisher = connection.createChannel();
            String slowQueue = subscribe(slow, false);
            List<String> received = consumeAll(fast, subscribe(fast, false));
            Sleeper sleeper = new Sleeper(slow);
            slow.basicQos(10);
            slow.basicConsume(slowQueue, false, sleeper);
            publish(publisher, COUNT + 1);

            ShutdownSignalException signal = sleeper.shutdowns.poll(15, TimeUnit.SECONDS);
            assertThat(signal).isNotNull();
            AMQP.Channel.Close close = (AMQP.Channel.Close) signal.getReason();
            assertThat(close.getReplyCode()).isEqualTo(506);
            assertThat(close.getReplyText()).isEqualTo("Consuming too slow.");
            await().atMost(SOON).untilAsserted(() -> assertThat(exists(connection, slowQueue)).isFalse());
            assertThat(connection.isOpen()).isTrue();
            await().atMost(SOON).untilAsserted(() -> assertThat(received).hasSize(COUNT + 1));
            publish(publisher, 10);
            await().atMost(SOON).untilAsserted(() -> assertThat(received).hasSize(COUNT + 11));
            assertThat(broker.counters().consumersCut()).isEqualTo(1);
            await().atMost(SOON).untilAsserted(() -> assertThat(broker.counters().messageBytes()).isZero());
            connection.close();
            assertThat(broker.failedTasks()).isZero();
        }
    }

    @Test
    void shouldCancelTheConsumerAloneIfAskedTo() throws Exception {
        try (EmbeddedBroker broker = start(ConsumerSetting.policy(ConsumerPolicy.DELETE).cut(Cut.CONSUMER))) {
            Lab lab = Lab.at(broker);
            Connection connection = lab.connect();
            Channel channel = connection.createChannel();
            String queue = subscribe(channel, true);
            Sleeper sleeper = new Sleeper(channel);
            channel.basicQos(10);
            String tag = channel.basicConsume(queue, false, sleeper);
            publish(channel, COUNT + 1);

            assertThat(sleeper.cancels.poll(15, TimeUnit.SECONDS)).isEqualTo(tag);
            channel.basicAck(1, true);
            assertThat(channel.queueDeclarePassive(queue).getMessageCount())
                    .as("a durable subscription, with what the consumer had").isEqualTo(COUNT + 1);
            assertThat(channel.isOpen()).isTrue();
            connection.close();
        }
    }

    @Test
    void shouldKeepTheLatestMessagesWithCycle() throws Exception {
        try (EmbeddedBroker broker = start(ConsumerSetting.policy(ConsumerPolicy.CYCLE))) {
            Lab lab = Lab.at(broker);
            Connection connection = lab.connect();
            Channel channel = connection.createChannel();
            String queue = subscribe(channel, false);
            channel.confirmSelect();
            publish(channel, 3 * COUNT);
            channel.waitForConfirmsOrDie(5_000);
            assertThat(channel.queueDeclarePassive(queue).getMessageCount()).isEqualTo(COUNT);
            List<String> received = consumeAll(channel, queue);
            await().atMost(SOON).untilAsserted(() -> assertThat(received).hasSize(COUNT));
            assertThat(received).startsWith("m" + 2 * COUNT).endsWith("m" + (3 * COUNT - 1));
            assertThat(broker.counters().droppedByPolicy()).isEqualTo(2 * COUNT);
            connection.close();
        }
    }

    @Test
    void shouldHoldProducersWithFlowUntilTheConsumerHasCaughtUp() throws Exception {
        try (EmbeddedBroker broker = start(ConsumerSetting.policy(ConsumerPolicy.FLOW))) {
            Lab lab = Lab.at(broker);
            Channel slow = lab.connect().createChannel();
            String queue = subscribe(slow, false);
            slow.basicQos(10);
            slow.basicConsume(queue, false, new Sleeper(slow));
            Channel publisher = lab.connect().createChannel();
            publisher.confirmSelect();
            publish(publisher, COUNT + 1);
            publisher.waitForConfirmsOrDie(5_000);
            await().atMost(SOON).untilAsserted(() -> assertThat(broker.counters().slowConsumers()).isEqualTo(1));

            publish(publisher, 1);
            assertThatThrownBy(() -> publisher.waitForConfirms(500)).isInstanceOf(TimeoutException.class);
            List<String> received = consumeAll(slow, queue);
            slow.basicAck(0, true);
            publisher.waitForConfirmsOrDie(5_000);
            await().atMost(SOON).untilAsserted(() -> assertThat(received).contains("m" + COUNT, "m0"));
            publisher.getConnection().close();
            slow.getConnection().close();
        }
    }

    @Test
    void shouldTellAReceiverOfQpidJmsByItsListener() throws Exception {
        try (EmbeddedBroker broker = start(ConsumerSetting.policy(ConsumerPolicy.DELETE))) {
            var factory = new JmsConnectionFactory("guest", "guest", "amqp://127.0.0.1:" + broker.port());
            try (jakarta.jms.Connection connection = factory.createConnection()) {
                BlockingQueue<jakarta.jms.JMSException> problems = new LinkedBlockingQueue<>();
                connection.setExceptionListener(problems::add);
                connection.start();
                var session = connection.createSession(jakarta.jms.Session.CLIENT_ACKNOWLEDGE);
                var consumer = session.createConsumer(new JmsTopic("stocks.us.ibm"));
                BlockingQueue<jakarta.jms.Message> received = new LinkedBlockingQueue<>();
                consumer.setMessageListener(received::add);
                var sending = connection.createSession(jakarta.jms.Session.AUTO_ACKNOWLEDGE);
                var producer = sending.createProducer(new JmsTopic("stocks.us.ibm"));
                for (int i = 0; i < COUNT + 1; i++) {
                    producer.send(sending.createTextMessage("m" + i));
                }
                jakarta.jms.JMSException problem = problems.poll(15, TimeUnit.SECONDS);
                assertThat(problem).isInstanceOf(jakarta.jms.ResourceAllocationException.class)
                        .hasMessageContaining("Consuming too slow.");
                await().atMost(SOON).untilAsserted(() -> assertThat(broker.counters().queues()).isZero());
                producer.send(sending.createTextMessage("others go on"));
            }
        }
    }
}
