package io.sluicemq.dist;

import io.sluicemq.cli.BenchCommand;
import io.sluicemq.cli.OneLineErrors;
import io.sluicemq.cli.admin.AddressesCommand;
import io.sluicemq.cli.admin.ReloadCommand;
import io.sluicemq.cli.admin.WhyCommand;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command {@code sluicemq}. Holds only its subcommands; runs on the main thread.
 *
 * <p>Exit codes: 0 all went well, 1 it did not (one line on standard error says why), 2 the command line is wrong.
 */
@Command(
        name = "sluicemq",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = "SluiceMQ, a message broker in which flow control is the design.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            ServeCommand.class,
            UserCommand.class,
            ReloadCommand.class,
            WhyCommand.class,
            AddressesCommand.class,
            BenchCommand.class,
            ConfigCommand.class,
            LogCommand.class,
            PrepareCommand.class
        },
        footer = {"", "'sluicemq COMMAND --help' lists the options of a command."})
public final class Main implements Runnable {

    @Spec
    private CommandSpec spec;

    /** Runs the command that {@code arguments} name and ends the process with its exit code. */
    public static void main(String[] arguments) {
        System.exit(run(new PrintWriter(System.out, true), new PrintWriter(System.err, true), arguments));
    }

    static int run(PrintWriter out, PrintWriter err, String... arguments) {
        return new CommandLine(new Main())
                .setOut(out)
                .setErr(err)
                .setParameterExceptionHandler(new OneLineErrors())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(arguments);
    }

    /** Without a subcommand there is nothing to do. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }
}
