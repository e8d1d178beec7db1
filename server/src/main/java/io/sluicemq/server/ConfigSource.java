package io.sluicemq.server;

import io.sluicemq.base.option.Place;
import io.sluicemq.base.option.Problem;
import io.sluicemq.base.option.Settings;
import io.sluicemq.server.config.ConfigException;
import io.sluicemq.server.config.ServerConfig;
import io.sluicemq.server.config.ServerOptions;
import io.sluicemq.server.config.YamlReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a broker's configuration comes from, so that it can be read again: a file, and what a builder or a command line says on top
 * of it. Immutable.
 *
 * @param file in YAML; null for none
 * @param place what errors name as the source of the changes
 */
record ConfigSource(Path file, Place place, List<Change> changes) {

    ConfigSource {
        changes = List.copyOf(changes);
    }

    /** Something that was said. */
    @FunctionalInterface
    interface Change {
        void apply(Settings settings, List<Problem> problems);
    }

    /** A configuration that was read, as written and as meant. */
    record Reading(ConfigSource source, Settings settings, ServerConfig config) {}

    /** Reads the file as it is now. */
    Reading read() throws ConfigException {
        List<Problem> problems = new ArrayList<>();
        Settings settings = file == null
                ? new Settings(ServerOptions.ROOT, place)
                : YamlReader.read(file, ServerOptions.ROOT, problems);
        for (Change change : changes) {
            change.apply(settings, problems);
        }
        return new Reading(this, settings, ServerConfig.of(settings, problems));
    }
}
