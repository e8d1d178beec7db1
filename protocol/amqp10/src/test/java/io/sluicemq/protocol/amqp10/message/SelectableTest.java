package io.sluicemq.protocol.amqp10.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Message;
import io.sluicemq.api.value.Binary;
import io.sluicemq.api.value.Symbol;
import io.sluicemq.api.value.UnsignedInteger;
import io.sluicemq.api.value.UnsignedLong;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What selectors find in messages (Jakarta Messaging §3.8.1.1, and its mapping to AMQP 1.0). */
final class SelectableTest {

    private static Object of(Sections sections, String identifier) throws MessageFault {
        Message message = MessageProperties.read(sections.bytes());
        return Amqp10Format.INSTANCE.selectable(message, identifier);
    }

    @Test
    void shouldFindTheFieldsThatSelectorsMayName() throws MessageFault {
        Sections message = Sections.none()
                .header(true, new UnsignedInteger.OfByte(7))
                .properties(
                        "ID:1",
                        new Binary("guest".getBytes(StandardCharsets.UTF_8)),
                        "to",
                        "type",
                        "reply",
                        "c",
                        null,
                        null,
                        null,
                        Instant.ofEpochMilli(123_456),
                        "g",
                        new UnsignedInteger.OfInt(3))
                .data();

        assertThat(of(message, "JMSMessageID")).isEqualTo("ID:1");
        assertThat(of(message, "JMSCorrelationID")).isEqualTo("c");
        assertThat(of(message, "JMSType")).isEqualTo("type");
        assertThat(of(message, "JMSPriority")).isEqualTo(7);
        assertThat(of(message, "JMSDeliveryMode")).isEqualTo("PERSISTENT");
        assertThat(of(message, "JMSTimestamp")).isEqualTo(123_456L);
        assertThat(of(message, "JMSXGroupID")).isEqualTo("g");
        assertThat(of(message, "JMSXGroupSeq")).isEqualTo(3);
        assertThat(of(message, "JMSXUserID")).isEqualTo("guest");
        assertThat(of(message, "JMSReplyTo")).isNull();
    }

    @Test
    void shouldShowIdsAsClientsDo() throws MessageFault {
        UUID uuid = new UUID(1, 2);

        assertThat(of(Sections.none().properties(uuid).data(), "JMSMessageID")).isEqualTo("ID:AMQP_UUID:" + uuid);
        assertThat(of(Sections.none().properties(new UnsignedLong(-1)).data(), "JMSMessageID"))
                .isEqualTo("ID:AMQP_ULONG:18446744073709551615");
        assertThat(of(Sections.none().properties(new Binary(new byte[] {1, (byte) 0xAB})).data(), "JMSMessageID"))
                .isEqualTo("ID:AMQP_BINARY:01AB");
        assertThat(of(Sections.none().properties("x").data(), "JMSMessageID")).isEqualTo("ID:AMQP_NO_PREFIX:x");
        assertThat(of(Sections.none().data(), "JMSMessageID")).isNull();
    }

    @Test
    void shouldFindPropertiesWithTheNearestTypeThatSelectorsHave() throws MessageFault {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("text", "v");
        map.put("größe", 5);
        map.put("ubyte", new UnsignedInteger.OfByte(255));
        map.put("ushort", new UnsignedInteger.OfShort(65_535));
        map.put("uint", new UnsignedInteger.OfInt(4_294_967_295L));
        map.put("ulong", new UnsignedLong(-1));
        map.put("symbol", new Symbol("s"));
        map.put("nothing", null);
        map.put("bool", false);
        Sections message = Sections.none().headers(map).data();

        assertThat(of(message, "text")).isEqualTo("v");
        assertThat(of(message, "größe")).isEqualTo(5);
        assertThat(of(message, "ubyte")).isEqualTo((short) 255);
        assertThat(of(message, "ushort")).isEqualTo(65_535);
        assertThat(of(message, "uint")).isEqualTo(4_294_967_295L);
        assertThat(of(message, "ulong")).isEqualTo(18446744073709551616.0);
        assertThat(of(message, "symbol")).isEqualTo("s");
        assertThat(of(message, "nothing")).isNull();
        assertThat(of(message, "bool")).isEqualTo(false);
        assertThat(of(message, "tex")).isNull();
        assertThat(of(message, "JMSXDeliveryCount")).isNull();
    }
}
