package io.sluicemq.broker.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.api.value.Binary;
import io.sluicemq.api.value.LongString;
import io.sluicemq.api.value.Timestamp;
import io.sluicemq.api.value.UnsignedInteger;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TopologyRecordTest {

    private static final Map<String, Object> TTL = Map.of("x-message-ttl", 60_000);

    static List<Arguments> formats() {
        return List.of(
                Arguments.of(
                        new TopologyRecord.QueueDeclared("/", 258, "q", true, false, true, null, TTL),
                        "01" + "0201000000000000" + "05" + "012f" + "0171"
                                + "01" + "0d782d6d6573736167652d74746c" + "05" + "60ea0000"),
                Arguments.of(
                        new TopologyRecord.QueueDeclared("/", -1, "", false, true, false, null, Map.of()),
                        "01" + "ffffffffffffffff" + "02" + "012f" + "00" + "00"),
                Arguments.of(
                        new TopologyRecord.QueueDeclared("/", 258, "q", true, false, false, "ann", Map.of()),
                        "01" + "0201000000000000" + "09" + "012f" + "0171" + "03616e6e" + "00"),
                Arguments.of(new TopologyRecord.QueueDeleted(258), "02" + "0201000000000000"),
                Arguments.of(
                        new TopologyRecord.ExchangeDeclared("h", "e", "topic", true, false, true, Map.of()),
                        "03" + "05" + "0168" + "0165" + "05746f706963" + "00"),
                Arguments.of(
                        new TopologyRecord.ExchangeDeclared("h", "e", "topic", false, true, false, Map.of()),
                        "03" + "02" + "0168" + "0165" + "05746f706963" + "00"),
                Arguments.of(new TopologyRecord.ExchangeDeleted("h", "e"), "04" + "0168" + "0165"),
                Arguments.of(
                        new TopologyRecord.Bound("h", "s", "d", true, "k.#", Map.of()),
                        "05" + "01" + "0168" + "0173" + "0164" + "036b2e23" + "00"),
                Arguments.of(
                        new TopologyRecord.Unbound("h", "s", "d", false, "", Map.of()),
                        "06" + "00" + "0168" + "0173" + "0164" + "00" + "00"));
    }

    @ParameterizedTest
    @MethodSource("formats")
    void shouldEncodeTheBytesOfItsFormat(TopologyRecord record, String hex) throws BadRecord {
        assertThat(HexFormat.of().formatHex(record.encode())).isEqualTo(hex);
        assertThat(TopologyRecord.decode(ByteBuffer.wrap(HexFormat.of().parseHex(hex)))).isEqualTo(record);
    }

    static List<Arguments> values() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("b", null);
        map.put("a", (byte) 1);
        return List.of(
                Arguments.of(null, "00"),
                Arguments.of(false, "01"),
                Arguments.of(true, "02"),
                Arguments.of((byte) -2, "03fe"),
                Arguments.of((short) 258, "040201"),
                Arguments.of(-2, "05feffffff"),
                Arguments.of(258L, "060201000000000000"),
                Arguments.of(1.5f, "070000c03f"),
                Arguments.of(1.5, "08000000000000f83f"),
                Arguments.of(new BigDecimal("-1.28"), "09020000000180"),
                Arguments.of(BigInteger.valueOf(258), "0a020102"),
                Arguments.of("é", "0b02c3a9"),
                Arguments.of(new byte[] {1, -1}, "0c0201ff"),
                Arguments.of(Arrays.asList(null, List.of()), "0d02000d00"),
                Arguments.of(map, "0e02" + "0162" + "00" + "0161" + "0301"),
                Arguments.of(new LongString(new byte[] {-1}), "0f01ff"),
                Arguments.of(new Binary(new byte[] {7}), "100107"),
                Arguments.of(new UnsignedInteger.OfByte(255), "11ff"),
                Arguments.of(new UnsignedInteger.OfShort(65_534), "12feff"),
                Arguments.of(new UnsignedInteger.OfInt(4_294_967_294L), "13feffffff"),
                Arguments.of(new Timestamp(-2), "14feffffffffffffff"));
    }

    @ParameterizedTest
    @MethodSource("values")
    void shouldEncodeTheBytesOfEachTypeAndReadItBack(Object value, String hex) throws BadRecord {
        Map<String, Object> arguments = new LinkedHashMap<>();
        arguments.put("v", value);
        byte[] bytes = new TopologyRecord.Bound("", "", "", false, "", arguments).encode();
        assertThat(HexFormat.of().formatHex(bytes)).isEqualTo("05" + "00" + "00000000" + "01" + "0176" + hex);
        TopologyRecord.Bound read = (TopologyRecord.Bound) TopologyRecord.decode(ByteBuffer.wrap(bytes));
        assertThat(read.arguments()).containsOnlyKeys("v");
        // Numbers, texts and records of different types are never equal.
        assertThat(read.arguments().get("v")).isEqualTo(value);
    }

    private static Object nested(int depth) {
        Object value = "leaf";
        for (int i = 0; i < depth; i++) {
            value = i % 2 == 0 ? List.of(value) : Map.of("k", value);
        }
        return value;
    }

    @Test
    void shouldNestSixtyFourDeepAndNoDeeper() throws BadRecord {
        TopologyRecord deepest = new TopologyRecord.Bound("", "", "", false, "", Map.of("k", nested(63)));
        assertThat(TopologyRecord.decode(ByteBuffer.wrap(deepest.encode()))).isEqualTo(deepest);
        TopologyRecord tooDeep = new TopologyRecord.Bound("", "", "", false, "", Map.of("k", nested(64)));
        assertThatThrownBy(tooDeep::encode).isInstanceOf(IllegalArgumentException.class);
        byte[] bytes = HexFormat.of().parseHex("05" + "00" + "00000000" + "01" + "00" + "0d01".repeat(64) + "00");
        assertThatThrownBy(() -> TopologyRecord.decode(ByteBuffer.wrap(bytes)))
                .isInstanceOf(BadRecord.class)
                .hasMessage("lists and maps nest deeper than 64");
    }

    @Test
    void shouldRefuseWhatItCannotKeep() {
        TopologyRecord record = new TopologyRecord.Bound("", "", "", false, "", Map.of("k", new StringBuilder()));
        assertThatThrownBy(record::encode)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no record can hold a java.lang.StringBuilder");
    }

    @Test
    void shouldRefuseBytesLeftOver() {
        byte[] bytes = Arrays.copyOf(new TopologyRecord.QueueDeleted(1).encode(), 10);
        assertThatThrownBy(() -> TopologyRecord.decode(ByteBuffer.wrap(bytes)))
                .isInstanceOf(BadRecord.class)
                .hasMessage("1 bytes behind a change of the topology");
    }
}
