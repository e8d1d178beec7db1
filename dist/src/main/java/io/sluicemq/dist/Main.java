package io.sluicemq.dist;

import io.sluicemq.cli.BenchCommand;
import io.sluicemq.cli.HelpText;
import io.sluicemq.cli.OneLineErrors;
import io.sluicemq.cli.admin.AddressesCommand;
import io.sluicemq.cli.admin.ReloadCommand;
import io.sluicemq.cli.admin.WhyCommand;
import io.sluicemq.cli.operate.BrowseCommand;
import io.sluicemq.cli.operate.CloseCommand;
import io.sluicemq.cli.operate.CompletionCommand;
import io.sluicemq.cli.operate.DeclareCommand;
import io.sluicemq.cli.operate.DeleteCommand;
import io.sluicemq.cli.operate.DescribeCommand;
import io.sluicemq.cli.operate.GetCommand;
import io.sluicemq.cli.operate.LimitCommand;
import io.sluicemq.cli.operate.MoveCommand;
import io.sluicemq.cli.operate.PauseCommand;
import io.sluicemq.cli.operate.PurgeCommand;
import io.sluicemq.cli.operate.ReceiveCommand;
import io.sluicemq.cli.operate.ResumeCommand;
import io.sluicemq.cli.operate.RetryCommand;
import io.sluicemq.cli.operate.SendCommand;
import io.sluicemq.cli.operate.StatusCommand;
import io.sluicemq.cli.operate.TopCommand;
import java.io.PrintWriter;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command {@code sluicemq}. Holds only its subcommands; runs on the main thread.
 *
 * <p>Exit codes: 0 all went well, 1 it did not (one line on standard error says why), 2 the command line is wrong, 3 of commands that ask a broker
 * over HTTP: none has answered.
 */
@Command(
        name = "sluicemq",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = "SluiceMQ, a message broker in which flow control is the design.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "  sluicemq serve                          a broker, until Ctrl-C",
            "  sluicemq declare queue orders",
            "  sluicemq send orders 'two espressos'",
            "  sluicemq get queues",
            "  sluicemq receive orders",
            "",
            "'sluicemq COMMAND --help' lists the options of a command."
        })
public final class Main implements Runnable {

    /** In the order in which they are listed. */
    private static final List<String> COMMANDS = List.of(
            "serve", "user", "status", "get", "describe", "top", "why", "addresses", "declare", "delete", "send",
            "receive", "browse", "purge", "move", "retry", "pause", "resume", "close", "limit", "reload",
            "bench", "config", "log", "prepare", "completion", "help", "version");

    /** Those that look at the others. */
    private static final Set<String> OF_ALL = Set.of("completion", "help");

    @Spec
    private CommandSpec spec;

    /** Runs the command that {@code arguments} name and ends the process with its exit code. */
    public static void main(String[] arguments) {
        System.exit(run(new PrintWriter(System.out, true), new PrintWriter(System.err, true), arguments));
    }

    static int run(PrintWriter out, PrintWriter err, String... arguments) {
        // A command that is named needs no other, and looking at all of them takes longer than most take to do their work.
        boolean named = arguments.length > 0 && COMMANDS.contains(arguments[0]) && !OF_ALL.contains(arguments[0]);
        return commandLine(named ? List.of(arguments[0]) : COMMANDS)
                .setOut(out)
                .setErr(err)
                .setParameterExceptionHandler(new OneLineErrors())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(arguments);
    }

    /** The command line with these of its commands. */
    static CommandLine commandLine(List<String> commands) {
        CommandLine main = new CommandLine(new Main());
        commands.forEach(name -> main.addSubcommand(name, command(name)));
        return HelpText.of(main);
    }

    /** The names of all commands. */
    static List<String> commands() {
        return COMMANDS;
    }

    private static Object command(String name) {
        return switch (name) {
            case "serve" -> new ServeCommand();
            case "user" -> new UserCommand();
            case "status" -> new StatusCommand();
            case "get" -> new GetCommand();
            case "describe" -> new DescribeCommand();
            case "top" -> new TopCommand();
            case "why" -> new WhyCommand();
            case "addresses" -> new AddressesCommand();
            case "declare" -> new DeclareCommand();
            case "delete" -> new DeleteCommand();
            case "send" -> new SendCommand();
            case "receive" -> new ReceiveCommand();
            case "browse" -> new BrowseCommand();
            case "purge" -> new PurgeCommand();
            case "move" -> new MoveCommand();
            case "retry" -> new RetryCommand();
            case "pause" -> new PauseCommand();
            case "resume" -> new ResumeCommand();
            case "close" -> new CloseCommand();
            case "limit" -> new LimitCommand();
            case "reload" -> new ReloadCommand();
            case "bench" -> new BenchCommand();
            case "config" -> new ConfigCommand();
            case "log" -> new LogCommand();
            case "prepare" -> new PrepareCommand();
            case "completion" -> new CompletionCommand();
            case "help" -> new HelpCommand();
            case "version" -> new VersionCommand();
            default -> throw new IllegalArgumentException("there is no command " + name);
        };
    }

    /** Without a subcommand there is nothing to do. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }
}
