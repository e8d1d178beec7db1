package io.sluicemq.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Values by their ranges. */
class HistogramTest {

    @Test
    void shouldCountAValueInTheRangeWhoseUpperBoundItDoesNotPass() {
        Histogram histogram = new Histogram(10, 20);
        for (long value : new long[] {0, 10, 11, 20, 21, 1_000}) {
            histogram.record(value);
        }

        Distribution snapshot = histogram.snapshot();

        assertThat(snapshot.bounds()).containsExactly(10, 20);
        assertThat(snapshot.counts()).containsExactly(2, 2, 2);
        assertThat(snapshot.sum()).isEqualTo(1_062);
        assertThat(snapshot.count()).isEqualTo(6);
    }

    @Test
    void shouldAddDistributionsOfTheSameRanges() {
        Histogram one = new Histogram(10);
        Histogram other = new Histogram(10);
        one.record(5);
        other.record(7);
        other.record(70);

        Distribution both = one.snapshot().plus(other.snapshot());

        assertThat(both.counts()).containsExactly(2, 1);
        assertThat(both.sum()).isEqualTo(82);
        Distribution elsewhere = new Histogram(11).snapshot();
        assertThatThrownBy(() -> both.plus(elsewhere)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldRefuseBoundsThatDoNotAscend() {
        assertThatThrownBy(() -> new Histogram(1, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldHaveRangesThatAscendForWhatIsMeasured() {
        assertThat(Histogram.ofLatencies().snapshot().bounds()).isSorted().contains(100_000L, 10_000_000_000L);
        assertThat(Histogram.ofWaits().snapshot().bounds()).isSorted().contains(1_000_000L, 25_000_000_000L);
        assertThat(Histogram.ofSizes().snapshot().bounds()).isSorted().contains(1_024L, 16L << 20);
    }
}
