package io.sluicemq.cli.operate;

import io.sluicemq.cli.http.Api;
import io.sluicemq.cli.http.ApiRefused;
import io.sluicemq.cli.http.BrokerAccess;
import io.sluicemq.cli.text.Structured;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ObjectNode;

/** {@code sluicemq move}: moves a queue's messages elsewhere. Runs on the thread of the command line. */
@Command(
        name = "move",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Move a queue's ready messages to another queue or an exchange.",
        footer = {
            "",
            "A message is always in exactly one of both. Those are moved that are there at the beginning; it says",
            "how far it is. It ends with 1 if something has stopped it.",
            "",
            "  sluicemq move orders --to orders.old",
            "  sluicemq move orders --exchange events --key orders.again --count 100"
        })
public final class MoveCommand implements Callable<Integer> {

    private static final int TIMEOUT = 503;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "QUEUE", description = "Where they are.")
    private String queue;

    @Option(names = "--to", paramLabel = "QUEUE", description = "The queue they go to.")
    private String to;

    @Option(names = "--exchange", paramLabel = "EXCHANGE", description = "Or the exchange they go to.")
    private String exchange;

    @Option(names = "--key", paramLabel = "KEY", description = "With this routing key (default: none).")
    private String key;

    @Option(names = "--count", paramLabel = "N", description = "No more than so many (default: all).")
    private Long count;

    @Mixin
    private OutputForm output;

    @Mixin
    private BrokerAccess broker;

    @Override
    public Integer call() {
        if ((to == null) == (exchange == null) || key != null && exchange == null) {
            throw new ParameterException(
                    spec.commandLine(), "expected either --to QUEUE, or --exchange EXCHANGE and --key KEY");
        }
        if (count != null && count < 1) {
            throw new ParameterException(spec.commandLine(), "--count is " + count + ": expected at least 1");
        }
        if (queue.equals(to)) {
            throw new ParameterException(
                    spec.commandLine(), "the messages are in " + to + " already: expected another queue");
        }
        return broker.ask(api -> {
            ObjectNode body = Structured.object();
            if (to != null) {
                api.get(Api.path("queues", api.virtualHost(), to)); // a wrong name is told as such
                body.put("queue", to);
            } else {
                body.put("exchange", exchange).put("routing_key", key == null ? "" : key);
            }
            PrintWriter err = spec.commandLine().getErr();
            try (WaitWatch watch = new WaitWatch(api.access(), to, "", err, WaitWatch.PATIENCE)) {
                watch.begin();
                MovingRounds.Moved moved = MovingRounds.run(
                        api, queue, Api.path("queues", api.virtualHost(), queue, "move"), body,
                        count == null ? Long.MAX_VALUE : count, new Progress(err));
                watch.end();
                return moved.finish(spec, output, "moved");
            } catch (ApiRefused e) {
                throw e.getMessage().contains(" room") || e.status() == TIMEOUT
                        ? new ApiRefused(e.status(), e.getMessage()
                                + ": if not all fit in there, --count N moves no more than so many")
                        : e;
            }
        });
    }
}
