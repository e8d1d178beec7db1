package io.sluicemq.protocol.amqp10.message;

import io.sluicemq.api.value.Array;
import io.sluicemq.api.value.Binary;
import io.sluicemq.api.value.CodePoint;
import io.sluicemq.api.value.Described;
import io.sluicemq.api.value.Symbol;
import io.sluicemq.api.value.UnsignedInteger;
import io.sluicemq.api.value.UnsignedLong;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Values of every type, for properties. */
final class TypedValues {

    private TypedValues() {}

    static Arbitrary<String> texts() {
        return Arbitraries.strings().ofMaxLength(300)
                .filter(text -> StandardCharsets.UTF_8.newEncoder().canEncode(text));
    }

    static Arbitrary<String> names() {
        return Arbitraries.strings().alpha().numeric().withChars('_', '-', '.', 'é').ofMinLength(1).ofMaxLength(40);
    }

    static Arbitrary<Binary> binaries() {
        return Arbitraries.bytes().array(byte[].class).ofMaxSize(300).map(Binary::new);
    }

    static Arbitrary<UUID> uuids() {
        return Combinators.combine(Arbitraries.longs(), Arbitraries.longs()).as(UUID::new);
    }

    /** Values that application-properties may have. */
    static Arbitrary<Object> simple() {
        return Arbitraries.oneOf(simpleKinds());
    }

    private static List<Arbitrary<Object>> simpleKinds() {
        List<Arbitrary<?>> kinds = List.of(
                Arbitraries.just(null),
                Arbitraries.of(true, false),
                Arbitraries.bytes(), Arbitraries.shorts(), Arbitraries.integers(), Arbitraries.longs(),
                Arbitraries.longs().between(0, 0xFF).map(UnsignedInteger.OfByte::new),
                Arbitraries.longs().between(0, 0xFFFF).map(UnsignedInteger.OfShort::new),
                Arbitraries.longs().between(0, 0xFFFF_FFFFL).map(UnsignedInteger.OfInt::new),
                Arbitraries.longs().map(UnsignedLong::new),
                Arbitraries.floats(), Arbitraries.doubles(),
                Arbitraries.of(Float.NaN, Double.NaN, Double.NEGATIVE_INFINITY, -0.0),
                Combinators.combine(Arbitraries.longs(), Arbitraries.integers().between(-300, 300))
                        .as((unscaled, scale) -> new BigDecimal(BigInteger.valueOf(unscaled), scale)),
                Arbitraries.integers().between(0, 0xD7FF).map(CodePoint::new),
                Arbitraries.longs().between(-1L << 50, 1L << 50).map(Instant::ofEpochMilli),
                uuids(),
                binaries(),
                texts(),
                names().map(name -> new Symbol(name.replace('é', 'e'))));
        return kinds.stream().map(kind -> kind.map(value -> (Object) value)).toList();
    }

    /** Values of every type. */
    static Arbitrary<Object> any(int depth) {
        List<Arbitrary<Object>> kinds = new ArrayList<>(simpleKinds());
        if (depth > 0) {
            Arbitrary<Object> inner = Arbitraries.lazy(() -> any(depth - 1));
            kinds.add(inner.list().ofMaxSize(4).map(list -> list));
            kinds.add(map(Arbitraries.lazy(() -> any(depth - 1))).map(map -> map));
            // Not a number of the standard's own types, which another decoder would want to understand.
            kinds.add(Combinators.combine(
                    Arbitraries.longs().between(1L << 40, 1L << 50).map(UnsignedLong::new), inner)
                    .as(Described::new));
            kinds.add(texts().list().ofMaxSize(4).map(Array::new));
            kinds.add(Arbitraries.longs().list().ofMaxSize(4).map(Array::new));
            kinds.add(inner.list().ofMaxSize(2).list().ofMaxSize(3).map(Array::new));
        }
        return Arbitraries.oneOf(kinds);
    }

    static Arbitrary<Map<String, Object>> map(Arbitrary<Object> values) {
        return Combinators.combine(names().list().ofMaxSize(5), values.list().ofSize(5)).as((names, list) -> {
            Map<String, Object> map = new LinkedHashMap<>();
            for (int i = 0; i < names.size(); i++) {
                map.put(names.get(i), list.get(i));
            }
            return map;
        });
    }
}
