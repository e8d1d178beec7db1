package io.sluicemq.interop.rabbitmq;

import static io.sluicemq.interop.lab.Lab.bytes;
import static io.sluicemq.interop.lab.Lab.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.GetResponse;
import io.sluicemq.interop.lab.Confirms;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Mailbox;
import io.sluicemq.interop.lab.Spec;
import java.time.Duration;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Where messages go that nobody wanted, and what they tell about it. */
@ExtendWith(LabExtension.class)
@Spec("RabbitMQ dead lettering")
class DeadLettersTest {

    private static BasicProperties expiration(String millis) {
        return new BasicProperties.Builder().expiration(millis).build();
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> deaths(BasicProperties properties) {
        List<Map<String, Object>> deaths = (List<Map<String, Object>>) properties.getHeaders().get("x-death");
        return deaths.stream().<Map<String, Object>>map(death -> {
            Map<String, Object> plain = new java.util.HashMap<>(death);
            plain.replaceAll((key, value) -> value instanceof List<?> list
                    ? list.stream().map(String::valueOf).toList()
                    : value instanceof com.rabbitmq.client.LongString text ? text.toString() : value);
            return plain;
        }).toList();
    }

    private static Map<String, Object> headers(BasicProperties properties) {
        Map<String, Object> plain = new java.util.HashMap<>(properties.getHeaders());
        plain.replaceAll((key, value) -> value instanceof com.rabbitmq.client.LongString ? value.toString() : value);
        return plain;
    }

    @Test
    void shouldTellTheHistoryOfARejectedMessage(Lab lab) throws Exception {
        String dead = lab.queue();
        String direct = lab.exchange(BuiltinExchangeType.DIRECT);
        lab.bind(dead, direct, "key");
        String queue = lab.queue(table("x-dead-letter-exchange", direct));
        lab.bind(queue, "amq.direct", "key");
        long before = System.currentTimeMillis() / 1000 * 1000;
        lab.publish("amq.direct", "key", new BasicProperties.Builder().headers(table("mine", "kept")).messageId("id")
                .deliveryMode(2).build(), "m");
        Channel channel = lab.channel();
        channel.basicReject(channel.basicGet(queue, false).getEnvelope().getDeliveryTag(), false);
        channel.close();
        awaitDepth(lab, dead, 1);
        GetResponse message = lab.take(dead).getFirst();
        assertThat(Lab.text(message)).isEqualTo("m");
        assertThat(message.getEnvelope().getExchange()).isEqualTo(direct);
        assertThat(message.getEnvelope().getRoutingKey()).isEqualTo("key");
        assertThat(message.getEnvelope().isRedeliver()).isFalse();
        assertThat(message.getProps().getMessageId()).isEqualTo("id");
        assertThat(message.getProps().getDeliveryMode()).isEqualTo(2);
        Map<String, Object> headers = headers(message.getProps());
        assertThat(headers).containsEntry("mine", "kept").containsEntry("x-first-death-queue", queue)
                .containsEntry("x-first-death-reason", "rejected")
                .containsEntry("x-first-death-exchange", "amq.direct");
        List<Map<String, Object>> deaths = deaths(message.getProps());
        assertThat(deaths).hasSize(1);
        assertThat(deaths.getFirst()).containsEntry("queue", queue).containsEntry("reason", "rejected")
                .containsEntry("count", 1L).containsEntry("exchange", "amq.direct")
                .containsEntry("routing-keys", List.of("key")).containsKey("time").hasSize(6);
        assertThat((Date) deaths.getFirst().get("time")).isBetween(new Date(before),
                new Date(System.currentTimeMillis() + 1000));
        lab.channel().queueUnbind(queue, "amq.direct", "key");
    }

    @Test
    void shouldTellTheHistoryOfAnExpiredMessage(Lab lab) throws Exception {
        String dead = lab.queue();
        String queue = lab.queue(table("x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead));
        Mailbox mailbox = lab.consume(dead);
        lab.send(queue, expiration("20"), "m");
        Delivery expired = mailbox.next();
        assertThat(expired.getEnvelope().getRoutingKey()).isEqualTo(dead);
        assertThat(expired.getProperties().getExpiration()).isNull();
        assertThat(deaths(expired.getProperties()).getFirst()).containsEntry("reason", "expired")
                .containsEntry("original-expiration", "20").containsEntry("routing-keys", List.of(queue))
                .containsEntry("exchange", "");
    }

    @Test
    void shouldTellTheHistoryOfAMessageInExcess(Lab lab) throws Exception {
        String dead = lab.queue();
        String queue = lab.queue(
                table("x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead, "x-max-length", 1));
        lab.send(queue, expiration("60000"), "1");
        lab.send(queue, "2");
        awaitDepth(lab, dead, 1);
        BasicProperties properties = lab.take(dead).getFirst().getProps();
        assertThat(deaths(properties).getFirst()).containsEntry("reason", "maxlen")
                .containsEntry("original-expiration", "60000");
        assertThat(headers(properties)).containsEntry("x-first-death-reason", "maxlen");
    }

    @Test
    @Spec("RabbitMQ x-delivery-limit")
    void shouldTellTheHistoryOfAMessageAboveTheDeliveryLimit(Lab lab) throws Exception {
        String dead = lab.queue();
        String queue =
                lab.queue(table("x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead, "x-delivery-limit",
                        0, "x-queue-type", "quorum"));
        Mailbox mailbox = lab.consume(dead);
        lab.send(queue, "m");
        Channel channel = lab.channel();
        channel.basicReject(channel.basicGet(queue, false).getEnvelope().getDeliveryTag(), true);
        assertThat(deaths(mailbox.next().getProperties()).getFirst()).containsEntry("reason", "delivery_limit");
    }

    @Test
    void shouldKeepOneEntryForEachQueueAndReasonTheLatestFirst(Lab lab) throws Exception {
        String end = lab.queue();
        String second = lab.queue(table("x-dead-letter-exchange", "", "x-dead-letter-routing-key", end));
        String first = lab.queue(table("x-dead-letter-exchange", "", "x-dead-letter-routing-key", second));
        lab.send(first, "m");
        Channel channel = lab.channel();
        channel.basicReject(channel.basicGet(first, false).getEnvelope().getDeliveryTag(), false);
        awaitDepth(lab, second, 1);
        channel.basicReject(channel.basicGet(second, false).getEnvelope().getDeliveryTag(), false);
        awaitDepth(lab, end, 1);
        GetResponse message = lab.take(end).getFirst();
        assertThat(deaths(message.getProps())).extracting(death -> death.get("queue")).containsExactly(second, first);
        assertThat(headers(message.getProps())).containsEntry("x-first-death-queue", first);
        // the application sends it round once more, history and all
        lab.send(first, message.getProps(), "m");
        channel.basicReject(channel.basicGet(first, false).getEnvelope().getDeliveryTag(), false);
        awaitDepth(lab, second, 1);
        GetResponse again = lab.take(second).getFirst();
        assertThat(deaths(again.getProps())).extracting(death -> death.get("queue") + " " + death.get("count"))
                .containsExactly(first + " 2", second + " 1");
    }

    private static void awaitDepth(Lab lab, String queue, int depth) {
        await().atMost(Duration.ofSeconds(5)).until(() -> lab.depth(queue) == depth);
    }

    @Test
    @Spec("RabbitMQ dead lettering cycles")
    void shouldCutACycleInWhichNobodyRejects(Lab lab) throws Exception {
        String ring = lab.exchange(BuiltinExchangeType.FANOUT);
        String one = lab.queue(table("x-message-ttl", 20, "x-dead-letter-exchange", ring));
        String witness = lab.queue();
        lab.bind(one, ring, "");
        lab.bind(witness, ring, "");
        Mailbox mailbox = lab.consume(witness);
        lab.send(one, "m");
        Delivery once = mailbox.next();
        assertThat(deaths(once.getProperties()).getFirst()).containsEntry("count", 1L);
        // it would come back as expired from the queue that it has expired from before, all by itself
        awaitDepth(lab, one, 0);
        String clock = lab.queue(
                table("x-message-ttl", 100, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", witness));
        lab.send(clock, "clock");
        assertThat(mailbox.nextBody()).isEqualTo("clock");
        mailbox.shouldBeEmpty();
        assertThat(lab.depth(one)).isZero();
    }

    @Test
    @Spec("RabbitMQ dead lettering cycles")
    void shouldNotCutACycleWithARejection(Lab lab) throws Exception {
        String retry = lab.name("retry");
        String work = lab.queue(table("x-dead-letter-exchange", "", "x-dead-letter-routing-key", retry));
        lab.channel().queueDeclare(lab.forget(retry), true, false, false,
                table("x-message-ttl", 10, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", work));
        Mailbox mailbox = lab.consume(work);
        lab.send(work, "m");
        for (int i = 0; i < 10; i++) {
            mailbox.getChannel().basicReject(mailbox.next().getEnvelope().getDeliveryTag(), false);
        }
        assertThat(deaths(mailbox.next().getProperties()))
                .extracting(death -> death.get("reason") + " " + death.get("count"))
                .containsExactly("expired 10", "rejected 10");
    }

    @Test
    void shouldDropDeadMessagesIfTheExchangeIsMissing(Lab lab) throws Exception {
        String queue = lab.queue(table("x-dead-letter-exchange", "nowhere", "x-max-length", 1));
        lab.send(queue, "1", "2", "3");
        assertThat(lab.drain(queue)).containsExactly("3");
    }

    @Test
    void shouldRouteByAllOriginalKeysIfNoneIsGiven(Lab lab) throws Exception {
        String direct = lab.exchange(BuiltinExchangeType.DIRECT);
        String one = lab.boundQueue(direct, "one");
        String two = lab.boundQueue(direct, "two");
        String queue = lab.queue(table("x-dead-letter-exchange", direct, "x-max-length", 0));
        String source = lab.exchange(BuiltinExchangeType.DIRECT);
        lab.bind(queue, source, "one");
        lab.publish(source, "one", new BasicProperties.Builder().headers(table("CC", List.of("two"))).build(), "m");
        awaitDepth(lab, one, 1);
        assertThat(lab.drain(one)).containsExactly("m");
        awaitDepth(lab, two, 1);
        GetResponse copy = lab.take(two).getFirst();
        assertThat(deaths(copy.getProps()).getFirst()).containsEntry("routing-keys", List.of("one", "two"));
    }

    @Test
    void shouldDropTheCarbonCopiesIfAKeyIsGiven(Lab lab) throws Exception {
        String direct = lab.exchange(BuiltinExchangeType.DIRECT);
        String copies = lab.boundQueue(direct, "copy");
        String dead = lab.boundQueue(direct, "dead");
        String queue = lab
                .queue(table("x-dead-letter-exchange", direct, "x-dead-letter-routing-key", "dead", "x-max-length", 0));
        lab.send(queue, new BasicProperties.Builder().headers(table("CC", List.of("copy"))).build(), "m");
        assertThat(lab.drain(copies)).isEmpty();
        awaitDepth(lab, dead, 1);
        assertThat(lab.drain(dead)).containsExactly("m");
    }

    @Test
    void shouldConfirmAPublishThatIsDroppedToAnotherQueueOnce(Lab lab) throws Exception {
        String dead = lab.queue();
        String queue = lab.queue(
                table("x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead, "x-max-length", 0));
        Channel channel = lab.channel();
        Confirms confirms = Confirms.on(channel);
        for (int i = 0; i < 100; i++) {
            channel.basicPublish("", queue, null, bytes("m"));
        }
        assertThat(confirms.acked(100)).hasSize(100);
        awaitDepth(lab, dead, 100);
    }

    @Test
    void shouldNotDeadLetterWhatAPurgeOrDeleteRemoves(Lab lab) throws Exception {
        String dead = lab.queue();
        String queue = lab.queue(table("x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead));
        lab.sendNumbers(queue, 1, 5);
        lab.channel().queuePurge(queue);
        lab.sendNumbers(queue, 1, 5);
        lab.channel().queueDelete(queue);
        lab.send(dead, "only this");
        awaitDepth(lab, dead, 1);
        assertThat(lab.drain(dead)).containsExactly("only this");
    }
}
