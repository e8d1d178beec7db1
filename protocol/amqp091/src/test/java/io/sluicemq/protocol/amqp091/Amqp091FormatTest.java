package io.sluicemq.protocol.amqp091;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Message;
import io.sluicemq.api.value.UnsignedInteger;
import io.sluicemq.protocol.amqp091.codec.BasicProperties;
import io.sluicemq.protocol.amqp091.codec.BasicProperty;
import java.math.BigDecimal;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What selectors find in a message of AMQP 0-9-1 (Jakarta Messaging §3.8.1.1). */
class Amqp091FormatTest {

    private static final BasicProperties PROPERTIES = BasicProperties.EMPTY.edit()
            .set(BasicProperty.DELIVERY_MODE, 2)
            .set(BasicProperty.PRIORITY, 7)
            .set(BasicProperty.TIMESTAMP, 1_700_000_000L)
            .set(BasicProperty.MESSAGE_ID, "ID:1")
            .set(BasicProperty.CORRELATION_ID, "c")
            .set(BasicProperty.TYPE, "t")
            .setHeader("colour", "red")
            .setHeader("number", 5)
            .setHeader("unsigned", new UnsignedInteger.OfInt(4_000_000_000L))
            .setHeader("decimal", new BigDecimal("1.25"))
            .setHeader("nothing", null)
            .setHeader("JMSType", "a header")
            .setHeader("JMSXGroupID", "g")
            .build();

    private static Object selectable(BasicProperties properties, boolean durable, String identifier) {
        Message message = new Message(
                Amqp091Format.INSTANCE, "", "q", List.of(), properties.bytes(), new byte[0], durable, 0, Message.NO_TTL,
                null);
        return Amqp091Format.INSTANCE.selectable(message, identifier);
    }

    private static Object selectable(String identifier) {
        return selectable(PROPERTIES, true, identifier);
    }

    @Test
    void shouldFindHeaders() {
        assertThat(selectable("colour")).isEqualTo("red");
        assertThat(selectable("number")).isEqualTo(5);
        assertThat(selectable("unsigned")).isEqualTo(4_000_000_000L);
        assertThat(selectable("decimal")).isEqualTo(1.25);
        assertThat(selectable("JMSXGroupID")).isEqualTo("g");
        assertThat(selectable("nothing")).isNull();
        assertThat(selectable("absent")).isNull();
        assertThat(selectable("Colour")).isNull();
    }

    @Test
    void shouldFindTheFieldsOfJms() {
        assertThat(selectable("JMSPriority")).isEqualTo(7);
        assertThat(selectable("JMSDeliveryMode")).isEqualTo("PERSISTENT");
        assertThat(selectable("JMSTimestamp")).isEqualTo(1_700_000_000_000L);
        assertThat(selectable("JMSMessageID")).isEqualTo("ID:1");
        assertThat(selectable("JMSCorrelationID")).isEqualTo("c");
        assertThat(selectable("JMSType")).isEqualTo("t");
    }

    @Test
    void shouldKnowWhatIsNotThere() {
        assertThat(selectable(BasicProperties.EMPTY, false, "JMSPriority")).isEqualTo(4);
        assertThat(selectable(BasicProperties.EMPTY, false, "JMSDeliveryMode")).isEqualTo("NON_PERSISTENT");
        assertThat(List.of("JMSTimestamp", "JMSMessageID", "JMSCorrelationID", "JMSType"))
                .allMatch(field -> selectable(BasicProperties.EMPTY, false, field) == null);
        BasicProperties late = BasicProperties.EMPTY.edit().set(BasicProperty.TIMESTAMP, Long.MAX_VALUE).build();
        assertThat(selectable(late, false, "JMSTimestamp")).isNull();
    }
}
