package io.sluicemq.architecture.samples.core;

import java.time.Clock;
import java.time.Instant;
import java.util.Date;

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

    void sleep() throws InterruptedException {
        Thread.sleep(1);
    }
}
