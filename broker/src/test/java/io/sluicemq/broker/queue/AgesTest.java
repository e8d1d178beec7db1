package io.sluicemq.broker.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Message;
import io.sluicemq.testkit.ManualLoop;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Since when the oldest message waits, of queues with priorities whose messages wait in the log. */
class AgesTest {

    /** A read that was asked for and is not done yet. */
    private record Read(List<Long> positions, QueueEffects.Loaded batch) {

        /** Brings a message of that time for each position that is asked for; fails when they are at an end. */
        void brings(long... publishedMillis) {
            for (long millis : publishedMillis) {
                Message message = Samples.message("q", 1);
                message.published(millis);
                batch.message(message);
            }
            batch.done(publishedMillis.length,
                    publishedMillis.length < positions.size() ? new IOException("on purpose") : null);
        }
    }

    private final List<Read> reads = new ArrayList<>();
    private final PriorityMessages ready = new PriorityMessages(2);
    private final Ages ages = new Ages(ready, reading(), ManualLoop.single());

    /** Does nothing but to take reads. */
    private QueueEffects reading() {
        return (QueueEffects) Proxy.newProxyInstance(
                QueueEffects.class.getClassLoader(), new Class<?>[] {QueueEffects.class}, (proxy, method, args) -> {
                    if (!method.getName().equals("read")) {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    List<Long> positions = new ArrayList<>();
                    for (int i = 0; i < (int) args[1]; i++) {
                        positions.add(((long[]) args[0])[i]);
                    }
                    reads.add(new Read(positions, (QueueEffects.Loaded) args[2]));
                    return null;
                });
    }

    private void waits(int level, long position) {
        ready.openBacklog(level).append(
                ready.takeSequence(level), position, 100, 0, 1, QueueEntry.NEVER, null);
        ready.waiting(1);
    }

    @Test
    void shouldReadTheFirstOfAllLevelsAtOnceAndKnowThemUntilTheyLeave() {
        waits(0, 8);
        waits(0, 16);
        waits(2, 24);
        assertThat(ages.oldestReadyMillis()).as("it counts as new").isEqualTo(Long.MAX_VALUE);
        assertThat(ages.oldestReadyMillis()).isEqualTo(Long.MAX_VALUE);
        assertThat(reads).as("one at a time").hasSize(1);
        assertThat(reads.getFirst().positions).containsExactly(8L, 24L);
        reads.getFirst().brings(500, 300);

        assertThat(ages.oldestReadyMillis()).isEqualTo(300);
        assertThat(ages.oldestReadyMillis()).isEqualTo(300);
        ready.backlog(2).removeFirst();
        assertThat(ages.oldestReadyMillis()).isEqualTo(500);
        assertThat(reads).hasSize(1);

        ready.backlog(0).removeFirst();
        assertThat(ages.oldestReadyMillis()).isEqualTo(Long.MAX_VALUE);
        reads.get(1).brings(700);
        assertThat(ages.oldestReadyMillis()).isEqualTo(700);
    }

    @Test
    void shouldKnowTheOthersOfWhichOneCannotBeRead() {
        waits(0, 8);
        waits(1, 16);
        waits(2, 24);
        ages.oldestReadyMillis();
        reads.getFirst().brings(500);
        assertThat(ages.oldestReadyMillis()).isEqualTo(500);
        assertThat(reads.get(1).positions).as("the one that failed is the last").containsExactly(24L, 16L);
        reads.get(1).brings(300);
        assertThat(ages.oldestReadyMillis()).isEqualTo(300);
        assertThat(reads.get(2).positions).containsExactly(16L);
    }
}
