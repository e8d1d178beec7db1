package io.sluicemq.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Ten seconds of what {@code bin/random-operations} does for as long as asked. */
class RandomOperationsTest {

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    private int run(String... arguments) {
        return new CommandLine(new RandomOperations(new PrintStream(printed, true, StandardCharsets.UTF_8)))
                .execute(arguments);
    }

    @Test
    void shouldLeaveNothingBehindAfterRandomOperations() {
        int exit = run("--seconds", "10");
        assertThat(exit).as("what it printed: %s", printed.toString(StandardCharsets.UTF_8)).isZero();
        assertThat(printed.toString(StandardCharsets.UTF_8)).contains("--seed ", "publish", "cut connection",
                "drained");
    }

    @Test
    void shouldFailAtABrokerThatIsNotThere() {
        assertThat(run("--seconds", "1", "--clients", "1", "--uri", "amqp://127.0.0.1:1")).isEqualTo(1);
        assertThat(printed.toString(StandardCharsets.UTF_8)).contains("FAULT: ");
    }
}
