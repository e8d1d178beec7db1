package io.sluicemq.server.config;

import io.sluicemq.api.users.Role;
import io.sluicemq.api.users.UserLimits;
import io.sluicemq.base.option.HostPort;
import io.sluicemq.base.option.Nearest;
import io.sluicemq.base.option.OptionType;
import io.sluicemq.base.option.Place;
import io.sluicemq.base.option.Problem;
import io.sluicemq.base.option.Settings;
import io.sluicemq.broker.engine.HostLimits;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.security.Grant;
import io.sluicemq.transport.Tls;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A configuration in which everything fits together.
 *
 * @param data the data folder, or null to keep everything in memory
 * @param listeners at least one
 * @param virtualHosts at least one, no two alike
 * @param users whose passwords stand in the configuration, no two of one name
 * @param usersFile the file with the others; null if there is none
 * @param usersFileRequired whether it must be there
 * @param virtualHostLimits what messages may take, by the name of a virtual host; of those only that have limits
 * @param hostLimits how many connections and queues there may be, likewise
 */
public record ServerConfig(
        Path data,
        int loops,
        Duration longestRest,
        boolean anonymousLogin,
        List<ListenerConfig> listeners,
        List<String> virtualHosts,
        List<UserConfig> users,
        Path usersFile,
        boolean usersFileRequired,
        LimitsConfig limits,
        StorageConfig storage,
        Amqp10Config amqp10,
        HttpConfig http,
        AddressSettings addressSettings,
        Map<String, AddressLimits> virtualHostLimits,
        Map<String, HostLimits> hostLimits) {

    /** Whoever knows the usual name and password comes in by them, but only from this machine; as long as there is nobody else. */
    public static final UserConfig GUEST =
            new UserConfig("guest", "guest", null, true, Optional.of(Role.ADMINISTRATOR), null,
                    UserLimits.NONE);

    public ServerConfig {
        listeners = List.copyOf(listeners);
        virtualHosts = List.copyOf(virtualHosts);
        users = List.copyOf(users);
        virtualHostLimits = Map.copyOf(virtualHostLimits);
        hostLimits = Map.copyOf(hostLimits);
    }

    /**
     * Puts a configuration together.
     *
     * @param settings of {@link ServerOptions#ROOT}
     * @param problems what was wrong when they were read; left as it is
     * @throws ConfigException with these problems and those of values that are valid each but do not fit together
     */
    public static ServerConfig of(Settings settings, List<Problem> problems) throws ConfigException {
        List<Problem> all = new ArrayList<>(problems);
        ServerConfig config = assemble(settings, all);
        if (!all.isEmpty()) {
            throw new ConfigException(all);
        }
        return config;
    }

    private static ServerConfig assemble(Settings settings, List<Problem> problems) {
        List<String> virtualHosts = virtualHosts(settings, problems);
        LimitsConfig limits = LimitsConfig.of(settings.section(LimitsSection.LIMITS));
        return new ServerConfig(
                settings.find(ServerOptions.DATA).orElse(null),
                settings.get(ServerOptions.LOOPS),
                settings.get(ServerOptions.LONGEST_REST),
                settings.get(ServerOptions.ANONYMOUS_LOGIN),
                listeners(settings, problems),
                virtualHosts,
                users(settings, virtualHosts, problems),
                settings.find(UsersSection.USERS_FILE)
                        .or(() -> settings.find(ServerOptions.DATA)
                                .map(data -> data.resolve(UsersSection.DEFAULT_USERS_FILE)))
                        .orElse(null),
                settings.has(UsersSection.USERS_FILE),
                limits,
                storage(settings.section(StorageSection.STORAGE), limits, problems),
                Amqp10Config.of(settings.section(Amqp10Section.AMQP10)),
                HttpConfig.of(settings.section(HttpSection.HTTP)),
                AddressSettingsReader.addresses(
                        settings.list(AddressesSection.ADDRESS_SETTINGS), settings.list(AddressesSection.TOPICS),
                        problems),
                AddressSettingsReader.virtualHosts(
                        settings.list(VirtualHostsSection.VIRTUAL_HOST_LIMITS), virtualHosts, problems),
                AddressSettingsReader.hostLimits(settings.list(VirtualHostsSection.VIRTUAL_HOST_LIMITS)));
    }

    private static StorageConfig storage(Settings section, LimitsConfig limits, List<Problem> problems) {
        StorageConfig storage = StorageConfig.of(section);
        long segment = storage.segmentSize();
        // One that is being written, one in reserve for acknowledgements, and one that can be given back.
        long least = 3 * segment + Math.max(segment, (limits.maxMessageSize() / segment + 1) * segment);
        if (storage.maxSize() != StorageSection.NO_MAX_SIZE && storage.maxSize() < least) {
            String key = StorageSection.STORAGE.key() + "." + StorageSection.STORAGE_MAX_SIZE.key();
            problems.add(Problem.of(
                    section.place(StorageSection.STORAGE_MAX_SIZE),
                    key,
                    key + " is '" + OptionType.SIZE.format(storage.maxSize()) + "': expected at least "
                            + OptionType.SIZE.format(least) + ", three segments of "
                            + OptionType.SIZE.format(segment) + " and room for the largest message of "
                            + OptionType.SIZE.format((long) limits.maxMessageSize())));
        }
        return storage;
    }

    private static List<String> virtualHosts(Settings settings, List<Problem> problems) {
        List<String> names = settings.get(ServerOptions.VIRTUAL_HOSTS);
        Place place = settings.place(ServerOptions.VIRTUAL_HOSTS);
        String key = ServerOptions.VIRTUAL_HOSTS.key();
        if (names.isEmpty()) {
            problems.add(Problem.of(place, key, key + " is empty: expected at least one name"));
        }
        Set<String> distinct = new LinkedHashSet<>();
        for (String name : names) {
            if (!distinct.add(name)) {
                problems.add(Problem.of(place, key, key + " names '" + name + "' twice"));
            }
        }
        return List.copyOf(distinct);
    }

    private static List<ListenerConfig> listeners(Settings settings, List<Problem> problems) {
        Map<String, Settings> sections = settings.sections(ListenersSection.LISTENERS);
        if (sections.isEmpty()) {
            Settings absent = new Settings(ListenersSection.LISTENERS.item(), settings.place());
            sections = Map.of(ListenersSection.DEFAULT_LISTENER, absent);
        }
        List<ListenerConfig> listeners = new ArrayList<>();
        Map<HostPort, String> taken = new HashMap<>();
        sections.forEach((name, section) -> {
            boolean secure = section.has(ListenersSection.LISTENER_TLS);
            int port = secure && !section.has(ListenersSection.LISTENER_PORT)
                    ? ListenersSection.TLS_PORT
                    : section.get(ListenersSection.LISTENER_PORT);
            HostPort address = new HostPort(section.get(ListenersSection.LISTENER_HOST), port);
            TlsConfig tls = secure ? tls(name, section.section(ListenersSection.LISTENER_TLS), problems) : null;
            listeners.add(new ListenerConfig(name, address, tls));
            String other = address.port() == 0 ? null : taken.putIfAbsent(address, name);
            if (other != null) {
                problems.add(Problem.of(
                        section.place(ListenersSection.LISTENER_PORT),
                        ListenersSection.LISTENERS.key() + "." + name,
                        "listeners " + other + " and " + name + " are both at " + address));
            }
        });
        return listeners;
    }

    /** Null if something is wrong with it. */
    private static TlsConfig tls(String listener, Settings section, List<Problem> problems) {
        Path clientCa = section.find(ListenersSection.TLS_CLIENT_CA).orElse(null);
        Tls.ClientAuth clientAuth = section.get(ListenersSection.TLS_CLIENT_AUTH);
        String key = ListenersSection.LISTENERS.key() + "." + listener + "." + ListenersSection.LISTENER_TLS.key();
        if (clientAuth != Tls.ClientAuth.NONE && clientCa == null) {
            problems.add(Problem.of(
                    section.place(ListenersSection.TLS_CLIENT_AUTH), key,
                    key + " asks for certificates of clients: expected client-ca, by whom they are issued"));
        } else if (clientAuth == Tls.ClientAuth.NONE && clientCa != null) {
            problems.add(Problem.of(
                    section.place(ListenersSection.TLS_CLIENT_CA), key,
                    key + " has client-ca, but no client is asked for a certificate: expected client-auth with optional or"
                            + " required"));
        }
        Optional<Path> certificate = section.find(ListenersSection.TLS_CERTIFICATE);
        Optional<Path> privateKey = section.find(ListenersSection.TLS_KEY);
        return certificate.isPresent() && privateKey.isPresent()
                ? new TlsConfig(
                        certificate.get(), privateKey.get(), clientCa, clientAuth, TlsConfig.minVersion(section))
                : null; // the reader has refused it already
    }

    private static List<UserConfig> users(Settings settings, List<String> virtualHosts, List<Problem> problems) {
        List<UserConfig> users = new ArrayList<>();
        for (Settings section : settings.list(UsersSection.USERS)) {
            Optional<String> name = section.find(UsersSection.USER_NAME);
            Optional<String> password = section.find(UsersSection.USER_PASSWORD);
            Optional<List<String>> allowed = section.find(UsersSection.USER_VIRTUAL_HOSTS);
            Place place = section.place(UsersSection.USER_VIRTUAL_HOSTS);
            for (String virtualHost : allowed.orElse(List.of())) {
                if (!virtualHosts.contains(virtualHost)) {
                    String hint = Nearest.of(virtualHost, virtualHosts)
                            .map(nearest -> "did you mean '" + nearest + "'?")
                            .orElse("expected one of virtual-hosts: " + String.join(", ", virtualHosts));
                    problems.add(Problem.of(
                            place,
                            UsersSection.USERS.key(),
                            "user " + name.orElse("") + " may enter '" + virtualHost + "', which does not exist: "
                                    + hint));
                }
            }
            // A user without a name or password has been refused by the reader already.
            if (name.isPresent() && password.isPresent()) {
                users.add(new UserConfig(
                        name.get(),
                        password.get(),
                        allowed.map(Set::copyOf).orElse(null),
                        section.get(UsersSection.USER_LOOPBACK_ONLY),
                        section.find(UsersSection.USER_ROLE),
                        permissions(section, name.get(), virtualHosts, problems),
                        PermissionsReader.limits(section)));
            }
        }
        return users;
    }

    /** Null if nothing is said of them. */
    private static Map<String, Grant> permissions(
            Settings user, String name, List<String> virtualHosts, List<Problem> problems) {
        if (!user.has(UsersSection.USER_PERMISSIONS)) {
            return null;
        }
        Place place = user.place(UsersSection.USER_PERMISSIONS);
        Map<String, Grant> grants = PermissionsReader.read(user);
        List<String> entered = user.find(UsersSection.USER_VIRTUAL_HOSTS).orElse(virtualHosts);
        grants.keySet().stream().filter(host -> !entered.contains(host)).forEach(host -> problems.add(Problem.of(
                place, UsersSection.USERS.key(),
                "user " + name + " has permissions in '" + host + "', which is not among "
                        + (user.has(UsersSection.USER_VIRTUAL_HOSTS) ? "their " : "") + "virtual-hosts: "
                        + String.join(", ", entered))));
        return grants;
    }
}
