package io.sluicemq.transport;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.base.Loop;
import io.sluicemq.base.TaskFailures;
import io.sluicemq.testkit.LogCapture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass
@MethodSource("available")
class NettyLoopTest {

    @Parameter
    private SocketKind kind;

    private final TaskFailures failures = new TaskFailures();
    private NettyLoops loops;
    private NettyLoop first;
    private NettyLoop second;

    static List<SocketKind> available() {
        return IntStream.range(0, SocketKind.values().length)
                .mapToObj(i -> SocketKind.values()[i])
                .filter(SocketKind::isAvailable)
                .toList();
    }

    @BeforeEach
    void start() {
        loops = new NettyLoops(2, kind, failures, Duration.ofMillis(1));
        first = loops.loop(0);
        second = loops.loop(1);
    }

    @AfterEach
    void stop() {
        loops.close();
    }

    @Test
    void shouldAssertItsOwner() throws Exception {
        assertThat(first.isCurrent()).isFalse();
        assertThatThrownBy(first::assertCurrent).isInstanceOf(IllegalStateException.class);
        assertThat(on(first, () -> first.isCurrent() && !second.isCurrent())).isTrue();
    }

    @Test
    void shouldSendABurstAcrossInOneBatchWithOneWakeUp() throws Exception {
        List<Integer> received = new ArrayList<>();
        var done = new CountDownLatch(1);
        long before = on(second, second::executed);
        first.execute(() -> {
            for (int i = 0; i < 200; i++) {
                int number = i;
                first.send(second, () -> received.add(number));
            }
            first.send(second, done::countDown);
        });

        assertThat(done.await(10, SECONDS)).isTrue();
        long after = on(second, second::executed);
        assertThat(received).isEqualTo(IntStream.range(0, 200).boxed().toList());
        // One for the batch, one for the question itself.
        assertThat(after - before).isEqualTo(2);
    }

    @Test
    void shouldKeepTheOrderOfManyTurns() throws Exception {
        List<Integer> received = Collections.synchronizedList(new ArrayList<>());
        var done = new CountDownLatch(1);
        for (int turn = 0; turn < 500; turn++) {
            int base = turn * 10;
            first.execute(() -> IntStream.range(base, base + 10)
                    .forEach(number -> first.send(second, () -> received.add(number))));
        }
        first.execute(() -> first.send(second, done::countDown));

        assertThat(done.await(10, SECONDS)).isTrue();
        assertThat(received).isEqualTo(IntStream.range(0, 5000).boxed().toList());
    }

    @Test
    void shouldRunAHookOfATurnsEndAfterTheTasksThatWaited() throws Exception {
        List<String> log = new ArrayList<>();
        var done = new CountDownLatch(1);
        first.execute(() -> {
            first.atTurnEnd(() -> log.add("hook"));
            log.add("task");
            first.execute(() -> {
                log.add("later task");
                first.atTurnEnd(done::countDown);
            });
        });

        assertThat(done.await(10, SECONDS)).isTrue();
        assertThat(log).containsExactly("task", "hook", "later task");
    }

    @Test
    void shouldLetTasksRunBetweenHooksThatAskForAnotherTurnForEver() throws Exception {
        var stop = new CountDownLatch(1);
        var again = new Runnable() {
            @Override
            public void run() {
                if (stop.getCount() > 0) {
                    first.atTurnEnd(this);
                }
            }
        };
        first.execute(() -> first.atTurnEnd(again));
        assertThat(on(first, () -> "still here")).isEqualTo("still here");
        stop.countDown();
    }

    @Test
    void shouldCountATaskThatThrowsAndGoOn() throws Exception {
        try (var log = new LogCapture()) {
            first.execute(() -> {
                throw new IllegalArgumentException("meant by the test");
            });
            first.execute(() -> first.schedule(0, () -> {
                throw new IllegalArgumentException("meant by the test, too");
            }));
            var later = new CountDownLatch(1);
            first.execute(() -> first.schedule(MILLISECONDS.toNanos(5), later::countDown));

            assertThat(later.await(10, SECONDS)).isTrue();
            assertThat(failures.count()).isEqualTo(2);
            assertThat(log.withTrace()).hasSize(2);
        }
    }

    @Test
    void shouldNotRunACancelledTimer() throws Exception {
        List<String> log = new ArrayList<>();
        var done = new CountDownLatch(1);
        first.execute(() -> {
            Loop.Timer never = first.schedule(MILLISECONDS.toNanos(5), () -> log.add("never"));
            first.schedule(MILLISECONDS.toNanos(20), done::countDown);
            never.cancel();
        });

        assertThat(done.await(10, SECONDS)).isTrue();
        assertThat(log).isEmpty();
    }

    @Test
    void shouldCloseAtOnceAndRefuseTasksThen() throws Exception {
        on(first, () -> first.schedule(SECONDS.toNanos(3600), () -> {}));
        on(second, () -> true);

        long start = System.nanoTime();
        loops.close();
        assertThat(System.nanoTime() - start).isLessThan(SECONDS.toNanos(1));
        assertThatThrownBy(() -> first.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void shouldRunWhatItWasGivenBeforeItCloses() {
        List<Integer> done = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 1000; i++) {
            int number = i;
            first.execute(() -> done.add(number));
        }
        loops.close();
        assertThat(done).hasSize(1000);
    }

    private static <T> T on(Loop loop, Supplier<T> work) throws Exception {
        var result = new CompletableFuture<T>();
        loop.execute(() -> result.complete(work.get()));
        return result.get(10, SECONDS);
    }
}
