package io.sluicemq.cli.operate;

import io.sluicemq.cli.http.Api;
import io.sluicemq.cli.http.BrokerAccess;
import io.sluicemq.cli.text.Printable;
import io.sluicemq.cli.text.Structured;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ObjectNode;

/** {@code sluicemq limit}: sets limits of addresses while the broker runs. Runs on the thread of the command line. */
@Command(
        name = "limit",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Set limits of addresses, at once, until the broker reads its configuration again.",
        footer = {
            "",
            "Names and values are those of address-settings in the configuration. What is not named stays.",
            "",
            "  sluicemq limit orders max-size-bytes=20MiB address-full-policy=block",
            "  sluicemq limit 'orders.#' max-messages=100000"
        })
public final class LimitCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "PATTERN", description = "An address, or a pattern of addresses.")
    private String match;

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "NAME=VALUE", description = "A limit and its value.")
    private Map<String, String> limits;

    @Mixin
    private BrokerAccess broker;

    @Override
    public Integer call() {
        return broker.ask(api -> {
            ObjectNode body = Structured.object();
            limits.forEach(body::put);
            api.put(Api.path("address-settings", match), body);
            spec.commandLine().getErr().println(Printable.text("for " + match + ": " + limits.entrySet().stream()
                    .map(each -> each.getKey() + "=" + each.getValue())
                    .collect(Collectors.joining(" "))));
            return 0;
        });
    }
}
