package io.sluicemq.cli.operate;

import io.sluicemq.base.option.Nearest;
import io.sluicemq.cli.http.Api;
import io.sluicemq.cli.http.ApiRefused;
import io.sluicemq.cli.http.BrokerAccess;
import io.sluicemq.cli.text.Printable;
import io.sluicemq.cli.text.Structured;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ObjectNode;

/** {@code sluicemq declare}: makes queues, exchanges and bindings. Runs on the thread of the command line. */
@Command(
        name = "declare",
        mixinStandardHelpOptions = true,
        description = "Make a queue, an exchange or a binding.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "What is there already and is the same is left as it is; what is different is refused.",
            "",
            "  sluicemq declare queue orders -a x-dead-letter-exchange=rejected -a x-max-length=10000",
            "  sluicemq declare exchange events --type topic",
            "  sluicemq declare binding events orders --key 'orders.#'"
        })
public final class DeclareCommand implements Runnable {

    private static final List<String> TYPES = List.of("direct", "fanout", "topic", "headers");
    private static final String ARGUMENT = "An argument, a number if it reads as one; may be given again.";

    @Spec
    private CommandSpec spec;

    /** Without a subcommand there is nothing to do. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing: queue, exchange or binding");
    }

    @Command(name = "queue", mixinStandardHelpOptions = true, sortOptions = false,
            description = "Make a queue, durable unless told otherwise.",
            footer = {
                "",
                "  sluicemq declare queue orders",
                "  sluicemq declare queue orders.old --transient -a x-max-length=10000"
            })
    int queue(
            @Parameters(paramLabel = "NAME", description = "What it is called.") String name,
            @Option(names = "--transient", description = "It goes when the broker stops.") boolean goes,
            @Option(names = "--auto-delete", description = "It goes with its last consumer.") boolean autoDelete,
            @Option(names = {"-a", "--argument"}, paramLabel = "NAME=VALUE", description = ARGUMENT) Map<String,
                    String> arguments,
            @Mixin BrokerAccess broker) {
        return broker.ask(api -> {
            ObjectNode body = Structured.object().put("durable", !goes).put("auto_delete", autoDelete);
            body.set("arguments", TypedValue.object(arguments));
            boolean made = api.make(Api.path("queues", api.virtualHost(), name), body);
            return say("queue " + name + (made ? " is made" : " was there"));
        });
    }

    @Command(name = "exchange", mixinStandardHelpOptions = true, sortOptions = false,
            description = "Make an exchange, durable unless told otherwise.",
            footer = {"", "  sluicemq declare exchange events --type topic"})
    int exchange(
            @Parameters(paramLabel = "NAME", description = "What it is called.") String name,
            @Option(names = "--type", defaultValue = "direct", paramLabel = "TYPE",
                    description = "direct, fanout, topic or headers (default: ${DEFAULT-VALUE}).") String type,
            @Option(names = "--transient", description = "It goes when the broker stops.") boolean goes,
            @Option(names = "--auto-delete", description = "It goes with its last binding.") boolean autoDelete,
            @Option(names = "--internal", description = "Only other exchanges reach it.") boolean internal,
            @Option(names = {"-a", "--argument"}, paramLabel = "NAME=VALUE", description = ARGUMENT) Map<String,
                    String> arguments,
            @Mixin BrokerAccess broker) {
        return broker.ask(api -> {
            ObjectNode body = Structured.object()
                    .put("type", type)
                    .put("durable", !goes)
                    .put("auto_delete", autoDelete)
                    .put("internal", internal);
            body.set("arguments", TypedValue.object(arguments));
            boolean made;
            try {
                made = api.make(Api.path("exchanges", api.virtualHost(), name), body);
            } catch (ApiRefused e) {
                throw e.getMessage().startsWith("unknown exchange type")
                        ? new ApiRefused(e.status(), e.getMessage() + ": expected one of " + String.join(", ", TYPES)
                                + Nearest.of(type, TYPES).map(nearest -> ", did you mean " + nearest + "?").orElse(""))
                        : e;
            }
            return say("exchange " + name + (made ? " is made" : " was there"));
        });
    }

    @Command(name = "binding", mixinStandardHelpOptions = true, sortOptions = false,
            description = "Have an exchange send to a queue or another exchange.",
            footer = {
                "",
                "  sluicemq declare binding events orders --key 'orders.#'",
                "  sluicemq declare binding events audit --to-exchange"
            })
    int binding(
            @Parameters(index = "0", paramLabel = "EXCHANGE", description = "Where it begins.") String source,
            @Parameters(index = "1", paramLabel = "QUEUE", description = "Where it leads.") String destination,
            @Option(names = "--key", defaultValue = "", paramLabel = "KEY",
                    description = "The routing key, or a pattern for those of a topic (default: none).") String key,
            @Option(names = "--to-exchange", description = "It leads to an exchange.") boolean toExchange,
            @Option(names = {"-a", "--argument"}, paramLabel = "NAME=VALUE", description = ARGUMENT) Map<String,
                    String> arguments,
            @Mixin BrokerAccess broker) {
        return broker.ask(api -> {
            ObjectNode body = Structured.object().put("routing_key", key);
            body.set("arguments", TypedValue.object(arguments));
            api.post(Bindings.path(api, source, destination, toExchange), body);
            return say("the binding from " + source + " to " + destination + " is there");
        });
    }

    private int say(String done) {
        spec.commandLine().getErr().println(Printable.text(done));
        return 0;
    }
}
