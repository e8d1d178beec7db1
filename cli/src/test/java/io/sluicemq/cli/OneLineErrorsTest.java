package io.sluicemq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.cli.operate.DeclareCommand;
import io.sluicemq.cli.operate.DescribeCommand;
import io.sluicemq.cli.operate.GetCommand;
import io.sluicemq.cli.operate.ReceiveCommand;
import io.sluicemq.cli.operate.SendCommand;
import io.sluicemq.cli.operate.StatusCommand;
import io.sluicemq.cli.operate.TopCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What people are told whose command line is wrong: nothing in it is the library's, and no broker is asked. */
class OneLineErrorsTest {

    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "get --srot depth queues         | there is no option --srot, did you mean --sort?",
        "get --nonsense=5 queues         | there is no option --nonsense",
        "status -z                       | there is no option -z",
        "get                             | KIND is missing",
        "get queues a b                  | 'b' is more than is expected: KIND NAME",
        "get queues --limit x            | --limit is 'x': expected a whole number",
        "get queues --limit              | --limit lacks its value: expected N",
        "get queues -o jsn               | --output is 'jsn': expected table, wide, json or yaml, did you mean json?",
        "get teapots                     | KIND: there are no 'teapots'",
        "get qeues                       | did you mean queues?",
        "get orders                      | such as 'sluicemq get queue orders'",
        "describe orders                 | such as 'sluicemq describe queue orders'",
        "describe users guest            | users are not described",
        "describe queue                  | NAME is missing",
        "top --interval soon             | --interval is 'soon': expected a number",
        "receive q --outcome keep        | --outcome is 'keep': expected accept, requeue or reject",
        "receive q --amqp here           | --amqp: 'here': expected HOST:PORT, amqp://HOST:PORT or amqps://HOST:PORT",
        "receive q --count 1 --count 2   | --count is said twice",
        "send q x -H cups                | --header is 'cups': expected NAME=VALUE",
        "send q x -p contenttype=a       | there is no property contenttype, did you mean content_type?",
        "declare qeue a                  | no command 'qeue', did you mean queue?",
        "declare teapot a                | no command 'teapot': expected binding, exchange or queue",
        "status --user                   | --user lacks its value: expected NAME"
    })
    void shouldSayWhatIsWrongInTheWordsOfWhoHasTypedIt(String line, String said) {
        assertThat(run(line.strip())).as(err.toString()).isEqualTo(2);

        assertThat(err.toString()).contains(said).endsWith("--help' for the "
                + (line.startsWith("declare") ? "commands." : "options.") + "\n");
        assertThat(err.toString()).doesNotContain("index", "Unmatched", "parameter", "java.", "[");
        assertThat(err.toString().lines()).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"status --password s3cret", "status --password=s3cret", "get --password s3cret queues"})
    void shouldNeverSayAPasswordAgain(String line) {
        assertThat(run(line)).isEqualTo(2);

        assertThat(err.toString()).contains("--password-file").contains("SLUICEMQ_PASSWORD").doesNotContain("s3cret");
    }

    @Test
    void shouldPrintNothingThatSteersATerminal() {
        assertThat(run("get \u001b[2J")).isEqualTo(2);

        assertThat(err.toString()).contains("\\u001b").doesNotContain("\u001b");
    }

    private int run(String line) {
        return new CommandLine(CommandLine.Model.CommandSpec.create().name("sluicemq"))
                .addSubcommand("declare", new DeclareCommand())
                .addSubcommand("describe", new DescribeCommand())
                .addSubcommand("get", new GetCommand())
                .addSubcommand("receive", new ReceiveCommand())
                .addSubcommand("send", new SendCommand())
                .addSubcommand("status", new StatusCommand())
                .addSubcommand("top", new TopCommand())
                .setErr(new PrintWriter(err, true))
                .setParameterExceptionHandler(new OneLineErrors())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(line.split(" "));
    }
}
