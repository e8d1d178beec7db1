package io.sluicemq.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.sluicemq.api.Answers;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Completion;
import io.sluicemq.testkit.ManualLoop;
import io.sluicemq.testkit.ManualLoops;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How answers that are owed to publishers are counted, and how long they take. */
class AnswersTest {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final ManualLoops loops = new ManualLoops(1);
    private final ManualLoop loop = loops.get(0);
    private final Answers answers = new Answers(loop);
    private final ArrayDeque<Completion> owed = new ArrayDeque<>();

    private void owe(int count) {
        loop.run(() -> {
            for (int i = 0; i < count; i++) {
                Completion completion = new Completion(loop) {
                    @Override
                    protected void complete(BrokerError refusal) {}
                };
                completion.countedBy(answers);
                owed.add(completion);
            }
        });
    }

    private void answer(int count) {
        loop.run(() -> {
            for (int i = 0; i < count; i++) {
                owed.removeFirst().handedOut();
            }
        });
    }

    @Test
    void shouldCountWhatIsOutstandingAndWhatWasRefused() {
        owe(5);
        answer(2);
        loop.run(() -> {
            Completion refused = owed.removeFirst();
            refused.hold();
            refused.handedOut();
            refused.refused(loop, new BrokerError.Unavailable("no"));
        });

        assertThat(answers.outstanding()).isEqualTo(2);
        assertThat(answers.given()).isEqualTo(3);
        assertThat(answers.refused()).isEqualTo(1);
    }

    @Test
    void shouldMeasureOneInSoMany() {
        for (int i = 0; i < 25_600; i++) {
            owe(1);
            loops.advance(2 * MILLI);
            answer(1);
        }

        assertThat(answers.latencyNanos().count()).isEqualTo(100);
        assertThat(answers.latencyNanos().sum()).isEqualTo(200 * MILLI);
    }

    @Test
    void shouldMeasureOneAtATime() {
        owe(600);
        loops.advance(3 * MILLI);
        answer(600);

        assertThat(answers.latencyNanos().count()).isEqualTo(1);
        assertThat(answers.latencyNanos().sum()).isEqualTo(3 * MILLI);
    }

    @Test
    void shouldAllocateNothingForAnAnswer() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        loop.run(() -> {
            Completion[] completions = new Completion[20_000];
            Arrays.setAll(completions, i -> new Completion(loop) {
                @Override
                protected void complete(BrokerError refusal) {}
            });
            count(completions, 0, 10_000); // links what it calls
            long before = threads.getCurrentThreadAllocatedBytes();
            count(completions, 10_000, 20_000);

            assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(10_000);
        });

        assertThat(answers.given()).isEqualTo(20_000);
    }

    private void count(Completion[] completions, int from, int to) {
        for (int i = from; i < to; i++) {
            completions[i].countedBy(answers);
            completions[i].handedOut();
        }
    }

    @Test
    void shouldNotWaitForEverForTheOneThatItMeasures() {
        owe(1);
        loops.advance(TimeUnit.SECONDS.toNanos(61));
        owe(256); // among which is the next to be measured, in place of the first
        loops.advance(5 * MILLI);
        answer(257);

        assertThat(answers.latencyNanos().count()).isEqualTo(2);
        assertThat(answers.latencyNanos().sum()).isEqualTo(TimeUnit.SECONDS.toNanos(61) + 5 * MILLI);
    }
}
