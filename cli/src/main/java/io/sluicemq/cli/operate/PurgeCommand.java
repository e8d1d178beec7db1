package io.sluicemq.cli.operate;

import io.sluicemq.cli.http.Api;
import io.sluicemq.cli.http.BrokerAccess;
import io.sluicemq.cli.text.Printable;
import io.sluicemq.cli.text.Units;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluicemq purge}. Runs on the thread of the command line. */
@Command(
        name = "purge",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Drop a queue's ready messages.",
        footer = {
            "",
            "Those that consumers hold stay. It can't be undone; 'sluicemq browse' shows them before.",
            "",
            "  sluicemq purge orders.old"
        })
public final class PurgeCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "QUEUE", description = "Which one.")
    private String queue;

    @Mixin
    private BrokerAccess broker;

    @Override
    public Integer call() {
        return broker.ask(api -> {
            String path = Api.path("queues", api.virtualHost(), queue);
            long ready = api.get(path).path("messages_ready").asLong();
            api.delete(path + "/contents", Map.of(), Map.of());
            spec.commandLine().getErr().println(Printable.text(
                    "queue " + queue + " is purged; it had " + Units.count(ready, "ready message")));
            return 0;
        });
    }
}
