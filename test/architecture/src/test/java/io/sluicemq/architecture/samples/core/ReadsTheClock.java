package io.sluicemq.architecture.samples.core;

import java.time.Clock;
import java.time.Instant;
import java.util.Date;
import java.util.concurrent.CompletableFuture;

/** Asks the system for the time, and waits. */
class ReadsTheClock {
    long millis() {
        return System.currentTimeMillis();
    }

    long nanos() {
        return System.nanoTime();
    }

    Instant instant() {
        return Instant.now();
    }

    Clock clock() {
        return Clock.systemUTC();
    }

    Date date() {
        return new Date();
    }

    long waits(CompletableFuture<Long> answer) {
        return answer.join();
    }

    void sleep() throws InterruptedException {
        Thread.sleep(1);
    }
}
