package io.sluicemq.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.sluicemq.base.TaskFailures;
import org.junit.jupiter.api.Test;

class TaskFailuresTest {

    private final TaskFailures failures = new TaskFailures();

    @Test
    void shouldCountNothingWhenATaskSucceeds() {
        failures.guard(() -> {});
        assertThat(failures.count()).isZero();
        assertThat(failures.last()).isNull();
    }

    @Test
    void shouldKeepExceptionsAndErrorsFromTheCaller() {
        var exception = new IllegalStateException("meant by the test");
        var error = new OutOfMemoryError("meant by the test");
        try (var log = new LogCapture()) {
            failures.guard(() -> {
                throw exception;
            });
            assertThat(failures.last()).isSameAs(exception);
            failures.guard(() -> {
                throw error;
            });
            assertThat(failures.last()).isSameAs(error);
            assertThat(log.atLeast(Level.ERROR)).hasSize(2);
            assertThat(log.withTrace()).hasSize(2);
        }
        assertThat(failures.count()).isEqualTo(2);
    }
}
