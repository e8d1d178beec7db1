package io.sluicemq.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class MainTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void shouldTellItsVersion() {
        assertThat(run("--version")).isZero();
        assertThat(out.toString())
                .matches("SluiceMQ \\d+\\.\\d+\\.\\d+\\S* \\(Java " + Runtime.version().feature() + ".*\\)\\R");
    }

    @Test
    void shouldListItsCommands() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString()).contains("serve", "bench");
    }

    @Test
    void shouldAnswerAWrongCommandLineInTwoLines() {
        assertThat(run("--nonsense")).isEqualTo(2);
        assertThat(err.toString().lines())
                .containsExactly("sluicemq: Unknown option: '--nonsense'", "Run 'sluicemq --help' for the options.");
    }

    @Test
    void shouldMissACommand() {
        assertThat(run()).isEqualTo(2);
        assertThat(err.toString()).startsWith("sluicemq: a command is missing");
    }

    private int run(String... arguments) {
        return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), arguments);
    }
}
