package io.sluicemq.cli.operate;

import io.sluicemq.cli.http.Api;
import io.sluicemq.cli.http.BrokerAccess;
import io.sluicemq.cli.text.Printable;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluicemq close connection}: closes a client's connection. Runs on the thread of the command line. */
@Command(
        name = "close",
        mixinStandardHelpOptions = true,
        description = "Close a connection.",
        synopsisSubcommandLabel = "COMMAND")
public final class CloseCommand implements Runnable {

    @Spec
    private CommandSpec spec;

    /** Without a subcommand there is nothing to do. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing: connection");
    }

    @Command(
            name = "connection",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Close a client's connection. It may come back at once.",
            footer = {
                "",
                "  sluicemq close connection 10.1.2.3:59118 --reason 'please upgrade'"
            })
    int connection(
            @Parameters(paramLabel = "NAME", description = "Its name, or a part of it that no other has.") String name,
            @Option(names = "--reason", paramLabel = "TEXT", description = "What its client is told.") String reason,
            @Mixin BrokerAccess broker) {
        if (reason != null && !reason.matches("[\\x20-\\x7e]{1,200}")) {
            throw new ParameterException(
                    spec.subcommands().get("connection"), "--reason: expected 1 to 200 characters of ASCII");
        }
        return broker.ask(api -> {
            String full = ConnectionName.find(api, name).path("name").asString();
            api.delete(Api.path("connections", full), Map.of(), reason == null ? Map.of() : Map.of("X-Reason", reason));
            spec.commandLine().getErr().println(Printable.text("connection " + full + " is closed"));
            return 0;
        });
    }
}
