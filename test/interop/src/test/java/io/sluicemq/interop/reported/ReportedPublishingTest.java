package io.sluicemq.interop.reported;

import static io.sluicemq.interop.lab.Lab.bytes;
import static io.sluicemq.interop.lab.Lab.numbers;
import static io.sluicemq.interop.lab.Lab.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.LongString;
import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Confirms;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Mailbox;
import io.sluicemq.interop.lab.Refusal;
import io.sluicemq.interop.lab.Reported;
import io.sluicemq.interop.lab.Spec;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Reported faults of publishing: confirms, transactions, limits, what a message carries. */
@ExtendWith(LabExtension.class)
class ReportedPublishingTest {

    @Test
    @Reported("rabbitmq/rabbitmq-server#3870")
    @Spec("RabbitMQ publisher confirms")
    void shouldCountConfirmsFromTheSelectOn(Lab lab) throws Exception {
        String queue = lab.queue();
        Channel channel = lab.channel();
        for (int i = 0; i < 3; i++) {
            channel.basicPublish("", queue, true, null, bytes("before"));
        }
        Confirms confirms = Confirms.on(channel);
        channel.basicPublish("", queue, true, null, bytes("m"));
        assertThat(confirms.acked(1)).containsExactly(1L);
        for (int i = 0; i < 5; i++) {
            channel.basicPublish("", queue, true, null, bytes("m"));
        }
        assertThat(confirms.acked(5)).containsExactlyInAnyOrder(2L, 3L, 4L, 5L, 6L);
        channel.exchangeDeclarePassive("amq.direct");
        assertThat(confirms.ackedCount() + confirms.nackedCount()).isZero();
        assertThat(lab.depth(queue)).isEqualTo(9);
    }

    @Test
    @Reported("rabbitmq/rabbitmq-server#8966")
    @Spec("0-9-1 tx.commit")
    @BeyondRabbitMq("answers commit-ok and drops what the queue has refused")
    void shouldFailACommitWhoseMessagesAreRefusedAndDoNothingOfIt(Lab lab) throws Exception {
        String queue = lab.queue(table("x-max-length", 5, "x-overflow", "reject-publish"));
        String other = lab.queue();
        Channel first = lab.channel();
        first.txSelect();
        for (String number : numbers(1, 3)) {
            first.basicPublish("", queue, null, bytes(number));
        }
        first.txCommit();
        assertThat(lab.depth(queue)).isEqualTo(3);
        for (int round = 0; round < 2; round++) {
            Channel channel = lab.channel();
            channel.txSelect();
            channel.basicPublish("", other, null, bytes("with it"));
            for (String number : numbers(4, 9)) {
                channel.basicPublish("", queue, null, bytes(number));
            }
            Refusal refusal = Refusal.of(channel::txCommit);
            assertThat(refusal.connection()).isFalse();
            assertThat(refusal.code()).isIn(406, 506);
            assertThat(refusal.text()).contains(queue);
            assertThat(lab.depth(queue)).isEqualTo(3);
            assertThat(lab.depth(other)).isZero();
        }
        Channel last = lab.channel();
        last.txSelect();
        last.basicPublish("", queue, null, bytes("4"));
        last.basicPublish("", queue, null, bytes("5"));
        last.txCommit();
        assertThat(lab.drain(queue)).containsExactly("1", "2", "3", "4", "5");
    }

    @Test
    @Reported("rabbitmq/rabbitmq-server#11159")
    @Spec("RabbitMQ dead lettering cycles")
    void shouldLetARetryCycleGoOnAndCountIt(Lab lab) throws Exception {
        String retry = lab.name("retry");
        String work = lab.queue(table("x-dead-letter-exchange", "", "x-dead-letter-routing-key", retry));
        lab.channel().queueDeclare(lab.forget(retry), true, false, false,
                table("x-message-ttl", 100, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", work));
        Mailbox mailbox = lab.consume(work);
        lab.send(work, "m");
        mailbox.getChannel().basicReject(mailbox.next().getEnvelope().getDeliveryTag(), false);
        for (long round = 1; round <= 5; round++) {
            var delivery = mailbox.next();
            @SuppressWarnings("unchecked") List<Map<String, Object>> deaths =
                    (List<Map<String, Object>>) delivery.getProperties().getHeaders()
                            .get("x-death");
            assertThat(deaths).extracting(
                    death -> death.get("queue") + " " + death.get("reason") + " " + death.get("count"))
                    .containsExactly(retry + " expired " + round, work + " rejected " + round);
            mailbox.getChannel().basicReject(delivery.getEnvelope().getDeliveryTag(), false);
        }
        mailbox.next();
    }

    @Test
    @Reported("rabbitmq/rabbitmq-server#14926")
    @Spec("RabbitMQ queue length limit")
    void shouldDeadLetterDroppedHeadsInTheirOrder(Lab lab) throws Exception {
        String dead = lab.queue();
        String queue = lab.queue(
                table("x-max-length", 1_000, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead));
        lab.sendNumbers(queue, 1, 1_000);
        lab.sendNumbers(queue, 1_001, 1_990);
        await().atMost(Duration.ofSeconds(5)).until(() -> lab.depth(dead) == 990);
        assertThat(lab.drain(dead)).containsExactly(numbers(1, 990));
        assertThat(lab.drain(queue)).containsExactly(numbers(991, 1_990));
    }

    @Test
    @Reported("rabbitmq/rabbitmq-server#4831")
    @Spec("0-9-1 §4.2.5.5")
    void shouldCarryHeadersOfEveryType(Lab lab) throws Exception {
        String queue = lab.queue();
        Map<String, Object> headers = headersOfEveryType();
        lab.send(queue, new BasicProperties.Builder().deliveryMode(2).headers(headers).build(), "m");
        shouldBe(lab.take(queue).getFirst().getProps().getHeaders(), headers);
    }

    static Map<String, Object> headersOfEveryType() {
        List<Object> nested = new ArrayList<>();
        nested.add(null);
        nested.add(1);
        nested.add(table("x", Arrays.asList(true, null)));
        return table("null", null, "list", nested, "decimal", new BigDecimal("12.345"), "bytes",
                new byte[] {0, 1, (byte) 0xff}, "timestamp", new Date(1_700_000_000_000L), "byte", (byte) -5, "short",
                (short) -500, "int", -50_000, "long", -5_000_000_000L, "float", 1.5f, "double", 1e300, "text", "Grüße",
                "large", "x".repeat(65_536), "true", true, "table", Collections.singletonMap("deep", null),
                "empty list",
                List.of(), "empty table", Map.of());
    }

    /** Whether headers that have arrived are those that were sent: the same keys, types and values. */
    static void shouldBe(Map<String, Object> arrived, Map<String, Object> headers) {
        Map<String, Object> plain = plain(arrived);
        assertThat(plain.keySet()).isEqualTo(headers.keySet());
        for (Map.Entry<String, Object> header : headers.entrySet()) {
            assertThat(plain.get(header.getKey())).as(header.getKey()).isEqualTo(header.getValue());
        }
    }

    private static Map<String, Object> plain(Map<String, Object> table) {
        Map<String, Object> plain = new java.util.HashMap<>();
        table.forEach((key, value) -> plain.put(key, plain(value)));
        return plain;
    }

    @SuppressWarnings("unchecked")
    private static Object plain(Object value) {
        return switch (value) {
            case LongString text -> text.toString();
            case Map<?, ?> table -> plain((Map<String, Object>) table);
            case List<?> list -> {
                List<Object> plain = new ArrayList<>();
                list.forEach(each -> plain.add(plain(each)));
                yield plain;
            }
            case null, default -> value;
        };
    }

    @Test
    @Reported("amqp-rs/lapin#252")
    @Spec({"0-9-1 basic.return", "RabbitMQ publisher confirms"})
    void shouldReturnBeforeItConfirms(Lab lab) throws Exception {
        String queue = lab.queue();
        Channel channel = lab.channel();
        List<String> events = Collections.synchronizedList(new ArrayList<>());
        channel.confirmSelect();
        channel.addReturnListener(returned -> events.add("return " + new String(returned.getBody())));
        channel.addConfirmListener((tag, multiple) -> events.add("ack " + tag + (multiple ? " and before" : "")),
                (tag, multiple) -> events.add("nack " + tag));
        String nowhere = lab.name("nowhere");
        for (int tag = 1; tag <= 200; tag++) {
            channel.basicPublish("", tag % 2 == 1 ? queue : nowhere, true, null, bytes(Integer.toString(tag)));
        }
        channel.waitForConfirmsOrDie(5_000);
        boolean[] acked = new boolean[201];
        boolean[] returned = new boolean[201];
        for (String event : events) {
            String[] words = event.split(" ");
            int tag = Integer.parseInt(words[1]);
            switch (words[0]) {
                case "return" -> {
                    assertThat(returned[tag]).as("returned twice: %s", tag).isFalse();
                    assertThat(tag % 2).isZero();
                    returned[tag] = true;
                }
                case "ack" -> {
                    for (int each = words.length > 2 ? 1 : tag; each <= tag; each++) {
                        if (acked[each]) {
                            assertThat(each).as("acked twice").isNotEqualTo(tag);
                            continue;
                        }
                        acked[each] = true;
                        assertThat(each % 2 == 1 || returned[each]).as("return of %s before its ack", each).isTrue();
                    }
                }
                default -> throw new AssertionError(event);
            }
        }
        for (int tag = 1; tag <= 200; tag++) {
            assertThat(acked[tag]).as("ack of %s", tag).isTrue();
            assertThat(returned[tag]).as("return of %s", tag).isEqualTo(tag % 2 == 0);
        }
        assertThat(lab.depth(queue)).isEqualTo(100);
    }
}
