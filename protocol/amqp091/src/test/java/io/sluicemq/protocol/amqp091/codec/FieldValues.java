package io.sluicemq.protocol.amqp091.codec;

import io.sluicemq.api.value.Binary;
import io.sluicemq.api.value.LongString;
import io.sluicemq.api.value.Timestamp;
import io.sluicemq.api.value.UnsignedInteger;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Field tables of every type for properties. */
final class FieldValues {

    private FieldValues() {}

    static Arbitrary<Map<String, Object>> tables() {
        return table(values(3));
    }

    static Arbitrary<String> names() {
        return Arbitraries.strings().ofMaxLength(60).filter(FieldValues::encodable);
    }

    private static Arbitrary<Map<String, Object>> table(Arbitrary<Object> values) {
        return Combinators.combine(names().list().ofMaxSize(6), values.list().ofSize(6)).as((names, list) -> {
            Map<String, Object> table = new LinkedHashMap<>();
            for (int i = 0; i < names.size(); i++) {
                table.put(names.get(i), list.get(i));
            }
            return table;
        });
    }

    private static Arbitrary<Object> values(int depth) {
        Arbitrary<byte[]> bytes = Arbitraries.bytes().array(byte[].class).ofMaxSize(40);
        List<Arbitrary<?>> kinds = new ArrayList<>(List.of(
                Arbitraries.just(null),
                Arbitraries.of(true, false),
                Arbitraries.bytes(), Arbitraries.shorts(), Arbitraries.integers(), Arbitraries.longs(),
                Arbitraries.longs().between(0, 0xFF).map(UnsignedInteger.OfByte::new),
                Arbitraries.longs().between(0, 0xFFFF).map(UnsignedInteger.OfShort::new),
                Arbitraries.longs().between(0, 0xFFFF_FFFFL).map(UnsignedInteger.OfInt::new),
                Arbitraries.floats(), Arbitraries.doubles(),
                Arbitraries.of(Float.NaN, Double.NaN, Double.NEGATIVE_INFINITY, -0.0),
                Combinators.combine(Arbitraries.integers(), Arbitraries.integers().between(0, 255))
                        .as((unscaled, scale) -> new BigDecimal(BigInteger.valueOf(unscaled), scale)),
                Arbitraries.strings().ofMaxLength(300).filter(FieldValues::encodable),
                bytes.map(array -> Utf8.isValid(array, 0, array.length) ? new Binary(array) : new LongString(array)),
                bytes.map(Binary::new),
                Arbitraries.longs().map(Timestamp::new)));
        if (depth > 0) {
            kinds.add(Arbitraries.lazy(() -> values(depth - 1)).list().ofMaxSize(5));
            kinds.add(Arbitraries.lazy(() -> table(values(depth - 1))));
        }
        return Arbitraries.oneOf(kinds.stream().map(kind -> kind.map(value -> (Object) value)).toList());
    }

    private static boolean encodable(String text) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(text)
                && text.getBytes(StandardCharsets.UTF_8).length <= ShortString.MAX_BYTES;
    }
}
