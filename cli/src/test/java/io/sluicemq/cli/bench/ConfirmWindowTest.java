package io.sluicemq.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.HdrHistogram.SingleWriterRecorder;
import org.junit.jupiter.api.Test;

class ConfirmWindowTest {

    private final SingleWriterRecorder latency = Latency.recorder();

    private ConfirmWindow filled(int window) {
        ConfirmWindow confirms = new ConfirmWindow(window, latency);
        for (int i = 0; i < window; i++) {
            assertThat(confirms.awaitRoom()).isTrue();
            confirms.sending(0);
        }
        return confirms;
    }

    @Test
    void shouldCountEachTagOnceHoweverItIsConfirmed() {
        ConfirmWindow confirms = filled(8);

        confirms.ack(3, false, 1000);
        confirms.ack(3, false, 1000);
        confirms.ack(5, true, 1000);
        confirms.nack(7, false, 1000);
        confirms.ack(8, true, 1000);

        assertThat(confirms.acked()).isEqualTo(7);
        assertThat(confirms.nacked()).isEqualTo(1);
        assertThat(latency.getIntervalHistogram().getTotalCount()).isEqualTo(8);
    }

    @Test
    void shouldMeasureFromSendToAnswer() {
        ConfirmWindow confirms = new ConfirmWindow(2, latency);
        confirms.sending(5_000);

        confirms.ack(1, false, 25_000);

        assertThat(latency.getIntervalHistogram().getMaxValue()).isEqualTo(20);
    }

    @Test
    void shouldHoldTheProducerUntilTheOldestIsAnswered() throws Exception {
        ConfirmWindow confirms = filled(3);
        CompletableFuture<Boolean> room = new CompletableFuture<>();
        Thread producer = Thread.ofPlatform().daemon().start(() -> room.complete(confirms.awaitRoom()));
        await().until(() -> producer.getState() == Thread.State.WAITING);

        confirms.ack(2, false, 0);
        await().during(50, TimeUnit.MILLISECONDS).until(() -> !room.isDone());
        confirms.ack(1, false, 0);

        assertThat(room.get(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void shouldLetTheProducerGoWhenStopped() throws Exception {
        ConfirmWindow confirms = filled(1);
        CompletableFuture<Boolean> room = new CompletableFuture<>();
        Thread producer = Thread.ofPlatform().daemon().start(() -> room.complete(confirms.awaitRoom()));
        await().until(() -> producer.getState() == Thread.State.WAITING);

        confirms.stop();

        assertThat(room.get(10, TimeUnit.SECONDS)).isFalse();
    }

    @Property(tries = 200)
    void shouldComeToZeroWhateverTheOrderOfAnswers(
            @ForAll @IntRange(min = 1, max = 70) int window, @ForAll @LongRange(min = 1) long seed) {
        ConfirmWindow confirms = new ConfirmWindow(window, Latency.recorder());
        Random random = new Random(seed);
        List<Long> open = new ArrayList<>();
        long next = 1;
        long answered = 0;
        while (next < 500 || !open.isEmpty()) {
            boolean room = open.isEmpty() || next - open.getFirst() < window;
            if (next < 500 && room && random.nextInt(3) > 0) {
                assertThat(confirms.awaitRoom()).isTrue();
                confirms.sending(0);
                open.add(next++);
            } else if (!open.isEmpty()) {
                long tag = open.get(random.nextInt(open.size()));
                boolean multiple = random.nextInt(4) == 0;
                if (multiple) {
                    answered += open.stream().filter(each -> each <= tag).count();
                    open.removeIf(each -> each <= tag);
                } else {
                    answered++;
                    open.remove(tag);
                }
                confirms.ack(tag, multiple, 0);
                assertThat(confirms.acked()).isEqualTo(answered);
            }
        }

        assertThat(confirms.acked()).isEqualTo(499);
    }
}
