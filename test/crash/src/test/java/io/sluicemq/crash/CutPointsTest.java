package io.sluicemq.crash;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import io.sluicemq.broker.engine.BrokerStore;
import io.sluicemq.store.Log;
import io.sluicemq.store.LogOptions;
import io.sluicemq.store.WorkerThreads;
import io.sluicemq.store.disk.FolderDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * Reported of Qpid's C++ broker (QPID-5473, QPID-5483, QPID-5603): a last record that was written in part, or is spread over
 * two files, stopped the start.
 *
 * <p>A broker is killed under load when it has several files. Then the end of what it has left is cut off, or zeroed, at many
 * places of the last 64 KiB, by opening its store each time, and at a few of them with a whole broker and a client. {@code
 * -Dcrash.cuts=5000} tries more places than the build does.
 */
class CutPointsTest {

    private static final int CUTS = Integer.getInteger("crash.cuts", 300);
    private static final int WHOLE_BROKERS = 4;
    private static final int WINDOW_BYTES = 64 << 10;
    private static final int SEGMENT_BYTES = 1 << 20;
    private static final String QUEUE = "orders";
    private static final LogOptions OPTIONS =
            LogOptions.defaults().withSegmentBytes(SEGMENT_BYTES).withFreeSpaceFloorBytes(0);

    /** It logs each cut. */
    private static final Logger LOG = (Logger) LoggerFactory.getLogger(Log.class);

    @TempDir
    Path temp;

    private Path segment;
    private byte[] whole;
    private int end;
    private long confirmed;

    @BeforeEach
    void silence() {
        LOG.setLevel(Level.ERROR);
    }

    @AfterEach
    void letSpeak() {
        LOG.setLevel(null);
    }

    private Path data() {
        return temp.resolve("data");
    }

    private BrokerProcess start() throws Exception {
        Path config = Files.writeString(temp.resolve("broker.yaml"), "storage:\n  segment-size: 1MiB\n");
        return BrokerProcess.start(temp.resolve("broker.log"), "--data", data().toString(), "--config",
                config.toString());
    }

    /** Publishes until there are several files and 64 KiB behind the last checkpoint, and kills the broker meanwhile. */
    private void leaveALog() throws Exception {
        LogFolder folder = new LogFolder(data());
        try (BrokerProcess broker = start()) {
            Connection connection = Client.connect(broker.port());
            Channel channel = connection.createChannel();
            channel.queueDeclare(QUEUE, true, false, false, Map.of());
            channel.confirmSelect();
            CountDownLatch enough = new CountDownLatch(1);
            Thread load = Thread.ofPlatform().daemon().start(() -> publish(channel, folder, enough));
            boolean grown = enough.await(60, TimeUnit.SECONDS);
            broker.kill();
            load.join();
            connection.abort();
            assertThat(grown).as("a log of several files").isTrue();
        }
        segment = folder.lastSegment();
        end = Math.toIntExact(folder.end(segment));
        whole = Files.readAllBytes(segment);
    }

    /**
     * The same, with no checkpoint in what is to be cut. One may come just before the kill: it says that what it tells of is on the
     * disk, so no cut before its end can happen.
     */
    private void leaveALogWithoutCheckpoint() throws Exception {
        leaveALog();
        LogFolder folder = new LogFolder(data());
        while (end - folder.replayedFrom(segment) < 2 * WINDOW_BYTES) {
            try (Stream<Path> files = Files.walk(data())) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
            leaveALog();
        }
    }

    private void publish(Channel channel, LogFolder folder, CountDownLatch enough) {
        Random sizes = new Random(139);
        try {
            for (long number = 0; channel.isOpen(); number++) {
                channel.basicPublish("", QUEUE, ConfirmingProducer.properties(true),
                        Body.of(number, Body.MIN_BYTES + sizes.nextInt(3_000)));
                if (number % 50 == 49) {
                    channel.waitForConfirmsOrDie(20_000);
                    confirmed = number + 1;
                    Path last = folder.lastSegment();
                    if (confirmed > 2_000
                            && folder.end(last) - folder.replayedFrom(last) > 2 * WINDOW_BYTES
                            && folder.end(last) < SEGMENT_BYTES * 3 / 4) {
                        enough.countDown();
                    }
                }
            }
        } catch (IOException | InterruptedException | TimeoutException | ShutdownSignalException e) {
            // The kill. Had it been anything else, the log would not be long enough.
        }
    }

    /** The log as it was left, but for what is behind the cut. */
    private void cut(int at, boolean zeroed, Map<Path, byte[]> files) throws IOException {
        try (Stream<Path> present = Files.list(segment.getParent())) {
            for (Path each : present.toList()) {
                if (!files.containsKey(each)) {
                    Files.delete(each);
                }
            }
        }
        byte[] bytes = Arrays.copyOf(whole, zeroed ? whole.length : at);
        Arrays.fill(bytes, at, bytes.length, (byte) 0);
        Files.write(segment, bytes);
    }

    @Test
    void shouldStartWhereverTheEndOfTheLogIsCut() throws Exception {
        leaveALogWithoutCheckpoint();
        // Without the segment that is ready for use.
        Map<Path, byte[]> files = new HashMap<>();
        try (Stream<Path> present = Files.list(segment.getParent())) {
            for (Path each : present.toList()) {
                if (each.compareTo(segment) <= 0 || each.toString().contains("checkpoint-")) {
                    files.put(each, Files.readAllBytes(each));
                }
            }
        }
        assertThat(files.keySet()).filteredOn(each -> each.toString().endsWith(".log")).hasSizeGreaterThan(1);
        List<Integer> cuts = new ArrayList<>();
        Random random = new Random(5_473);
        for (int i = 1; i < CUTS; i++) {
            cuts.add(end - WINDOW_BYTES + random.nextInt(WINDOW_BYTES));
        }
        cuts.add(end);
        Collections.sort(cuts);

        long before = 0;
        for (int i = 0; i < cuts.size(); i++) {
            int at = cuts.get(i);
            boolean zeroed = i % 2 == 0;
            cut(at, zeroed, files);
            long messages;
            try (BrokerStore store =
                    BrokerStore.open(new FolderDisk(segment.getParent()), OPTIONS, new WorkerThreads("cut"))) {
                messages = store.messages();
            }
            // Whatever is whole before the cut is there, so more with each later cut.
            assertThat(messages).as("messages before offset %s of %s", at, end).isGreaterThanOrEqualTo(before);
            before = messages;
            if (i % (cuts.size() / WHOLE_BROKERS) == 0) {
                cut(at, zeroed, files);
                try (BrokerProcess broker = start()) {
                    assertThat(Messages.drain(broker, QUEUE)).isEqualTo(
                            LongStream.range(0, messages).boxed().toList());
                }
                // That one has written: back to what the first has left.
                for (Map.Entry<Path, byte[]> each : files.entrySet()) {
                    Files.write(each.getKey(), each.getValue());
                }
            }
        }
        assertThat(before).as("messages in the log as it was left").isGreaterThanOrEqualTo(confirmed);
    }

}
