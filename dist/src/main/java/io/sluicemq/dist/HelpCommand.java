package io.sluicemq.dist;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** {@code sluicemq help}: says how a command is used, as its {@code --help} does. Runs on the thread of the command line. */
@Command(
        name = "help",
        mixinStandardHelpOptions = true,
        description = "Say how a command is used.",
        footer = {"", "  sluicemq help declare queue"})
final class HelpCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(arity = "0..*", paramLabel = "COMMAND", description = "Which one (default: all, in a line each).")
    private List<String> words = List.of();

    @Override
    public Integer call() {
        CommandLine at = spec.root().commandLine();
        for (String word : words) {
            CommandLine next = at.getSubcommands().get(word);
            if (next == null) {
                throw new UnmatchedArgumentException(at, List.of(word));
            }
            at = next;
        }
        at.usage(spec.commandLine().getOut());
        return 0;
    }
}
