package io.sluicemq.interop.full;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Mailbox;
import io.sluicemq.interop.lab.Reported;
import io.sluicemq.interop.lab.Sender;
import io.sluicemq.interop.lab.Sender.Mode;
import io.sluicemq.interop.lab.Spec;
import io.sluicemq.server.AddressSetting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One channel publishes to a queue that is full, and all else of its connection goes on. */
@ExtendWith(LabExtension.class)
@BeyondRabbitMq("has no limit that producers wait for")
class HeadOfLineTest {

    private static final int LIMIT = 100;
    private static final int MESSAGES = 10_000;
    private static final int MESSAGES_BESIDE = 500;
    private static final int BODY_BYTES = 1_024;

    private static BasicProperties properties(boolean persistent) {
        return persistent ? MessageProperties.MINIMAL_PERSISTENT_BASIC : MessageProperties.MINIMAL_BASIC;
    }

    /** Takes numbered messages, which must be all, in order. */
    private static void drain(Channel channel, String queue, int from, int to) throws Exception {
        channel.basicQos(200);
        Mailbox mailbox = Lab.consume(channel, queue, false);
        List<Integer> numbers = new ArrayList<>();
        for (int i = from; i < to; i++) {
            Delivery delivery = mailbox.next();
            numbers.add(Sender.number(delivery.getBody()));
            if (i % 50 == 49 || i == to - 1) {
                channel.basicAck(delivery.getEnvelope().getDeliveryTag(), true);
            }
        }
        Sender.shouldBeNumbers(numbers, from, to);
        mailbox.shouldBeEmpty();
        channel.basicCancel(mailbox.tag());
    }

    @ParameterizedTest
    @CsvSource({"PLAIN, false", "PLAIN, true", "CONFIRMED, false", "CONFIRMED, true", "TRANSACTED, false",
        "TRANSACTED, true"})
    @Reported({"ActiveMQ PFC page", "spring-projects/spring-amqp#673"})
    @Spec({"0-9-1 channel.flow", "0-9-1 basic.publish", "0-9-1 tx.commit", "RabbitMQ publisher confirms"})
    void shouldLetEverythingElseOfTheConnectionGoOn(Mode mode, boolean persistent, Lab lab) throws Exception {
        String full = lab.queue();
        String free = lab.queue();
        lab.limit(AddressSetting.match(full).maxMessages(LIMIT).fullPolicy(FullPolicy.BLOCK));
        Connection connection = lab.connect(factory -> factory.setChannelRpcTimeout(0));
        Channel held = connection.createChannel();
        Sender sender = Sender.start(held, full, mode, properties(persistent), MESSAGES, BODY_BYTES);
        Lab.until("it is held", () -> lab.counters().parkedMessages() > 0 && sender.isHeld());
        assertThat(sender.isDone()).isFalse();

        // Another channel publishes to another queue, and its consumer is on this connection, too.
        Sender beside = Sender.start(connection.createChannel(), free, mode, properties(persistent), MESSAGES_BESIDE,
                BODY_BYTES);
        drain(connection.createChannel(), free, 0, MESSAGES_BESIDE);
        beside.shouldFinish();

        // Declarations, basic.get and acknowledgements, on another channel and on the one that is held.
        for (Channel channel : mode == Mode.TRANSACTED
                ? List.of(connection.createChannel())
                : List.of(connection.createChannel(), held)) {
            String queue = channel.queueDeclare().getQueue();
            channel.queueBind(queue, "amq.direct", queue);
            lab.publish("amq.direct", queue, "m");
            GetResponse got = channel.basicGet(queue, false);
            assertThat(Lab.text(got)).isEqualTo("m");
            channel.basicAck(got.getEnvelope().getDeliveryTag(), false);
            channel.basicQos(10);
            channel.queueDelete(queue);
        }
        Lab.until("it is still held", sender::isHeld);
        assertThat(lab.depth(full)).isEqualTo(LIMIT);

        drain(connection.createChannel(), full, 0, MESSAGES);

        sender.shouldFinish();
        assertThat(lab.counters().parkedMessages()).isZero();
        assertThat(lab.counters().parkedBytes()).isZero();
    }

    @Test
    @Spec({"0-9-1 §4.2.7", "0-9-1 channel.flow"})
    void shouldKeepTheConnectionAliveWhileItsPublisherIsHeld(Lab lab) throws Exception {
        String full = lab.queue();
        lab.limit(AddressSetting.match(full).maxMessages(LIMIT).fullPolicy(FullPolicy.BLOCK));
        Connection connection = lab.connect(factory -> factory.setRequestedHeartbeat(1));
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        connection.addBlockedListener(told::add, () -> told.add("unblocked"));
        Sender sender =
                Sender.start(connection.createChannel(), full, Mode.PLAIN, properties(false), MESSAGES, BODY_BYTES);
        Lab.until("it is held", () -> lab.counters().parkedMessages() > 0 && sender.isHeld());

        // Longer than either side goes without hearing of the other one.
        await().during(Duration.ofMillis(3_200)).atMost(Duration.ofSeconds(5))
                .until(() -> connection.isOpen() && sender.isHeld());

        drain(connection.createChannel(), full, 0, MESSAGES);
        sender.shouldFinish();
        assertThat(told).as("a client that obeys channel.flow is always read from").isEmpty();
    }
}
