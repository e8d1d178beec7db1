package io.sluicemq.dist;

import io.sluicemq.server.Serve;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;

import picocli.CommandLine.Spec;

/**
 * {@code sluicemq serve}: runs a broker on the thread of the command line until the process is told to end.
 *
 * <p>Exit codes: 0 it was told to end, 1 it could not start (one line says why), 2 a wrong option or configuration.
 */
@Command(
        name = "serve",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Run a broker until Ctrl-C or SIGTERM.",
        footer = {
            "",
            "It prints one line when it is ready; its log goes to standard error.",
            "An option given here wins over an environment variable, such as SLUICEMQ__LIMITS__HEARTBEAT=30s for the key",
            "limits.heartbeat, and that over the configuration file. docs/configuration.md lists all keys, and",
            "'sluicemq config explain KEY' tells what one is.",
            "",
            "  sluicemq serve                             127.0.0.1:5672, data in ./data",
            "  sluicemq serve --port 0 --data /tmp/try    any free port",
            "  sluicemq serve --config /etc/sluicemq.yaml",
            "  sluicemq serve --set limits.message-memory=1GiB"
        })
final class ServeCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Mixin
    private ConfigSelection selection;

    @Override
    public Integer call() {
        return Serve.run(
                selection.options(),
                spec.commandLine().getOut(),
                spec.commandLine().getErr());
    }
}
