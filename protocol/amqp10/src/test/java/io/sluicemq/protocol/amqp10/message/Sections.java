package io.sluicemq.protocol.amqp10.message;

import io.sluicemq.api.value.Binary;
import io.sluicemq.api.value.Symbol;
import io.sluicemq.api.value.UnsignedInteger;
import io.sluicemq.api.value.UnsignedLong;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Encoded messages for tests, section by section. */
final class Sections {

    private final ValueWriter out = new ValueWriter(64);

    static Sections none() {
        return new Sections();
    }

    Sections header(Object... fields) {
        return section(Section.HEADER, Arrays.asList(fields));
    }

    Sections deliveryAnnotations(Map<Symbol, Object> map) {
        return section(Section.DELIVERY_ANNOTATIONS, map);
    }

    Sections annotations(Map<String, ?> map) {
        return section(Section.MESSAGE_ANNOTATIONS, symbols(map));
    }

    static Map<Symbol, Object> symbols(Map<String, ?> map) {
        Map<Symbol, Object> symbols = new LinkedHashMap<>();
        map.forEach((key, value) -> symbols.put(new Symbol(key), value));
        return symbols;
    }

    Sections properties(Object... fields) {
        return section(Section.PROPERTIES, Arrays.asList(fields));
    }

    Sections headers(Map<String, ?> map) {
        return section(Section.APPLICATION_PROPERTIES, map);
    }

    Sections data(byte... bytes) {
        return section(Section.DATA, new Binary(bytes));
    }

    Sections sequence(Object... elements) {
        return section(Section.AMQP_SEQUENCE, Arrays.asList(elements));
    }

    Sections value(Object value) {
        return section(Section.AMQP_VALUE, value);
    }

    Sections section(int code, Object value) {
        out.section(code).value(value);
        return this;
    }

    Sections raw(int... octets) {
        for (int octet : octets) {
            out.octet(octet);
        }
        return this;
    }

    byte[] bytes() {
        return Arrays.copyOf(out.bytes(), out.length());
    }

    // ---- generated

    /** Messages with all that a message may have. */
    static Arbitrary<byte[]> messages() {
        Arbitrary<Map<Symbol, Object>> annotations =
                TypedValues.map(TypedValues.any(2)).map(map -> {
                    Map<Symbol, Object> symbols = new LinkedHashMap<>();
                    map.forEach((key, value) -> symbols.put(new Symbol("x-opt-" + key.replace('é', 'e')), value));
                    return symbols;
                });
        Arbitrary<byte[]> header = Combinators.combine(
                Arbitraries.of(true, false).injectNull(0.2),
                Arbitraries.longs().between(0, 0xFF)
                        .map(UnsignedInteger.OfByte::new)
                        .injectNull(0.3),
                Arbitraries.longs().between(0, 0xFFFF_FFFFL)
                        .map(UnsignedInteger.OfInt::new)
                        .injectNull(0.3),
                Arbitraries.integers().between(0, 3))
                .as((durable, priority, ttl, fields) -> none()
                        .section(Section.HEADER, Arrays.asList(durable, priority, ttl).subList(0, fields)).bytes());
        Arbitrary<byte[]> body = Arbitraries.oneOf(
                Arbitraries.just(new byte[0]),
                TypedValues.binaries().list().ofMinSize(1).ofMaxSize(3).map(list -> all(Section.DATA, list)),
                TypedValues.any(2).list().ofMaxSize(3).list().ofMinSize(1).ofMaxSize(2)
                        .map(list -> all(Section.AMQP_SEQUENCE, list)),
                TypedValues.any(3).map(value -> none().value(value).bytes()));
        return Combinators.combine(
                maybe(header),
                maybe(annotations.map(map -> none().deliveryAnnotations(map).bytes())),
                maybe(annotations.map(map -> none().section(Section.MESSAGE_ANNOTATIONS, map).bytes())),
                maybe(properties()),
                maybe(TypedValues.map(TypedValues.simple()).map(map -> none().headers(map).bytes())),
                body,
                maybe(annotations.map(map -> none().section(Section.FOOTER, map).bytes())))
                .as((h, d, m, p, a, b, f) -> join(h, d, m, p, a, b, f));
    }

    private static Arbitrary<byte[]> maybe(Arbitrary<byte[]> section) {
        return Arbitraries.oneOf(section, Arbitraries.just(new byte[0]));
    }

    private static byte[] all(int code, List<?> values) {
        Sections sections = none();
        values.forEach(value -> sections.section(code, value));
        return sections.bytes();
    }

    static Arbitrary<Object> ids() {
        return Arbitraries.oneOf(
                TypedValues.texts().map(text -> text),
                TypedValues.uuids().map(uuid -> uuid),
                TypedValues.binaries().map(binary -> binary),
                Arbitraries.longs().map(UnsignedLong::new));
    }

    private static Arbitrary<byte[]> properties() {
        Arbitrary<String> text = TypedValues.texts().injectNull(0.4);
        Arbitrary<Symbol> symbol = TypedValues.names().map(name -> new Symbol(name.replace('é', 'e'))).injectNull(0.4);
        Arbitrary<Instant> time = Arbitraries.longs().between(0, 1L << 44).map(Instant::ofEpochMilli).injectNull(0.4);
        return Combinators.combine(
                ids().injectNull(0.3),
                TypedValues.binaries().injectNull(0.4),
                text.list().ofSize(3),
                ids().injectNull(0.3),
                symbol.list().ofSize(2),
                time.list().ofSize(2),
                Combinators.combine(text, text).as((a, b) -> Arrays.asList(a, b)),
                Arbitraries.integers().between(0, Section.PROPERTIES_FIELDS))
                .as((id, user, texts, correlation, types, times, groups, fields) -> {
                    List<Object> list = new ArrayList<>();
                    list.add(id);
                    list.add(user);
                    list.addAll(texts);
                    list.add(correlation);
                    list.addAll(types);
                    list.addAll(times);
                    list.add(groups.get(0));
                    list.add(new UnsignedInteger.OfInt(fields));
                    list.add(groups.get(1));
                    return none().section(Section.PROPERTIES, list.subList(0, fields)).bytes();
                });
    }

    static byte[] join(byte[]... parts) {
        Sections all = none();
        for (byte[] part : parts) {
            all.out.copy(part, 0, part.length);
        }
        return all.bytes();
    }
}
