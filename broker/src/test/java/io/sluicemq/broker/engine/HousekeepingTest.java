package io.sluicemq.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.testkit.ManualLoop;
import io.sluicemq.testkit.ManualLoops;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a loop does again and again. */
class HousekeepingTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final ManualLoops loops = new ManualLoops(1);
    private final ManualLoop loop = loops.get(0);
    private final Tally tally = new Tally();
    private final Housekeeping housekeeping = new Housekeeping(loop, tally);
    private int done;

    private void does(Runnable task) {
        loop.execute(task);
        loops.runAll();
    }

    @Test
    void shouldDoEachThingOnceAPeriod() {
        does(() -> housekeeping.every(2 * SECOND, "a", () -> done++));
        loops.advance(2 * SECOND - 1);
        assertThat(done).isZero();
        loops.advance(1);
        assertThat(done).isEqualTo(1);
        loops.advance(20 * SECOND);
        assertThat(done).isEqualTo(11);
    }

    @Test
    void shouldGoOnWithAllWhenOneFails() {
        loops.expectFailures(0);
        int[] failed = new int[1];
        does(() -> {
            housekeeping.every(SECOND, "bad", () -> {
                failed[0]++;
                throw new IllegalStateException("on purpose");
            });
            housekeeping.every(SECOND, "good", () -> done++);
        });
        loops.advance(10 * SECOND);
        assertThat(failed[0]).isEqualTo(10);
        assertThat(done).isEqualTo(10);
        assertThat(tally.failedChecks).isEqualTo(10);
    }

    @Test
    void shouldNotDoManyThingsInOneTurn() {
        int things = 10 * Housekeeping.SLICE;
        int[] most = new int[1];
        int[] inTurn = new int[1];
        does(() -> {
            for (int i = 0; i < things; i++) {
                housekeeping.every(SECOND, i, () -> {
                    done++;
                    if (inTurn[0]++ == 0) {
                        loop.atTurnEnd(() -> {
                            most[0] = Math.max(most[0], inTurn[0]);
                            inTurn[0] = 0;
                        });
                    }
                });
            }
        });
        loops.advance(SECOND);
        assertThat(done).isEqualTo(things);
        assertThat(most[0]).isLessThanOrEqualTo(Housekeeping.SLICE);
    }

    @Test
    void shouldStopWithinItsOwnWork() {
        does(() -> housekeeping.every(SECOND, "a", () -> {
            done++;
            housekeeping.stop("a");
        }));
        loops.advance(10 * SECOND);
        assertThat(done).isEqualTo(1);
        assertThat(housekeeping.size()).isZero();
    }

    @Test
    void shouldTakeAnotherPeriod() {
        does(() -> housekeeping.every(SECOND, "a", () -> done++));
        does(() -> housekeeping.every(5 * SECOND, "a", () -> done += 100));
        loops.advance(10 * SECOND);
        assertThat(done).isEqualTo(200);
    }

    @Test
    void shouldHaveOneTimerHoweverManyStopWithinTheirWork() {
        does(() -> {
            for (int i = 0; i < 2 * Housekeeping.SLICE; i++) {
                int subject = i;
                housekeeping.every(SECOND, subject, () -> {
                    done++;
                    if (subject % 40 == 0) {
                        housekeeping.stop(subject);
                    }
                });
            }
        });
        for (int i = 0; i < 5; i++) {
            loops.advance(SECOND);
            assertThat(loop.pendingTimers()).isEqualTo(1);
        }
        assertThat(done).isEqualTo(5 * 2 * Housekeeping.SLICE - 4 * 4);
    }
}
