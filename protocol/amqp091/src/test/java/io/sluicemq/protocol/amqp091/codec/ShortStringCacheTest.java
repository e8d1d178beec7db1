package io.sluicemq.protocol.amqp091.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class ShortStringCacheTest {

    private final ShortStringCache cache = new ShortStringCache();

    @Test
    void shouldReturnTheSameInstanceForTheSameBytes() {
        ShortString first = decode("orders.eu");
        assertThat(decode("orders.eu")).isSameAs(first);
        assertThat(cache.of("orders.eu")).isEqualTo(first).isSameAs(cache.of("orders.eu"));
        assertThat(decode("")).isSameAs(ShortString.EMPTY).isSameAs(cache.of(""));
    }

    /** Many more strings than slots: whatever they displace, each comes out right. */
    @Property(tries = 50)
    void shouldNeverMixUpStrings(@ForAll @Size(max = 500) List<@StringLength(max = 60) String> texts) {
        List<String> valid = new ArrayList<>(texts);
        for (int i = 0; i < 300; i++) {
            valid.add("key." + i);
        }
        valid.removeIf(text -> !StandardCharsets.UTF_8.newEncoder().canEncode(text));
        for (int round = 0; round < 2; round++) {
            for (String text : valid) {
                byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
                ShortString decoded = decode(text);
                assertThat(decoded.value()).isEqualTo(text);
                assertThat(decoded.wire()).isEqualTo(ShortString.prefixed(utf8, 0, utf8.length));
                assertThat(cache.of(text).wire()).isEqualTo(decoded.wire());
            }
        }
    }

    /** 0-9-1 §4.2.5.3: short strings are UTF-8. */
    @Test
    void shouldRefuseWhatIsNotUtf8() {
        byte[] latin1 = "caf\u00e9".getBytes(StandardCharsets.ISO_8859_1);
        assertThatThrownBy(() -> cache.decode(latin1, 0, latin1.length))
                .isInstanceOfSatisfying(ProtocolFaultException.class,
                        e -> assertThat(e.fault().code()).isEqualTo(ReplyCode.SYNTAX_ERROR));
    }

    @Test
    void shouldTakeThe255BytesThatAShortStringCanHave() {
        String longest = "\u20ac".repeat(85);
        assertThat(decode(longest).value()).isEqualTo(longest);
        assertThat(ShortString.of(longest).wire()).hasSize(256).startsWith(255);
        assertThatThrownBy(() -> cache.of(longest + "x")).isInstanceOf(IllegalArgumentException.class);
    }

    private ShortString decode(String text) {
        byte[] bytes = ("__" + text + "__").getBytes(StandardCharsets.UTF_8);
        return cache.decode(bytes, 2, bytes.length - 4);
    }
}
