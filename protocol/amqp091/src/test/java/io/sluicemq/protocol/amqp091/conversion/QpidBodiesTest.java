package io.sluicemq.protocol.amqp091.conversion;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.PortableMessage.Body;
import io.sluicemq.api.value.Binary;
import io.sluicemq.api.value.CodePoint;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Bodies as Qpid JMS 6.4 writes them; the bytes are its own. */
final class QpidBodiesTest {

    private static final String MAP = "0000008a0000000e017395000368c3a901692100000005016c310000000000000006016201010273"
            + "6811000202626f08010166233fc00000016433400400000000000001630478026279a0000000020102016ef0026c69a90000000d"
            + "00000002210000000195000161017548000000000000000100000000000000"
            + "02016da80000000b00000001016b2100000001";
    private static final String TYPED = "000000016bc3a9000a76000b030000000109010102010400020500630600000003"
            + "070000000000000004083f8000000940000000000000000b";

    private static Body.Data data(String hex) {
        return new Body.Data(HexFormat.of().parseHex(hex));
    }

    private static Map<String, Object> map() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("s", "hé");
        map.put("i", 5);
        map.put("l", 6L);
        map.put("b", (byte) 1);
        map.put("sh", (short) 2);
        map.put("bo", true);
        map.put("f", 1.5f);
        map.put("d", 2.5);
        map.put("c", new CodePoint('x'));
        map.put("by", new Binary(new byte[] {1, 2}));
        map.put("n", null);
        map.put("li", List.of(1, "a"));
        map.put("u", new UUID(1, 2));
        map.put("m", Map.of("k", 1));
        return map;
    }

    @Test
    void shouldReadAndWriteMaps() {
        assertThat(QpidValues.map(data(MAP))).isEqualTo(map());
        assertThat(HexFormat.of().formatHex(QpidValues.encode(map()))).isEqualTo(MAP);
    }

    @Test
    void shouldReadLists() {
        assertThat(QpidValues.list(data("0000000e00000003210000000195000161f0")))
                .isEqualTo(Arrays.asList(1, "a", null));
    }

    @Test
    void shouldReadMapsAndStreamsOfTypedBytes() {
        List<Object> values = Arrays.asList(
                "v", null, new Binary(new byte[] {9}), true, (byte) 1, (short) 2, new CodePoint('c'), 3, 4L, 1f, 2d,
                null);
        String stream = TYPED.substring(TYPED.indexOf("0a7600"));

        assertThat(TypedBytes.list(data(stream))).isEqualTo(values);
        assertThat(HexFormat.of().formatHex(TypedBytes.encode(values))).isEqualTo(stream);
        assertThat(TypedBytes.map(data("000000016bc3a9000a7600"))).isEqualTo(Map.of("ké", "v"));
    }

    @Test
    void shouldLeaveWhatIsNoneAsBytes() {
        assertThat(QpidValues.map(data(MAP.substring(0, MAP.length() - 2)))).isNull();
        assertThat(QpidValues.map(data(MAP + "00"))).isNull();
        assertThat(QpidValues.map(data("7fffffff7fffffff"))).isNull();
        assertThat(QpidValues.list(data("0000000a00000001aa00000005f07fffffff"))).isNull();
        // A length below that of no bytes, and a text that is not UTF-8, would not come back as they were.
        assertThat(TypedBytes.list(data("03ff000000"))).isNull();
        assertThat(TypedBytes.list(data("0aff00"))).isNull();
        assertThat(TypedBytes.map(data("7fffffff"))).isNull();
        assertThat(TypedBytes.map(data("ffffffff"))).isNull();
        assertThat(TypedBytes.list(data("037fffffff"))).isNull();
        assertThat(TypedBytes.list(data("0a61"))).isNull();
        assertThat(TypedBytes.list(data("63"))).isNull();
    }

    @Test
    void shouldKnowReplyAddressesOfQpid() {
        assertThat(QpidAddress.toPlain("direct://amq.direct//tmp_1?routingkey='tmp_1'")).isEqualTo("tmp_1");
        assertThat(QpidAddress.toPlain("direct:////answers")).isEqualTo("answers");
        assertThat(QpidAddress.toPlain("topic://amq.topic//?routingkey='a b'")).isEqualTo("/exchanges/amq.topic/a%20b");
        assertThat(QpidAddress.toPlain("plain")).isEqualTo("plain");
        assertThat(QpidAddress.toPlain("http://host/a?b")).isEqualTo("http://host/a?b");
        assertThat(QpidAddress.fromAddress("/queues/a%2Fb+")).isEqualTo("a/b+");
        assertThat(QpidAddress.fromAddress("/exchanges/a/b")).isEqualTo("/exchanges/a/b");
        assertThat(QpidAddress.fromAddress("/queues/%zz")).isEqualTo("/queues/%zz");
    }
}
