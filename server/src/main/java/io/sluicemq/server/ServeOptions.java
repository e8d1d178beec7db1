package io.sluicemq.server;

import java.nio.file.Path;
import java.util.List;

/**
 * What the command line says about a broker; null for whatever it does not say. It wins over the configuration file.
 *
 * @param config a YAML file
 * @param data the data folder; {@code data} in the working folder if neither this nor the file names one
 * @param host the host name or address to listen on
 * @param port the port to listen on, 0 for any free one
 * @param loops how many event loops share the work
 * @param settings others, each {@code key=value}
 */
public record ServeOptions(
        Path config, Path data, String host, Integer port, Integer loops, List<String> settings) {

    public ServeOptions {
        settings = List.copyOf(settings);
    }

    /** Without others. */
    public ServeOptions(Path config, Path data, String host, Integer port, Integer loops) {
        this(config, data, host, port, loops, List.of());
    }
}
