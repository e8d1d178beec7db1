package io.sluicemq.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.base.Loop;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ManualLoopTest {

    private final ManualLoops loops = new ManualLoops(3);
    private final ManualLoop first = loops.get(0);
    private final ManualLoop second = loops.get(1);
    private final List<String> log = new ArrayList<>();

    @Test
    void shouldRunTasksOnlyWhenDriven() {
        first.execute(() -> log.add("task"));
        assertThat(log).isEmpty();

        first.runTurn();
        assertThat(log).containsExactly("task");
        assertThat(first.isReady()).isFalse();
    }

    @Test
    void shouldLeaveWhatATurnAddsToTheNextTurn() {
        first.execute(() -> {
            log.add("one");
            first.execute(() -> log.add("two"));
        });

        first.runTurn();
        assertThat(log).containsExactly("one");
        first.runTurn();
        assertThat(log).containsExactly("one", "two");
    }

    @Test
    void shouldRunTimersInTheOrderOfTheirTimes() {
        first.run(() -> {
            first.schedule(300, () -> log.add("at 300: " + (first.nanoTime() - 1_000_000_000)));
            first.schedule(100, () -> log.add("at 100"));
            first.schedule(100, () -> log.add("at 100 too"));
        });
        second.run(() -> second.schedule(200, () -> log.add("at 200")));

        first.advance(299);
        assertThat(log).containsExactly("at 100", "at 100 too", "at 200");
        first.advance(1);
        assertThat(log).endsWith("at 300: 300");
    }

    @Test
    void shouldRunATimerThatATimerSchedulesWithinTheSameAdvance() {
        first.run(() -> first.schedule(10, () -> first.schedule(10, () -> log.add("again"))));

        first.advance(20);
        assertThat(log).containsExactly("again");
    }

    @Test
    void shouldNotRunACancelledTimer() {
        Loop.Timer timer = first.call(() -> first.schedule(10, () -> log.add("never")));
        assertThat(first.pendingTimers()).isOne();

        first.run(timer::cancel);
        first.advance(10);
        assertThat(log).isEmpty();
        assertThat(first.pendingTimers()).isZero();
    }

    @Test
    void shouldMoveTheWallClockWithTheVirtualTime() {
        long before = first.currentTimeMillis();
        first.advance(TimeUnit.SECONDS.toNanos(90));
        assertThat(first.currentTimeMillis() - before).isEqualTo(90_000);
    }

    @Test
    void shouldFailTheTestWhenATaskThrows() {
        first.execute(() -> {
            throw new IllegalArgumentException("the defect");
        });

        try (var quiet = new LogCapture()) {
            assertThatThrownBy(first::runAll).isInstanceOf(AssertionError.class).hasRootCauseMessage("the defect");
            assertThat(quiet.withTrace()).hasSize(1);
        }
    }

    @Test
    void shouldThrowWhatRunThrows() {
        assertThatThrownBy(() -> first.run(() -> {
            throw new IllegalArgumentException("the defect");
        }))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(first.isCurrent()).isFalse();
    }

    @Test
    void shouldRefuseATurnInsideATurn() {
        assertThatThrownBy(() -> first.run(() -> second.run(() -> {})))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("loop 0 is in a turn");
    }

    @Test
    void shouldStopWhenLoopsNeverComeToRest() {
        var busy = new Runnable() {
            @Override
            public void run() {
                first.execute(this);
            }
        };
        first.execute(busy);

        assertThatThrownBy(loops::runAll).isInstanceOf(AssertionError.class).hasMessageContaining("still busy");
    }

    @Test
    void shouldRepeatARandomScheduleFromItsSeed() {
        assertThat(scheduleOf(7)).isEqualTo(scheduleOf(7)).isNotEqualTo(scheduleOf(8));
    }

    private static List<Integer> scheduleOf(long seed) {
        var loops = new ManualLoops(4);
        var order = new ArrayList<Integer>();
        for (int i = 0; i < 40; i++) {
            ManualLoop loop = loops.get(i % 4);
            loop.execute(() -> {
                order.add(loop.index());
                loop.send(loops.get((loop.index() + 1) % 4), () -> order.add(loop.index() + 10));
            });
        }
        loops.runAll(new Random(seed));
        assertThat(order).hasSize(80);
        return order;
    }
}
