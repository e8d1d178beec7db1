package io.sluicemq.interop.rabbitmq;

import static io.sluicemq.interop.lab.Lab.numbers;
import static io.sluicemq.interop.lab.Lab.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.GetResponse;
import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Mailbox;
import io.sluicemq.interop.lab.Refusal;
import io.sluicemq.interop.lab.Spec;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a delivery: accepted, refused, or back in its place. */
@ExtendWith(LabExtension.class)
class SettlementTest {

    /** Takes messages from a queue without settling them; their tags on the channel are 1 and up. */
    private static void hold(Channel channel, String queue, int count) throws Exception {
        for (int i = 0; i < count; i++) {
            assertThat(channel.basicGet(queue, false)).isNotNull();
        }
    }

    @Test
    @Spec("0-9-1 basic.ack")
    void shouldAcceptOneOrAllUpToATag(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.sendNumbers(queue, 1, 6);
        Channel channel = lab.channel();
        hold(channel, queue, 6);
        channel.basicAck(2, false);
        channel.basicAck(4, true);
        channel.close();
        List<GetResponse> left = lab.take(queue);
        assertThat(left).extracting(Lab::text).containsExactly("5", "6");
        assertThat(left).allMatch(message -> message.getEnvelope().isRedeliver());
    }

    @Test
    @Spec("0-9-1 basic.ack tag 0")
    void shouldAcceptAllByTagZero(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.sendNumbers(queue, 1, 3);
        Channel channel = lab.channel();
        channel.basicAck(0, true);
        hold(channel, queue, 2);
        channel.basicAck(0, true);
        channel.close();
        assertThat(lab.drain(queue)).containsExactly("3");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 7, 0x7fffffffffffffffL})
    @Spec("0-9-1 basic.ack unknown tag")
    void shouldRefuseTagsItDoesNotKnow(long tag, Lab lab) throws Exception {
        String unknown = "PRECONDITION_FAILED - unknown delivery tag " + tag;
        Channel ack = lab.channel();
        Refusal.of(ack, () -> ack.basicAck(tag, false)).shouldBe(Refusal.channel(406, unknown, "60.80"));
        Channel multiple = lab.channel();
        Refusal.of(multiple, () -> multiple.basicAck(tag, true)).shouldBe(Refusal.channel(406, unknown, "60.80"));
        Channel nack = lab.channel();
        Refusal.of(nack, () -> nack.basicNack(tag, false, true)).shouldBe(Refusal.channel(406, unknown, "60.120"));
        Channel reject = lab.channel();
        Refusal.of(reject, () -> reject.basicReject(tag, false)).shouldBe(Refusal.channel(406, unknown, "60.90"));
    }

    @Test
    @Spec("0-9-1 basic.ack unknown tag")
    void shouldRefuseToAcceptTwice(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.sendNumbers(queue, 1, 2);
        Channel channel = lab.channel();
        hold(channel, queue, 2);
        channel.basicAck(1, false);
        Refusal.of(channel, () -> channel.basicAck(1, false))
                .shouldBe(Refusal.channel(406, "PRECONDITION_FAILED - unknown delivery tag 1", "60.80"));
        assertThat(lab.drain(queue)).containsExactly("2");
    }

    @Test
    @Spec("0-9-1 basic.ack other channel")
    void shouldKeepTagsToTheirChannel(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.send(queue, "1");
        Connection connection = lab.connect();
        Channel holding = connection.createChannel();
        hold(holding, queue, 1);
        Channel other = connection.createChannel();
        Refusal.of(other, () -> other.basicAck(1, false))
                .shouldBe(Refusal.channel(406, "PRECONDITION_FAILED - unknown delivery tag 1", "60.80"));
        holding.basicAck(1, false);
        holding.close();
        assertThat(lab.drain(queue)).isEmpty();
    }

    @Test
    @Spec({"0-9-1 basic.reject", "RabbitMQ basic.nack"})
    void shouldDropWhatIsRefusedWithoutRequeue(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.sendNumbers(queue, 1, 6);
        Channel channel = lab.channel();
        hold(channel, queue, 5);
        channel.basicReject(1, false);
        channel.basicNack(3, true, false);
        channel.close();
        assertThat(lab.drain(queue)).containsExactly("4", "5", "6");
    }

    @Test
    @Spec("RabbitMQ requeue to the original place")
    void shouldReturnMessagesToTheirPlace(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.sendNumbers(queue, 1, 6);
        Channel channel = lab.channel();
        hold(channel, queue, 4);
        channel.basicReject(3, true);
        assertThat(Lab.text(channel.basicGet(queue, false))).isEqualTo("3");
        channel.basicNack(5, false, true);
        channel.basicNack(1, false, true);
        channel.basicNack(2, false, true);
        channel.basicNack(4, false, true);
        channel.close();
        assertThat(lab.drain(queue)).containsExactly(numbers(1, 6));
    }

    @Test
    @Spec("RabbitMQ requeue to the original place")
    void shouldReturnWhatAClosedChannelHeldToItsPlace(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.sendNumbers(queue, 1, 9);
        Channel odd = lab.channel();
        Channel even = lab.channel();
        for (int i = 0; i < 4; i++) {
            odd.basicGet(queue, false);
            even.basicGet(queue, false);
        }
        even.close();
        odd.close();
        List<GetResponse> all = lab.take(queue);
        assertThat(all).extracting(Lab::text).containsExactly(numbers(1, 9));
        assertThat(all.subList(0, 8)).allMatch(message -> message.getEnvelope().isRedeliver());
        assertThat(all.get(8).getEnvelope().isRedeliver()).isFalse();
    }

    @Test
    @Spec("RabbitMQ requeue to the original place")
    void shouldReturnWhatACutConnectionHeld(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.sendNumbers(queue, 1, 100);
        Connection connection = lab.connect();
        Channel channel = connection.createChannel();
        Lab.consume(channel, queue, false).next(100);
        lab.cut(connection);
        await().atMost(Duration.ofSeconds(5)).until(() -> lab.depth(queue) == 100);
        assertThat(lab.drain(queue)).containsExactly(numbers(1, 100));
    }

    @Test
    @Spec({"0-9-1 basic.recover-sync", "0-9-1 basic.recover-sync-ok", "0-9-1 basic.recover"})
    void shouldRecoverByRequeue(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.sendNumbers(queue, 1, 3);
        Channel channel = lab.channel();
        channel.basicQos(2);
        Mailbox mailbox = Lab.consume(channel, queue, false);
        assertThat(mailbox.bodies(2)).containsExactly("1", "2");
        channel.basicRecover(true);
        List<Delivery> again = mailbox.next(2);
        assertThat(again).extracting(Mailbox::text).containsExactly("1", "2");
        assertThat(again).allMatch(delivery -> delivery.getEnvelope().isRedeliver());
        assertThat(again).extracting(delivery -> delivery.getEnvelope().getDeliveryTag()).containsExactly(3L, 4L);
        channel.basicAck(0, true);
        assertThat(mailbox.nextBody()).isEqualTo("3");
    }

    @Test
    @Spec("0-9-1 basic.recover requeue=false")
    @BeyondRabbitMq("does not implement it; the Qpid JMS client recovers so")
    void shouldRecoverToTheSameConsumer(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.sendNumbers(queue, 1, 2);
        Channel channel = lab.channel();
        Mailbox mailbox = Lab.consume(channel, queue, false);
        assertThat(mailbox.bodies(2)).containsExactly("1", "2");
        Mailbox other = lab.consume(queue);
        channel.basicRecover(false);
        assertThat(mailbox.bodies(2)).containsExactly("1", "2");
        other.shouldBeEmpty();
    }

    @Test
    @Spec("RabbitMQ basic.nack")
    void shouldSettleTheRestAfterTheConsumerWasCancelled(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.sendNumbers(queue, 1, 4);
        Channel channel = lab.channel();
        channel.basicQos(4);
        Mailbox mailbox = Lab.consume(channel, queue, false);
        mailbox.next(4);
        channel.basicCancel(mailbox.tag());
        channel.basicAck(1, false);
        channel.basicNack(2, false, true);
        channel.basicReject(3, false);
        channel.close();
        assertThat(lab.drain(queue)).containsExactly("2", "4");
    }

    @Test
    @Spec("0-9-1 basic.ack")
    void shouldAcceptDeliveriesOfAQueueThatIsGone(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.send(queue, "1", "2");
        Channel channel = lab.channel();
        hold(channel, queue, 2);
        lab.channel().queueDelete(queue);
        channel.basicAck(1, false);
        channel.basicNack(2, false, true);
        channel.exchangeDeclarePassive("amq.direct");
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    @Spec("RabbitMQ x-delivery-limit")
    void shouldDropMessagesAboveTheDeliveryLimit(Lab lab) throws Exception {
        String queue = lab.queue(table("x-queue-type", "quorum", "x-delivery-limit", 1));
        lab.send(queue, "m");
        Channel channel = lab.channel();
        Mailbox mailbox = Lab.consume(channel, queue, false);
        Delivery first = mailbox.next();
        assertThat(first.getEnvelope().isRedeliver()).isFalse();
        assertThat(first.getProperties().getHeaders()).isNull();
        channel.basicNack(first.getEnvelope().getDeliveryTag(), false, true);
        Delivery second = mailbox.next();
        assertThat(second.getEnvelope().isRedeliver()).isTrue();
        assertThat(((Number) second.getProperties().getHeaders().get("x-delivery-count")).intValue()).isEqualTo(1);
        channel.basicNack(second.getEnvelope().getDeliveryTag(), false, true);
        lab.send(queue, "next");
        assertThat(mailbox.nextBody()).isEqualTo("next");
    }
}
