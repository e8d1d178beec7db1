package io.sluicemq.server;

import io.sluicemq.api.users.Role;
import io.sluicemq.base.option.InvalidValue;
import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.Place;
import io.sluicemq.base.option.Problem;
import io.sluicemq.base.option.Settings;
import io.sluicemq.server.config.AddressesSection;
import io.sluicemq.server.config.Amqp10Section;
import io.sluicemq.server.config.ConfigException;
import io.sluicemq.server.config.HttpSection;
import io.sluicemq.server.config.LimitsSection;
import io.sluicemq.server.config.ListenersSection;
import io.sluicemq.server.config.ServerConfig;
import io.sluicemq.server.config.ServerOptions;
import io.sluicemq.server.config.StorageSection;
import io.sluicemq.server.config.UsersSection;
import io.sluicemq.server.config.VirtualHostsSection;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Says what a broker is to be like, and starts it. All that is not said has the default of {@code docs/configuration.md}; what is
 * said here wins over the {@link #config file}. Nothing is judged before {@link #start}. For one thread; may start any number of
 * brokers.
 */
public final class SluiceMQBuilder {

    private static final Target WHOLE = (settings, problems) -> settings;

    private static final Place BY_DEFAULT = Place.of("default");

    private final Place place;
    private final String prefix;
    private final List<ConfigSource.Change> changes = new ArrayList<>();
    private Path file;

    SluiceMQBuilder() {
        this(Place.of("the builder"), "");
    }

    /**
     * @param place what errors name as the source of what is said here
     * @param prefix what they put before a word of it
     */
    SluiceMQBuilder(Place place, String prefix) {
        this.place = place;
        this.prefix = prefix;
    }

    /** A YAML file to take the configuration from. */
    public SluiceMQBuilder config(Path file) {
        this.file = file;
        return this;
    }

    /** The TCP port to listen on; 0 takes any free one, which {@link SluiceMQ#amqpPort} tells then. */
    public SluiceMQBuilder port(int port) {
        return set("port", this::listener, ListenersSection.LISTENER_PORT, port);
    }

    /** The host name or address to listen on; {@code 0.0.0.0} for all of this machine. */
    public SluiceMQBuilder host(String host) {
        return set("host", this::listener, ListenersSection.LISTENER_HOST, host);
    }

    /** Serves operators over HTTP on this port of the loopback interface; 0 takes any free one, which {@link SluiceMQ#httpUri} tells. */
    public SluiceMQBuilder httpPort(int port) {
        return http(HttpSection.HTTP_ENABLED, true).http(HttpSection.HTTP_PORT, port);
    }

    /** One of the options of {@link HttpSection#HTTP}, such as {@link HttpSection#HTTP_MAX_CONNECTIONS}. */
    public <T> SluiceMQBuilder http(Option<T> option, T value) {
        if (!HttpSection.HTTP.entries().contains(option)) {
            throw new IllegalArgumentException(option.key() + " is no option of http");
        }
        return set(
                option.key(), (settings, problems) -> settings.enter(HttpSection.HTTP, place), option, value);
    }

    /** The data folder, which belongs to this broker alone and is created if need be. */
    public SluiceMQBuilder data(Path folder) {
        return set("data", WHOLE, ServerOptions.DATA, folder);
    }

    /** The virtual hosts, in place of {@code /} alone. */
    public SluiceMQBuilder virtualHosts(String... names) {
        return set("virtualHosts", WHOLE, ServerOptions.VIRTUAL_HOSTS, List.of(names));
    }

    /** Adds a user who may enter all virtual hosts. With the first one, {@code guest} is gone. */
    public SluiceMQBuilder user(String name, String password) {
        changes.add((settings, problems) -> addUser(settings, problems, name, password));
        return this;
    }

    /** Adds a user who may enter these virtual hosts and no others. */
    public SluiceMQBuilder user(String name, String password, Set<String> virtualHosts) {
        List<String> allowed = List.copyOf(virtualHosts);
        changes.add((settings, problems) -> {
            Settings user = addUser(settings, problems, name, password);
            put(user, problems, "user " + name, UsersSection.USER_VIRTUAL_HOSTS, allowed);
        });
        return this;
    }

    /** What a user, who was added before, may do as an operator; nothing if this isn't said. */
    public SluiceMQBuilder role(String name, Role role) {
        changes.add((settings, problems) -> settings.list(UsersSection.USERS).stream()
                .filter(user -> user.find(UsersSection.USER_NAME).equals(Optional.ofNullable(name)))
                .findFirst()
                .ifPresentOrElse(
                        user -> put(user, problems, "the role of " + name, UsersSection.USER_ROLE, role),
                        () -> problems.add(Problem.of(
                                place, UsersSection.USERS.key(), "there is no user '" + name + "' to have a role"))));
        return this;
    }

    /** Whether peers on this machine may come in without a name, by SASL ANONYMOUS. */
    public SluiceMQBuilder anonymousLogin(boolean allowed) {
        return set("anonymousLogin", WHOLE, ServerOptions.ANONYMOUS_LOGIN, allowed);
    }

    /** How many event loops share the work. */
    public SluiceMQBuilder loops(int count) {
        return set("loops", WHOLE, ServerOptions.LOOPS, count);
    }

    /** How long a loop may rest while busy peers send on without an answer; zero for never. */
    public SluiceMQBuilder longestRest(Duration limit) {
        return set("longestRest", WHOLE, ServerOptions.LONGEST_REST, limit);
    }

    /** One of the {@linkplain LimitsSection#LIMITS limits}, such as {@link LimitsSection#MAX_MESSAGE_SIZE}. */
    public <T> SluiceMQBuilder limit(Option<T> limit, T value) {
        if (!LimitsSection.LIMITS.entries().contains(limit)) {
            throw new IllegalArgumentException(limit.key() + " is no limit");
        }
        return set(
                limit.key(), (settings, problems) -> settings.enter(LimitsSection.LIMITS, place), limit, value);
    }

    /** One of the options of {@link Amqp10Section#AMQP10}, such as {@link Amqp10Section#AUTO_CREATE_QUEUES}. */
    public <T> SluiceMQBuilder amqp10(Option<T> option, T value) {
        if (!Amqp10Section.AMQP10.entries().contains(option)) {
            throw new IllegalArgumentException(option.key() + " is no option of amqp10");
        }
        return set(
                option.key(), (settings, problems) -> settings.enter(Amqp10Section.AMQP10, place), option, value);
    }

    /**
     * What addresses may hold, and what happens when one is full. It is added to what the file says; each match may be there once.
     * {@link SluiceMQ#addressSettings} changes it while the broker runs.
     */
    public SluiceMQBuilder addressSettings(AddressSetting... rules) {
        for (AddressSetting rule : List.of(rules)) {
            changes.add((settings, problems) -> rule.addTo(settings, place, problems));
        }
        return this;
    }

    /**
     * When a consumer is too slow whose queue is bound to a topic, and what happens then. It is added to what the file says; the first
     * key that covers a queue's binding decides.
     *
     * @param key words between dots; {@code *} is any word, {@code #} any number of words, none included
     */
    public SluiceMQBuilder topic(String key, ConsumerSetting consumer) {
        changes.add((settings, problems) -> {
            if (settings.list(AddressesSection.TOPICS).stream()
                    .anyMatch(other -> other.find(AddressesSection.TOPIC_KEY).equals(Optional.ofNullable(key)))) {
                problems.add(Problem.of(place, AddressesSection.TOPICS.key(),
                        AddressesSection.TOPICS.key() + " has '" + key + "' twice"));
            }
            Settings topic = settings.add(AddressesSection.TOPICS, place);
            try {
                topic.set(AddressesSection.TOPIC_KEY, key, place);
            } catch (InvalidValue e) {
                problems.add(Problem.invalidValue(
                        place, AddressesSection.TOPIC_KEY.key(), AddressesSection.TOPIC_KEY, String.valueOf(key),
                        e.expected()));
            }
            consumer.addTo(topic, place, problems);
        });
        return this;
    }

    /**
     * What a virtual host may hold in all; producers wait beyond it.
     *
     * @param maxSizeBytes bytes of messages; null for no limit
     * @param maxMessages messages; null for no limit
     */
    public SluiceMQBuilder virtualHostLimit(String virtualHost, Long maxSizeBytes, Long maxMessages) {
        changes.add((settings, problems) -> {
            if (settings.list(VirtualHostsSection.VIRTUAL_HOST_LIMITS).stream().anyMatch(
                    other -> other.find(VirtualHostsSection.LIMITED_HOST).equals(Optional.ofNullable(virtualHost)))) {
                problems.add(Problem.of(place, VirtualHostsSection.VIRTUAL_HOST_LIMITS.key(),
                        "there are two limits of the virtual host '" + virtualHost + "'"));
            }
            Settings limit = settings.add(VirtualHostsSection.VIRTUAL_HOST_LIMITS, place);
            put(limit, problems, "a virtual host's name", VirtualHostsSection.LIMITED_HOST, virtualHost);
            if (maxSizeBytes != null) {
                put(limit, problems, "maxSizeBytes", VirtualHostsSection.HOST_MAX_SIZE_BYTES, maxSizeBytes);
            }
            if (maxMessages != null) {
                put(limit, problems, "maxMessages", VirtualHostsSection.HOST_MAX_MESSAGES, maxMessages);
            }
        });
        return this;
    }

    /** How durable messages are kept: one of the options of {@link StorageSection#STORAGE}, such as {@link StorageSection#SYNC}. */
    public <T> SluiceMQBuilder storage(Option<T> option, T value) {
        if (!StorageSection.STORAGE.entries().contains(option)) {
            throw new IllegalArgumentException(option.key() + " is no option of storage");
        }
        return set(
                option.key(), (settings, problems) -> settings.enter(StorageSection.STORAGE, place), option, value);
    }

    /**
     * Starts a broker; it accepts connections when this returns.
     *
     * @throws StartFailure if an option is not valid, the port can't be listened on, or the data folder can't be used
     */
    public SluiceMQ start() {
        try {
            return SluiceMQ.start(source().read());
        } catch (ConfigException e) {
            throw StartFailure.of(e);
        }
    }

    /** Something else that is said about it, after what was said before. */
    SluiceMQBuilder changed(ConfigSource.Change change) {
        changes.add(change);
        return this;
    }

    /** The data folder to take if neither the file nor anything said here names one. */
    SluiceMQBuilder defaultData(Path folder) {
        changes.add((settings, problems) -> {
            if (!settings.has(ServerOptions.DATA)) {
                put(settings, problems, "data", ServerOptions.DATA, folder, BY_DEFAULT);
            }
        });
        return this;
    }

    /** Whether operators are served over HTTP if neither the file nor anything said here says so. */
    SluiceMQBuilder defaultHttp(boolean enabled) {
        changes.add((settings, problems) -> {
            if (!settings.section(HttpSection.HTTP).has(HttpSection.HTTP_ENABLED)) {
                put(
                        settings.enter(HttpSection.HTTP, BY_DEFAULT), problems, "http", HttpSection.HTTP_ENABLED,
                        enabled,
                        BY_DEFAULT);
            }
        });
        return this;
    }

    /** The configuration that all this comes to. */
    ServerConfig toConfig() throws ConfigException {
        return source().read().config();
    }

    /** Where the configuration comes from: the file, and what was said so far. */
    ConfigSource source() {
        return new ConfigSource(file, place, changes);
    }

    private <T> SluiceMQBuilder set(String word, Target target, Option<T> option, T value) {
        changes.add((settings, problems) -> {
            Settings section = target.in(settings, problems);
            if (section != null) {
                put(section, problems, word, option, value);
            }
        });
        return this;
    }

    private <T> void put(Settings section, List<Problem> problems, String word, Option<T> option, T value) {
        put(section, problems, word, option, value, place);
    }

    private <T> void put(
            Settings section, List<Problem> problems, String word, Option<T> option, T value, Place from) {
        try {
            section.set(option, value, from);
        } catch (InvalidValue e) {
            problems.add(Problem.invalidValue(from, prefix + word, option, String.valueOf(value), e.expected()));
        }
    }

    private Settings addUser(Settings settings, List<Problem> problems, String name, String password) {
        if (settings.list(UsersSection.USERS).stream()
                .anyMatch(other -> other.find(UsersSection.USER_NAME).equals(Optional.ofNullable(name)))) {
            problems.add(Problem.of(place, UsersSection.USERS.key(), "there are two users named '" + name + "'"));
        }
        Settings user = settings.add(UsersSection.USERS, place);
        put(user, problems, "a user's name", UsersSection.USER_NAME, name);
        put(user, problems, "the password of " + name, UsersSection.USER_PASSWORD, password);
        return user;
    }

    /** The listener that a port or host without a name is about: {@code amqp}, or the only one that the file has. */
    private Settings listener(Settings settings, List<Problem> problems) {
        Set<String> names = settings.sections(ListenersSection.LISTENERS).keySet();
        if (names.isEmpty() || names.contains(ListenersSection.DEFAULT_LISTENER)) {
            return settings.enter(ListenersSection.LISTENERS, ListenersSection.DEFAULT_LISTENER, place);
        }
        if (names.size() == 1) {
            return settings.enter(ListenersSection.LISTENERS, names.iterator().next(), place);
        }
        String message = prefix + "host and " + prefix + "port are meant for one listener, but the file has "
                + String.join(", ", names)
                + " and none is named " + ListenersSection.DEFAULT_LISTENER;
        problems.add(Problem.of(place, ListenersSection.LISTENERS.key(), message));
        return null;
    }

    /** Finds the section that an option stands in; null, with a problem, if there is none to choose. */
    @FunctionalInterface
    private interface Target {
        Settings in(Settings settings, List<Problem> problems);
    }
}
