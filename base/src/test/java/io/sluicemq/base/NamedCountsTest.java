package io.sluicemq.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NamedCountsTest {

    private final NamedCounts counts = new NamedCounts();

    @Test
    void shouldTakeNoMoreThanTheLimitForEachName() {
        assertThat(counts.tryTake("a", 2)).isTrue();
        assertThat(counts.tryTake("a", 2)).isTrue();
        assertThat(counts.tryTake("a", 2)).isFalse();
        assertThat(counts.tryTake("b", 0)).isFalse();
        assertThat(counts.tryTake("b", Quota.UNLIMITED)).isTrue();
        assertThat(counts.of("a")).isEqualTo(2);
        assertThat(counts.of("b")).isEqualTo(1);
    }

    @Test
    void shouldTakeAgainWhatWasGivenBack() {
        counts.take("a");
        counts.take("a");
        assertThat(counts.tryTake("a", 1)).isFalse();
        counts.give("a");
        assertThat(counts.tryTake("a", 1)).isFalse();
        counts.give("a");
        assertThat(counts.of("a")).isZero();
        assertThat(counts.tryTake("a", 1)).isTrue();
    }

    @Test
    void shouldCountNothingForANameThatHasNone() {
        counts.give("a");
        assertThat(counts.of("a")).isZero();
    }
}
