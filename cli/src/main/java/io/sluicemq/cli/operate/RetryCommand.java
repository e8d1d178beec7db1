package io.sluicemq.cli.operate;

import io.sluicemq.cli.http.Api;
import io.sluicemq.cli.http.BrokerAccess;
import io.sluicemq.cli.text.Structured;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluicemq retry}: sends dead letters back. Runs on the thread of the command line. */
@Command(
        name = "retry",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Send a queue's dead letters back to where they died.",
        footer = {
            "",
            "Messages that never died stay where they are.",
            "",
            "  sluicemq retry orders.dead --count 10"
        })
public final class RetryCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "QUEUE", description = "Where the dead letters are.")
    private String queue;

    @Option(names = "--count", paramLabel = "N", description = "No more than so many (default: all).")
    private Long count;

    @Mixin
    private OutputForm output;

    @Mixin
    private BrokerAccess broker;

    @Override
    public Integer call() {
        if (count != null && count < 1) {
            throw new ParameterException(spec.commandLine(), "--count is " + count + ": expected at least 1");
        }
        return broker.ask(api -> MovingRounds.run(
                api, queue, Api.path("queues", api.virtualHost(), queue, "retry"), Structured.object(),
                count == null ? Long.MAX_VALUE : count, new Progress(spec.commandLine().getErr()))
                .finish(spec, output, "sent back"));
    }
}
