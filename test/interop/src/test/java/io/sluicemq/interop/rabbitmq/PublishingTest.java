package io.sluicemq.interop.rabbitmq;

import static io.sluicemq.interop.lab.Lab.bytes;
import static io.sluicemq.interop.lab.Lab.table;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.Return;
import io.sluicemq.interop.lab.Confirms;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Mailbox;
import io.sluicemq.interop.lab.Refusal;
import io.sluicemq.interop.lab.Spec;
import java.nio.charset.StandardCharsets;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Confirms, returns, copies and what the broker checks of a message. */
@ExtendWith(LabExtension.class)
class PublishingTest {

    /** The returns of a channel, as they come. */
    private static BlockingQueue<Return> returns(Channel channel) {
        BlockingQueue<Return> returns = new LinkedBlockingQueue<>();
        channel.addReturnListener(returns::add);
        return returns;
    }

    private static Return next(BlockingQueue<Return> returns) throws InterruptedException {
        Return next = returns.poll(5, TimeUnit.SECONDS);
        assertThat(next).as("a return within 5 s").isNotNull();
        return next;
    }

    @Test
    @Spec({"RabbitMQ confirm.select", "RabbitMQ publisher confirms"})
    void shouldConfirmEachPublishOnce(Lab lab) throws Exception {
        String queue = lab.queue();
        Channel channel = lab.channel();
        Confirms confirms = Confirms.on(channel);
        for (int i = 0; i < 2_000; i++) {
            channel.basicPublish("", queue, null, bytes("m"));
        }
        assertThat(confirms.acked(2_000)).containsExactlyElementsOf(LongStream.rangeClosed(1, 2_000).boxed().toList());
        channel.exchangeDeclarePassive("amq.direct");
        assertThat(confirms.ackedCount() + confirms.nackedCount()).isZero();
        assertThat(lab.depth(queue)).isEqualTo(2_000);
    }

    @Test
    @Spec("RabbitMQ publisher confirms")
    void shouldConfirmWhatReachesNoQueue(Lab lab) throws Exception {
        Channel channel = lab.channel();
        Confirms confirms = Confirms.on(channel);
        channel.basicPublish("", lab.name("nowhere"), null, bytes("m"));
        channel.basicPublish("amq.fanout", "", null, bytes("m"));
        assertThat(confirms.acked(2)).containsExactly(1L, 2L);
    }

    @Test
    @Spec("RabbitMQ publisher confirms")
    void shouldConfirmAPersistentMessageToManyQueuesOnce(Lab lab) throws Exception {
        String fanout = lab.exchange(BuiltinExchangeType.FANOUT);
        for (int i = 0; i < 10; i++) {
            lab.boundQueue(fanout, "");
        }
        Channel channel = lab.channel();
        Confirms confirms = Confirms.on(channel);
        for (int i = 0; i < 50; i++) {
            channel.basicPublish(fanout, "", new BasicProperties.Builder().deliveryMode(2).build(), bytes("m"));
        }
        assertThat(confirms.acked(50)).hasSize(50);
        channel.exchangeDeclarePassive("amq.direct");
        assertThat(confirms.ackedCount() + confirms.nackedCount()).isZero();
    }

    @Test
    @Spec("RabbitMQ confirm.select")
    void shouldSelectConfirmsTwice(Lab lab) throws Exception {
        String queue = lab.queue();
        Channel channel = lab.channel();
        Confirms confirms = Confirms.on(channel);
        channel.basicPublish("", queue, null, bytes("1"));
        channel.confirmSelect();
        channel.basicPublish("", queue, null, bytes("2"));
        assertThat(confirms.acked(2)).containsExactly(1L, 2L);
    }

    @Test
    @Spec({"0-9-1 basic.return", "0-9-1 basic.publish mandatory"})
    void shouldReturnMandatoryMessagesThatReachNoQueue(Lab lab) throws Exception {
        Channel channel = lab.channel();
        BlockingQueue<Return> returns = returns(channel);
        String nowhere = lab.name("nowhere");
        BasicProperties properties = new BasicProperties.Builder().messageId("id").headers(table("h", 1)).build();
        channel.basicPublish("amq.direct", nowhere, true, properties, bytes("body"));
        Return returned = next(returns);
        assertThat(returned.getReplyCode()).isEqualTo(312);
        assertThat(returned.getReplyText()).isEqualTo("NO_ROUTE");
        assertThat(returned.getExchange()).isEqualTo("amq.direct");
        assertThat(returned.getRoutingKey()).isEqualTo(nowhere);
        assertThat(returned.getProperties()).isEqualTo(properties);
        assertThat(new String(returned.getBody(), StandardCharsets.UTF_8)).isEqualTo("body");
        channel.basicPublish("", lab.queue(), true, null, bytes("routed"));
        channel.basicPublish("", nowhere, false, null, bytes("not mandatory"));
        channel.exchangeDeclarePassive("amq.direct");
        assertThat(returns).isEmpty();
    }

    @Test
    @Spec("0-9-1 basic.publish immediate")
    void shouldRefuseImmediate(Lab lab) throws Exception {
        String queue = lab.queue();
        Channel channel = lab.channel();
        Refusal.of(channel, () -> channel.basicPublish("", queue, false, true, null, bytes("m")))
                .shouldBe(Refusal.connection(540, "NOT_IMPLEMENTED - immediate=true", "60.40"));
    }

    @Test
    @Spec("0-9-1 basic properties")
    void shouldCarryAllProperties(Lab lab) throws Exception {
        String queue = lab.queue();
        BasicProperties all = new BasicProperties.Builder().contentType("text/plain").contentEncoding("utf-8")
                .headers(table("a", "b")).deliveryMode(2).priority(7).correlationId("correlation").replyTo("reply")
                .expiration("600000").messageId("message").timestamp(new Date(1_700_000_000_000L)).type("type")
                .userId(lab.broker().user()).appId("app").clusterId("cluster").build();
        lab.send(queue, all, "m");
        lab.send(queue, new BasicProperties.Builder().build(), "none");
        lab.send(queue, new BasicProperties.Builder().messageId("").deliveryMode(1).headers(Map.of()).build(), "empty");
        List<GetResponse> got = lab.take(queue);
        assertThat(got.get(0).getProps()).hasToString(all.toString());
        assertThat(got.get(1).getProps()).isEqualTo(new BasicProperties.Builder().build());
        assertThat(got.get(2).getProps())
                .isEqualTo(new BasicProperties.Builder().messageId("").deliveryMode(1).headers(Map.of()).build());
    }

    @Test
    @Spec("RabbitMQ validated user-id")
    void shouldRefuseAnotherUsersName(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.send(queue, new BasicProperties.Builder().userId(lab.broker().user()).build(), "true");
        Channel channel = lab.channel();
        BasicProperties forged = new BasicProperties.Builder().userId("somebody").build();
        Refusal.of(channel, () -> channel.basicPublish("", queue, forged, bytes("forged")))
                .shouldBe(Refusal.channel(406,
                        "PRECONDITION_FAILED - user_id property set to 'somebody' but authenticated user was '"
                                + lab.broker().user() + "'",
                        "60.40"));
        assertThat(lab.drain(queue)).containsExactly("true");
    }

    @Test
    @Spec("RabbitMQ sender-selected distribution")
    void shouldRouteCarbonCopiesAndHideTheBlindOnes(Lab lab) throws Exception {
        String direct = lab.exchange(BuiltinExchangeType.DIRECT);
        String to = lab.boundQueue(direct, "to");
        String cc = lab.boundQueue(direct, "cc");
        String bcc = lab.boundQueue(direct, "bcc");
        String twice = lab.boundQueue(direct, "to");
        lab.bind(twice, direct, "cc");
        lab.publish(direct, "to", new BasicProperties.Builder()
                .headers(table("CC", List.of("cc", "nobody"), "BCC", List.of("bcc"), "other", 1)).build(), "m");
        for (String queue : List.of(to, cc, bcc, twice)) {
            List<GetResponse> got = lab.take(queue);
            assertThat(got).hasSize(1);
            assertThat(got.getFirst().getProps().getHeaders()).containsOnlyKeys("CC", "other");
            assertThat(got.getFirst().getEnvelope().getRoutingKey()).isEqualTo("to");
        }
    }

    @Test
    @Spec("RabbitMQ sender-selected distribution")
    void shouldRefuseCopiesThatAreNoList(Lab lab) throws Exception {
        String queue = lab.queue();
        Channel channel = lab.channel();
        BasicProperties wrong = new BasicProperties.Builder().headers(table("CC", "one")).build();
        Refusal refusal = Refusal.of(channel, () -> channel.basicPublish("", queue, wrong, bytes("m")));
        assertThat(refusal.code()).isEqualTo(406);
        assertThat(refusal.connection()).isFalse();
        assertThat(refusal.text()).startsWith("PRECONDITION_FAILED - ").contains("CC");
    }

    @Test
    @Spec("0-9-1 basic.publish")
    void shouldKeepTheOrderOfOneChannel(Lab lab) throws Exception {
        String queue = lab.queue();
        Mailbox mailbox = Lab.consume(lab.channel(), queue, true);
        Channel channel = lab.channel();
        for (int i = 0; i < 5_000; i++) {
            channel.basicPublish("", queue, null, bytes(Integer.toString(i)));
        }
        for (int i = 0; i < 5_000; i++) {
            assertThat(mailbox.nextBody()).isEqualTo(Integer.toString(i));
        }
    }

    @Test
    @Spec("0-9-1 basic.publish")
    void shouldAddNothingToAMessage(Lab lab) throws Exception {
        String queue = lab.queue();
        Mailbox mailbox = lab.consume(queue);
        lab.send(queue, new BasicProperties.Builder().appId("a").build(), "m");
        Delivery delivery = mailbox.next();
        assertThat(delivery.getProperties()).isEqualTo(new BasicProperties.Builder().appId("a").build());
    }
}
