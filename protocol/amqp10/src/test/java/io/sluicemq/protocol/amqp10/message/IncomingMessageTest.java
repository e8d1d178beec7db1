package io.sluicemq.protocol.amqp10.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.api.Message;
import io.sluicemq.api.value.Array;
import io.sluicemq.api.value.Symbol;
import io.sluicemq.api.value.UnsignedInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Messages as clients send them (part 3 §3.2). */
final class IncomingMessageTest {

    private static final long NOW = 1_700_000_000_000L;

    private static IncomingMessage read(Sections sections) throws MessageFault {
        byte[] bytes = sections.bytes();
        return new IncomingMessage().read(bytes, 0, bytes.length);
    }

    private static Message message(Sections sections) throws MessageFault {
        return read(sections).toMessage("", "q", null, NOW);
    }

    private static UnsignedInteger.OfInt uint(long value) {
        return new UnsignedInteger.OfInt(value);
    }

    /** A TTL above 2^31 is not negative (ARTEMIS-4820). */
    @Test
    void shouldReadATtlAsUnsigned() throws MessageFault {
        assertThat(message(Sections.none().header(null, null, uint(0xFFFF_FFFFL)).data()).ttlMillis())
                .isEqualTo(4_294_967_295L);
        assertThat(message(Sections.none().header(null, null, uint(2_592_000_000L)).data()).ttlMillis())
                .isEqualTo(2_592_000_000L);
    }

    @Test
    void shouldHaveTheDefaultsOfTheHeader() throws MessageFault {
        Message message = message(Sections.none().data((byte) 1));

        assertThat(message.durable()).isFalse();
        assertThat(message.priority()).isEqualTo(4);
        assertThat(message.ttlMillis()).isEqualTo(Message.NO_TTL);
        assertThat(message.notBeforeMillis()).isZero();
        assertThat(message.group()).isNull();
    }

    @Test
    void shouldKeepAPriorityAboveNine() throws MessageFault {
        assertThat(message(Sections.none().header(true, new UnsignedInteger.OfByte(200)).data()).priority())
                .isEqualTo(200);
    }

    @Test
    void shouldExpireAtTheSoonerOfTtlAndAbsoluteExpiryTime() throws MessageFault {
        Sections both = Sections.none()
                .header(null, null, uint(5000))
                .properties(null, null, null, null, null, null, null, null, Instant.ofEpochMilli(NOW + 2000))
                .data();
        Sections past = Sections.none()
                .properties(null, null, null, null, null, null, null, null, Instant.ofEpochMilli(NOW - 1))
                .data();

        assertThat(message(both).ttlMillis()).isEqualTo(2000);
        assertThat(message(past).ttlMillis()).isZero();
    }

    @Test
    void shouldReadWhenAMessageMayBeDelivered() throws MessageFault {
        assertThat(
                message(Sections.none().annotations(Map.of("x-opt-delivery-time", NOW + 7)).data()).notBeforeMillis())
                .isEqualTo(NOW + 7);
        assertThat(message(Sections.none()
                .annotations(Map.of("x-opt-delivery-time", Instant.ofEpochMilli(NOW + 8)))
                .data())
                .notBeforeMillis())
                .isEqualTo(NOW + 8);
        assertThat(message(Sections.none().annotations(Map.of("x-opt-delivery-delay", 30)).data()).notBeforeMillis())
                .isEqualTo(NOW + 30);
        assertThat(message(Sections.none().annotations(Map.of("x-opt-delivery-delay", Long.MAX_VALUE)).data())
                .notBeforeMillis())
                .isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void shouldReadFurtherRoutingKeys() throws MessageFault {
        assertThat(message(Sections.none().annotations(Map.of("x-cc", List.of("a", "b"))).data()).extraKeys())
                .containsExactly("a", "b");
        assertThat(
                message(Sections.none().annotations(Map.of("x-cc", new Array(List.of("a", "b")))).data()).extraKeys())
                .containsExactly("a", "b");
    }

    @Test
    void shouldDropDeliveryAnnotationsAndKeepTheRest() throws MessageFault {
        byte[] header = Sections.none().header(true).bytes();
        byte[] rest = Sections.none().annotations(Map.of("a", 1)).properties("id").bytes();
        Sections all = Sections.none().header(true).deliveryAnnotations(Map.of(new Symbol("x"), 1))
                .annotations(Map.of("a", 1)).properties("id").data((byte) 7);

        Message message = message(all);

        assertThat(message.header()).isEqualTo(Sections.join(header, rest));
        assertThat(message.body()).isEqualTo(Sections.none().data((byte) 7).bytes());
    }

    /** §3.2: bodies of all kinds, none among them, are delivered as they were sent (QPID-6404). */
    @ParameterizedTest
    @MethodSource("unusualBodies")
    void shouldDeliverUnusualBodiesAsSent(byte[] body) throws MessageFault {
        byte[] before = Sections.none().properties("id").bytes();
        byte[] whole = Sections.join(before, body);

        Message message =
                new IncomingMessage().read(whole, 0, whole.length).toMessage("", "q", null, NOW);
        byte[] sent = MessageProperties.sent(message);

        assertThat(sent).endsWith(whole);
    }

    static List<byte[]> unusualBodies() {
        return List.of(
                new byte[0],
                Sections.none().data().bytes(),
                Sections.none().value(null).bytes(),
                Sections.none().value("").bytes(),
                Sections.none().data((byte) 1).data((byte) 2).bytes(),
                Sections.none().sequence().bytes(),
                Sections.none().raw(0, 0x53, 0x76, 0x45).bytes());
    }

    /** Descriptors may be symbols, or ulongs in their long form (part 1 §1.2). */
    @Test
    void shouldKnowSectionsByAnyFormOfTheirDescriptor() throws MessageFault {
        Sections symbolic = Sections.none();
        symbolic.raw(0).raw(0xA3, 16);
        "amqp:header:list".chars().forEach(symbolic::raw);
        symbolic.raw(0xC0, 2, 1, 0x41);
        symbolic.raw(0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x75, 0xA0, 0);

        assertThat(message(symbolic).durable()).isTrue();
        assertThat(read(symbolic).hasBody()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("faults")
    void shouldRefuseWhatIsNoMessage(Sections sections) {
        assertThatThrownBy(() -> read(sections)).isInstanceOf(MessageFault.class);
    }

    static List<Sections> faults() {
        Sections deep = Sections.none().raw(0, 0x53, 0x77);
        for (int i = 0; i < 70; i++) {
            deep.raw(0, 0x43);
        }
        return new ArrayList<>(List.of(
                // order and number
                Sections.none().data().header(true),
                Sections.none().header(true).header(true),
                Sections.none().properties("a").annotations(Map.of()),
                Sections.none().value(1).value(1),
                Sections.none().data().value(1),
                Sections.none().sequence().data(),
                Sections.none().section(Section.FOOTER, Map.of()).data(),
                // no sections
                Sections.none().raw(0x40),
                Sections.none().raw(0),
                Sections.none().raw(0, 0x53, 0x79, 0x40),
                Sections.none().raw(0, 0x53),
                // wrong types
                Sections.none().header("durable"),
                Sections.none().header(true, 4),
                Sections.none().header(true, null, 1000L),
                Sections.none().header(true, null, null, true, uint(0), 1),
                Sections.none().properties(1),
                Sections.none().properties(null, "user"),
                Sections.none().properties(null, null, new Symbol("to")),
                Sections.none().section(Section.MESSAGE_ANNOTATIONS, Map.of("text", 1)),
                Sections.none().section(Section.APPLICATION_PROPERTIES, Map.of(new Symbol("a"), 1)),
                Sections.none().section(Section.DATA, "text"),
                Sections.none().section(Section.AMQP_SEQUENCE, Map.of()),
                Sections.none().annotations(Map.of("x-cc", List.of(1))),
                Sections.none().annotations(Map.of("x-opt-delivery-delay", "soon")),
                // sizes and counts: too much, negative, not filled, odd, deep, of nothing
                Sections.none().raw(0, 0x53, 0x75, 0xA0, 5, 1),
                Sections.none().raw(0, 0x53, 0x75, 0xB0, 0xFF, 0xFF, 0xFF, 0xFF),
                Sections.none().raw(0, 0x53, 0x77, 0xD0, 0, 0, 0, 4, 0x7F, 0xFF, 0xFF, 0xFF),
                Sections.none().raw(0, 0x53, 0x77, 0xC0, 3, 1, 0x40, 0x40),
                Sections.none().raw(0, 0x53, 0x77, 0xC1, 2, 1, 0x40),
                Sections.none().raw(0, 0x53, 0x77, 0xE0, 2, 3, 0x71),
                Sections.none().raw(0, 0x53, 0x77, 0xF0, 0, 0, 0, 5, 0x7F, 0xFF, 0xFF, 0xFF, 0x40),
                Sections.none().raw(0, 0x53, 0x77, 0x99),
                deep));
    }
}
