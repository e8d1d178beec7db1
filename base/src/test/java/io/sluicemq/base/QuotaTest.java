package io.sluicemq.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class QuotaTest {

    private final Quota quota = new Quota();

    @Test
    void shouldAllowAnyNumberUnlessThereIsALimit() {
        assertThat(quota.tryTake()).isTrue();
        quota.limit(2);
        assertThat(quota.tryTake()).isTrue();
        assertThat(quota.tryTake()).isFalse();
        quota.give(1);
        assertThat(quota.tryTake()).isTrue();
        quota.limit(1);
        assertThat(quota.used()).isEqualTo(2);
        quota.give(1);
        assertThat(quota.tryTake()).isFalse();
        quota.take();
        assertThat(quota.used()).isEqualTo(2);
    }

    @Test
    void shouldNeverBeExceededBySeveralAtATime() throws InterruptedException {
        quota.limit(1_000);
        var taken = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int j = 0; j < 1_000; j++) {
                    taken.addAndGet(quota.tryTake() ? 1 : 0);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(taken).hasValue(1_000);
        assertThat(quota.used()).isEqualTo(1_000);
    }
}
