package io.sluicemq.protocol.amqp091;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Death;
import io.sluicemq.api.Message;
import io.sluicemq.api.value.Timestamp;
import io.sluicemq.protocol.amqp091.codec.BasicProperties;
import io.sluicemq.protocol.amqp091.codec.BasicProperty;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a delivery's properties say beyond the sender's (RabbitMQ: dead lettering, delivery count). */
class DeliveryHeadersTest {

    private static final byte[] SENT = BasicProperties.EMPTY.edit()
            .set(BasicProperty.CONTENT_TYPE, "text/plain")
            .set(BasicProperty.EXPIRATION, "100")
            .setHeader("mine", List.of(1, "two"))
            .build()
            .bytes();

    private static FakeDelivery delivery(Message message) {
        return new FakeDelivery(message, false, new ArrayList<>());
    }

    @Test
    void shouldPassTheSendersBytesOn() {
        FakeDelivery delivery = delivery(FakeClient.message("x", SENT));
        assertThat(DeliveryHeaders.of(delivery)).isSameAs(SENT);
        delivery.deliveryCount = 3;
        assertThat(DeliveryHeaders.of(delivery)).as("a queue that does not count").isSameAs(SENT);
        delivery.counted = true;
        delivery.deliveryCount = 0;
        assertThat(DeliveryHeaders.of(delivery)).as("a first delivery").isSameAs(SENT);
    }

    /** C025. */
    @Test
    void shouldCountFailedDeliveries() {
        FakeDelivery delivery = delivery(FakeClient.message("x", SENT));
        delivery.counted = true;
        delivery.deliveryCount = 2;
        BasicProperties properties = BasicProperties.of(DeliveryHeaders.of(delivery));
        assertThat(properties.headers())
                .isEqualTo(Map.of("mine", List.of(1, "two"), "x-delivery-count", 2L));
        assertThat(properties.expiration()).isEqualTo("100");
    }

    @Test
    void shouldTellTheDeaths() {
        List<Death> deaths = List.of(
                new Death("retry", Death.Reason.EXPIRED, 2, 5_000, "dlx", List.of("work"), null),
                new Death("work", Death.Reason.REJECTED, 3, 1_999, "ex", List.of("key", "cc"), "100"));
        Message message = FakeClient.message("x", SENT).afterDeath("", "work", List.of(), deaths);
        BasicProperties properties = BasicProperties.of(DeliveryHeaders.of(delivery(message)));

        assertThat(properties.has(BasicProperty.EXPIRATION)).isFalse();
        assertThat(properties.contentType()).isEqualTo("text/plain");
        Map<String, Object> retry = Map.of(
                "count", 2L, "reason", "expired", "queue", "retry", "time", new Timestamp(5), "exchange", "dlx",
                "routing-keys", List.of("work"));
        Map<String, Object> work = Map.of(
                "count", 3L, "reason", "rejected", "queue", "work", "time", new Timestamp(1), "exchange", "ex",
                "routing-keys", List.of("key", "cc"), "original-expiration", "100");
        assertThat(properties.headers())
                .containsEntry("mine", List.of(1, "two"))
                .containsEntry("x-death", List.of(retry, work))
                .containsEntry("x-first-death-queue", "work")
                .containsEntry("x-first-death-reason", "rejected")
                .containsEntry("x-first-death-exchange", "ex")
                .containsEntry("x-last-death-queue", "retry")
                .containsEntry("x-last-death-reason", "expired")
                .containsEntry("x-last-death-exchange", "dlx")
                .hasSize(8);
    }

    /** The broker's history takes the place of one that a sender has copied. */
    @Test
    void shouldReplaceAHistoryThatCameWithTheMessage() {
        byte[] copied = BasicProperties.EMPTY.edit()
                .setHeader("x-death", "nonsense")
                .setHeader("x-delivery-count", 7L)
                .build()
                .bytes();
        List<Death> deaths = List.of(new Death("q", Death.Reason.MAX_LENGTH, 1, 0, "", List.of("q"), null));
        Message message = FakeClient.message("x", copied).afterDeath("", "dlq", List.of(), deaths);
        Map<String, Object> headers = BasicProperties.of(DeliveryHeaders.of(delivery(message))).headers();
        assertThat(headers.get("x-death")).isInstanceOf(List.class);
        assertThat(headers).containsEntry("x-first-death-reason", "maxlen").containsEntry("x-delivery-count", 7L);
    }
}
