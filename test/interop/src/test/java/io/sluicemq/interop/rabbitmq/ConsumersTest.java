package io.sluicemq.interop.rabbitmq;

import static io.sluicemq.interop.lab.Lab.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.GetResponse;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Mailbox;
import io.sluicemq.interop.lab.Refusal;
import io.sluicemq.interop.lab.Spec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Starting and ending consumers, and which of them gets what. */
@ExtendWith(LabExtension.class)
class ConsumersTest {

    @Test
    @Spec({"0-9-1 basic.consume", "0-9-1 basic.deliver"})
    void shouldDeliverWithTagExchangeAndKey(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.bind(queue, "amq.direct", queue + ".key");
        Channel channel = lab.channel();
        Mailbox mailbox = new Mailbox(channel);
        assertThat(channel.basicConsume(queue, false, "mine", mailbox)).isEqualTo("mine");
        lab.publish("amq.direct", queue + ".key", "1");
        lab.send(queue, "2");
        Delivery first = mailbox.next();
        Envelope envelope = first.getEnvelope();
        assertThat(envelope.getDeliveryTag()).isEqualTo(1);
        assertThat(envelope.isRedeliver()).isFalse();
        assertThat(envelope.getExchange()).isEqualTo("amq.direct");
        assertThat(envelope.getRoutingKey()).isEqualTo(queue + ".key");
        Delivery second = mailbox.next();
        assertThat(second.getEnvelope().getDeliveryTag()).isEqualTo(2);
        assertThat(second.getEnvelope().getExchange()).isEmpty();
        assertThat(second.getEnvelope().getRoutingKey()).isEqualTo(queue);
    }

    @Test
    @Spec("0-9-1 basic.consume server-chosen tag")
    void shouldChooseConsumerTagsItself(Lab lab) throws Exception {
        String queue = lab.queue();
        Channel channel = lab.channel();
        String one = channel.basicConsume(queue, new Mailbox(channel));
        String two = channel.basicConsume(queue, new Mailbox(channel));
        assertThat(one).startsWith("amq.ctag-").isNotEqualTo(two);
        channel.basicCancel(one);
        channel.basicCancel(two);
        assertThat(channel.consumerCount(queue)).isZero();
    }

    @Test
    @Spec("0-9-1 basic.consume duplicate tag")
    void shouldRefuseATagThatIsInUseOnTheChannel(Lab lab) throws Exception {
        String queue = lab.queue();
        Connection connection = lab.connect();
        Channel one = connection.createChannel();
        Channel two = connection.createChannel();
        one.basicConsume(queue, true, "tag", new Mailbox(one));
        two.basicConsume(queue, true, "tag", new Mailbox(two));
        // the client would refuse this by itself if it knew of the first consumer
        Channel three = connection.createChannel();
        AMQP.Basic.Consume consume = new AMQP.Basic.Consume.Builder().queue(queue).consumerTag("tag").build();
        three.rpc(consume);
        Refusal.of(() -> three.rpc(consume)).shouldBe(Refusal.connection(530,
                "NOT_ALLOWED - attempt to reuse consumer tag 'tag'", "60.20"));
    }

    @Test
    @Spec("0-9-1 basic.consume exclusive")
    void shouldKeepAQueueToAnExclusiveConsumer(Lab lab) throws Exception {
        String queue = lab.queue();
        String refusal = "ACCESS_REFUSED - queue '" + queue + "' in vhost '/' in exclusive use";
        Channel channel = lab.channel();
        String tag = channel.basicConsume(queue, true, "", false, true, null, new Mailbox(channel));
        Channel other = lab.channel();
        Refusal.of(() -> other.basicConsume(queue, new Mailbox(other)))
                .shouldBe(Refusal.channel(403, refusal, "60.20"));
        channel.basicCancel(tag);
        channel.basicConsume(queue, true, new Mailbox(channel));
        Channel late = lab.channel();
        Refusal.of(() -> late.basicConsume(queue, false, "", false, true, null, new Mailbox(late)))
                .shouldBe(Refusal.channel(403, refusal, "60.20"));
    }

    @Test
    @Spec({"0-9-1 basic.cancel", "0-9-1 basic.cancel-ok"})
    void shouldDeliverNothingAfterCancelOkAndKeepWhatIsUnsettled(Lab lab) throws Exception {
        String queue = lab.queue();
        Channel channel = lab.channel();
        Mailbox mailbox = new Mailbox(channel);
        String tag = channel.basicConsume(queue, false, mailbox);
        lab.send(queue, "1");
        Delivery held = mailbox.next();
        channel.basicCancel(tag);
        lab.send(queue, "2");
        mailbox.shouldBeEmpty();
        assertThat(lab.depth(queue)).isEqualTo(1);
        channel.basicAck(held.getEnvelope().getDeliveryTag(), false);
        channel.close();
        assertThat(lab.drain(queue)).containsExactly("2");
    }

    @Test
    @Spec("0-9-1 basic.cancel unknown tag")
    void shouldAnswerTheCancellationOfAnUnknownConsumer(Lab lab) throws Exception {
        try (var raw = lab.raw()) {
            raw.openChannel(1);
            raw.send(1, new AMQP.Basic.Cancel.Builder().consumerTag("nobody").build());
            assertThat(raw.expect(1, AMQP.Basic.CancelOk.class).getConsumerTag()).isEqualTo("nobody");
        }
    }

    @Test
    @Spec("RabbitMQ consumer cancel notification")
    void shouldTellAConsumerThatItsQueueIsGone(Lab lab) throws Exception {
        String queue = lab.queue();
        Mailbox mailbox = lab.consume(queue);
        lab.channel().queueDelete(queue);
        mailbox.shouldBeCancelled();
        assertThat(mailbox.getChannel().isOpen()).isTrue();
    }

    @Test
    @Spec("0-9-1 basic.consume no-ack")
    void shouldForgetMessagesDeliveredWithoutAcknowledgement(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.sendNumbers(queue, 1, 20);
        Channel channel = lab.channel();
        channel.basicQos(1);
        Mailbox mailbox = Lab.consume(channel, queue, true);
        assertThat(mailbox.bodies(20)).as("prefetch does not count them").containsExactly(Lab.numbers(1, 20));
        channel.close();
        assertThat(lab.drain(queue)).isEmpty();
    }

    @Test
    @Spec("0-9-1 basic.consume")
    void shouldServeConsumersInTurn(Lab lab) throws Exception {
        String queue = lab.queue();
        Mailbox one = lab.consume(queue);
        Mailbox two = lab.consume(queue);
        Mailbox three = lab.consume(queue);
        lab.sendNumbers(queue, 1, 9);
        List<String> all = new ArrayList<>();
        for (Mailbox mailbox : List.of(one, two, three)) {
            all.addAll(mailbox.bodies(3));
        }
        assertThat(all).containsExactlyInAnyOrder(Lab.numbers(1, 9));
    }

    @Test
    @Spec("RabbitMQ consumer priority")
    void shouldServeConsumersOfHigherPriorityFirst(Lab lab) throws Exception {
        String queue = lab.queue();
        Channel low = lab.channel();
        low.basicQos(2);
        Mailbox second = Lab.consume(low, queue, false);
        Channel high = lab.channel();
        high.basicQos(2);
        Mailbox first = Lab.consume(high, queue, false, table("x-priority", 10));
        Channel lowest = lab.channel();
        Mailbox last = Lab.consume(lowest, queue, false, table("x-priority", -1));
        lab.sendNumbers(queue, 1, 5);
        List<Delivery> held = first.next(2);
        assertThat(held).extracting(Mailbox::text).containsExactly("1", "2");
        assertThat(second.bodies(2)).containsExactly("3", "4");
        assertThat(last.bodies(1)).containsExactly("5");
        high.basicAck(held.getFirst().getEnvelope().getDeliveryTag(), false);
        high.exchangeDeclarePassive("amq.direct");
        lab.send(queue, "6");
        assertThat(first.bodies(1)).containsExactly("6");
    }

    @Test
    @Spec("RabbitMQ consumer priority")
    void shouldRefuseAPriorityThatIsNoNumber(Lab lab) throws Exception {
        String queue = lab.queue();
        Channel channel = lab.channel();
        Refusal refusal = Refusal
                .of(() -> channel.basicConsume(queue, false, table("x-priority", "high"), new Mailbox(channel)));
        assertThat(refusal.code()).isEqualTo(406);
        assertThat(refusal.text()).startsWith("PRECONDITION_FAILED - ").contains("x-priority");
    }

    @Test
    @Spec("RabbitMQ x-single-active-consumer")
    void shouldServeOneConsumerUntilItGoes(Lab lab) throws Exception {
        String queue = lab.queue(table("x-single-active-consumer", true));
        Mailbox first = lab.consume(queue);
        Mailbox second = lab.consume(queue);
        Mailbox third = lab.consume(queue);
        lab.sendNumbers(queue, 1, 3);
        assertThat(first.bodies(3)).containsExactly("1", "2", "3");
        assertThat(second.size() + third.size()).isZero();
        first.getChannel().close();
        assertThat(second.bodies(3)).as("what the first has held").containsExactly("1", "2", "3");
        lab.send(queue, "4");
        assertThat(second.bodies(1)).containsExactly("4");
        assertThat(third.size()).isZero();
        second.getChannel().basicCancel(second.tag());
        lab.send(queue, "5");
        assertThat(third.bodies(1)).containsExactly("5");
    }

    @Test
    @Spec("RabbitMQ x-single-active-consumer")
    void shouldRefuseAnExclusiveConsumerWhereOneIsActiveAnyway(Lab lab) throws Exception {
        String queue = lab.queue(table("x-single-active-consumer", true));
        Channel channel = lab.channel();
        Refusal refusal = Refusal
                .of(() -> channel.basicConsume(queue, false, "", false, true, null, new Mailbox(channel)));
        assertThat(refusal.connection()).isFalse();
        assertThat(refusal.code()).isEqualTo(403);
        assertThat(refusal.text()).startsWith("ACCESS_REFUSED - queue '" + queue + "' in vhost '/' in exclusive use");
    }

    @Test
    @Spec({"0-9-1 basic.get", "0-9-1 basic.get-ok", "0-9-1 basic.get-empty"})
    void shouldGetOneMessageAtATime(Lab lab) throws Exception {
        String queue = lab.queue();
        Channel channel = lab.channel();
        assertThat(channel.basicGet(queue, false)).isNull();
        lab.send(queue, "1", "2", "3");
        GetResponse one = channel.basicGet(queue, false);
        assertThat(Lab.text(one)).isEqualTo("1");
        assertThat(one.getMessageCount()).isEqualTo(2);
        assertThat(one.getEnvelope().isRedeliver()).isFalse();
        assertThat(one.getEnvelope().getRoutingKey()).isEqualTo(queue);
        GetResponse two = channel.basicGet(queue, true);
        assertThat(Lab.text(two)).isEqualTo("2");
        assertThat(two.getMessageCount()).isEqualTo(1);
        channel.basicReject(one.getEnvelope().getDeliveryTag(), true);
        GetResponse again = channel.basicGet(queue, false);
        assertThat(Lab.text(again)).isEqualTo("1");
        assertThat(again.getEnvelope().isRedeliver()).isTrue();
        channel.close();
        assertThat(lab.drain(queue)).containsExactly("1", "3");
    }

    @Test
    @Spec("0-9-1 basic.qos")
    void shouldLimitEachConsumerByItsPrefetch(Lab lab) throws Exception {
        String queue = lab.queue();
        Channel channel = lab.channel();
        channel.basicQos(3);
        Mailbox three = Lab.consume(channel, queue, false);
        channel.basicQos(1);
        lab.sendNumbers(queue, 1, 10);
        List<Delivery> held = three.next(3);
        three.shouldBeEmpty();
        Mailbox one = Lab.consume(channel, queue, false);
        assertThat(one.bodies(1)).containsExactly("4");
        one.shouldBeEmpty();
        channel.basicAck(held.get(1).getEnvelope().getDeliveryTag(), true);
        assertThat(three.bodies(2)).containsExactly("5", "6");
        three.shouldBeEmpty();
        one.shouldBeEmpty();
    }

    @Test
    @Spec("0-9-1 basic.qos global")
    void shouldLimitAChannelsConsumersTogether(Lab lab) throws Exception {
        String queue = lab.queue();
        Channel channel = lab.channel();
        channel.basicQos(2, false);
        channel.basicQos(3, true);
        Mailbox one = Lab.consume(channel, queue, false);
        Mailbox two = Lab.consume(channel, queue, false);
        lab.sendNumbers(queue, 1, 10);
        await().atMost(Duration.ofSeconds(5)).untilAsserted(
                () -> assertThat(List.of(one.size(), two.size())).isIn(List.of(1, 2), List.of(2, 1)));
        one.shouldBeEmptyBut(3 - two.size());
        channel.basicAck(0, true);
        await().atMost(Duration.ofSeconds(5)).until(() -> one.size() + two.size() == 6);
        channel.exchangeDeclarePassive("amq.direct");
        assertThat(one.size() + two.size()).isEqualTo(6);
    }

    @Test
    @Spec("0-9-1 basic.qos prefetch-size")
    void shouldRefuseAPrefetchInBytes(Lab lab) throws Exception {
        Channel channel = lab.channel();
        Refusal.of(() -> channel.basicQos(1000, 1, false))
                .shouldBe(Refusal.connection(540, "NOT_IMPLEMENTED - prefetch_size!=0 (1000)", "60.10"));
    }

    @Test
    @Spec({"0-9-1 basic.qos", "0-9-1 basic.qos-ok"})
    void shouldGoOnAfterABurstOfAcknowledgements(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.sendNumbers(queue, 1, 1_000);
        Channel channel = lab.channel();
        channel.basicQos(10);
        Mailbox mailbox = Lab.consume(channel, queue, false);
        for (int i = 1; i <= 1_000; i++) {
            Delivery delivery = mailbox.next();
            assertThat(Mailbox.text(delivery)).isEqualTo(Integer.toString(i));
            channel.basicAck(delivery.getEnvelope().getDeliveryTag(), false);
        }
        mailbox.shouldBeEmpty();
        assertThat(lab.depth(queue)).isZero();
    }

    @Test
    @Spec("0-9-1 basic.consume arguments")
    void shouldTakeArgumentsItDoesNotKnow(Lab lab) throws Exception {
        String queue = lab.queue();
        Channel channel = lab.channel();
        assertThatCode(() -> Lab.consume(channel, queue, false, table("x-mine", 5, "other", Map.of("a", List.of(1)))))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4_000, 131_000, 131_072, 1_000_000, 5_000_000})
    @Spec("0-9-1 §4.2.6")
    void shouldCarryBodiesOfAnySize(int size, Lab lab) throws Exception {
        byte[] body = new byte[size];
        for (int i = 0; i < size; i++) {
            body[i] = (byte) (i * 31 + i / 251);
        }
        String queue = lab.queue();
        Channel channel = lab.channel();
        Mailbox mailbox = Lab.consume(channel, queue, true);
        lab.channel().basicPublish("", queue, null, body);
        assertThat(mailbox.next().getBody()).isEqualTo(body);
    }
}
