package io.sluicemq.interop.reported;

import static io.sluicemq.interop.lab.Lab.bytes;
import static io.sluicemq.interop.lab.Lab.numbers;
import static io.sluicemq.interop.lab.Lab.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import io.sluicemq.campaign.RawAmqp;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Mailbox;
import io.sluicemq.interop.lab.Reported;
import io.sluicemq.interop.lab.Spec;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Reported faults of consuming: requeues, prefetch, cancellation, exclusive queues. */
@ExtendWith(LabExtension.class)
class ReportedConsumingTest {

    @Test
    @Reported({"cloudamqp/lavinmq#1237", "cloudamqp/lavinmq#1344"})
    @Spec("RabbitMQ requeue to the original place")
    void shouldRequeueOnceWhenADeliveryFailsAsTheConnectionDies(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.send(queue, "m");
        long seed = System.nanoTime();
        Random random = new Random(seed);
        byte[] channelAndConsumer = RawAmqp.join(RawAmqp.bytes(1, new AMQP.Channel.Open.Builder().build()),
                RawAmqp.bytes(1, new AMQP.Basic.Consume.Builder().queue(queue).build()));
        for (int round = 0; round < 500; round++) {
            RawAmqp raw = RawAmqp.dial(lab.broker(), 1024);
            raw.authenticate(lab.broker());
            raw.tuneAndOpen(lab.broker(), 1, 4096, 0);
            raw.send(channelAndConsumer);
            // the moment of the cut is what varies
            LockSupport.parkNanos(random.nextInt(3_000_000));
            if (random.nextBoolean()) {
                raw.cut();
            } else {
                raw.close();
            }
        }
        await().atMost(Duration.ofSeconds(5)).untilAsserted(
                () -> assertThat(lab.depth(queue)).as("seed %s", seed).isEqualTo(1));
        List<GetResponse> left = lab.take(queue);
        assertThat(left).as("seed %s", seed).hasSize(1);
        assertThat(left.getFirst().getEnvelope().isRedeliver()).isTrue();
    }

    @Test
    @Reported({"cloudamqp/lavinmq#2198", "cloudamqp/lavinmq#2202"})
    @Spec("0-9-1 basic.qos global")
    void shouldHonourALowerSharedPrefetchWhileMoreIsUnsettled(Lab lab) throws Exception {
        String one = lab.queue();
        String two = lab.queue();
        Channel channel = lab.channel();
        channel.basicQos(10, true);
        Mailbox ones = Lab.consume(channel, one, false);
        Mailbox twos = Lab.consume(channel, two, false);
        lab.sendNumbers(one, 1, 100);
        lab.sendNumbers(two, 1, 100);
        await().atMost(Duration.ofSeconds(5)).until(() -> ones.size() + twos.size() == 10);
        List<Long> held = new ArrayList<>();
        channel.basicQos(2, true);
        take(ones, twos, held);
        for (int unsettled = 10; unsettled > 2; unsettled--) {
            channel.basicAck(held.removeFirst(), false);
            channel.exchangeDeclarePassive("amq.direct");
            assertThat(ones.size() + twos.size()).as("with %s unsettled", unsettled - 1).isZero();
        }
        for (int i = 0; i < 190; i++) {
            channel.basicAck(held.removeFirst(), false);
            await().pollInterval(Duration.ofMillis(1)).atMost(Duration.ofSeconds(5))
                    .until(() -> ones.size() + twos.size() > 0);
            take(ones, twos, held);
            assertThat(held).hasSizeLessThanOrEqualTo(2);
        }
        channel.basicAck(0, true);
        ones.shouldBeEmpty();
        twos.shouldBeEmpty();
        assertThat(lab.depth(one) + lab.depth(two)).isZero();
    }

    private static void take(Mailbox ones, Mailbox twos, List<Long> held) throws InterruptedException {
        Stream.concat(ones.next(ones.size()).stream(), twos.next(twos.size()).stream())
                .map(delivery -> delivery.getEnvelope().getDeliveryTag()).sorted().forEach(held::add);
    }

    @Test
    @Reported({"cloudamqp/lavinmq#975", "cloudamqp/lavinmq#976", "cloudamqp/lavinmq#977", "cloudamqp/lavinmq#996"})
    @Spec("RabbitMQ x-delivery-limit")
    void shouldCountDeliveriesAndEndThemAtTheLimit(Lab lab) throws Exception {
        String dead = lab.queue();
        String queue = lab.queue(table("x-queue-type", "quorum", "x-delivery-limit", 3, "x-dead-letter-exchange", "",
                "x-dead-letter-routing-key", dead));
        lab.send(queue, "m");
        Channel channel = lab.channel();
        Mailbox mailbox = Lab.consume(channel, queue, false);
        for (int attempt = 0; attempt <= 3; attempt++) {
            Delivery delivery = mailbox.next();
            assertThat(delivery.getEnvelope().isRedeliver()).isEqualTo(attempt > 0);
            Object count = delivery.getProperties().getHeaders() == null
                    ? null
                    : delivery.getProperties().getHeaders().get("x-delivery-count");
            assertThat(count == null ? 0 : ((Number) count).intValue()).isEqualTo(attempt);
            if (attempt == 3) {
                channel.basicCancel(mailbox.tag());
            }
            channel.basicReject(delivery.getEnvelope().getDeliveryTag(), true);
        }
        await().atMost(Duration.ofSeconds(5)).until(() -> lab.depth(dead) == 1);
        assertThat(lab.depth(queue)).isZero();
    }

    @Test
    @Reported("QPID-7541")
    @Spec("RabbitMQ consumer cancel notification")
    void shouldCancelTheConsumersOfADeletedQueueForGood(Lab lab) throws Exception {
        String queue = lab.queue();
        Mailbox mailbox = lab.consume(queue);
        Channel other = lab.connect().createChannel();
        other.queueDelete(queue);
        mailbox.shouldBeCancelled();
        other.queueDeclare(queue, true, false, false, null);
        lab.send(queue, "m");
        mailbox.shouldBeEmpty();
        assertThat(lab.drain(queue)).containsExactly("m");
    }

    @Test
    @Reported("rabbitmq/rabbitmq-server#15276")
    @Spec("0-9-1 queue.declare exclusive")
    void shouldNotDeleteTheQueueThatHasTakenTheNameOfAnExclusiveOne(Lab lab) throws Exception {
        String queue = lab.name("taken-over");
        for (int round = 0; round < 40; round++) {
            Connection old = lab.connect();
            old.createChannel().queueDeclare(queue, false, true, false, null);
            Connection next = lab.connect();
            lab.cut(old);
            Channel channel = declareWhenFree(next, queue);
            Mailbox mailbox = Lab.consume(channel, queue, true);
            Channel publishing = next.createChannel();
            for (int i = 1; i <= 50; i++) {
                publishing.basicPublish("", queue, true, null, bytes(Integer.toString(i)));
                if (i % 10 == 0) {
                    publishing.exchangeDeclarePassive("amq.direct");
                }
            }
            assertThat(mailbox.bodies(50)).as("round %s", round).containsExactly(numbers(1, 50));
            channel.queueDeclarePassive(queue);
            next.close();
        }
    }

    /** Declares an exclusive queue as soon as another connection has lost it. */
    private static Channel declareWhenFree(Connection connection, String queue) {
        return await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).atMost(Duration.ofSeconds(5))
                .until(() -> {
                    Channel channel = connection.createChannel();
                    try {
                        channel.queueDeclare(queue, false, true, false, null);
                        return channel;
                    } catch (IOException e) {
                        AMQP.Channel.Close close = (AMQP.Channel.Close) ((ShutdownSignalException) e.getCause())
                                .getReason();
                        assertThat(close.getReplyCode()).isEqualTo(AMQP.RESOURCE_LOCKED);
                        return null;
                    }
                }, channel -> channel != null);
    }

    @Test
    @Reported("QPID-7889")
    @Spec("RabbitMQ basic.nack")
    void shouldOfferARequeuedMessageToOtherConsumers(Lab lab) throws Exception {
        String queue = lab.queue();
        List<Mailbox> mailboxes = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Channel channel = lab.channel();
            channel.basicQos(1);
            mailboxes.add(Lab.consume(channel, queue, false));
        }
        lab.send(queue, "m");
        await().atMost(Duration.ofSeconds(5)).until(() -> mailboxes.get(0).size() + mailboxes.get(1).size() == 1);
        Mailbox refusing = mailboxes.get(0).size() == 1 ? mailboxes.get(0) : mailboxes.get(1);
        Mailbox accepting = mailboxes.get(0).size() == 1 ? mailboxes.get(1) : mailboxes.get(0);
        long end = System.nanoTime() + Duration.ofSeconds(1).toNanos();
        while (accepting.size() == 0) {
            assertThat(System.nanoTime()).as("offered to the other within 1 s").isLessThan(end);
            if (refusing.size() > 0) {
                refusing.getChannel().basicNack(refusing.next().getEnvelope().getDeliveryTag(), false, true);
            }
        }
        accepting.getChannel().basicAck(accepting.next().getEnvelope().getDeliveryTag(), false);
        accepting.shouldBeEmpty();
        refusing.shouldBeEmpty();
    }

    @Test
    @Reported("rabbitmq/rabbitmq-server dcb2fe0")
    @Spec({"0-9-1 basic.ack", "RabbitMQ requeue to the original place"})
    void shouldSettleOutOfOrder(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.sendNumbers(queue, 1, 100);
        Channel channel = lab.channel();
        for (int i = 0; i < 100; i++) {
            channel.basicGet(queue, false);
        }
        channel.basicAck(50, false);
        channel.basicAck(10, false);
        channel.basicAck(90, false);
        channel.basicNack(40, true, true);
        channel.basicReject(80, true);
        channel.basicReject(70, true);
        channel.basicReject(60, true);
        channel.close();
        List<GetResponse> left = lab.take(queue);
        assertThat(left).extracting(Lab::text).containsExactlyElementsOf(
                IntStream.rangeClosed(1, 100).filter(i -> i != 50 && i != 10 && i != 90).mapToObj(Integer::toString)
                        .toList());
        assertThat(left).allMatch(message -> message.getEnvelope().isRedeliver());
    }
}
