package io.sluicemq.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.broker.journal.Journal;
import io.sluicemq.store.LogOptions;
import io.sluicemq.store.ReadBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reads of the log by one loop, of which only so many are under way at a time. */
class LogReadsTest {

    private final StoredTestBroker broker = StoredTestBroker.open(
            new StoredTestBroker.Setup(1, LogOptions.defaults().withReads(1, 2, 64 << 10, 16 << 10)));
    private final Journal journal = broker.engine.context(0).journal();
    private final List<String> done = new ArrayList<>();

    @Test
    void shouldTakeTurnsWhenTheEndOfAReadLeadsToSeveralOthers() {
        long[] position = new long[1];
        broker.loops.get(0).run(() -> position[0] = journal.append(
                TestBroker.persistent("", "q", "x"), new long[] {1}));

        broker.loops.get(0).run(() -> {
            journal.read(position, 1, batch("first", () -> {
                journal.read(position, 1, batch("third", () -> {}));
                journal.read(position, 1, batch("fourth", () -> {}));
                journal.read(position, 1, batch("fifth", () -> {}));
            }));
            journal.read(position, 1, batch("second", () -> {}));
        });
        broker.settle();

        assertThat(done).containsExactly("first", "second", "third", "fourth", "fifth");
    }

    private ReadBatch batch(String name, Runnable then) {
        return new ReadBatch() {
            @Override
            public void record(long position, int type, ByteBuffer payload) {
                // What it is does not matter here.
            }

            @Override
            public void done(int records, IOException failure) {
                assertThat(failure).isNull();
                assertThat(records).isOne();
                done.add(name);
                then.run();
            }
        };
    }
}
