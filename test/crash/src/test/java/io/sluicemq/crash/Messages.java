package io.sluicemq.crash;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Puts messages into queues of a broker, and takes them out. Each call has a connection of its own. */
final class Messages {

    private static final BasicProperties PERSISTENT = new BasicProperties.Builder().deliveryMode(2).build();
    private static final long CONFIRM_MILLIS = 20_000;
    private static final int BATCH = 100;

    private Messages() {}

    /** What a test does on a channel. */
    interface Work {
        void on(Channel channel) throws Exception;
    }

    static void onChannel(BrokerProcess broker, Work work) throws Exception {
        try (Connection connection = Client.connect(broker.port())) {
            work.on(connection.createChannel());
        }
    }

    /**
     * Declares a durable queue and publishes persistent messages from one number to another into it, confirmed in
     * batches.
     */
    static void publish(BrokerProcess broker, String queue, int from, int to, int bytes) throws Exception {
        onChannel(broker, channel -> {
            channel.queueDeclare(queue, true, false, false, Map.of());
            channel.confirmSelect();
            for (int number = from; number < to; number++) {
                channel.basicPublish("", queue, PERSISTENT, Body.of(number, bytes));
                if ((number - from) % BATCH == BATCH - 1 || number == to - 1) {
                    channel.waitForConfirmsOrDie(CONFIRM_MILLIS);
                }
            }
        });
    }

    /**
     * Takes all messages of a queue, in a transaction, so that none may come back; the numbers they were published
     * with.
     */
    static List<Long> drain(BrokerProcess broker, String queue) throws Exception {
        List<Long> numbers = new ArrayList<>();
        onChannel(broker, channel -> {
            channel.txSelect();
            for (GetResponse got = channel.basicGet(queue, false); got != null; got = channel.basicGet(queue, false)) {
                numbers.add(Body.read(got.getBody()));
                channel.basicAck(got.getEnvelope().getDeliveryTag(), false);
            }
            channel.txCommit();
        });
        return numbers;
    }

    /** Takes all messages of a queue, of which each body is a text. */
    static List<String> texts(Channel channel, String queue) throws Exception {
        List<String> texts = new ArrayList<>();
        for (GetResponse got = channel.basicGet(queue, true); got != null; got = channel.basicGet(queue, true)) {
            texts.add(new String(got.getBody(), StandardCharsets.UTF_8));
        }
        return texts;
    }

    static void publishText(Channel channel, String exchange, String key, BasicProperties properties, String text)
            throws Exception {
        channel.basicPublish(exchange, key, properties, text.getBytes(StandardCharsets.UTF_8));
    }
}
