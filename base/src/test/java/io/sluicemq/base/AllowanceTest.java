package io.sluicemq.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.base.Allowance.Attempt;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AllowanceTest {

    private final Allowance allowance = new Allowance(true);

    @Test
    void shouldTakeUpToEachOfItsLimits() {
        allowance.limits(100, 3);
        assertThat(allowance.tryTake(60, 1)).isEqualTo(Attempt.TAKEN);
        assertThat(allowance.tryTake(41, 1)).isEqualTo(Attempt.REFUSED);
        assertThat(allowance.tryTake(40, 1)).isEqualTo(Attempt.TAKEN);
        assertThat(allowance.usedBytes()).isEqualTo(100);
        assertThat(allowance.give(100, 0)).isFalse();
        assertThat(allowance.tryTake(1, 2)).isEqualTo(Attempt.REFUSED);
        assertThat(allowance.usedBytes()).as("a part of what was refused").isZero();
        assertThat(allowance.tryTake(1, 1)).isEqualTo(Attempt.TAKEN);
        assertThat(allowance.highestBytes()).isEqualTo(100);
    }

    @Test
    void shouldLetNobodyPassWhoWaits() {
        allowance.limits(100, Allowance.UNLIMITED);
        allowance.waited(true);
        assertThat(allowance.tryTake(1, 1)).isEqualTo(Attempt.REFUSED);
        assertThat(allowance.tryTakeAhead(1, 1)).isEqualTo(Attempt.TAKEN);
        assertThat(allowance.tryTakeNext(1, 1)).isTrue();
        allowance.waited(false);
        assertThat(allowance.tryTake(1, 1)).isEqualTo(Attempt.TAKEN);
    }

    @Test
    void shouldTellOneOfThoseWhoGiveBackToWakeAndTheNextAfterThat() {
        allowance.limits(100, Allowance.UNLIMITED);
        allowance.tryTake(100, 3);
        assertThat(allowance.give(10, 1)).as("nobody waits").isFalse();
        allowance.waited(true);
        assertThat(allowance.give(10, 1)).isTrue();
        assertThat(allowance.give(10, 1)).isFalse();
        allowance.waking();
        assertThat(allowance.give(10, 0)).isTrue();
    }

    /** What is taken for a moment may be what another found missing: it is as if it were given back. */
    @Test
    void shouldTellToWakeWhenHalfOfAnAttemptIsUndone() {
        allowance.limits(100, 0);
        allowance.waited(true);
        assertThat(allowance.tryTakeAhead(10, 1)).isEqualTo(Attempt.REFUSED_TELL);
        assertThat(allowance.tryTakeAhead(10, 1)).as("told already").isEqualTo(Attempt.REFUSED);
        assertThat(allowance.usedBytes()).isZero();
    }

    @Test
    void shouldCountPlainlyWhileOnlyItsHomeUsesIt() {
        Allowance own = new Allowance(false);
        own.take(50, 1);
        assertThat(own.give(20, 0)).isFalse();
        own.limits(100, 10);
        own.take(5, 1);
        assertThat(own.usedBytes()).isEqualTo(35);
        assertThat(own.usedMessages()).isEqualTo(2);
        own.limits(Allowance.UNLIMITED, Allowance.UNLIMITED);
        assertThat(own.isLimited()).isFalse();
    }

    /**
     * Several threads fill it and empty it; those who find no room wait for a home that is woken by what others give back, and by
     * nothing else. No limit is ever exceeded, and nobody is forgotten.
     */
    @Test
    void shouldNeverExceedItsLimitsNorLoseAWakeUp() throws Exception {
        allowance.limits(1000, 7);
        Home home = new Home();
        Thread keeper = Thread.ofPlatform().start(home);
        AtomicBoolean exceeded = new AtomicBoolean();
        AtomicLong waits = new AtomicLong();
        List<Thread> users = new ArrayList<>();
        assertThat(allowance.tryTake(1000, 7)).isEqualTo(Attempt.TAKEN); // so that all of them wait at first
        for (int i = 0; i < 4; i++) {
            long seed = i;
            users.add(Thread.ofPlatform().start(() -> {
                SplittableRandom random = new SplittableRandom(seed);
                for (int round = 0; round < 20_000; round++) {
                    long bytes = 1 + random.nextInt(400);
                    Attempt attempt = allowance.tryTake(bytes, 1);
                    if (attempt == Attempt.REFUSED_TELL) {
                        home.tell();
                    }
                    if (attempt != Attempt.TAKEN) {
                        waits.incrementAndGet();
                        home.awaits(bytes);
                    }
                    if (allowance.usedBytes() > 1000 || allowance.usedMessages() > 7) {
                        exceeded.set(true);
                    }
                    if (allowance.give(bytes, 1)) {
                        home.tell();
                    }
                }
            }));
        }
        long giveUpAt = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (waits.get() < users.size() && System.nanoTime() < giveUpAt) {
            Thread.onSpinWait();
        }
        assertThat(waits).hasValue(users.size());
        if (allowance.give(1000, 7)) {
            home.tell();
        }
        for (Thread user : users) {
            assertThat(user.join(java.time.Duration.ofSeconds(60))).as("a thread was never woken").isTrue();
        }
        home.over = true;
        home.tell();
        keeper.join();
        assertThat(exceeded).isFalse();
        assertThat(allowance.usedBytes()).isZero();
        assertThat(allowance.usedMessages()).isZero();
        assertThat(allowance.highestBytes()).isLessThanOrEqualTo(1000);
    }

    /** The one that watches over those who wait, as a gate does; it acts only when it is told something. */
    private final class Home implements Runnable {

        private record Waiting(long bytes, LinkedBlockingQueue<Boolean> served) {}

        private static final Waiting LOOK = new Waiting(0, null);
        private final LinkedBlockingQueue<Waiting> inbox = new LinkedBlockingQueue<>();
        private final Queue<Waiting> line = new ArrayDeque<>();
        private volatile boolean over;

        void tell() {
            inbox.add(LOOK);
        }

        void awaits(long bytes) {
            LinkedBlockingQueue<Boolean> served = new LinkedBlockingQueue<>();
            inbox.add(new Waiting(bytes, served));
            try {
                if (served.poll(30, TimeUnit.SECONDS) == null) {
                    throw new AssertionError("never woken");
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void run() {
            try {
                while (!over) {
                    Waiting next = inbox.take();
                    if (next != LOOK) {
                        line.add(next);
                        allowance.waited(true);
                    }
                    serve();
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        private void serve() {
            allowance.waking();
            while (!line.isEmpty() && allowance.tryTakeNext(line.peek().bytes(), 1)) {
                line.poll().served().add(true);
            }
            if (line.isEmpty()) {
                allowance.waited(false);
            }
        }
    }
}
