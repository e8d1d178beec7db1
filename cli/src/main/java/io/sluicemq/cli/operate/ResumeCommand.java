package io.sluicemq.cli.operate;

import io.sluicemq.cli.http.Api;
import io.sluicemq.cli.http.BrokerAccess;
import io.sluicemq.cli.text.Printable;
import io.sluicemq.cli.text.Structured;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluicemq resume}. Runs on the thread of the command line. */
@Command(
        name = "resume",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Let a paused queue deliver again.",
        footer = {"", "What 'sluicemq pause' has stopped.", "", "  sluicemq resume orders"})
public final class ResumeCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "QUEUE", description = "Which one.")
    private String queue;

    @Mixin
    private BrokerAccess broker;

    @Override
    public Integer call() {
        return broker.ask(api -> {
            api.post(Api.path("queues", api.virtualHost(), queue, "resume"), Structured.object());
            spec.commandLine().getErr().println(Printable.text("queue " + queue + " delivers again"));
            return 0;
        });
    }
}
