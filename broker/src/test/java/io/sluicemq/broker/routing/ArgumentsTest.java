package io.sluicemq.broker.routing;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ArgumentsTest {

    private static Arguments with(Object value) {
        return Arguments.of(Collections.singletonMap("k", value));
    }

    private static void assertSame(Object one, Object other) {
        assertThat(with(one)).isEqualTo(with(other)).hasSameHashCodeAs(with(other));
    }

    private static void assertDifferent(Object one, Object other) {
        assertThat(with(one)).isNotEqualTo(with(other));
    }

    @Test
    void shouldCompareNumbersByValue() {
        assertSame((byte) 1, 1L);
        assertSame((short) -1, -1);
        assertSame(1, 1.0);
        assertSame(BigInteger.TWO, 2);
        assertSame(0.1f, (double) 0.1f);
        assertSame(0.0, -0.0);
        assertSame(Double.NaN, Float.NaN);
        assertDifferent(1, 2);
        assertDifferent(1, "1");
        assertDifferent(1, true);
        assertDifferent(1.5, 1);
    }

    @Test
    void shouldNotLosePrecisionAtTheEdgesOfLong() {
        assertSame(Long.MIN_VALUE, (double) Long.MIN_VALUE);
        assertDifferent(Long.MAX_VALUE, (double) Long.MAX_VALUE);
        assertDifferent((1L << 53) + 1, (double) (1L << 53));
        assertDifferent(Long.MAX_VALUE, Double.POSITIVE_INFINITY);
        assertDifferent(BigInteger.ONE.shiftLeft(64), 0);
        assertSame(BigInteger.valueOf(Long.MAX_VALUE), Long.MAX_VALUE);
    }

    @Test
    void shouldCompareContents() {
        assertSame("a", new StringBuilder("a"));
        assertSame(new byte[] {1}, new byte[] {1});
        assertDifferent(new byte[] {1}, new byte[] {2});
        assertSame(List.of(1, List.of(2L)), List.of(1L, List.of(2)));
        assertDifferent(List.of(1, 2), List.of(2, 1));
        assertSame(Map.of("a", 1, "b", 2), Map.of("b", 2L, "a", 1L));
        assertSame(null, null);
        assertDifferent(null, "");
        assertThat(with(null)).isNotEqualTo(Arguments.NONE);
    }

    @Test
    void shouldKeepWhatWasGiven() {
        Map<String, Object> given = new LinkedHashMap<>();
        given.put("z", (byte) 1);
        given.put("a", null);
        Arguments arguments = Arguments.of(given);
        given.put("later", 1);
        assertThat(arguments.asMap()).hasSize(2).containsEntry("z", (byte) 1).containsEntry("a", null);
        assertThat(arguments.asMap().keySet()).containsExactly("z", "a");
        assertThat(Arguments.of(Map.of())).isSameAs(Arguments.NONE);
        assertThat(Arguments.NONE.isEmpty()).isTrue();
        assertThat(arguments.isEmpty()).isFalse();
    }
}
