package io.sluicemq.interop.reported;

import static io.sluicemq.interop.lab.Lab.bytes;
import static io.sluicemq.interop.lab.Lab.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Return;
import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Mailbox;
import io.sluicemq.interop.lab.Refusal;
import io.sluicemq.interop.lab.Reported;
import io.sluicemq.interop.lab.Spec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Reported faults of declarations and routing. */
@ExtendWith(LabExtension.class)
class ReportedRoutingTest {

    @Test
    @Reported("streadway/amqp#247")
    @Spec("0-9-1 queue.declare equivalence of arguments")
    void shouldTakeIntegersOfAnyWidthAsTheSameArgument(Lab lab) throws Exception {
        String queue = lab.queue(table("x-expires", 60_000));
        Channel channel = lab.channel();
        channel.queueDeclare(queue, true, false, false, table("x-expires", 60_000L));
        channel.queueDeclare(queue, true, false, false, table("x-expires", 60_000));
    }

    @Test
    @Reported("streadway/amqp#247")
    @Spec("0-9-1 queue.declare equivalence of arguments")
    @BeyondRabbitMq("calls the type unacceptable and does not name what is there")
    void shouldNameBothValuesAndTypesOfUnequalArguments(Lab lab) throws Exception {
        String queue = lab.queue(table("x-expires", 60_000));
        Channel channel = lab.channel();
        Channel other = lab.channel();
        Refusal refusal = Refusal
                .of(() -> other.queueDeclare(queue, true, false, false, table("x-expires", "60000")));
        assertThat(refusal.connection()).isFalse();
        assertThat(refusal.code()).isEqualTo(406);
        assertThat(refusal.text()).contains("x-expires", "60000", "longstr", "signedint");
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    @Reported("cloudamqp/lavinmq#1608")
    @Spec("0-9-1 §3.1.3.3")
    void shouldMatchZeroWordsByTheHashSign(Lab lab) throws Exception {
        String topic = lab.exchange(BuiltinExchangeType.TOPIC);
        String q1 = lab.boundQueue(topic, "a.#");
        String q2 = lab.boundQueue(topic, "#");
        String q3 = lab.boundQueue(topic, "#.b");
        String q4 = lab.boundQueue(topic, "a.#.b");
        for (String key : List.of("a", "b", "a.b", "", "a.x.y.b")) {
            lab.publish(topic, key, key);
        }
        assertThat(lab.drain(q1)).containsExactly("a", "a.b", "a.x.y.b");
        assertThat(lab.drain(q2)).containsExactly("a", "b", "a.b", "", "a.x.y.b");
        assertThat(lab.drain(q3)).containsExactly("b", "a.b", "a.x.y.b");
        assertThat(lab.drain(q4)).containsExactly("a.b", "a.x.y.b");
    }

    @Test
    @Reported({"cloudamqp/lavinmq aac646d", "cloudamqp/lavinmq ba5be44"})
    @Spec("0-9-1 §3.1.3.4")
    void shouldCompareHeadersWithTheBindingAndNotTheExchange(Lab lab) throws Exception {
        String exchange = lab.exchange("headers", table("a", 9, "c", 1));
        String q = lab.queue();
        String r = lab.queue();
        String s = lab.queue();
        lab.bind(q, exchange, "", table("x-match", "all", "a", 1, "b", 2));
        lab.bind(r, exchange, "", table("x-match", "any", "a", 1, "b", 2));
        lab.bind(s, exchange, "", table("x-match", "all"));
        List<Map<String, Object>> headers = List.of(table("a", 1), table("a", 1, "b", 2), table("a", 1, "b", 3));
        for (int i = 0; i < 3; i++) {
            lab.publish(exchange, "", new BasicProperties.Builder().headers(headers.get(i)).build(),
                    Integer.toString(i + 1));
        }
        lab.publish(exchange, "", "4");
        assertThat(lab.drain(q)).containsExactly("2");
        assertThat(lab.drain(r)).containsExactly("1", "2", "3");
        assertThat(lab.drain(s)).containsExactly("1", "2", "3", "4");
    }

    @Test
    @Reported({"cloudamqp/lavinmq#1093", "cloudamqp/lavinmq#1094"})
    @Spec("0-9-1 §4.2.5.3")
    void shouldCarryNamesOf255Bytes(Lab lab) throws Exception {
        String name = lab.name("n");
        String exchange = lab.forgetExchange(name + "x".repeat(255 - name.length()));
        String key = "€".repeat(85);
        assertThat(key.getBytes(StandardCharsets.UTF_8)).hasSize(255);
        Channel channel = lab.channel();
        channel.exchangeDeclare(exchange, "direct", false);
        BlockingQueue<Return> returns = new LinkedBlockingQueue<>();
        channel.addReturnListener(returns::add);
        channel.basicPublish(exchange, key, true, null, bytes("m"));
        Return returned = returns.poll(5, TimeUnit.SECONDS);
        assertThat(returned).isNotNull();
        assertThat(returned.getExchange()).isEqualTo(exchange);
        assertThat(returned.getRoutingKey()).isEqualTo(key);
        String queue = lab.queue();
        lab.bind(queue, exchange, key);
        Mailbox mailbox = lab.consume(queue);
        channel.basicPublish(exchange, key, true, null, bytes("m"));
        Delivery delivery = mailbox.next();
        assertThat(delivery.getEnvelope().getExchange()).isEqualTo(exchange);
        assertThat(delivery.getEnvelope().getRoutingKey()).isEqualTo(key);
        Channel tooLong = lab.channel();
        assertThatThrownBy(() -> tooLong.basicPublish(exchange, key + "x", null, bytes("m")))
                .as("what the client itself refuses").isInstanceOf(IllegalArgumentException.class);
        String longest = lab.forget(name + "q".repeat(255 - name.length()));
        assertThat(channel.queueDeclare(longest, false, false, false, null).getQueue()).isEqualTo(longest);
    }

    @Test
    @Reported({"cloudamqp/lavinmq#1093", "cloudamqp/lavinmq#1094"})
    @Spec("0-9-1 queue.declare")
    void shouldNameAQueueOfTheLongestNameInErrors(Lab lab) throws Exception {
        String longest = "q".repeat(255);
        Channel channel = lab.channel();
        Refusal refusal = Refusal.of(() -> channel.queueDeclarePassive(longest));
        assertThat(refusal.code()).isEqualTo(404);
        assertThat(refusal.text()).startsWith("NOT_FOUND - no queue 'qqqq").satisfies(
                text -> assertThat(text.getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(255));
    }
}
