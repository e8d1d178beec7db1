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
        assertThat(out.toString()).contains("serve", "user", "reload", "why", "addresses", "bench", "log");
    }

    @Test
    void shouldAnswerAWrongCommandLineInTwoLines() {
        assertThat(run("--nonsense")).isEqualTo(2);
        assertThat(err.toString().lines())
                .containsExactly("sluicemq: there is no option --nonsense", "Run 'sluicemq --help' for the commands.");
    }

    @Test
    void shouldKnowHelpAndVersionAsCommands() {
        assertThat(run("version")).isZero();
        assertThat(out.toString()).startsWith("SluiceMQ ");
        out.getBuffer().setLength(0);
        assertThat(run("help")).isZero();
        assertThat(out.toString()).startsWith("Usage: sluicemq ").contains("serve", "receive");
        out.getBuffer().setLength(0);
        assertThat(run("help", "declare", "queue")).isZero();
        assertThat(out.toString()).startsWith("Usage: sluicemq declare queue ");
        assertThat(run("help", "declare", "qeue")).isEqualTo(2);
        assertThat(err.toString()).startsWith("sluicemq declare: no command 'qeue', did you mean queue?");
    }

    @Test
    void shouldSayWhichCommandWasProbablyMeant() {
        assertThat(run("stauts")).isEqualTo(2);
        assertThat(run("teapot", "--password", "x")).isEqualTo(2);
        assertThat(err.toString().lines().toList().getFirst())
                .isEqualTo("sluicemq: no command 'stauts', did you mean status?");
    }

    @Test
    void shouldHelpFirstWithWhatIsACommandsOwn() {
        assertThat(run("get", "--help")).isZero();
        assertThat(out.toString().lines().toList()).startsWith("Usage: sluicemq get [OPTIONS] KIND [NAME]")
                .containsSubsequence(
                        "  -A, --all-vhosts           Those of all virtual hosts.",
                        "  -h, --help                 Show this help message and exit.", "Which broker, and who asks:",
                        "                             ~/.config/sluicemq/cli.yaml).", "",
                        "  sluicemq get queues --sort depth --reverse --limit 10")
                .allMatch(line -> line.length() <= 80);
        out.getBuffer().setLength(0);
        assertThat(run("receive", "--help")).isZero();
        assertThat(out.toString()).contains("prints\nan object a line. A message is").doesNotContain("\n\n\n");
    }

    @Test
    void shouldMissACommand() {
        assertThat(run()).isEqualTo(2);
        assertThat(err.toString()).startsWith("sluicemq: a command is missing");
    }

    @Test
    void shouldHelpWithTheLog() {
        assertThat(run("log", "--help")).isZero();
        assertThat(out.toString()).contains("verify", "dump");
        assertThat(run("log", "verify", "--help")).isZero();
        assertThat(out.toString()).contains("Usage: sluicemq log verify [-hV] DIR");
        assertThat(run("log", "dump", "--help")).isZero();
        assertThat(out.toString()).contains("--from=POSITION", "--payload");
    }

    @Test
    void shouldMissACommandOfTheLogAndAFolder() {
        assertThat(run("log")).isEqualTo(2);
        assertThat(run("log", "verify")).isEqualTo(2);
        assertThat(err.toString().lines())
                .containsExactly(
                        "sluicemq log: a command is missing: verify or dump",
                        "Run 'sluicemq log --help' for the commands.",
                        "sluicemq log verify: DIR is missing",
                        "Run 'sluicemq log verify --help' for the options.");
    }

    @Test
    void shouldTakePositionsWithoutOctalOnes() {
        assertThat(new LogCommand.Position().convert("0x4000000")).isEqualTo(0x4000000);
        assertThat(new LogCommand.Position().convert("0000010")).isEqualTo(10);
        for (String wrong : new String[] {"-1", "0x", "4g", ""}) {
            assertThat(run("log", "dump", "none", "--from", wrong)).as(wrong).isEqualTo(2);
            assertThat(err.toString()).contains("'" + wrong + "' is no position: expected a decimal number");
        }
    }

    private int run(String... arguments) {
        return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), arguments);
    }
}
