package io.sluicemq.protocol.amqp10;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** The numbers of deliveries that were taken back, in runs. */
class TakenBackTest {

    private final TakenBack taken = new TakenBack();

    @Property
    void shouldKnowWhatASetKnows(
            @ForAll @Size(max = 60) List<@LongRange(min = 0, max = 80) Long> numbers,
            @ForAll @LongRange(min = -2, max = 82) long first, @ForAll @LongRange(min = -2, max = 82) long last) {
        TakenBack runs = new TakenBack();
        TreeSet<Long> set = new TreeSet<>();
        for (long number : numbers) {
            runs.add(number);
            set.add(number);
        }
        assertThat(runs.anyOf(first, last)).isEqualTo(first <= last && !set.subSet(first, true, last, true).isEmpty());
        long begun = set.stream().filter(number -> !set.contains(number - 1)).count();
        assertThat(runs.bytes()).isEqualTo((int) begun * TakenBack.RUN_BYTES);
    }

    @Test
    void shouldTakeNoMoreMemoryForManyThatFollowEachOther() {
        for (long i = 0; i < 100_000; i++) {
            taken.add(i);
        }
        assertThat(taken.bytes()).isEqualTo(TakenBack.RUN_BYTES);
        assertThat(taken.anyOf(99_999, 99_999)).isTrue();
        assertThat(taken.anyOf(100_000, Long.MAX_VALUE)).isFalse();
    }

    @Test
    void shouldForgetTheFirstWhenThereAreTooMany() {
        for (long i = 0; i <= TakenBack.MOST_RUNS; i++) {
            taken.add(2 * i);
        }
        assertThat(taken.bytes()).isEqualTo(TakenBack.MOST_RUNS * TakenBack.RUN_BYTES);
        assertThat(taken.anyOf(0, 1)).isFalse();
        assertThat(taken.anyOf(2, 2)).isTrue();
        assertThat(taken.anyOf(2 * TakenBack.MOST_RUNS, 2 * TakenBack.MOST_RUNS)).isTrue();
    }
}
