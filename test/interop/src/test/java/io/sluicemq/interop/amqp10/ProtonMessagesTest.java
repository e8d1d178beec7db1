package io.sluicemq.interop.amqp10;

import static io.sluicemq.interop.amqp10.ProtonClient.SOON;
import static io.sluicemq.interop.amqp10.ProtonClient.receive;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Reported;
import io.sluicemq.interop.lab.Spec;
import io.sluicemq.protocol.amqp10.codec.Frames;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.qpid.protonj2.client.AdvancedMessage;
import org.apache.qpid.protonj2.client.Connection;
import org.apache.qpid.protonj2.client.Delivery;
import org.apache.qpid.protonj2.client.Message;
import org.apache.qpid.protonj2.client.Receiver;
import org.apache.qpid.protonj2.client.Sender;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.Decimal128;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedByte;
import org.apache.qpid.protonj2.types.UnsignedInteger;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.apache.qpid.protonj2.types.UnsignedShort;
import org.apache.qpid.protonj2.types.messaging.AmqpSequence;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Section;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What messages of protonj2-client are when they come out: the same, whatever is in them. */
@ExtendWith(LabExtension.class)
@BeyondRabbitMq("keeps not every type of AMQP 1.0")
class ProtonMessagesTest {

    static Stream<List<Section<?>>> bodies() {
        Map<Object, Object> map = new LinkedHashMap<>();
        map.put("text", "value");
        map.put(7, List.of(1L, "two", Map.of("three", 3)));
        map.put(Symbol.valueOf("symbol"), null);
        List<Object> values = new ArrayList<>(Arrays.asList(null, true, (byte) -1, (short) -2, -3, -4L,
                UnsignedByte.valueOf((byte) 255), UnsignedShort.valueOf((short) 65_535), UnsignedInteger.valueOf(-1),
                UnsignedLong.valueOf(-1L), 1.5f, -2.5, 'ß', new Date(1_700_000_000_123L), UUID.randomUUID(),
                new Binary(new byte[] {1, 2, 3}), "", "text", "\uD83D\uDE00".repeat(300), Symbol.valueOf("symbol"),
                new Decimal128(new BigDecimal("12.345")), List.of(), List.of(1, "two"), Map.of(), map));
        List<List<Section<?>>> bodies = new ArrayList<>();
        values.forEach(value -> bodies.add(List.of(new AmqpValue<>(value))));
        bodies.add(List.of());
        bodies.add(List.of(new Data(new byte[0])));
        bodies.add(List.of(new Data(new byte[100_000])));
        bodies.add(List.of(new Data(new byte[] {1}), new Data(new byte[] {2, 3}), new Data(new byte[0])));
        bodies.add(List.of(new AmqpSequence<>(List.of())));
        bodies.add(List.of(new AmqpSequence<>(List.of(1, "two")), new AmqpSequence<>(List.of(true))));
        return bodies.stream();
    }

    @ParameterizedTest
    @MethodSource("bodies")
    @Spec({"1.0 §3.2.6", "1.0 §3.2.7", "1.0 §3.2.8"})
    void shouldKeepBodies(List<Section<?>> sections, Lab lab) throws Exception {
        String queue = ProtonClient.queue(lab);
        Connection connection = ProtonClient.connect(lab);
        AdvancedMessage<Object> message = AdvancedMessage.create();
        message.durable(true).messageId("with a body");
        for (Section<?> each : sections) {
            message.addBodySection(each);
        }
        Sender sender = connection.openSender(queue);
        sender.send(message).awaitAccepted(SOON, TimeUnit.MILLISECONDS);
        sender.send(message).awaitAccepted(SOON, TimeUnit.MILLISECONDS);
        Receiver receiver = connection.openReceiver(queue);
        byte[][] encoded = sections.stream().map(Frames::encode).toArray(byte[][]::new);
        assertThat(receive(receiver).rawInputStream().readAllBytes()).endsWith(Frames.join(encoded));
        Message<Object> received = receive(receiver).message();
        assertThat(received.messageId()).isEqualTo("with a body");
        assertThat(received.toAdvancedMessage().bodySections()).hasSameSizeAs(sections);
        if (sections.size() == 1) {
            Object value = sections.getFirst().getValue();
            // This client reads timestamps as numbers.
            assertThat(received.body()).isEqualTo(value instanceof Date date ? date.getTime() : value);
        }
    }

    @Test
    @Spec({"1.0 §3.2.1", "1.0 §3.2.3", "1.0 §3.2.4", "1.0 §3.2.5", "1.0 §3.2.9"})
    void shouldKeepEverySectionButTheHopsOwn(Lab lab) throws Exception {
        String queue = ProtonClient.queue(lab);
        Connection connection = ProtonClient.connect(lab);
        Instant now = Instant.now();
        Message<String> message = Message.create("body").durable(true).priority((byte) 7)
                .timeToLive(Duration.ofDays(30).toMillis()).messageId("id")
                .userId("guest".getBytes(StandardCharsets.UTF_8))
                .to("somewhere").subject("subject").replyTo("replies").correlationId(UnsignedLong.valueOf(-1L))
                .contentType("text/plain").absoluteExpiryTime(now.plus(Duration.ofDays(30)).toEpochMilli())
                .creationTime(now.toEpochMilli()).groupId("group").groupSequence(5).replyToGroupId("reply group")
                .annotation("x-opt-shop", 17).property("integer", -1).property("unsigned", UnsignedInteger.valueOf(-1))
                .property("symbol", Symbol.valueOf("s")).property("uuid", new UUID(1, 2)).property("null", null)
                .property("double", 0.5).footer("x-sum", new Binary(new byte[] {9}));
        message.contentEncoding("identity");
        connection.openSender(queue).send(message, Map.of("x-opt-for-the-broker", "alone"))
                .awaitAccepted(SOON, TimeUnit.MILLISECONDS);
        Delivery delivery = receive(connection.openReceiver(queue));
        // §3.2.2: delivery-annotations are meant for the next hop, not for the peer behind it.
        assertThat(delivery.annotations()).isNullOrEmpty();
        AdvancedMessage<String> received = delivery.<String>message().toAdvancedMessage();
        AdvancedMessage<String> sent = message.toAdvancedMessage();
        assertThat(received.body()).isEqualTo("body");
        assertThat(received.durable()).isTrue();
        assertThat(received.priority()).isEqualTo((byte) 7);
        assertThat(received.deliveryCount()).isZero();
        assertThat(received.timeToLive()).isBetween(
                Duration.ofDays(30).minusMinutes(1).toMillis(), Duration.ofDays(30).toMillis());
        assertThat(received.properties()).hasToString(sent.properties().toString());
        assertThat(received.annotation("x-opt-shop")).isEqualTo(17);
        assertThat(received.applicationProperties().getValue()).isEqualTo(sent.applicationProperties().getValue());
        assertThat(received.footer("x-sum")).isEqualTo(new Binary(new byte[] {9}));
    }

    static Stream<Object> ids() {
        return Stream.of("text", "", "1".repeat(1_000), UnsignedLong.valueOf(0), UnsignedLong.valueOf(-1L),
                new UUID(3, 4), new Binary(new byte[] {0, 1, 2}));
    }

    @ParameterizedTest
    @MethodSource("ids")
    @Spec("1.0 §3.2.4")
    void shouldKeepIds(Object id, Lab lab) throws Exception {
        String queue = ProtonClient.queue(lab);
        Connection connection = ProtonClient.connect(lab);
        connection.openSender(queue).send(Message.create("m").messageId(id).correlationId(id))
                .awaitAccepted(SOON, TimeUnit.MILLISECONDS);
        Message<Object> message = receive(connection.openReceiver(queue)).message();
        assertThat(message.messageId()).isEqualTo(id);
        assertThat(message.correlationId()).isEqualTo(id);
    }

    /** A time-to-live is 32 bits without a sign. */
    @ParameterizedTest
    @ValueSource(longs = {0x7FFF_FFFFL, 0x8000_0000L, 0xFFFF_FFFFL})
    @Spec("1.0 §3.2.1")
    @Reported("ARTEMIS-4820")
    void shouldLiveForLong(long millis, Lab lab) throws Exception {
        String queue = ProtonClient.queue(lab);
        Connection connection = ProtonClient.connect(lab);
        Sender sender = connection.openSender(queue);
        sender.send(Message.create("long").timeToLive(millis)).awaitAccepted(SOON, TimeUnit.MILLISECONDS);
        sender.send(Message.create("short").timeToLive(20)).awaitAccepted(SOON, TimeUnit.MILLISECONDS);
        Lab.until("the short one is gone", () -> lab.depth(queue) == 1);
        Message<String> message = receive(connection.openReceiver(queue)).message();
        assertThat(message.body()).isEqualTo("long");
        assertThat(message.timeToLive()).isBetween(millis - 60_000, millis);
    }
}
