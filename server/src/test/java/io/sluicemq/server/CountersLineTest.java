package io.sluicemq.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.broker.engine.BrokerCounters;
import io.sluicemq.transport.ListenerCounters;
import java.util.List;
import org.junit.jupiter.api.Test;

class CountersLineTest {

    private final CountersLine line = new CountersLine(20L << 20);

    @Test
    void shouldTellWhatThereIsAndWhatHasHappenedSince() {
        line.next(counters(100, 90, 0), refused(0));
        assertThat(line.next(counters(300, 95, 7), refused(2)))
                .isEqualTo("now: connections 1, channels 2, queues 3, consumers 4, ready 5, unacknowledged 6,"
                        + " message memory 7 of 20 MiB; since the last line: published 200, delivered 5,"
                        + " dropped by length 7, connections refused 2");
    }

    @Test
    void shouldLeaveOutWhatHasNotHappened() {
        line.next(counters(100, 90, 7), refused(3));
        assertThat(line.next(counters(101, 90, 7), refused(3))).endsWith("published 1, delivered 0");
    }

    @Test
    void shouldSayNothingWhenNothingHasChanged() {
        assertThat(line.next(counters(1, 1, 0), refused(1))).isNotNull();
        assertThat(line.next(counters(1, 1, 0), refused(1))).isNull();
        assertThat(line.next(counters(1, 1, 0), refused(2))).isNotNull();
    }

    private static BrokerCounters counters(long published, long delivered, long droppedByLimit) {
        return new BrokerCounters(
                1, 2, 3, 0, 0, 4, 5, 6, 0, 7L << 20, 0, published, delivered, droppedByLimit, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    private static List<ListenerCounters> refused(long count) {
        return List.of(new ListenerCounters(0, 0, 0, count, 0, 0, 0));
    }
}
