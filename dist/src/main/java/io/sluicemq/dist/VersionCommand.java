package io.sluicemq.dist;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sluicemq version}: as {@code --version}. Runs on the thread of the command line. */
@Command(name = "version", mixinStandardHelpOptions = true, description = "Say which version this is.")
final class VersionCommand implements Runnable {

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        spec.root().commandLine().printVersionHelp(spec.commandLine().getOut());
    }
}
