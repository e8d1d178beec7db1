package io.sluicemq.dist;

import io.sluicemq.server.InspectConfig;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code sluicemq config}: looks at a configuration without starting a broker. Runs on the main thread; changes nothing.
 *
 * <p>Exit codes: 0 it is valid, 2 a wrong option, or it is not (one line for each mistake).
 */
@Command(
        name = "config",
        mixinStandardHelpOptions = true,
        description = "Check and explain configurations.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {"",
            "'sluicemq config COMMAND --help' lists the options of a command; docs/configuration.md has all keys."})
final class ConfigCommand implements Runnable {

    @Spec
    private CommandSpec spec;

    /** Without a subcommand there is nothing to do. */
    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "a command is missing: check, explain, show-effective or schema");
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }

    @Command(
            name = "check",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Tell all that is wrong with a configuration, as a start would.",
            footer = {
                "",
                "Reads the files of certificates and keys, too. Opens no port and touches no data folder.",
                "Exit codes: 0 it is valid, 2 it is not; then a line for each mistake: file, line, column, what was expected.",
                "",
                "  sluicemq config check --config /etc/sluicemq.yaml"
            })
    int check(@Mixin ConfigSelection selection) {
        return InspectConfig.check(selection.options(), out(), err());
    }

    @Command(
            name = "explain",
            mixinStandardHelpOptions = true,
            description = "Tell what a key is, what it may hold and when a change of it holds.",
            footer = {"", "  sluicemq config explain", "  sluicemq config explain limits.heartbeat"})
    int explain(
            @Parameters(paramLabel = "KEY", defaultValue = "",
                    description = "Such as limits.heartbeat; all if left out.") String key) {
        return InspectConfig.explain(key, out(), err());
    }

    @Command(
            name = "show-effective",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Print all that a configuration comes to, with the place where each value was written.",
            footer = {
                "",
                "Values without a place are defaults. Secrets are left out.",
                "",
                "  sluicemq config show-effective --config /etc/sluicemq.yaml"
            })
    int showEffective(@Mixin ConfigSelection selection) {
        return InspectConfig.showEffective(selection.options(), out(), err());
    }

    @Command(
            name = "schema",
            mixinStandardHelpOptions = true,
            description = "Print the JSON Schema of the configuration file, by which editors complete and check it.",
            footer = {"", "The archive has it as conf/sluicemq.schema.json."})
    int schema() {
        return InspectConfig.schema(out());
    }
}
