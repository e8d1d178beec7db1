package io.sluicemq.protocol.amqp091.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluicemq.api.value.Binary;
import io.sluicemq.api.value.LongString;
import io.sluicemq.api.value.Timestamp;
import io.sluicemq.api.value.UnsignedInteger;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** 0-9-1 §4.2.5.5, with the types as RabbitMQ has them. */
class FieldTableTest {

    static Stream<Arguments> values() {
        return Stream.of(
                arguments("56", null),
                arguments("7401", true),
                arguments("7400", false),
                arguments("6280", (byte) -128),
                arguments("42ff", new UnsignedInteger.OfByte(255)),
                arguments("738000", Short.MIN_VALUE),
                arguments("75ffff", new UnsignedInteger.OfShort(65_535)),
                arguments("49ffffffff", -1),
                arguments("69ffffffff", new UnsignedInteger.OfInt(4_294_967_295L)),
                arguments("6c8000000000000000", Long.MIN_VALUE),
                arguments("663fc00000", 1.5f),
                arguments("64c004000000000000", -2.5),
                arguments("4402fffffeff", new BigDecimal("-2.57")),
                arguments("5400000000ffffffff", new Timestamp(4_294_967_295L)),
                arguments("5300000003e282ac", "\u20ac"),
                arguments("5300000000", ""),
                arguments("53000000026180", new LongString(new byte[] {'a', (byte) 0x80})),
                arguments("7800000002ff00", new Binary(new byte[] {-1, 0})),
                arguments("4100000003740156", Arrays.asList(true, null)),
                arguments("4100000000", List.of()),
                arguments("4600000003" + "016156", Collections.singletonMap("a", null)),
                arguments("4600000000", Map.of()));
    }

    @ParameterizedTest
    @MethodSource("values")
    void shouldReadAndWriteEachType(String hex, Object value) {
        byte[] table = tableOf(hex);
        Map<String, Object> decoded = FieldTable.decode(table, 0, table.length);
        assertThat(decoded).hasSize(1).containsEntry("k", value);
        assertThat(encode(decoded)).isEqualTo(table);
    }

    /** Clients differ in which of the two they write; RabbitMQ reads both as signed 64 bit. */
    @Test
    void shouldReadBothLettersOfALong() {
        byte[] table = tableOf("4cffffffffffffffff");
        assertThat(FieldTable.decode(table, 0, table.length)).containsEntry("k", -1L);
    }

    @Test
    void shouldTakeAnyOctetButZeroForTrue() {
        byte[] table = tableOf("7407");
        assertThat(FieldTable.decode(table, 0, table.length)).containsEntry("k", true);
    }

    @Property(tries = 500)
    void shouldKeepValuesAndTypes(@ForAll("tables") Map<String, Object> table) {
        byte[] bytes = encode(table);
        FieldTable.validate(bytes, 0, bytes.length);
        Map<String, Object> decoded = FieldTable.decode(bytes, 0, bytes.length);
        assertThat(decoded).isEqualTo(table);
        assertThat(List.copyOf(decoded.keySet())).isEqualTo(List.copyOf(table.keySet()));
        assertThat(encode(decoded)).isEqualTo(bytes);
    }

    @Property(tries = 200)
    void shouldRefuseEveryTruncation(@ForAll("tables") Map<String, Object> table) {
        byte[] bytes = encode(table);
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertSyntaxError(() -> FieldTable.decode(cut, 0, cut.length));
            assertSyntaxError(() -> FieldTable.validate(cut, 0, cut.length));
        }
    }

    /** With the length field corrected, a cut may leave a shorter valid table; reading and checking have to agree. */
    @Property(tries = 200)
    void shouldCheckExactlyWhatItReads(@ForAll("tables") Map<String, Object> table) {
        byte[] bytes = encode(table);
        for (int length = 4; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            int body = length - 4;
            cut[0] = (byte) (body >>> 24);
            cut[1] = (byte) (body >>> 16);
            cut[2] = (byte) (body >>> 8);
            cut[3] = (byte) body;
            assertThat(faults(() -> FieldTable.validate(cut, 0, cut.length)))
                    .isEqualTo(faults(() -> FieldTable.decode(cut, 0, cut.length)));
        }
    }

    @Provide
    Arbitrary<Map<String, Object>> tables() {
        return FieldValues.tables();
    }

    /** Null values, alone and nested; a string larger than most frames. */
    @Test
    void shouldKeepWhatBrokersHaveLost() {
        Map<String, Object> table = new LinkedHashMap<>();
        table.put("null", null);
        table.put("nested", Arrays.asList(null, 1, Map.of("x", Arrays.asList(true, null))));
        table.put("long", "x".repeat(65_536));
        byte[] bytes = encode(table);
        assertThat(FieldTable.decode(bytes, 0, bytes.length)).isEqualTo(table);
    }

    @Test
    void shouldLetTheLastOfTwoEqualNamesWin() {
        byte[] bytes = raw(out -> out.field("a", 1).field("b", 2).field("a", 3));
        Map<String, Object> decoded = FieldTable.decode(bytes, 0, bytes.length);
        assertThat(decoded).isEqualTo(Map.of("a", 3, "b", 2));
        assertThat(decoded.keySet()).containsExactly("a", "b");
    }

    @Test
    void shouldNotBeModifiable() {
        byte[] bytes = raw(out -> out.field("a", 1).field("l", 'A', list -> list.longInt(1).octet('V')));
        Map<String, Object> decoded = FieldTable.decode(bytes, 0, bytes.length);
        assertThatThrownBy(() -> decoded.put("b", 1)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> ((List<?>) decoded.get("l")).removeFirst())
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @ParameterizedTest
    @ValueSource(chars = {'A', 'F'})
    void shouldBoundNesting(char type) {
        byte[] deepest = nested(type, FieldTable.MAX_DEPTH - 1);
        FieldTable.validate(deepest, 0, deepest.length);
        Map<String, Object> decoded = FieldTable.decode(deepest, 0, deepest.length);
        assertThat(encode(decoded)).isEqualTo(deepest);

        byte[] tooDeep = nested(type, FieldTable.MAX_DEPTH);
        assertSyntaxError(() -> FieldTable.decode(tooDeep, 0, tooDeep.length));
        assertSyntaxError(() -> FieldTable.validate(tooDeep, 0, tooDeep.length));
        byte[] absurd = nested(type, 10_000);
        assertSyntaxError(() -> FieldTable.decode(absurd, 0, absurd.length));
        assertSyntaxError(() -> FieldTable.validate(absurd, 0, absurd.length));
    }

    /** Types nobody has, the specification's own U and s-as-string among them. */
    @ParameterizedTest
    @ValueSource(strings = {"550001", "00", "4e", "ff", "7a00000000"})
    void shouldRefuseUnknownTypes(String hex) {
        byte[] table = tableOf(hex);
        assertSyntaxError(() -> FieldTable.decode(table, 0, table.length));
        assertSyntaxError(() -> FieldTable.validate(table, 0, table.length));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "00000004" + "01ff" + "7401", // a name that is not UTF-8
        "00000003" + "056156", // a name beyond the end
        "00000007" + "016b" + "53ffffffff", // a length of 4 GiB
        "00000007" + "016b" + "5380000000", // a negative length
        "00000007" + "016b" + "4100000001", // an array beyond the end
        "0000000a" + "016b" + "4600000003" + "056156", // a name beyond its table
        "00000008" + "016b" + "4100000001" + "49", // a value beyond its array
        "00000002" + "016b56", // bytes after the table
        "00000004" + "016b56", // a table beyond the end
        "ffffffff",
    })
    void shouldRefuseWrongLayouts(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        assertSyntaxError(() -> FieldTable.decode(bytes, 0, bytes.length));
        assertSyntaxError(() -> FieldTable.validate(bytes, 0, bytes.length));
    }

    @Test
    void shouldRefuseToWriteWhatHasNoForm() {
        Map<String, Object> circular = new HashMap<>();
        circular.put("self", circular);
        for (Object value : new Object[] {
            new Object(), 'c', new BigDecimal("1e10"), new BigDecimal("3000000000"), BigDecimal.valueOf(1, 256),
            circular
        }) {
            assertThatThrownBy(() -> FieldTable.write(Unpooled.buffer(), Map.of("k", value)))
                    .as(value.getClass().getName()).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> FieldTable.write(Unpooled.buffer(), Map.of("k".repeat(256), 1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new UnsignedInteger.OfByte(256)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new UnsignedInteger.OfInt(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldSeeIntegersOfAllWidths() {
        for (Object five : new Object[] {
            (byte) 5, (short) 5, 5, 5L,
            new UnsignedInteger.OfByte(5), new UnsignedInteger.OfShort(5), new UnsignedInteger.OfInt(5)
        }) {
            assertThat(FieldTable.integer(five)).isEqualTo(OptionalLong.of(5));
        }
        for (Object other : new Object[] {null, "5", 5.0, true}) {
            assertThat(FieldTable.integer(other)).isEmpty();
        }
    }

    private static byte[] nested(char type, int depth) {
        byte[] value = {'V'};
        for (int i = 0; i < depth; i++) {
            byte[] inner = type == 'F' ? new RawArguments().shortString("k").bytes(value).toBytes() : value;
            value = new RawArguments().octet(type).longString(inner).toBytes();
        }
        return new RawArguments().longString(new RawArguments().shortString("k").bytes(value).toBytes()).toBytes();
    }

    private static byte[] tableOf(String valueHex) {
        return raw(out -> out.shortString("k").hex(valueHex));
    }

    private static byte[] raw(Consumer<RawArguments> fields) {
        return new RawArguments().table(fields).toBytes();
    }

    private static byte[] encode(Map<String, Object> table) {
        ByteBuf out = Unpooled.buffer();
        FieldTable.write(out, table);
        return ByteBufUtil.getBytes(out);
    }

    private static boolean faults(Runnable action) {
        try {
            action.run();
            return false;
        } catch (ProtocolFaultException e) {
            return true;
        }
    }

    private static void assertSyntaxError(Runnable action) {
        assertThatThrownBy(action::run).isInstanceOfSatisfying(ProtocolFaultException.class,
                e -> assertThat(e.fault().code()).isEqualTo(ReplyCode.SYNTAX_ERROR));
    }
}
