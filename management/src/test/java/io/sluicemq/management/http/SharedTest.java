package io.sluicemq.management.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SharedTest {

    private final AtomicLong now = new AtomicLong();
    private final AtomicInteger looks = new AtomicInteger();
    private final Shared<Integer> shared = new Shared<>(now::get);
    private final Call call = new Call(
            Route.open("/", "", any -> null), Map.of(), Map.of(), Map.of(), new byte[0], null, "",
            List::of, Duration.ofSeconds(20));

    private int look(long tookMillis) {
        return shared.get(call, () -> {
            now.addAndGet(TimeUnit.MILLISECONDS.toNanos(tookMillis));
            return looks.incrementAndGet();
        });
    }

    private void pass(long millis) {
        now.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    @Test
    void shouldLookAgainAfterASecondOrTenTimesWhatALookTakes() {
        assertThat(look(1)).isEqualTo(1);
        pass(999);
        assertThat(look(1)).isEqualTo(1);
        pass(1);
        assertThat(look(400)).isEqualTo(2);
        pass(3_999);
        assertThat(look(1)).isEqualTo(2);
        pass(1);
        assertThat(look(1)).isEqualTo(3);
    }

    @Test
    void shouldLookOnceForAllWhoAskMeanwhile() throws Exception {
        CountDownLatch looking = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<Integer> first = CompletableFuture.supplyAsync(() -> shared.get(call, () -> {
            looking.countDown();
            await(goOn);
            return looks.incrementAndGet();
        }));
        looking.await();
        CompletableFuture<Integer> second = CompletableFuture.supplyAsync(() -> look(0));
        goOn.countDown();

        assertThat(first.get(20, TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(second.get(20, TimeUnit.SECONDS)).isEqualTo(1);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldLookAgainAtOnceWhenOneHasFailed() {
        assertThatThrownBy(() -> shared.get(call, () -> {
            throw new ApiError(503, "timeout", "late");
        })).isInstanceOf(ApiError.class);
        assertThat(look(1)).isEqualTo(1);
    }
}
