package io.sluicemq.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogLimitTest {

    @ParameterizedTest
    @ValueSource(longs = {0, -5_000, Long.MAX_VALUE - 150, Long.MIN_VALUE + 50})
    void shouldLogTheFirstAndThenOnceAnInterval(long start) {
        var limit = new LogLimit(100);
        assertThat(limit.take(start)).isEqualTo(1);
        assertThat(limit.take(start + 1)).isZero();
        assertThat(limit.take(start + 99)).isZero();
        assertThat(limit.take(start + 100)).as("with the two that were not logged").isEqualTo(3);
        assertThat(limit.take(start + 199)).isZero();
        assertThat(limit.take(start + 200)).isEqualTo(2);
    }

    @Test
    void shouldLogAFewAnInterval() {
        var limit = new LogLimit(100, 3);
        assertThat(limit.take(0)).isEqualTo(1);
        assertThat(limit.take(1)).isEqualTo(1);
        assertThat(limit.take(1)).isEqualTo(1);
        assertThat(limit.take(2)).isZero();
        assertThat(limit.take(99)).isZero();
        assertThat(limit.take(100)).as("with the two that were not logged").isEqualTo(3);
        assertThat(limit.take(100)).isEqualTo(1);
    }
}
