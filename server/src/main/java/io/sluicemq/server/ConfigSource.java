package io.sluicemq.server;

import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.Place;
import io.sluicemq.base.option.Problem;
import io.sluicemq.base.option.Section;
import io.sluicemq.base.option.Settings;
import io.sluicemq.security.Users;
import io.sluicemq.server.config.ConfigException;
import io.sluicemq.server.config.HttpSection;
import io.sluicemq.server.config.ListenerConfig;
import io.sluicemq.server.config.ListenersSection;
import io.sluicemq.server.config.RequiredOptions;
import io.sluicemq.server.config.ServerConfig;
import io.sluicemq.server.config.ServerOptions;
import io.sluicemq.server.config.TlsConfig;
import io.sluicemq.server.config.UsersSection;
import io.sluicemq.server.config.YamlReader;
import io.sluicemq.server.users.StoredUsers;
import io.sluicemq.server.users.UserRegistry;
import io.sluicemq.server.users.UsersFile;
import io.sluicemq.transport.Tls;
import io.sluicemq.transport.TlsException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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

    /** What HTTP is called among listeners, none of which can have this name. */
    static final String HTTP = "";

    /** Something that was said. */
    @FunctionalInterface
    interface Change {
        void apply(Settings settings, List<Problem> problems);
    }

    /**
     * A configuration that was read, as written and as meant.
     *
     * @param tls what the files of TLS hold, by the name of the listener, and of {@link #HTTP}; of those only that speak it
     * @param stored what the file of users holds; null if there is none
     * @param users who may log in by all that
     */
    record Reading(
            ConfigSource source, Settings settings, ServerConfig config, Map<String, Tls> tls, StoredUsers stored,
            Users users) {

        /** What the files for HTTP hold; null without TLS there. */
        Tls httpTls() {
            return tls.get(HTTP);
        }
    }

    /** Reads the file as it is now, and then those that it names. */
    Reading read() throws ConfigException {
        List<Problem> problems = new ArrayList<>();
        Settings settings = file == null
                ? new Settings(ServerOptions.ROOT, place)
                : YamlReader.read(file, ServerOptions.ROOT, problems);
        for (Change change : changes) {
            change.apply(settings, problems);
        }
        if (problems.isEmpty()) {
            // The reader has seen to the file; what else was said may have begun a section, too.
            RequiredOptions.check(settings, problems);
        }
        ServerConfig config = ServerConfig.of(settings, problems);
        StoredUsers stored = stored(config);
        return new Reading(this, settings, config, tls(settings, config), stored, users(settings, config, stored));
    }

    /** Null if there is none, and none is needed. */
    private static StoredUsers stored(ServerConfig config) throws ConfigException {
        UsersFile file = config.usersFile() == null ? null : new UsersFile(config.usersFile());
        return file != null && (config.usersFileRequired() || file.exists()) ? file.read() : null;
    }

    private static Users users(Settings settings, ServerConfig config, StoredUsers stored) throws ConfigException {
        try {
            return UserRegistry.assemble(config.users(), stored);
        } catch (IllegalArgumentException e) {
            throw new ConfigException(List.of(Problem.of(
                    settings.place(UsersSection.USERS), UsersSection.USERS.key(), e.getMessage())));
        }
    }

    private static Map<String, Tls> tls(Settings settings, ServerConfig config) throws ConfigException {
        Map<String, Tls> read = new HashMap<>();
        List<Problem> problems = new ArrayList<>();
        for (ListenerConfig listener : config.listeners()) {
            String key = ListenersSection.LISTENERS.key() + "." + listener.name() + "."
                    + ListenersSection.LISTENER_TLS.key();
            read(listener.name(), listener.tls(), settings.sections(ListenersSection.LISTENERS).get(listener.name()),
                    ListenersSection.LISTENER_TLS, key, read, problems);
        }
        read(HTTP, config.http().tls(), settings.section(HttpSection.HTTP), HttpSection.HTTP_TLS,
                HttpSection.HTTP.key() + "." + HttpSection.HTTP_TLS.key(), read, problems);
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
        return Map.copyOf(read);
    }

    /** @param tls null for none */
    private static void read(
            String name, TlsConfig tls, Settings within, Section inner, String key, Map<String, Tls> read,
            List<Problem> problems) {
        if (tls == null) {
            return;
        }
        try {
            read.put(name, Tls.read(tls.certificate(), tls.key(), tls.clientCa(), tls.clientAuth(), tls.minVersion()));
        } catch (TlsException e) {
            problems.add(problem(within.section(inner), key, e));
        }
    }

    private static Problem problem(Settings section, String key, TlsException wrong) {
        Option<Path> option = switch (wrong.part()) {
            case CERTIFICATE -> ListenersSection.TLS_CERTIFICATE;
            case KEY -> ListenersSection.TLS_KEY;
            case CLIENT_CA -> ListenersSection.TLS_CLIENT_CA;
        };
        String expected = switch (wrong.part()) {
            case CERTIFICATE -> "a file with the listener's certificate";
            case KEY -> "a file with the certificate's key";
            case CLIENT_CA -> "a file with certificates of issuers";
        };
        return Problem.invalidValue(
                section.place(option),
                key + "." + option.key(),
                option,
                option.type().format(section.get(option)),
                expected + " (" + wrong.getMessage() + ")");
    }
}
