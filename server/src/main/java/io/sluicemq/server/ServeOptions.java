package io.sluicemq.server;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What the command line says about a broker; null for whatever it does not say. It wins over the environment, and that over the configuration file.
 *
 * @param config a YAML file
 * @param data the data folder; {@code data} in the working folder if neither this nor the file names one
 * @param host the host name or address to listen on
 * @param port the port to listen on, 0 for any free one
 * @param loops how many event loops share the work
 * @param set assignments to single keys, such as {@code limits.heartbeat=30s}; they win over the environment
 * @param environment of the process; variables of it win over the file ({@link Overrides})
 */
public record ServeOptions(
        Path config, Path data, String host, Integer port, Integer loops, List<String> set,
        Map<String, String> environment) {

    public ServeOptions {
        set = List.copyOf(set);
        environment = Map.copyOf(environment);
    }
}
