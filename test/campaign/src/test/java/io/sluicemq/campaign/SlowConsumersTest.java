package io.sluicemq.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.campaign.slow.SlowConsumers;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** A short run of {@code bin/slow-consumers}. */
class SlowConsumersTest {

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    private int run(String... arguments) {
        return SlowConsumers.commandLine(new PrintStream(printed, true, StandardCharsets.UTF_8)).execute(arguments);
    }

    @Test
    void shouldShowWhatEachExperiencesUnderEachPolicy() {
        // the ratio is what a machine under load may leave; bin/slow-consumers asks for 0.9
        int exit = run("--seconds", "2", "--rate", "500", "--message-count", "200", "--slow-millis", "20",
                "--check-period-millis", "100", "--least-ratio", "0.3");
        String text = printed.toString(StandardCharsets.UTF_8);
        assertThat(exit).as("what it printed: %s", text).isZero();
        assertThat(text)
                .contains("delete: stocks.us.*", "cycle: stocks.us.*", "flow: stocks.us.*", "notify: stocks.us.*")
                .contains("was told '506 Consuming too slow.'").contains("All was right.");
    }

    @Test
    void shouldFailIfWhatIsToHappenDoesNot() {
        int exit = run("--policies", "notify", "--seconds", "1", "--rate", "100", "--message-count", "100000",
                "--check-period-millis", "200",
                "--least-ratio", "0");
        assertThat(exit).isEqualTo(1);
        assertThat(printed.toString(StandardCharsets.UTF_8)).contains("Wrong: notify: not so: it is found")
                .contains("Something was wrong.");
    }
}
