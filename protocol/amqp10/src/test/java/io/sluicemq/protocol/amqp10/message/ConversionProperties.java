package io.sluicemq.protocol.amqp10.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Message;
import io.sluicemq.api.PortableMessage;
import io.sluicemq.api.value.CodePoint;
import io.sluicemq.api.value.Timestamp;
import io.sluicemq.api.value.UnsignedInteger;
import io.sluicemq.protocol.amqp091.Amqp091Format;
import io.sluicemq.protocol.amqp091.codec.BasicProperties;
import io.sluicemq.protocol.amqp091.codec.BasicPropertiesEditor;
import io.sluicemq.protocol.amqp091.codec.BasicProperty;
import io.sluicemq.protocol.amqp091.conversion.FromPortable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Conversion between AMQP 0-9-1 and 1.0 there and back, for whatever messages; docs/conversion.md has the rules. */
final class ConversionProperties {

    private static final long NOW = 1_700_000_000_000L;

    @Provide
    Arbitrary<byte[]> messages() {
        return Sections.messages();
    }

    /** As a 0-9-1 client receives it, and sends it again. */
    static Message to091(Message message) {
        PortableMessage portable = message.format().portable(message);
        FromPortable.Content content = FromPortable.of(portable, message.durable(), null);
        PortableMessage.Body.Data body = content.body();
        BasicProperties properties = BasicProperties.of(content.properties().bytes());
        return new Message(
                Amqp091Format.INSTANCE,
                "",
                "q",
                List.of(),
                properties.bytes(),
                Arrays.copyOfRange(body.bytes(), body.from(), body.from() + body.length()),
                message.durable(),
                properties.priority(),
                message.ttlMillis(),
                null);
    }

    /** As a client of AMQP 1.0 receives it. */
    static Message to10(Message message) throws MessageFault {
        return MessageProperties.read(MessageProperties.sent(message));
    }

    @Property(tries = 500)
    void shouldGiveEveryMessageToA091Client(@ForAll("messages") byte[] encoded) throws MessageFault {
        Message message = MessageProperties.read(encoded);

        BasicProperties properties = BasicProperties.of(to091(message).header());

        assertThat(properties.persistent()).isEqualTo(message.durable());
        assertThat(properties.headers()).isNotNull();
    }

    @Property(tries = 500)
    void shouldReturnWhatA10ClientSaid(@ForAll("messages") byte[] encoded) throws MessageFault {
        Message message = MessageProperties.read(encoded);
        PortableMessage before = Amqp10Format.INSTANCE.portable(message);

        Message back = to10(to091(message));

        PortableMessage after = Amqp10Format.INSTANCE.portable(back);
        for (PortableMessage.Property property : PortableMessage.Property.values()) {
            switch (property) {
                case TO, EXPIRY_TIME -> assertThat(after.get(property)).isNull();
                case CREATION_TIME -> assertThat(seconds(after.get(property))).isEqualTo(seconds(before.get(property)));
                default -> assertThat(after.get(property)).as("%s", property).isEqualTo(before.get(property));
            }
        }
        assertThat(back.durable()).isEqualTo(message.durable());
        assertThat(after.priority()).isEqualTo(before.priority());
        if (before.body() instanceof PortableMessage.Body.Encoded) {
            assertThat(back.body()).isEqualTo(message.body());
        }
        if (before.body() instanceof PortableMessage.Body.Data data) {
            PortableMessage.Body.Data got = (PortableMessage.Body.Data) after.body();
            assertThat(got.length()).isEqualTo(data.length());
            assertThat(Arrays.equals(
                    got.bytes(), got.from(), got.from() + got.length(),
                    data.bytes(), data.from(), data.from() + data.length()))
                    .isTrue();
        }
    }

    private static Long seconds(Object time) {
        return time == null ? null : ((Instant) time).getEpochSecond();
    }

    // ---- from 0-9-1

    /** Every type of header there, but texts that are not UTF-8. */
    private static Arbitrary<Object> fields(int depth) {
        List<Arbitrary<?>> kinds = new ArrayList<>(List.of(
                Arbitraries.just(null),
                Arbitraries.of(true, false),
                Arbitraries.bytes(), Arbitraries.shorts(), Arbitraries.integers(), Arbitraries.longs(),
                Arbitraries.longs().between(0, 0xFF).map(UnsignedInteger.OfByte::new),
                Arbitraries.longs().between(0, 0xFFFF).map(UnsignedInteger.OfShort::new),
                Arbitraries.longs().between(0, 0xFFFF_FFFFL).map(UnsignedInteger.OfInt::new),
                Arbitraries.floats(), Arbitraries.doubles(),
                Combinators.combine(Arbitraries.integers(), Arbitraries.integers().between(0, 255))
                        .as((unscaled, scale) -> new BigDecimal(BigInteger.valueOf(unscaled), scale)),
                Arbitraries.longs().between(0, 1L << 40).map(Timestamp::new),
                TypedValues.binaries(),
                TypedValues.texts()));
        if (depth > 0) {
            kinds.add(Arbitraries.lazy(() -> fields(depth - 1)).list().ofMaxSize(4));
            kinds.add(TypedValues.map(Arbitraries.lazy(() -> fields(depth - 1))));
        }
        return Arbitraries.oneOf(kinds.stream().map(kind -> kind.map(value -> (Object) value)).toList());
    }

    @Provide
    Arbitrary<BasicProperties> contents() {
        Arbitrary<String> text = TypedValues.texts()
                .filter(each -> each.getBytes(StandardCharsets.UTF_8).length <= 255)
                .injectNull(0.4);
        Arbitrary<String> type =
                Arbitraries.of("text/plain", "application/json", "a/b", "amqp/map", "jms/stream-message")
                        .injectNull(0.4);
        return Combinators.combine(
                type,
                text.list().ofSize(5),
                TypedValues.map(fields(2)),
                Arbitraries.integers().between(0, 255).injectNull(0.4),
                Arbitraries.longs().between(0, 1L << 40).injectNull(0.4))
                .as((contentType, texts, headers, priority, time) -> {
                    BasicPropertiesEditor editor = BasicProperties.EMPTY.edit();
                    set(editor, BasicProperty.CONTENT_TYPE, contentType);
                    set(editor, BasicProperty.CORRELATION_ID, texts.get(0));
                    set(editor, BasicProperty.MESSAGE_ID, texts.get(1));
                    set(editor, BasicProperty.TYPE, texts.get(2));
                    set(editor, BasicProperty.USER_ID, texts.get(3));
                    set(editor, BasicProperty.APP_ID, texts.get(4));
                    if (priority != null) {
                        editor.set(BasicProperty.PRIORITY, priority);
                    }
                    if (time != null) {
                        editor.set(BasicProperty.TIMESTAMP, time);
                    }
                    headers.forEach((name, value) -> editor.setHeader(name.replace('é', 'e'), value));
                    editor.setHeader("CC", List.of("a", "b"));
                    return editor.build();
                });
    }

    private static void set(BasicPropertiesEditor editor, BasicProperty property, String value) {
        if (value != null) {
            editor.set(property, value);
        }
    }

    @Property(tries = 500)
    void shouldReturnWhatA091ClientSaid(@ForAll("contents") BasicProperties properties, @ForAll byte[] body)
            throws MessageFault {
        Message message = new Message(
                Amqp091Format.INSTANCE, "e", "k", List.of(), properties.bytes(), body, true, 0, Message.NO_TTL, null);

        Message converted = to10(message);
        ProtonReader.sections(MessageProperties.sent(converted));
        Message back = to091(converted);

        BasicProperties after = BasicProperties.of(back.header());
        assertThat(back.body()).isEqualTo(body);
        assertThat(after.persistent()).isTrue();
        assertThat(after.contentType()).isEqualTo(properties.contentType());
        assertThat(after.correlationId()).isEqualTo(properties.correlationId());
        assertThat(after.messageId()).isEqualTo(properties.messageId());
        assertThat(after.type()).isEqualTo(properties.type());
        assertThat(after.userId()).isEqualTo(properties.userId());
        assertThat(after.appId()).isEqualTo(properties.appId());
        assertThat(after.has(BasicProperty.PRIORITY)).isEqualTo(properties.has(BasicProperty.PRIORITY));
        assertThat(after.priority()).isEqualTo(properties.priority());
        assertThat(after.timestamp()).isEqualTo(properties.timestamp());
        assertThat(after.headers()).isEqualTo(properties.headers());
    }

    /** A body that calls itself sections of AMQP 1.0, and may be none. */
    @Property(tries = 500)
    void shouldNotTrustWhatABodyIsCalled(@ForAll byte[] body, @ForAll("messages") byte[] encoded, @ForAll boolean real)
            throws MessageFault {
        BasicPropertiesEditor editor = BasicProperties.EMPTY.edit();
        editor.set(BasicProperty.TYPE, "amqp-1.0");
        Message message = new Message(
                Amqp091Format.INSTANCE,
                "e",
                "k",
                List.of(),
                editor.build().bytes(),
                real ? encoded : body,
                false,
                0,
                Message.NO_TTL,
                null);

        assertThat(to10(message).body()).isNotEmpty();
    }

    @Property(tries = 300)
    void shouldKeepMapsOfJms(@ForAll("fieldsOfMaps") Map<String, Object> fields) throws MessageFault {
        byte[] encoded = Sections.none()
                .annotations(Map.of("x-opt-jms-msg-type", (byte) 2))
                .value(fields)
                .bytes();
        Message message = MessageProperties.read(encoded);

        Message there = to091(message);
        Message back = to10(there);

        assertThat(BasicProperties.of(there.header()).contentType()).isEqualTo("amqp/map");
        assertThat(((PortableMessage.Body.Fields) Amqp10Format.INSTANCE.portable(back).body()).fields())
                .isEqualTo(fields);
    }

    @Provide
    Arbitrary<Map<String, Object>> fieldsOfMaps() {
        List<Arbitrary<?>> kinds = List.of(
                Arbitraries.just(null),
                Arbitraries.of(true, false),
                Arbitraries.bytes(), Arbitraries.shorts(), Arbitraries.integers(), Arbitraries.longs(),
                Arbitraries.floats(), Arbitraries.doubles(), TypedValues.texts(), TypedValues.binaries(),
                Arbitraries.integers().between(0, 255).map(CodePoint::new));
        return TypedValues.map(
                Arbitraries.oneOf(kinds.stream().map(kind -> kind.map(value -> (Object) value)).toList()));
    }
}
