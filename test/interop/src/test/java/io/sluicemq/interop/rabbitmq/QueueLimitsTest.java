package io.sluicemq.interop.rabbitmq;

import static io.sluicemq.interop.lab.Lab.bytes;
import static io.sluicemq.interop.lab.Lab.numbers;
import static io.sluicemq.interop.lab.Lab.table;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.GetResponse;
import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Confirms;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Spec;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Queues with a maximum length. */
@ExtendWith(LabExtension.class)
@Spec("RabbitMQ queue length limit")
class QueueLimitsTest {

    @Test
    void shouldDropFromTheHeadAboveTheMaximumLength(Lab lab) throws Exception {
        String queue = lab.queue(table("x-max-length", 3));
        lab.sendNumbers(queue, 1, 10);
        assertThat(lab.drain(queue)).containsExactly("8", "9", "10");
    }

    @Test
    void shouldDropFromTheHeadAboveTheMaximumBytes(Lab lab) throws Exception {
        String queue = lab.queue(table("x-max-length-bytes", 10, "x-overflow", "drop-head"));
        lab.send(queue, "aaaa", "bbbb", "cc");
        assertThat(lab.depth(queue)).isEqualTo(3);
        lab.send(queue, "d");
        assertThat(lab.drain(queue)).containsExactly("bbbb", "cc", "d");
        lab.send(queue, "longer than ten bytes", "e");
        assertThat(lab.drain(queue)).containsExactly("e");
    }

    @Test
    void shouldHoldNothingWithLengthZero(Lab lab) throws Exception {
        String queue = lab.queue(table("x-max-length", 0));
        lab.sendNumbers(queue, 1, 3);
        assertThat(lab.depth(queue)).isZero();
    }

    @Test
    void shouldCountReadyMessagesOnly(Lab lab) throws Exception {
        String queue = lab.queue(table("x-max-length", 2));
        lab.send(queue, "1", "2");
        Channel channel = lab.channel();
        GetResponse one = channel.basicGet(queue, false);
        channel.basicGet(queue, false);
        lab.send(queue, "3", "4");
        assertThat(lab.depth(queue)).isEqualTo(2);
        channel.basicReject(one.getEnvelope().getDeliveryTag(), true);
        channel.close();
        assertThat(lab.drain(queue)).as("what comes back to the head is the first to be dropped")
                .containsExactly("3", "4");
    }

    @Test
    void shouldDropHeadsToTheDeadLetterExchange(Lab lab) throws Exception {
        String dead = lab.queue();
        String queue =
                lab.queue(table("x-max-length", 2, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead));
        lab.sendNumbers(queue, 1, 5);
        assertThat(lab.drain(queue)).containsExactly("4", "5");
        assertThat(lab.drain(dead)).containsExactly("1", "2", "3");
    }

    @Test
    @Spec("RabbitMQ x-overflow reject-publish")
    void shouldRejectPublishesAboveTheMaximumLength(Lab lab) throws Exception {
        String dead = lab.queue();
        String queue = lab.queue(table("x-max-length", 2, "x-overflow", "reject-publish", "x-dead-letter-exchange", "",
                "x-dead-letter-routing-key", dead));
        Channel channel = lab.channel();
        Confirms confirms = Confirms.on(channel);
        for (String number : numbers(1, 5)) {
            channel.basicPublish("", queue, null, bytes(number));
        }
        assertThat(confirms.acked(2)).containsExactly(1L, 2L);
        assertThat(confirms.nacked(3)).containsExactly(3L, 4L, 5L);
        assertThat(lab.depth(dead)).isZero();
        assertThat(lab.drain(queue)).containsExactly("1", "2");
        channel.basicPublish("", queue, null, bytes("6"));
        assertThat(confirms.acked(1)).containsExactly(6L);
    }

    @Test
    @Spec("RabbitMQ x-overflow reject-publish")
    void shouldDropRejectedPublishesSilentlyWithoutConfirms(Lab lab) throws Exception {
        String queue = lab.queue(table("x-max-length", 1, "x-overflow", "reject-publish"));
        Channel channel = lab.channel();
        channel.basicPublish("", queue, null, bytes("1"));
        channel.basicPublish("", queue, null, bytes("2"));
        Confirms confirms = Confirms.on(channel);
        channel.basicPublish("", queue, null, bytes("3"));
        assertThat(confirms.nacked(1)).as("by then the others have come, too").containsExactly(1L);
        assertThat(lab.drain(queue)).containsExactly("1");
    }

    @Test
    @Spec("RabbitMQ x-overflow reject-publish")
    void shouldNackOneMessageOnceIfAnyOfItsQueuesRejectsIt(Lab lab) throws Exception {
        String full = lab.queue(table("x-max-length", 0, "x-overflow", "reject-publish"));
        String open = lab.queue();
        String fanout = lab.exchange("fanout", Map.of());
        lab.bind(full, fanout, "");
        lab.bind(open, fanout, "");
        Channel channel = lab.channel();
        Confirms confirms = Confirms.on(channel);
        channel.basicPublish(fanout, "", null, bytes("m"));
        assertThat(confirms.nacked(1)).containsExactly(1L);
        assertThat(confirms.ackedCount()).isZero();
        assertThat(lab.drain(open)).containsExactly("m");
    }

    @Test
    @Spec("RabbitMQ x-overflow reject-publish-dlx")
    void shouldDeadLetterRejectedPublishes(Lab lab) throws Exception {
        String dead = lab.queue();
        String queue =
                lab.queue(table("x-max-length", 2, "x-overflow", "reject-publish-dlx", "x-dead-letter-exchange", "",
                        "x-dead-letter-routing-key", dead));
        Channel channel = lab.channel();
        Confirms confirms = Confirms.on(channel);
        for (String number : numbers(1, 4)) {
            channel.basicPublish("", queue, null, bytes(number));
        }
        assertThat(confirms.acked(2)).containsExactly(1L, 2L);
        assertThat(confirms.nacked(2)).containsExactly(3L, 4L);
        assertThat(lab.drain(queue)).containsExactly("1", "2");
        assertThat(lab.drain(dead)).containsExactly("3", "4");
    }

    @Test
    @BeyondRabbitMq("accepts the message that passes the limit in bytes")
    @Spec("RabbitMQ x-overflow reject-publish")
    void shouldRejectTheMessageThatWouldPassTheMaximumBytes(Lab lab) throws Exception {
        String queue = lab.queue(table("x-max-length-bytes", 10, "x-overflow", "reject-publish"));
        Channel channel = lab.channel();
        Confirms confirms = Confirms.on(channel);
        channel.basicPublish("", queue, null, bytes("12345678"));
        channel.basicPublish("", queue, null, bytes("123"));
        channel.basicPublish("", queue, null, bytes("12"));
        assertThat(confirms.acked(2)).containsExactly(1L, 3L);
        assertThat(confirms.nacked(1)).containsExactly(2L);
    }
}
