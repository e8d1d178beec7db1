package io.sluicemq.cli.operate;

import io.sluicemq.cli.http.Api;
import io.sluicemq.cli.http.ApiRefused;
import io.sluicemq.cli.http.BrokerAccess;
import io.sluicemq.cli.text.Printable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** {@code sluicemq delete}: deletes queues, exchanges and bindings. Runs on the thread of the command line. */
@Command(
        name = "delete",
        mixinStandardHelpOptions = true,
        description = "Delete a queue, an exchange or a binding.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Nothing is asked before: a queue's messages go with it.",
            "",
            "  sluicemq delete queue orders --if-empty",
            "  sluicemq delete exchange events --if-unused",
            "  sluicemq delete binding events orders --key 'orders.#'"
        })
public final class DeleteCommand implements Runnable {

    @Spec
    private CommandSpec spec;

    /** Without a subcommand there is nothing to do. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing: queue, exchange or binding");
    }

    @Command(name = "queue", mixinStandardHelpOptions = true, sortOptions = false,
            description = "Delete a queue with its messages.",
            footer = {"", "  sluicemq delete queue orders --if-empty --if-unused"})
    int queue(
            @Parameters(paramLabel = "NAME", description = "Which one.") String name,
            @Option(names = "--if-empty", description = "Only if it has no messages.") boolean ifEmpty,
            @Option(names = "--if-unused", description = "Only if it has no consumers.") boolean ifUnused,
            @Mixin BrokerAccess broker) {
        return broker.ask(api -> {
            Map<String, String> query = new LinkedHashMap<>();
            if (ifEmpty) {
                query.put("if-empty", "true");
            }
            if (ifUnused) {
                query.put("if-unused", "true");
            }
            api.delete(Api.path("queues", api.virtualHost(), name), query, Map.of());
            return say("queue " + name + " is deleted");
        });
    }

    @Command(name = "exchange", mixinStandardHelpOptions = true, sortOptions = false,
            description = "Delete an exchange and its bindings.",
            footer = {"", "  sluicemq delete exchange events --if-unused"})
    int exchange(
            @Parameters(paramLabel = "NAME", description = "Which one.") String name,
            @Option(names = "--if-unused", description = "Only if no binding leads away from it.") boolean ifUnused,
            @Mixin BrokerAccess broker) {
        return broker.ask(api -> {
            api.delete(
                    Api.path("exchanges", api.virtualHost(), name),
                    ifUnused ? Map.of("if-unused", "true") : Map.of(), Map.of());
            return say("exchange " + name + " is deleted");
        });
    }

    @Command(name = "binding", mixinStandardHelpOptions = true, sortOptions = false,
            description = "Delete a binding.",
            footer = {"", "  sluicemq delete binding events orders --key 'orders.#'"})
    int binding(
            @Parameters(index = "0", paramLabel = "EXCHANGE", description = "Where it begins.") String source,
            @Parameters(index = "1", paramLabel = "QUEUE", description = "Where it leads.") String destination,
            @Option(names = "--key", defaultValue = "", paramLabel = "KEY",
                    description = "Its routing key (default: none).") String key,
            @Option(names = "--to-exchange", description = "It leads to an exchange.") boolean toExchange,
            @Option(names = {"-a", "--argument"}, paramLabel = "NAME=VALUE",
                    description = "Its arguments, needed if others have the same key; may be given again.") Map<String,
                            String> arguments,
            @Mixin BrokerAccess broker) {
        return broker.ask(api -> {
            String path = Bindings.path(api, source, destination, toExchange);
            List<JsonNode> found = api.get(path).valueStream()
                    .filter(each -> each.path("routing_key").asString().equals(key))
                    .filter(each -> arguments == null || each.path("arguments").equals(TypedValue.object(arguments)))
                    .toList();
            if (found.isEmpty()) {
                throw new ApiRefused(404, "no such binding from '" + source + "' to '" + destination + "'");
            }
            if (found.size() > 1) {
                throw new ApiRefused(400, found.size() + " bindings have this key: say the arguments of the one by -a");
            }
            String id = found.getFirst().path("properties_key").asString();
            api.delete(path + Api.path(id).substring("/api".length()), Map.of(), Map.of());
            return say("the binding from " + source + " to " + destination + " is deleted");
        });
    }

    private int say(String done) {
        spec.commandLine().getErr().println(Printable.text(done));
        return 0;
    }
}
