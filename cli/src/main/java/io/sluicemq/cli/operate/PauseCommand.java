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

/** {@code sluicemq pause}. Runs on the thread of the command line. */
@Command(
        name = "pause",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Stop a queue's deliveries.",
        footer = {
            "",
            "Publishing goes on. 'sluicemq resume' ends it, and so does a restart of the broker.",
            "",
            "  sluicemq pause orders"
        })
public final class PauseCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "QUEUE", description = "Which one.")
    private String queue;

    @Mixin
    private BrokerAccess broker;

    @Override
    public Integer call() {
        return broker.ask(api -> {
            api.post(Api.path("queues", api.virtualHost(), queue, "pause"), Structured.object());
            spec.commandLine().getErr().println(Printable.text("queue " + queue + " is paused"));
            return 0;
        });
    }
}
