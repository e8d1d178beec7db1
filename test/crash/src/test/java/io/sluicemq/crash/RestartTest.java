package io.sluicemq.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Ends brokers, changes what they have left, and starts others on it. */
class RestartTest {

    private static final String QUEUE = "orders";

    /** What a write leaves that was cut short, or reached the disk in parts. */
    enum Tear {
        /** The last record has a byte that is not its own. */
        LAST_RECORD,
        /** The file ends within the last record. */
        SHORTER_FILE,
        /** Behind the last record there is something of another. */
        BEGINNING_OF_A_RECORD
    }

    @TempDir
    Path temp;

    private int lives;

    private Path data() {
        return temp.resolve("data");
    }

    private Path log() {
        return temp.resolve("broker-" + lives + ".log");
    }

    private BrokerProcess start() throws Exception {
        lives++;
        return BrokerProcess.start(log(), "--data", data().toString());
    }

    private static List<Long> numbers(int from, int to) {
        return LongStream.range(from, to).boxed().toList();
    }

    @Test
    void shouldKeepEverythingOverAnOrderlyStop() throws Exception {
        try (BrokerProcess broker = start()) {
            Messages.publish(broker, QUEUE, 0, 3_000, 1_000);
            assertThat(broker.stop()).isZero();
        }

        try (BrokerProcess broker = start()) {
            assertThat(Messages.drain(broker, QUEUE)).isEqualTo(numbers(0, 3_000));
            assertThat(broker.stop()).isZero();
        }
        assertThat(BrokerProcess.lines(log())).noneMatch(line -> line.matches("(?i).*\\b(torn|cut|damaged)\\b.*"));

        try (BrokerProcess broker = start()) {
            assertThat(Messages.drain(broker, QUEUE)).isEmpty();
        }
    }

    /** Reported of lavinmq (#1910): a start with a file in which all is acked ended in a crash at first use. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldGoOnWithALogOfWhichNothingIsLeft(boolean inOrder) throws Exception {
        try (BrokerProcess broker = start()) {
            Messages.publish(broker, QUEUE, 0, 1_000, 100);
            assertThat(Messages.drain(broker, QUEUE)).hasSize(1_000);
            if (inOrder) {
                assertThat(broker.stop()).isZero();
            } else {
                broker.kill();
            }
        }

        try (BrokerProcess broker = start()) {
            Messages.publish(broker, QUEUE, 1_000, 1_010, 100);
            assertThat(Messages.drain(broker, QUEUE)).isEqualTo(numbers(1_000, 1_010));
        }
    }

    /**
     * Reported of ActiveMQ (AMQ-7219): transacted non-persistent traffic made every restart replay the journal. {@code
     * -Dcrash.transient=500000} has as many messages as the report.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNotLogTransientMessages(boolean inOrder) throws Exception {
        int messages = Integer.getInteger("crash.transient", 5_000);
        try (BrokerProcess broker = start()) {
            Messages.onChannel(broker, channel -> {
                channel.queueDeclare(QUEUE, true, false, false, Map.of());
                channel.txSelect();
                for (int i = 0; i < messages; i++) {
                    channel.basicPublish("", QUEUE, ConfirmingProducer.properties(false), Body.of(i, 1_000));
                    if (i % 10 == 9) {
                        channel.txCommit();
                    }
                }
            });
            assertThat(Messages.drain(broker, QUEUE)).isEqualTo(numbers(0, messages));
            if (inOrder) {
                assertThat(broker.stop()).isZero();
            } else {
                broker.kill();
            }
        }
        LogFolder folder = new LogFolder(data());
        // So there is nothing that a start could spend its time on.
        assertThat(folder.end(folder.lastSegment())).isLessThan(100_000);

        try (BrokerProcess broker = start()) {
            assertThat(Messages.drain(broker, QUEUE)).isEmpty();
        }
    }

    /** A start must not bury before all graves are there. */
    @Test
    void shouldLoseNoDeadLetterOfWhatExpiredMeanwhile() throws Exception {
        int queues = 300;
        int ttlMillis = 4_000;
        try (BrokerProcess broker = start()) {
            Messages.onChannel(broker, channel -> {
                for (int i = 0; i < queues; i++) {
                    channel.queueDeclare("aged-" + i, true, false, false, Map.of("x-message-ttl", ttlMillis,
                            "x-dead-letter-exchange", "", "x-dead-letter-routing-key", "graves-" + i));
                    channel.queueDeclare("graves-" + i, true, false, false, Map.of());
                }
                channel.confirmSelect();
                for (int i = 0; i < queues; i++) {
                    channel.basicPublish("", "aged-" + i, ConfirmingProducer.properties(true), Body.of(i, 100));
                }
                channel.waitForConfirmsOrDie(20_000);
            });
            broker.kill();
        }
        long publishedMillis = System.currentTimeMillis();
        await().until(() -> System.currentTimeMillis() > publishedMillis + ttlMillis);
        try (BrokerProcess broker = start()) {
            Messages.onChannel(broker, channel -> {
                await().atMost(30, TimeUnit.SECONDS).untilAsserted(() -> {
                    long letters = 0;
                    for (int i = 0; i < queues; i++) {
                        letters += channel.messageCount("graves-" + i);
                    }
                    assertThat(letters).isEqualTo(queues);
                });
            });
            assertThat(BrokerProcess.lines(log())).noneMatch(line -> line.contains(" ERROR "));
        }
    }

    @ParameterizedTest
    @EnumSource(Tear.class)
    void shouldCutATornTailAndTellHowLongItWas(Tear tear) throws Exception {
        try (BrokerProcess broker = start()) {
            Messages.publish(broker, QUEUE, 0, 500, 1_000);
            broker.kill();
        }
        LogFolder folder = new LogFolder(data());
        Path segment = folder.lastSegment();
        long end = folder.end(segment);
        switch (tear) {
            case LAST_RECORD -> folder.flip(segment, end - 1);
            case SHORTER_FILE -> folder.truncate(segment, end - 1);
            case BEGINNING_OF_A_RECORD -> folder.write(segment, (end + 7) / 8 * 8, Body.of(1L << 32, 300));
        }

        try (BrokerProcess broker = start()) {
            assertThat(BrokerProcess.lines(log()))
                    .anySatisfy(line -> assertThat(line)
                            .contains(segment.getFileName().toString())
                            .containsPattern("(?i)\\b(torn|cut)\\b")
                            .containsPattern("\\b[1-9][0-9,]* bytes"));
            List<Long> kept = Messages.drain(broker, QUEUE);
            // What the tear has destroyed may have been the last message; nothing before it.
            assertThat(kept).isEqualTo(numbers(0, kept.size()));
            assertThat(kept.size()).isBetween(tear == Tear.BEGINNING_OF_A_RECORD ? 500 : 499, 500);

            Messages.publish(broker, QUEUE, 500, 600, 1_000);
            broker.kill();
        }
        try (BrokerProcess broker = start()) {
            assertThat(Messages.drain(broker, QUEUE)).endsWith(numbers(500, 600).toArray(Long[]::new));
        }
    }

    @Test
    void shouldNotStartWithADamagedLog() throws Exception {
        try (BrokerProcess broker = start()) {
            Messages.publish(broker, QUEUE, 0, 2_000, 1_000);
            broker.kill();
        }
        LogFolder folder = new LogFolder(data());
        Path segment = folder.lastSegment();
        String name = segment.getFileName().toString();
        long middle = folder.withinABody(segment, (folder.replayedFrom(segment) + folder.end(segment)) / 2);
        folder.flip(segment, middle);
        var before = folder.contents();

        BrokerRefused refusal = catchThrowableOfType(BrokerRefused.class, this::start);

        assertThat(refusal).as("a broker that starts with a damaged log").isNotNull();
        assertThat(refusal.exitCode()).isEqualTo(1);
        assertThat(refusal.said())
                .startsWith("sluicemq: ")
                .contains(name, "at offset ", "sluicemq log verify " + folder.path());
        String offset = refusal.said().replaceAll("(?s).*?at offset (\\d+).*", "$1");
        assertThat(Long.parseLong(offset)).as("where the record begins").isBetween(middle - 3_000, middle);
        assertThat(folder.contents()).isEqualTo(before);

        Path told = temp.resolve("verify.txt");
        Process verify = new ProcessBuilder(BrokerProcess.command("log", "verify", folder.path().toString()))
                .redirectOutput(told.toFile())
                .redirectError(temp.resolve("verify-errors.txt").toFile())
                .start();
        assertThat(verify.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(verify.exitValue()).isEqualTo(1);
        assertThat(told).content().contains("DAMAGED " + name + " at offset " + offset);
        assertThat(folder.contents()).isEqualTo(before);
    }

    @Test
    void shouldNotTouchALogThatHoldsSomethingElse() throws Exception {
        try (BrokerProcess broker = start()) {
            Messages.publish(broker, QUEUE, 0, 10, 100);
            broker.stop();
        }
        LogFolder folder = new LogFolder(data());
        Files.writeString(folder.path().resolve("thesis.tex"), "precious");
        var before = folder.contents();

        assertThatThrownBy(this::start)
                .isInstanceOfSatisfying(BrokerRefused.class, refusal -> {
                    assertThat(refusal.exitCode()).isEqualTo(1);
                    assertThat(refusal.said().lines()).singleElement().asString().startsWith("sluicemq: ")
                            .contains(folder.path().toString(), "thesis.tex");
                });

        assertThat(folder.contents()).isEqualTo(before);
        Files.delete(folder.path().resolve("thesis.tex"));
        try (BrokerProcess broker = start()) {
            assertThat(Messages.drain(broker, QUEUE)).isEqualTo(numbers(0, 10));
        }
    }

    /** A limit to the size of files stands for a disk without room for a segment. */
    @Test
    void shouldSayThatThereIsNoRoomForALog() throws Exception {
        File errors = temp.resolve("errors.txt").toFile();
        List<String> command = new ArrayList<>(List.of("bash", "-c", "ulimit -f 1024; exec \"$@\"", "bash"));
        command.addAll(BrokerProcess.command("serve", "--port", "0", "--set", "http.enabled=false", "--data",
                data().toString()));
        Process process = new ProcessBuilder(command).redirectError(errors).start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("it ends").isTrue();
        } finally {
            process.destroyForcibly();
        }

        assertThat(process.exitValue()).isEqualTo(1);
        assertThat(Files.readString(errors.toPath(), StandardCharsets.UTF_8).lines())
                .singleElement()
                .asString()
                .startsWith("sluicemq: ")
                .contains(data().toString());
        try (BrokerProcess broker = start()) {
            Messages.publish(broker, QUEUE, 0, 10, 100);
            broker.kill();
        }
        try (BrokerProcess broker = start()) {
            assertThat(Messages.drain(broker, QUEUE)).isEqualTo(numbers(0, 10));
        }
    }
}
