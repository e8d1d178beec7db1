package io.sluicemq.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.store.disk.FolderDisk;
import io.sluicemq.testkit.ThreadLoop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Loops with real threads and a real folder: claims, room, durability and reads all at once. */
class ThreadsTest {

    private static final int LOOPS = 4;
    private static final int RECORDS = 20_000;

    private static final LogOptions OPTIONS = LogOptions.defaults()
            .withSegmentBytes(512 << 10)
            .withBuffers(3, 16 << 10)
            .withMaxRecordBytes(100_000)
            .withReads(2, 8, 16 << 10, 4096);

    @TempDir
    Path folder;

    /** Appends its records as fast as there is room, reads some back, and is done when all are durable. */
    private static final class Producer implements LogListener {

        private final ThreadLoop loop;
        private final CountDownLatch done = new CountDownLatch(1);
        private final Random random;
        private final List<Long> positions = new ArrayList<>();
        private LogPort port;
        private Log log;
        private long completed;
        private int next;
        private int rooms;
        private int wrongReads;
        private int reads;

        Producer(int index) {
            loop = new ThreadLoop(index);
            random = new Random(index);
        }

        void go() {
            int turn = 0;
            while (next < RECORDS && turn++ < 100) {
                int length = next % 1000 == 999 ? 20_000 + random.nextInt(60_000) : random.nextInt(300);
                long position = port.claim(length + 8);
                if (position == LogPort.NO_ROOM) {
                    break;
                }
                ByteBuffer payload = port.payload();
                payload.putInt(loop.index()).putInt(next);
                while (payload.hasRemaining()) {
                    payload.put((byte) next);
                }
                port.commit(1 + loop.index());
                positions.add(position);
                next++;
            }
            await();
            if (turn > 100) {
                loop.execute(this::go);
            }
            if (!positions.isEmpty() && random.nextInt(4) == 0) {
                read(random.nextInt(positions.size()));
            }
        }

        private void read(int number) {
            long[] wanted = {positions.get(number)};
            port.read(wanted, 0, 1, new ReadBatch() {
                @Override
                public void record(long position, int type, ByteBuffer payload) {
                    reads++;
                    boolean right = type == 1 + loop.index() && payload.getInt() == loop.index()
                            && payload.getInt() == number;
                    wrongReads += right ? 0 : 1;
                }

                @Override
                public void done(int records, IOException failure) {
                    wrongReads += records == 1 && failure == null ? 0 : 1;
                }
            });
        }

        private void await() {
            while (completed < positions.size() && !port.await(positions.get((int) completed))) {
                completed++;
            }
            if (completed == RECORDS) {
                done.countDown();
            }
        }

        @Override
        public void durable(long position) {
            while (completed < positions.size() && positions.get((int) completed) < position) {
                completed++;
            }
            await();
        }

        @Override
        public void room() {
            rooms++;
            go();
        }

        @Override
        public void stateChanged(LogState state) {}
    }

    @Test
    void shouldKeepEveryRecordOfLoopsThatRace() throws Exception {
        Log log = Log.open(new FolderDisk(folder), OPTIONS, new WorkerThreads("test-"), new SimulatedLog.Recovered());
        List<Producer> producers = new ArrayList<>();
        for (int i = 0; i < LOOPS; i++) {
            Producer producer = new Producer(i);
            producer.log = log;
            producer.port = log.attach(producer.loop, producer);
            producers.add(producer);
        }
        log.start(null);
        producers.forEach(producer -> producer.loop.execute(producer::go));
        for (Producer producer : producers) {
            assertThat(producer.done.await(100, TimeUnit.SECONDS)).as("loop %s", producer.loop.index()).isTrue();
            producer.loop.close();
            assertThat(producer.loop.failures().last()).isNull();
            assertThat(producer.wrongReads).isZero();
            assertThat(producer.reads).isPositive();
        }
        log.close();

        Map<Long, Integer> expected = new HashMap<>();
        producers.forEach(producer -> producer.positions
                .forEach(position -> expected.put(position, producer.loop.index())));
        assertThat(expected).hasSize(LOOPS * RECORDS);
        int[] nextOf = new int[LOOPS];
        Log again = Log.open(new FolderDisk(folder), OPTIONS, new WorkerThreads("test-"), new LogVisitor() {
            @Override
            public void checkpoint(long position, ByteBuffer piece) {}

            @Override
            public void record(long position, int type, ByteBuffer payload) {
                assertThat(expected.remove(position)).isEqualTo(type - 1);
                assertThat(payload.getInt()).isEqualTo(type - 1);
                assertThat(payload.getInt()).isEqualTo(nextOf[type - 1]++);
                while (payload.hasRemaining()) {
                    assertThat(payload.get()).isEqualTo((byte) (nextOf[type - 1] - 1));
                }
            }

            @Override
            public void moved(long from, long to, int type, ByteBuffer payload) {}
        });
        assertThat(expected).isEmpty();
        assertThat(again.recovery().cutBytes()).isZero();
        assertThat(producers.stream().mapToInt(producer -> producer.rooms).sum()).isPositive();
    }
}
