package io.sluicemq.cli.operate;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluicemq completion}: prints a script that has a shell complete commands and options. Runs on the thread of the command line. */
@Command(
        name = "completion",
        mixinStandardHelpOptions = true,
        description = "Print a script for completion in bash or zsh.",
        footer = {
            "",
            "  . <(sluicemq completion bash)                   for this shell",
            "  sluicemq completion bash > /etc/bash_completion.d/sluicemq"
        })
public final class CompletionCommand implements Callable<Integer> {

    /** One script serves both. */
    enum Shell {
        BASH, ZSH;

        @Override
        public String toString() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}.")
    private Shell shell;

    @Override
    public Integer call() {
        CommandLine all = spec.root().commandLine();
        spec.commandLine().getOut().print(AutoComplete.bash(spec.root().name(), all));
        spec.commandLine().getOut().flush();
        return 0;
    }
}
