package io.sluicemq.interop.rabbitmq;

import static io.sluicemq.interop.lab.Lab.bytes;
import static io.sluicemq.interop.lab.Lab.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
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
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long messages live. */
@ExtendWith(LabExtension.class)
class ExpiryTest {

    private static BasicProperties expiration(String millis) {
        return new BasicProperties.Builder().expiration(millis).build();
    }

    /** A queue whose dead messages come to another, which says when they died. */
    private static String withDeadLettersTo(Lab lab, String dead, Map<String, Object> more) throws Exception {
        Map<String, Object> arguments = table("x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead);
        arguments.putAll(more);
        return lab.queue(arguments);
    }

    @Test
    @Spec("RabbitMQ x-message-ttl")
    void shouldExpireMessagesByTheQueuesTimeToLive(Lab lab) throws Exception {
        String dead = lab.queue();
        String queue = withDeadLettersTo(lab, dead, table("x-message-ttl", 100));
        Mailbox mailbox = lab.consume(dead);
        lab.send(queue, "1", "2", "3");
        assertThat(mailbox.bodies(3)).containsExactly("1", "2", "3");
        assertThat(lab.depth(queue)).isZero();
    }

    @Test
    @Spec("RabbitMQ expiration")
    void shouldExpireAMessageByItsOwnTimeToLive(Lab lab) throws Exception {
        String dead = lab.queue();
        String queue = withDeadLettersTo(lab, dead, Map.of());
        Mailbox mailbox = lab.consume(dead);
        lab.send(queue, expiration("100"), "short");
        lab.send(queue, expiration("60000"), "long");
        Delivery expired = mailbox.next();
        assertThat(Mailbox.text(expired)).isEqualTo("short");
        assertThat(expired.getProperties().getExpiration()).as("or it would expire again").isNull();
        List<GetResponse> left = lab.take(queue);
        assertThat(left).hasSize(1);
        assertThat(left.getFirst().getProps().getExpiration()).isEqualTo("60000");
    }

    @Test
    @Spec("RabbitMQ expiration")
    void shouldUseTheShorterOfBothTimesToLive(Lab lab) throws Exception {
        String dead = lab.queue();
        String shortQueue = withDeadLettersTo(lab, dead, table("x-message-ttl", 50));
        String longQueue = withDeadLettersTo(lab, dead, table("x-message-ttl", 60_000));
        Mailbox mailbox = lab.consume(dead);
        lab.send(shortQueue, expiration("60000"), "by the queue");
        assertThat(mailbox.nextBody()).isEqualTo("by the queue");
        lab.send(longQueue, expiration("50"), "by itself");
        assertThat(mailbox.nextBody()).isEqualTo("by itself");
    }

    @Test
    @Spec("RabbitMQ expiration")
    @BeyondRabbitMq("expires messages at the head only")
    void shouldExpireMessagesBehindOnesThatLive(Lab lab) throws Exception {
        String dead = lab.queue();
        String queue = withDeadLettersTo(lab, dead, Map.of());
        Mailbox mailbox = lab.consume(dead);
        lab.send(queue, "for ever");
        lab.send(queue, expiration("60000"), "long");
        lab.send(queue, expiration("200"), "second");
        lab.send(queue, expiration("50"), "first");
        assertThat(mailbox.bodies(2)).containsExactly("first", "second");
        assertThat(lab.drain(queue)).containsExactly("for ever", "long");
    }

    @Test
    @Spec("RabbitMQ expiration")
    @BeyondRabbitMq("expires messages at the head only")
    void shouldNotKeepDeadMessagesBehindAnUnsettledHead(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.send(queue, "held");
        lab.send(queue, "waits");
        lab.send(queue, expiration("50"), "dies");
        Channel holding = lab.channel();
        holding.basicGet(queue, false);
        await().atMost(Duration.ofSeconds(5)).until(() -> lab.depth(queue) == 1);
        holding.close();
        assertThat(lab.drain(queue)).containsExactly("held", "waits");
    }

    @Test
    @Spec("RabbitMQ expiration")
    void shouldDeliverToAWaitingConsumerEvenWithNoTimeToLive(Lab lab) throws Exception {
        String queue = lab.queue(table("x-message-ttl", 0));
        Mailbox mailbox = lab.consume(queue);
        lab.send(queue, "now or never");
        assertThat(mailbox.nextBody()).isEqualTo("now or never");
        String other = lab.queue();
        lab.send(other, expiration("0"), "never");
        await().atMost(Duration.ofSeconds(5)).until(() -> lab.depth(other) == 0);
        assertThat(lab.drain(other)).isEmpty();
    }

    @Test
    @Spec("RabbitMQ expiration")
    void shouldExpireARequeuedMessageThatHasOutlivedItsTime(Lab lab) throws Exception {
        String dead = lab.queue();
        String queue = withDeadLettersTo(lab, dead, Map.of());
        lab.send(queue, expiration("150"), "m");
        Channel channel = lab.channel();
        GetResponse held = channel.basicGet(queue, false);
        assertThat(Lab.text(held)).isEqualTo("m");
        // a message that somebody holds does not expire: a second one tells that its time is over
        lab.send(queue, expiration("150"), "clock");
        Mailbox mailbox = lab.consume(dead);
        assertThat(mailbox.nextBody()).isEqualTo("clock");
        channel.basicReject(held.getEnvelope().getDeliveryTag(), true);
        assertThat(mailbox.nextBody()).isEqualTo("m");
    }

    @Test
    @Spec("RabbitMQ expiration")
    void shouldNotExpireAPublishThatIsHeldByAConsumer(Lab lab) throws Exception {
        String dead = lab.queue();
        String queue = withDeadLettersTo(lab, dead, table("x-message-ttl", 50));
        Channel channel = lab.channel();
        Mailbox holding = Lab.consume(channel, queue, false);
        lab.send(queue, "held");
        Delivery held = holding.next();
        String clock = withDeadLettersTo(lab, dead, table("x-message-ttl", 150));
        Mailbox mailbox = lab.consume(dead);
        lab.send(clock, "clock");
        assertThat(mailbox.nextBody()).isEqualTo("clock");
        channel.basicAck(held.getEnvelope().getDeliveryTag(), false);
        mailbox.shouldBeEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "soon", "1.5", "", " 5", "99999999999999999999"})
    @Spec("RabbitMQ expiration errors")
    void shouldRefuseExpirationsThatAreNoTime(String expiration, Lab lab) throws Exception {
        String queue = lab.queue();
        Channel channel = lab.channel();
        Refusal.of(channel, () -> channel.basicPublish("", queue, expiration(expiration), bytes("m")))
                .shouldBe(
                        Refusal.channel(406, "PRECONDITION_FAILED - invalid expiration '" + expiration + "'", "60.40"));
        assertThat(lab.depth(queue)).isZero();
    }
}
