package io.sluicemq.dist;

import io.sluicemq.server.ServeOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The options that say what a broker's configuration is; those of the commands that start one or look at it. */
final class ConfigSelection {

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
            description = "Any key of the configuration, such as limits.heartbeat=30s; can be repeated.")
    private List<String> set = new ArrayList<>();

    ServeOptions options() {
        return new ServeOptions(config, data, host, port, loops, set, System.getenv());
    }
}
