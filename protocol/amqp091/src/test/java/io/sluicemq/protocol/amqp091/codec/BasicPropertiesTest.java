package io.sluicemq.protocol.amqp091.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** 0-9-1 §4.2.6.1. */
class BasicPropertiesTest {

    /** All properties, as RabbitMQ's Java client 5.37.1 writes them. */
    private static final String ALL = "fffc" + "0a746578742f706c61696e" + "057574662d38" + "00000008016b530000000176"
            + "02" + "04" + "0163" + "0172" + "053630303030" + "016d" + "000000006553f100" + "0174" + "0175" + "0161"
            + "017a";

    @Test
    void shouldReadEveryProperty() {
        BasicProperties properties = properties(ALL);
        assertThat(properties.contentType()).isEqualTo("text/plain");
        assertThat(properties.contentEncoding()).isEqualTo("utf-8");
        assertThat(properties.headers()).isEqualTo(Map.of("k", "v"));
        assertThat(properties.deliveryMode()).isEqualTo(2);
        assertThat(properties.persistent()).isTrue();
        assertThat(properties.priority()).isEqualTo(4);
        assertThat(properties.correlationId()).isEqualTo("c");
        assertThat(properties.replyTo()).isEqualTo("r");
        assertThat(properties.expiration()).isEqualTo("60000");
        assertThat(properties.messageId()).isEqualTo("m");
        assertThat(properties.timestamp()).isEqualTo(1_700_000_000L);
        assertThat(properties.type()).isEqualTo("t");
        assertThat(properties.userId()).isEqualTo("u");
        assertThat(properties.appId()).isEqualTo("a");
        assertThat(properties.clusterId()).isEqualTo("z");
        assertThat(HexFormat.of().formatHex(properties.bytes())).isEqualTo(ALL);
        assertThat(properties.headerFrameLength()).isEqualTo(0x49 + 8);
    }

    @Test
    void shouldHaveNothingIfNothingWasSent() {
        BasicProperties properties = properties("0000");
        assertThat(properties).isEqualTo(BasicProperties.EMPTY);
        for (BasicProperty property : BasicProperty.values()) {
            assertThat(properties.has(property)).isFalse();
        }
        assertThat(properties.contentType()).isNull();
        assertThat(properties.headers()).isEmpty();
        assertThat(properties.header("k")).isNull();
        assertThat(properties.hasHeader("k")).isFalse();
        assertThat(properties.deliveryMode()).isZero();
        assertThat(properties.persistent()).isFalse();
        assertThat(properties.priority()).isZero();
        assertThat(properties.timestamp()).isZero();
    }

    /** Any subset of the properties: each is found behind those that are there. */
    @Property(tries = 2000)
    void shouldFindAPropertyBehindAnyOthers(@ForAll @IntRange(max = 0x3FFF) int subset) {
        BasicPropertiesEditor editor = BasicProperties.EMPTY.edit();
        RawArguments expected = new RawArguments().shortInt(subset << 2);
        for (BasicProperty property : BasicProperty.values()) {
            if ((subset << 2 & property.flag) != 0) {
                write(property, editor, expected);
            }
        }
        BasicProperties properties = BasicProperties.of(expected.toBytes());
        assertThat(editor.build()).isEqualTo(properties);
        for (BasicProperty property : BasicProperty.values()) {
            boolean present = (subset << 2 & property.flag) != 0;
            assertThat(properties.has(property)).isEqualTo(present);
        }
        assertThat(properties.appId()).isEqualTo(properties.has(BasicProperty.APP_ID) ? "v-APP_ID" : null);
        assertThat(properties.replyTo()).isEqualTo(properties.has(BasicProperty.REPLY_TO) ? "v-REPLY_TO" : null);
        assertThat(properties.clusterId()).isEqualTo(properties.has(BasicProperty.CLUSTER_ID) ? "v-CLUSTER_ID" : null);
        assertThat(properties.timestamp()).isEqualTo(properties.has(BasicProperty.TIMESTAMP) ? 77 : 0);
        assertThat(properties.header("h")).isEqualTo(properties.has(BasicProperty.HEADERS) ? 5 : null);
        assertThat(properties.deliveryMode()).isEqualTo(properties.has(BasicProperty.DELIVERY_MODE) ? 9 : 0);
        assertThat(properties.priority()).isEqualTo(properties.has(BasicProperty.PRIORITY) ? 9 : 0);
    }

    private static void write(BasicProperty property, BasicPropertiesEditor editor, RawArguments expected) {
        switch (property.kind) {
            case SHORT_STRING -> {
                editor.set(property, "v-" + property);
                expected.shortString("v-" + property);
            }
            case OCTET -> {
                editor.set(property, 9);
                expected.octet(9);
            }
            case TIMESTAMP -> {
                editor.set(property, 77);
                expected.longLong(77);
            }
            case TABLE -> {
                editor.setHeader("h", 5);
                expected.table(out -> out.field("h", 5));
            }
        }
    }

    @Property(tries = 300)
    void shouldReadSingleHeadersAsTheWholeTableHasThem(@ForAll("tables") Map<String, Object> table) {
        BasicPropertiesEditor editor = BasicProperties.EMPTY.edit().set(BasicProperty.CONTENT_TYPE, "x");
        table.forEach(editor::setHeader);
        BasicProperties properties = editor.build();
        assertThat(properties.headers()).isEqualTo(table);
        table.forEach((name, value) -> {
            assertThat(properties.header(name)).isEqualTo(value);
            assertThat(properties.hasHeader(name)).isTrue();
        });
        assertThat(properties.hasHeader("not there")).isEqualTo(table.containsKey("not there"));
    }

    @Provide
    Arbitrary<Map<String, Object>> tables() {
        return FieldValues.tables();
    }

    @Test
    void shouldLetTheLastOfTwoEqualHeadersWin() {
        BasicProperties properties = BasicProperties.of(new RawArguments().shortInt(0x2000)
                .table(out -> out.field("a", 1).field("b", 2).field("a", 3)).toBytes());
        assertThat(properties.header("a")).isEqualTo(3);
    }

    /** Some clients put raw bytes where text belongs; the bytes go on as they are. */
    @Test
    void shouldTolerateBinaryIds() {
        BasicProperties properties = BasicProperties.of(
                new RawArguments().shortInt(0x0400).shortString(new byte[] {(byte) 0xFF, 'a'}).toBytes());
        assertThat(properties.correlationId()).isEqualTo("\uFFFDa");
        assertThat(properties.bytes()).endsWith(2, 0xFF, 'a');
    }

    @Test
    void shouldDropEmptyContinuationWords() {
        BasicProperties properties = properties("1001" + "0001" + "0000" + "02");
        assertThat(properties).isEqualTo(properties("1000" + "02"));
        assertThat(properties.persistent()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "10", // no flags
        "1000", // no value
        "100002" + "00", // one byte too many
        "0002", // bit 1: no property
        "1001" + "8000" + "02", // a flag in a continuation word
        "1001" + "00", "1001", "1001" + "0001", // continuation cut short
        "8000" + "05" + "61", // short string beyond the end
        "2000" + "00000003" + "016b", // table beyond the end
        "2000" + "00000002" + "016b", // table that ends in a field
        "2000" + "00000004" + "01ff" + "7401", // a name that is not UTF-8
        "0040" + "00000000000000", // timestamp cut short
    })
    void shouldRefuseMalformedProperties(String hex) {
        assertThatThrownBy(() -> properties(hex)).isInstanceOfSatisfying(ProtocolFaultException.class,
                e -> assertThat(e.fault().code()).isEqualTo(ReplyCode.SYNTAX_ERROR));
    }

    @Test
    void shouldRefuseEveryTruncation() {
        byte[] all = HexFormat.of().parseHex(ALL);
        for (int length = 0; length < all.length; length++) {
            byte[] cut = Arrays.copyOf(all, length);
            assertThatThrownBy(() -> BasicProperties.of(cut)).isInstanceOf(ProtocolFaultException.class);
        }
    }

    // ---- editing -----------------------------------------------------------------------------------------------

    /** Whatever is edited, everything else keeps its bytes. */
    @Property(tries = 500)
    void shouldKeepTheBytesOfWhatIsNotEdited(
            @ForAll("tables") Map<String, Object> table, @ForAll("tables") Map<String, Object> edits,
            @ForAll @IntRange(max = 1) int removed) {
        BasicPropertiesEditor first = properties(ALL).edit();
        table.forEach(first::setHeader);
        BasicProperties before = first.build();

        BasicPropertiesEditor second = before.edit();
        edits.forEach((name, value) -> {
            if (removed == 1) {
                second.removeHeader(name);
            } else {
                second.setHeader(name, value);
            }
        });
        BasicProperties after = second.build();

        for (BasicProperty property : BasicProperty.values()) {
            if (property != BasicProperty.HEADERS) {
                assertThat(raw(after, property)).isEqualTo(raw(before, property));
            }
        }
        Map<String, Object> expected = new LinkedHashMap<>(before.headers());
        if (removed == 1) {
            expected.keySet().removeAll(edits.keySet());
        } else {
            expected.putAll(edits);
        }
        assertThat(after.headers()).isEqualTo(expected);
        assertThat(after.headers().keySet()).containsExactlyElementsOf(expected.keySet());
    }

    /** Bytes that a decoded value would not bring back: type L, a true of 7, a name that occurs twice. */
    @Test
    void shouldKeepTheVeryBytesOfOtherHeaders() {
        byte[] original = new RawArguments().shortInt(0x2000).table(out -> out
                .field("l", 'L', value -> value.longLong(1))
                .field("x", 1)
                .field("t", 't', value -> value.octet(7))
                .field("x", 2)
                .field("d", 1).field("d", 2)).toBytes();
        BasicProperties edited = BasicProperties.of(original).edit()
                .setHeader("x", "new").setHeader("y", true).removeHeader("none").build();
        assertThat(edited.bytes()).isEqualTo(new RawArguments().shortInt(0x2000).table(out -> out
                .field("l", 'L', value -> value.longLong(1))
                .field("x", "new")
                .field("t", 't', value -> value.octet(7))
                .field("d", 1).field("d", 2)
                .field("y", true)).toBytes());
    }

    @Test
    void shouldSetReplaceAndRemoveProperties() {
        BasicProperties edited = properties(ALL).edit()
                .remove(BasicProperty.EXPIRATION)
                .remove(BasicProperty.HEADERS)
                .set(BasicProperty.USER_ID, "guest")
                .set(BasicProperty.DELIVERY_MODE, 1)
                .set(BasicProperty.TIMESTAMP, -1)
                .build();
        assertThat(edited.has(BasicProperty.EXPIRATION)).isFalse();
        assertThat(edited.has(BasicProperty.HEADERS)).isFalse();
        assertThat(edited.userId()).isEqualTo("guest");
        assertThat(edited.deliveryMode()).isEqualTo(1);
        assertThat(edited.priority()).isEqualTo(4);
        assertThat(edited.timestamp()).isEqualTo(-1);
        assertThat(edited.appId()).isEqualTo("a");
    }

    @Test
    void shouldNotInventAHeaderTable() {
        assertThat(BasicProperties.EMPTY.edit().removeHeader("BCC").build()).isEqualTo(BasicProperties.EMPTY);
        BasicProperties emptied = properties(ALL).edit().removeHeader("k").build();
        assertThat(emptied.has(BasicProperty.HEADERS)).isTrue();
        assertThat(emptied.headers()).isEmpty();
        BasicProperties anew = properties(ALL).edit().remove(BasicProperty.HEADERS).setHeader("n", null).build();
        assertThat(anew.headers()).hasSize(1).containsEntry("n", null);
    }

    @Test
    void shouldRefuseValuesOfTheWrongKind() {
        BasicPropertiesEditor editor = BasicProperties.EMPTY.edit();
        assertThatThrownBy(() -> editor.set(BasicProperty.PRIORITY, "5")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> editor.set(BasicProperty.PRIORITY, 256)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> editor.set(BasicProperty.TYPE, 5)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> editor.set(BasicProperty.HEADERS, "x")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> editor.set(BasicProperty.TYPE, "x".repeat(256)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** Properties from the wire, of any bytes, never do anything but work or fault. */
    @Property(tries = 5000)
    void shouldOnlyEverFault(@ForAll("bytes") byte[] bytes) {
        BasicProperties properties;
        try {
            properties = BasicProperties.of(bytes);
        } catch (ProtocolFaultException e) {
            assertThat(e.fault().code()).isEqualTo(ReplyCode.SYNTAX_ERROR);
            return;
        }
        assertThat(properties.headers().keySet()).allMatch(properties::hasHeader);
        assertThat(properties.edit().build()).isEqualTo(properties);
        assertThat(properties.edit().setHeader("n", 1).build().header("n")).isEqualTo(1);
    }

    @Provide
    Arbitrary<byte[]> bytes() {
        Arbitrary<Byte> small =
                Arbitraries.of((byte) 0, (byte) 1, (byte) 2, (byte) 3, (byte) 'S', (byte) 'F', (byte) 'A',
                        (byte) 'V', (byte) 't', (byte) 0x20, (byte) 0x80, (byte) 0xFC);
        return small.array(byte[].class).ofMinSize(0).ofMaxSize(24);
    }

    private static String raw(BasicProperties properties, BasicProperty property) {
        if (!properties.has(property)) {
            return null;
        }
        int at = properties.offsetOf(property);
        return new String(properties.bytes(), at, properties.endOf(property, at) - at, StandardCharsets.ISO_8859_1);
    }

    private static BasicProperties properties(String hex) {
        return BasicProperties.of(HexFormat.of().parseHex(hex));
    }
}
