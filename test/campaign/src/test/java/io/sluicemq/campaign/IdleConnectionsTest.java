package io.sluicemq.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** A tenth of what {@code bin/idle-connections} opens. */
class IdleConnectionsTest {

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    private int run(String... arguments) {
        return new CommandLine(new IdleConnections(new PrintStream(printed, true, StandardCharsets.UTF_8)))
                .execute(arguments);
    }

    @Test
    void shouldKeepIdleConnectionsCheapAndQuick() {
        // the time is what a machine under load may add; bin/idle-connections asks for 100 ms
        int exit = run("--connections", "100", "--messages", "200", "--max-heap-mib", "30", "--max-millis", "1000");
        assertThat(exit).as("what it printed: %s", printed.toString(StandardCharsets.UTF_8)).isZero();
    }

    @Test
    void shouldFailAboveALimit() {
        assertThat(run("--connections", "1", "--channels", "1", "--messages", "1", "--max-heap-mib", "1")).isEqualTo(1);
        assertThat(printed.toString(StandardCharsets.UTF_8)).contains("Above a limit.");
    }
}
