package io.sluicemq.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Answers;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Completion;
import io.sluicemq.testkit.ManualLoop;
import io.sluicemq.testkit.ManualLoops;
import java.util.ArrayDeque;
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
    void shouldMeasureOneInSixtyFour() {
        for (int i = 0; i < 6_400; i++) {
            owe(1);
            loops.advance(2 * MILLI);
            answer(1);
        }

        assertThat(answers.latencyNanos().count()).isEqualTo(100);
        assertThat(answers.latencyNanos().sum()).isEqualTo(200 * MILLI);
    }

    @Test
    void shouldMeasureOneAtATime() {
        owe(200);
        loops.advance(3 * MILLI);
        answer(200);

        assertThat(answers.latencyNanos().count()).isEqualTo(1);
        assertThat(answers.latencyNanos().sum()).isEqualTo(3 * MILLI);
    }

    @Test
    void shouldNotWaitForEverForTheOneThatItMeasures() {
        owe(1);
        loops.advance(TimeUnit.SECONDS.toNanos(61));
        owe(64); // among which is the next to be measured, in place of the first
        loops.advance(5 * MILLI);
        answer(65);

        assertThat(answers.latencyNanos().count()).isEqualTo(2);
        assertThat(answers.latencyNanos().sum()).isEqualTo(TimeUnit.SECONDS.toNanos(61) + 5 * MILLI);
    }
}
