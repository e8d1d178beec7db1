package io.sluicemq.protocol.amqp091.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class Utf8Test {

    @Property
    void shouldAgreeWithTheJdkOnWhatIsUtf8(@ForAll("nearlyUtf8") byte[] bytes) {
        String expected;
        try {
            expected = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            expected = null;
        }
        assertThat(Utf8.decode(bytes, 0, bytes.length)).isEqualTo(expected);
    }

    /** All two-byte and many three-byte sequences around the edges of the well-formed ranges. */
    @Test
    void shouldAgreeWithTheJdkOnShortSequences() {
        for (int first = 0x7F; first < 0x100; first++) {
            for (int second = 0; second < 0x100; second++) {
                shouldAgreeWithTheJdkOnWhatIsUtf8(new byte[] {(byte) first, (byte) second});
                shouldAgreeWithTheJdkOnWhatIsUtf8(new byte[] {(byte) first, (byte) second, (byte) 0x80});
                shouldAgreeWithTheJdkOnWhatIsUtf8(new byte[] {(byte) first, (byte) second, (byte) 0x80, (byte) 0xBF});
            }
        }
    }

    @Provide
    Arbitrary<byte[]> nearlyUtf8() {
        Arbitrary<String> texts = Arbitraries.strings().all().ofMaxLength(20);
        Arbitrary<Integer> places = Arbitraries.integers().between(0, 40);
        Arbitrary<Byte> values = Arbitraries.of((byte) 'a', (byte) 0x80, (byte) 0xC3, (byte) 0xE2, (byte) 0xF0);
        return Combinators.combine(texts, places, values).as((text, place, value) -> {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            if (place < bytes.length) {
                bytes[place] = value;
            }
            return bytes;
        });
    }

    @Test
    void shouldCutBetweenCharacters() {
        assertThat(Utf8.encodeAtMost("abc", 3)).hasSize(3);
        assertThat(Utf8.encodeAtMost("ab\u20ac", 4)).containsExactly('a', 'b');
        assertThat(Utf8.encodeAtMost("\u20ac", 2)).isEmpty();
        assertThat(new String(Utf8.encodeAtMost("a\uD83D\uDE00", 5), StandardCharsets.UTF_8))
                .isEqualTo("a\uD83D\uDE00");
    }
}
