package io.sluicemq.dist;

import io.sluicemq.server.Serve;
import io.sluicemq.server.ServeOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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
            "An option given here wins over the configuration file.",
            "docs/configuration.md lists all that the file may hold.",
            "",
            "  sluicemq serve                             127.0.0.1:5672, data in ./data",
            "  sluicemq serve --port 0 --data /tmp/try    any free port",
            "  sluicemq serve --config /etc/sluicemq.yaml"
        })
final class ServeCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Option(names = "--config", paramLabel = "FILE", description = "Configuration in YAML (default: none).")
    private Path config;

    @Option(names = "--data", paramLabel = "DIR", description = "Data folder, created if need be (default: data).")
    private Path data;

    @Option(names = "--host", paramLabel = "HOST", description = "Address to listen on (default: 127.0.0.1).")
    private String host;

    @Option(names = "--port", paramLabel = "PORT",
            description = "Port to listen on; 0 for any free one (default: 5672).")
    private Integer port;

    @Option(names = "--loops", paramLabel = "N", description = "Event loops (default: one a processor).")
    private Integer loops;

    @Option(names = "--set", paramLabel = "KEY=VALUE",
            description = "Any single value of the configuration, such as http.port=0; may be given again.")
    private List<String> settings = List.of();

    @Override
    public Integer call() {
        return Serve.run(
                new ServeOptions(config, data, host, port, loops, settings),
                spec.commandLine().getOut(),
                spec.commandLine().getErr());
    }
}
