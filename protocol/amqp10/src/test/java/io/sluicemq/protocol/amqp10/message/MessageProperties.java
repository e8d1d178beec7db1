package io.sluicemq.protocol.amqp10.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluicemq.api.Message;
import java.nio.ByteBuffer;
import java.util.Arrays;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.apache.qpid.protonj2.types.messaging.DeliveryAnnotations;
import org.apache.qpid.protonj2.types.messaging.Header;

/** Messages of AMQP 1.0 part 3 §3.2, whatever is in them, and bytes that are none. */
final class MessageProperties {

    private static final long NOW = 1_700_000_000_000L;

    @Provide
    Arbitrary<byte[]> messages() {
        return Sections.messages();
    }

    static byte[] sent(Message message) {
        return sent(new OutgoingMessage().of(FakeDelivery.first(message), NOW));
    }

    static byte[] sent(OutgoingMessage outgoing) {
        ByteBuf out = Unpooled.buffer();
        outgoing.write(0, (int) outgoing.length(), out);
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        return bytes;
    }

    static Message read(byte[] encoded) throws MessageFault {
        return new IncomingMessage().read(encoded, 0, encoded.length).toMessage("e", "k", null, NOW);
    }

    @Property(tries = 500)
    void shouldPassOnEverySectionButTheHeaderAsItCame(@ForAll("messages") byte[] encoded) throws MessageFault {
        Message message = read(encoded);

        byte[] sent = sent(message);

        assertThat(withoutOwnSections(sent)).isEqualTo(withoutOwnSections(encoded));
        Header header = ProtonReader.find(sent, Header.class);
        assertThat(header.isDurable()).isEqualTo(message.durable());
        assertThat(header.getPriority() & 0xFF).isEqualTo(message.priority());
        assertThat(header.isFirstAcquirer()).isTrue();
    }

    /** The bytes behind header and delivery-annotations. */
    private static byte[] withoutOwnSections(byte[] encoded) {
        int at = 0;
        while (at < encoded.length && Encoded.section(encoded, at) <= Section.DELIVERY_ANNOTATIONS) {
            at = Encoded.end(encoded, Encoded.end(encoded, at + 1));
        }
        return Arrays.copyOfRange(encoded, at, encoded.length);
    }

    @Property(tries = 300)
    void shouldSayWhatAnotherDecoderReads(@ForAll("messages") byte[] encoded) throws MessageFault {
        IncomingMessage message = new IncomingMessage().read(encoded, 0, encoded.length);

        Header header = ProtonReader.find(encoded, Header.class);
        var properties = ProtonReader.find(encoded, org.apache.qpid.protonj2.types.messaging.Properties.class);
        if (header != null) {
            assertThat(message.durable()).isEqualTo(header.isDurable());
            assertThat(message.ttlMillis()).isEqualTo(header.hasTimeToLive() ? header.getTimeToLive() : -1);
        }
        if (properties != null) {
            assertThat(message.to()).isEqualTo(properties.getTo());
            assertThat(message.subject()).isEqualTo(properties.getSubject());
            assertThat(message.groupId()).isEqualTo(properties.getGroupId());
        }
        assertThat(ProtonReader.sections(encoded).stream().filter(section -> !(section instanceof DeliveryAnnotations)))
                .hasSizeGreaterThanOrEqualTo(message.hasBody() ? 1 : 0);
    }

    @Property(tries = 300)
    void shouldReadTheSameFromAnyPlaceOfAnArray(
            @ForAll("messages") byte[] encoded, @ForAll @IntRange(max = 20) int before,
            @ForAll @IntRange(max = 20) int after)
            throws MessageFault {
        byte[] array = new byte[before + encoded.length + after];
        Arrays.fill(array, (byte) 0xFF);
        System.arraycopy(encoded, 0, array, before, encoded.length);

        Message message = new IncomingMessage().read(array, before, encoded.length).toMessage("e", "k", null, NOW);

        Message expected = read(encoded);
        assertThat(message.header()).isEqualTo(expected.header());
        assertThat(message.body()).isEqualTo(expected.body());
        assertThat(message.ttlMillis()).isEqualTo(expected.ttlMillis());
        assertThat(message.group()).isEqualTo(expected.group());
    }

    @Property(tries = 200)
    void shouldWriteTheSameBytesInRangesOfAnySize(
            @ForAll("messages") byte[] encoded, @ForAll @IntRange(min = 1, max = 50) int range) throws MessageFault {
        OutgoingMessage outgoing = new OutgoingMessage().of(FakeDelivery.first(read(encoded)), NOW);
        byte[] whole = sent(outgoing);

        ByteBuffer late = ByteBuffer.allocate(whole.length);
        ByteBuf early = Unpooled.buffer();
        for (int at = 0; at < whole.length; at += range) {
            int length = Math.min(range, whole.length - at);
            outgoing.copy(at, late.slice(at, length));
            outgoing.write(at, length, early);
        }

        assertThat(late.array()).isEqualTo(whole);
        assertThat(Arrays.copyOf(early.array(), early.readableBytes())).isEqualTo(whole);
    }

    // ---- bytes of a stranger

    @Property(tries = 3000)
    void shouldRefuseOrUnderstandAnyBytes(@ForAll @Size(max = 60) byte[] bytes) {
        assertThatCode(() -> useIfRead(bytes)).doesNotThrowAnyException();
    }

    @Property(tries = 3000)
    void shouldRefuseOrUnderstandAnyMutationOfAMessage(
            @ForAll("messages") byte[] encoded,
            @ForAll @IntRange(max = 10_000) int place,
            @ForAll byte octet,
            @ForAll @IntRange(max = 10_000) int cut,
            @ForAll boolean shortened) {
        byte[] mutated = encoded.clone();
        if (mutated.length > 0) {
            mutated[place % mutated.length] = octet;
            if (shortened) {
                mutated = Arrays.copyOf(mutated, cut % mutated.length);
            }
        }
        byte[] bytes = mutated;
        assertThatCode(() -> useIfRead(bytes)).doesNotThrowAnyException();
    }

    /** What is read once is safe for all that is done with it. */
    private static void useIfRead(byte[] bytes) {
        Message message;
        try {
            message = read(bytes);
        } catch (MessageFault e) {
            assertThat(e).hasMessageMatching("[\\x20-\\x7e]+").hasNoCause();
            return;
        }
        Amqp10Format format = Amqp10Format.INSTANCE;
        format.portable(message);
        format.headers(message);
        format.claimedDeaths(message);
        format.originalExpiration(message);
        format.group(message);
        for (String name : new String[] {"JMSMessageID", "JMSCorrelationID", "JMSXGroupSeq", "JMSXUserID", "a", "é"}) {
            format.selectable(message, name);
        }
        sent(message);
    }
}
