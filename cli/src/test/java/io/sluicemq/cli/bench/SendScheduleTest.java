package io.sluicemq.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class SendScheduleTest {

    private static final long SECOND = 1_000_000_000L;

    @Test
    void shouldSpaceMessagesEvenly() {
        SendSchedule schedule = new SendSchedule(4, 100, 0, 1);

        assertThat(schedule.dueNanos(0)).isEqualTo(100);
        assertThat(schedule.dueNanos(1)).isEqualTo(100 + SECOND / 4);
        assertThat(schedule.dueNanos(8)).isEqualTo(100 + 2 * SECOND);
    }

    @Property
    void shouldSendTheRateInEverySecondByAllProducersTogether(
            @ForAll @LongRange(min = 1, max = 2000) long rate, @ForAll @IntRange(min = 1, max = 7) int producers) {
        int[] sent = new int[3];
        for (int producer = 0; producer < producers; producer++) {
            SendSchedule schedule = new SendSchedule(rate, 0, producer, producers);
            for (long n = 0; schedule.dueNanos(n) < 3 * SECOND; n++) {
                sent[(int) (schedule.dueNanos(n) / SECOND)]++;
            }
        }

        assertThat(sent).containsOnly((int) rate);
    }

    @Test
    void shouldLetProducersTakeTurns() {
        TreeSet<Long> times = new TreeSet<>();
        for (int producer = 0; producer < 4; producer++) {
            SendSchedule schedule = new SendSchedule(1000, 0, producer, 4);
            for (long n = 0; n < 25; n++) {
                times.add(schedule.dueNanos(n));
            }
        }

        assertThat(times).hasSize(100).first().isEqualTo(0L);
        assertThat(times.last()).isEqualTo(99 * SECOND / 1000);
    }

    @Test
    void shouldStayExactOverAWeekAtAMillionASecond() {
        SendSchedule schedule = new SendSchedule(1_000_000, 0, 0, 1);
        long week = 7 * 24 * 3600L;

        assertThat(schedule.dueNanos(week * 1_000_000)).isEqualTo(week * SECOND);
    }
}
