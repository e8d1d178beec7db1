package io.sluicemq.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import io.sluicemq.api.Undeliverable;
import io.sluicemq.base.option.HostPort;
import io.sluicemq.base.option.Problem;
import io.sluicemq.base.option.Settings;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.transport.Tls;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerConfigTest {

    private static final String SECTION = "a section with keys of its own";
    private static final String NAME = "a name of 1 to 255 bytes without control characters";

    private static final String NO_LIMIT =
            " expected max-size-bytes or max-messages here, or in another match for these addresses";
    private static final String MORE_ON_DISK =
            " expected page-limit-bytes, what is in memory and on the disk, to be no less"
                    + " than max-size-bytes, what is in memory";

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"", "# nothing but a comment\n", "---\n", "limits:\nlisteners:\nusers:\n",
        "\uFEFFlimits: {}\n"})
    void shouldTakeDefaultsForWhatIsNotWritten(String yaml) throws ConfigException {
        ServerConfig config = read(yaml);

        assertThat(config.data()).isNull();
        assertThat(config.longestRest()).isEqualTo(Duration.ofMillis(1));
        assertThat(config.loops()).isEqualTo(Runtime.getRuntime().availableProcessors());
        assertThat(config.anonymousLogin()).isFalse();
        assertThat(config.listeners())
                .containsExactly(new ListenerConfig("amqp", new HostPort("127.0.0.1", 5672), null));
        assertThat(config.virtualHosts()).containsExactly("/");
        assertThat(config.users()).isEmpty();
        assertThat(config.usersFile()).isNull();
        assertThat(config.limits().heartbeat()).isEqualTo(Duration.ofSeconds(60));
        assertThat(config.limits().messageMemory())
                .isEqualTo(Runtime.getRuntime().maxMemory() / 100 * 40
                        + Runtime.getRuntime().maxMemory() % 100 * 40 / 100);
    }

    @Test
    void shouldReadAllThatMayBeWritten() throws ConfigException {
        ServerConfig config = read("""
                data: /var/lib/sluicemq
                loops: 3
                longest-rest: 5ms
                anonymous-login: true
                listeners:
                  amqp: {host: 0.0.0.0, port: 0}
                  inside:
                    host: "::1"
                    port: 5673
                virtual-hosts: [/, orders, "a b"]
                users:
                  - name: ann
                    password: 007
                  - name: bob
                    password: "it's: #1"
                    virtual-hosts: [orders]
                    loopback-only: true
                limits:
                  max-connections: 10
                  max-unauthenticated-connections: 5
                  handshake-time-limit: 500ms
                  login-failures: 7
                  channel-max: 65535
                  frame-max: 1MiB
                  heartbeat: 2m
                  max-message-size: 10MB
                  message-memory: 25%
                """);

        assertThat(config.data()).isEqualTo(Path.of("/var/lib/sluicemq"));
        assertThat(config.loops()).isEqualTo(3);
        assertThat(config.longestRest()).isEqualTo(Duration.ofMillis(5));
        assertThat(config.anonymousLogin()).isTrue();
        assertThat(config.listeners())
                .containsExactly(
                        new ListenerConfig("amqp", new HostPort("0.0.0.0", 0), null),
                        new ListenerConfig("inside", new HostPort("::1", 5673), null));
        assertThat(config.virtualHosts()).containsExactly("/", "orders", "a b");
        assertThat(config.users())
                .containsExactly(
                        new UserConfig("ann", "007", null, false),
                        new UserConfig("bob", "it's: #1", Set.of("orders"), true));
        assertThat(config.usersFile()).isEqualTo(Path.of("/var/lib/sluicemq/users.yaml"));
        long memory = config.limits().messageMemory();
        assertThat(memory).isCloseTo(Runtime.getRuntime().maxMemory() / 4, within(100L));
        assertThat(config.limits())
                .isEqualTo(new LimitsConfig(
                        10, 5, Duration.ofMillis(500), 7, 65535, 1 << 20, Duration.ofMinutes(2), 10_000_000, memory));
    }

    @Test
    void shouldReadWhatIsSaidOfTls() throws ConfigException {
        ServerConfig config = read("""
                listeners:
                  amqp: {}
                  plain-tls:
                    tls:
                      certificate: server.pem
                      key: /etc/server.key
                  asking:
                    port: 1
                    tls: {certificate: c, key: k, client-ca: i, client-auth: OPTIONAL}
                """);

        assertThat(config.listeners())
                .containsExactly(
                        new ListenerConfig("amqp", new HostPort("127.0.0.1", 5672), null),
                        new ListenerConfig(
                                "plain-tls",
                                new HostPort("127.0.0.1", 5671),
                                new TlsConfig(
                                        Path.of("server.pem"), Path.of("/etc/server.key"), null, Tls.ClientAuth.NONE,
                                        Tls.Version.V1_2)),
                        new ListenerConfig(
                                "asking",
                                new HostPort("127.0.0.1", 1),
                                new TlsConfig(Path.of("c"), Path.of("k"), Path.of("i"), Tls.ClientAuth.OPTIONAL,
                                        Tls.Version.V1_2)));
        assertThat(config.listeners()).extracting(ListenerConfig::scheme).containsExactly("amqp", "amqps", "amqps");
    }

    @Test
    void shouldReadLimitsOfAddressesAndVirtualHosts() throws ConfigException {
        ServerConfig config = read("""
                virtual-hosts: [/, orders]
                address-settings:
                  - match: "#"
                    address-full-policy: BLOCK
                    low-water: 0%
                  - match: "jms.queue.#"
                    max-size-bytes: 10MiB
                    max-messages: 1000
                    hold-limit: 25s
                    uncooperative-producers: CLOSE_CHANNEL
                  - match: jms.queue.news
                    max-messages: none
                    hold-limit: none
                    address-full-policy: page
                    page-limit-bytes: 1GiB
                virtual-host-limits:
                  - name: orders
                    max-messages: 7
                storage:
                  max-size: 1GiB
                """);

        assertThat(config.addressSettings().rules())
                .containsExactly(
                        new AddressSettings.Rule("#", null, null, FullPolicy.BLOCK, 0, null, null, null),
                        new AddressSettings.Rule(
                                "jms.queue.#", 10L << 20, 1000L, null, null, null, 25_000_000_000L, true),
                        new AddressSettings.Rule(
                                "jms.queue.news", null, AddressLimits.NONE, FullPolicy.PAGE, null, 1L << 30,
                                AddressLimits.NONE, null));
        assertThat(config.addressSettings().limitsOf("jms.queue.news"))
                .isEqualTo(new AddressLimits(
                        10 << 20, AddressLimits.NONE, FullPolicy.PAGE, 0, 1 << 30, AddressLimits.NONE, true));
        assertThat(config.virtualHostLimits())
                .isEqualTo(Map.of("orders", new AddressLimits(
                        AddressLimits.NONE, 7, FullPolicy.BLOCK, 80, AddressLimits.NONE, AddressLimits.NONE, false)));
        assertThat(config.storage().maxSize()).isEqualTo(1L << 30);
    }

    @Test
    void shouldReadWhatIsParticularToAmqp10() throws ConfigException {
        assertThat(read("").amqp10()).isEqualTo(new Amqp10Config(true, 256 << 10, 1_000));
        assertThat(read("amqp10: {auto-create-queues: false, window: 1MiB, window-messages: 50}").amqp10())
                .isEqualTo(new Amqp10Config(false, 1 << 20, 50));
    }

    @Test
    void shouldReadWhatBecomesOfMessagesThatNobodyTakes() throws ConfigException {
        ServerConfig config = read("""
                address-settings:
                  - match: "#"
                    max-delivery-attempts: 10
                    dead-letter-address: DLQ
                    expiry-address: EXPIRED
                  - match: orders
                    max-delivery-attempts: none
                    dead-letter-address: none
                """);

        assertThat(config.addressSettings().undeliverableOf("invoices"))
                .isEqualTo(new Undeliverable(10, "DLQ", "EXPIRED"));
        assertThat(config.addressSettings().undeliverableOf("orders"))
                .isEqualTo(new Undeliverable(Undeliverable.UNLIMITED, null, "EXPIRED"));
    }

    @Test
    void shouldFindTheKeysInWhichTwoConfigurationsDiffer() {
        Settings one = settings("""
                loops: 2
                limits: {heartbeat: 60s, frame-max: 128KiB}
                users: [{name: a, password: b}]
                listeners: {amqp: {port: 1}}
                address-settings: [{match: a, max-messages: 1}]
                """);
        Settings two = settings("""
                loops: 2
                limits: {heartbeat: 30s}
                users: [{name: a, password: c}]
                listeners: {amqp: {port: 1, host: 0.0.0.0}}
                address-settings: [{match: a, max-messages: 2}]
                storage: {sync: os}
                """);

        assertThat(ConfigDifference.keys(one, one)).isEmpty();
        assertThat(ConfigDifference.keys(one, two))
                .containsExactly("storage.sync", "listeners", "users", "limits.heartbeat", "address-settings");
        assertThat(ConfigDifference.keys(two, one)).isEqualTo(ConfigDifference.keys(one, two));
    }

    private static Settings settings(String yaml) {
        List<Problem> problems = new ArrayList<>();
        Settings settings = YamlReader.read(yaml, "sluicemq.yaml", ServerOptions.ROOT, problems);
        assertThat(problems).isEmpty();
        return settings;
    }

    static Stream<Arguments> wrong() {
        return Stream.of(
                // Values
                wrong("loops: four", "1:8: loops is 'four': expected a whole number from 1 to 1024"),
                wrong("loops: 0", "1:8: loops is '0': expected a whole number from 1 to 1024"),
                wrong("loops: 1.5", "1:8: loops is '1.5': expected a whole number from 1 to 1024"),
                wrong("loops:", "1:7: loops is empty: expected a whole number from 1 to 1024"),
                wrong("loops: ~", "1:8: loops is empty: expected a whole number from 1 to 1024"),
                wrong("loops: [4]", "1:8: loops is a list: expected a whole number from 1 to 1024"),
                wrong("loops: {a: 4}", "1:8: loops is a section: expected a whole number from 1 to 1024"),
                wrong("anonymous-login: yes", "1:18: anonymous-login is 'yes': expected true or false"),
                wrong("data: ''", "1:7: data is '': expected a path"),
                wrong(
                        "listeners:\n  amqp:\n    port: 65536",
                        "3:11: listeners.amqp.port is '65536': expected a whole number from 0 to 65535"),
                wrong(
                        "listeners: {amqp: {host: a b}}",
                        "1:26: listeners.amqp.host is 'a b': expected a host name or an address to listen on"),
                wrong(
                        "limits:\n  heartbeat: 10",
                        "2:14: limits.heartbeat is '10': expected a duration in whole seconds such as 60s or 5m,"
                                + " from 0s to 65535s"),
                wrong(
                        "limits:\n  heartbeat: 1500ms",
                        "2:14: limits.heartbeat is '1500ms': expected a duration in whole seconds such as 60s or 5m,"
                                + " from 0s to 65535s"),
                wrong(
                        "limits: {frame-max: 1k}",
                        "1:21: limits.frame-max is '1k': expected a size such as 64KiB, 10MiB or a plain number of"
                                + " bytes, from 4KiB to 16MiB"),
                wrong(
                        "limits: {message-memory: 140%}",
                        "1:26: limits.message-memory is '140%': expected a percentage from 1% to 100%"),
                wrong(
                        "limits: {max-connections: -1}",
                        "1:27: limits.max-connections is '-1': expected a whole number of connections from 1 to"
                                + " 1000000"),
                wrong("virtual-hosts: /", "1:16: virtual-hosts is a single value: expected a list, each " + NAME),
                wrong("virtual-hosts: ['']", "1:17: virtual-hosts is '': expected " + NAME),
                wrong("virtual-hosts: [a, [b]]", "1:20: an element of virtual-hosts is a list: expected " + NAME),
                wrong("virtual-hosts:\n- a\n-\n", "3:2: an element of virtual-hosts is empty: expected " + NAME),
                wrong("virtual-hosts: []", "1:16: virtual-hosts is empty: expected at least one name"),
                wrong("virtual-hosts: [a, b, a]", "1:16: virtual-hosts names 'a' twice"),
                // Keys
                wrong("listner: {}", "1:1: unknown key 'listner': did you mean 'listeners'?"),
                wrong("Data: x", "1:1: unknown key 'Data': did you mean 'data'?"),
                wrong(
                        "limits:\n  max_connections: 1",
                        "2:3: unknown key 'max_connections' in limits: did you mean 'max-connections'?"),
                wrong(
                        "plugins: []",
                        "1:1: unknown key 'plugins': expected one of data, storage, listeners, http, virtual-hosts, users, users-file,"
                                + " anonymous-login, loops, longest-rest, limits, amqp10, address-settings, topics, virtual-host-limits"),
                wrong(
                        "listeners: {amqp: {ssl: true}}",
                        "1:20: unknown key 'ssl' in listeners.amqp: expected one of host, port, tls"),
                // TLS
                wrong(
                        "listeners: {amqp: {tls: true}}",
                        "1:25: listeners.amqp.tls is a single value: expected " + SECTION),
                wrong(
                        "listeners:\n  a:\n    tls: {key: k}",
                        "3:5: listeners.a.tls has no 'certificate': expected a path"),
                wrong(
                        "listeners:\n  a:\n    tls: {certificate: c}",
                        "3:5: listeners.a.tls has no 'key': expected a path"),
                wrong(
                        "listeners:\n  a:\n    tls: {certificate: c, key: k, client-auth: maybe}",
                        "3:48: listeners.a.tls.client-auth is 'maybe': expected one of none, optional, required"),
                wrong(
                        "listeners:\n  a:\n    tls: {certificate: c, key: k, client-auth: required}",
                        "3:48: listeners.a.tls asks for certificates of clients: expected client-ca, by whom they are"
                                + " issued"),
                wrong(
                        "listeners:\n  a:\n    tls: {certificate: c, key: k, client-ca: i}",
                        "3:46: listeners.a.tls has client-ca, but no client is asked for a certificate: expected"
                                + " client-auth with optional or required"),
                wrong("loops: 1\ndata: a\nloops: 2", "3:1: loops is given twice, first in line 1"),
                wrong("limits:\n  heartbeat: 1s\n  heartbeat: 1s",
                        "3:3: limits.heartbeat is given twice, first in line 2"),
                wrong("listeners:\n  a:\n  a:\n", "3:3: listeners.a is given twice, first in line 2"),
                wrong("[a]: 1", "1:1: a key is a list: expected a word"),
                wrong("listeners: {\"\": {}}", "1:13: '' in listeners: expected " + NAME),
                // Shapes
                wrong("just words", "1:1: the file is a single value: expected keys and values, such as 'loops: 4'"),
                wrong("- loops: 1", "1:1: the file is a list: expected keys and values, such as 'loops: 4'"),
                wrong("limits: 5", "1:9: limits is a single value: expected " + SECTION),
                wrong("listeners: [amqp]", "1:12: listeners is a list: expected a section for each name"),
                wrong("listeners: {amqp: 5672}", "1:19: listeners.amqp is a single value: expected " + SECTION),
                wrong("users: {name: ann}", "1:8: users is a section: expected a list, each element after a '- '"),
                wrong("users: [ann]", "1:9: users[0] is a single value: expected " + SECTION),
                // What must be there, and what does not fit together
                wrong(
                        "users:\n- name: ann",
                        "2:3: users[0] has no 'password': expected a password of at least one character, none of them NUL"),
                wrong("users:\n- password: x", "2:3: users[0] has no 'name': expected " + NAME),
                wrong(
                        "users:\n- {name: ann, password: ''}",
                        "2:25: users[0].password is not valid: expected a password of at least one character, none of them NUL"),
                wrong(
                        "users:\n- {name: a, password: b}\n- {name: a, password: c}",
                        "3:10: users has 'a' twice, first in line 2"),
                wrong(
                        "virtual-hosts: [orders]\nusers: [{name: a, password: b, virtual-hosts: [order]}]",
                        "2:47: user a may enter 'order', which does not exist: did you mean 'orders'?"),
                wrong(
                        "users: [{name: a, password: b, virtual-hosts: [order]}]",
                        "1:47: user a may enter 'order', which does not exist: expected one of virtual-hosts: /"),
                wrong(
                        "listeners: {a: {}, b: {port: 5672}}",
                        "1:30: listeners a and b are both at 127.0.0.1:5672"),
                // Limits of addresses and virtual hosts
                wrong("address-settings:\n- max-messages: 1",
                        "2:3: address-settings[0] has no 'match': expected a pattern such as \"orders.#\", in quotes if it"
                                + " begins with # or *"),
                wrong("address-settings:\n- match: #\n  max-messages: 1",
                        "2:9: address-settings[0].match is empty: expected a pattern such as \"orders.#\", in quotes if"
                                + " it begins with # or *"),
                wrong("address-settings:\n- match: *\n  max-messages: 1",
                        "2:11: this is not YAML: unexpected character found (10); a value that begins with * has to be in"
                                + " quotes"),
                wrong("address-settings: [{match: a, max-messages: many, address-full-policy: block}]",
                        "1:45: address-settings[0].max-messages is 'many': expected a whole number, or none, at least 1"),
                wrong("address-settings: [{match: a, max-message: 5, address-full-policy: block}]",
                        "1:31: unknown key 'max-message' in address-settings[0]: did you mean 'max-messages'?"),
                wrong("address-settings: [{match: ''}]",
                        "1:28: address-settings[0].match '' has an empty word: expected words with a dot between them,"
                                + " such as orders.*"),
                wrong("address-settings: [{match: 'a..b'}]",
                        "1:28: address-settings[0].match 'a..b' has an empty word: expected words with a dot between"
                                + " them, such as orders.*"),
                wrong("address-settings: [{match: 'a*'}]",
                        "1:28: address-settings[0].match 'a*' has a wildcard inside the word 'a*': expected '*' (one"
                                + " word) or '#' (any number of words) between dots"),
                wrong("address-settings:\n- {match: a}\n- {match: a}",
                        "3:11: address-settings has 'a' twice, first in line 2"),
                wrong("address-settings: [{match: a, max-size-bytes: 0}]",
                        "1:47: address-settings[0].max-size-bytes is '0': expected a size such as 64KiB, 10MiB or a plain"
                                + " number of bytes, or none, at least 1"),
                wrong("address-settings: [{match: a, max-messages: -1}]",
                        "1:45: address-settings[0].max-messages is '-1': expected a whole number, or none, at"
                                + " least 1"),
                wrong("address-settings: [{match: a, max-messages: 1, address-full-policy: stop}]",
                        "1:69: address-settings[0].address-full-policy is 'stop': expected one of block, page, drop, fail,"
                                + " ring"),
                wrong("address-settings: [{match: a, low-water: 101%}]",
                        "1:42: address-settings[0].low-water is '101%': expected a percentage from 0% to 100%"),
                wrong("address-settings: [{match: a, low-water: 80}]",
                        "1:42: address-settings[0].low-water is '80': expected a percentage from 0% to 100%"),
                wrong("address-settings: [{match: a, hold-limit: 10ms}]",
                        "1:43: address-settings[0].hold-limit is '10ms': expected a duration such as 30s or 5m, 365d at"
                                + " most, or none, at least 1s"),
                wrong("address-settings: [{match: a, hold-limit: 366d}]",
                        "1:43: address-settings[0].hold-limit is '366d': expected a duration such as 30s or 5m, 365d at"
                                + " most, or none, at least 1s"),
                wrong("address-settings: [{match: a, uncooperative-producers: close}]",
                        "1:56: address-settings[0].uncooperative-producers is 'close': expected one of pause,"
                                + " close-channel"),
                wrong("address-settings: [{match: a, address-full-policy: ring}]",
                        "1:52: address-settings[0].address-full-policy is 'ring', but no address that matches can be full:"
                                + NO_LIMIT),
                wrong("address-settings:\n- {match: '#', max-messages: 5}\n"
                        + "- {match: a, max-messages: none, address-full-policy: FAIL}",
                        "3:55: address-settings[1].address-full-policy is 'fail', but no address that matches can be"
                                + " full:" + NO_LIMIT),
                wrong("address-settings:\n- {match: a.#, max-messages: 5}\n- {match: b.#, address-full-policy: DROP}",
                        "3:37: address-settings[1].address-full-policy is 'drop', but no address that matches can be"
                                + " full:" + NO_LIMIT),
                wrong("address-settings: [{match: a, max-size-bytes: 10MiB, page-limit-bytes: 1MiB}]",
                        "1:72: address-settings[0].page-limit-bytes makes page-limit-bytes 1048576 and max-size-bytes"
                                + " 10485760:" + MORE_ON_DISK),
                wrong("address-settings:\n- {match: '#', page-limit-bytes: 10}\n- {match: 'a.*', max-size-bytes: 11}",
                        "3:34: address-settings[1].max-size-bytes makes page-limit-bytes 10 and max-size-bytes 11:"
                                + MORE_ON_DISK),
                wrong("address-settings:\n- {match: 'a.#', max-size-bytes: 11}\n"
                        + "- {match: 'a.#.b', page-limit-bytes: 10}",
                        "3:38: address-settings[1].page-limit-bytes makes page-limit-bytes 10 and max-size-bytes 11:"
                                + MORE_ON_DISK),
                wrong("address-settings:\n- {match: '#', max-size-bytes: 9, page-limit-bytes: 8, address-full-policy: block}",
                        "2:53: address-settings[0].page-limit-bytes has no effect with address-full-policy block: expected"
                                + " it with address-full-policy page only"),
                wrong("address-settings: [{match: a, max-messages: 9, address-full-policy: ring, hold-limit: 5s}]",
                        "1:87: address-settings[0].hold-limit has no effect with address-full-policy ring, with which"
                                + " nobody waits: expected it with address-full-policy block or page only"),
                wrong("address-settings: [{match: a, max-delivery-attempts: 0}]",
                        "1:54: address-settings[0].max-delivery-attempts is '0': expected a whole number, or none, at"
                                + " least 1"),
                wrong("address-settings: [{match: a, dead-letter-address: amq.x}]",
                        "1:52: address-settings[0].dead-letter-address is 'amq.x': expected a queue's name that does not"
                                + " begin with amq., or none"),
                wrong("amqp10: {window: 1}",
                        "1:18: amqp10.window is '1': expected a size such as 64KiB, 10MiB or a plain number of bytes, from"
                                + " 1KiB to 64MiB"),
                wrong("virtual-host-limits: [{max-messages: 1}]",
                        "1:23: virtual-host-limits[0] has no 'name': expected " + NAME),
                wrong("virtual-host-limits: [{name: /}]",
                        "1:23: virtual-host-limits[0] has no limit: expected max-size-bytes, max-messages, max-connections, max-queues or max-message-size"),
                wrong("virtual-hosts: [orders]\nvirtual-host-limits: [{name: order, max-messages: 1}]",
                        "2:30: virtual-host-limits[0].name is 'order', which does not exist: did you mean 'orders'?"),
                wrong("virtual-host-limits:\n- {name: /, max-messages: 1}\n- {name: /, max-messages: 2}",
                        "3:10: virtual-host-limits has '/' twice, first in line 2"),
                wrong("storage: {max-size: 256MiB}",
                        "1:21: storage.max-size is '256MiB': expected at least 384MiB, three segments of 64MiB and room for"
                                + " the largest message of 128MiB"),
                wrong("storage: {max-size: 3MiB, segment-size: 1MiB}\nlimits: {max-message-size: 1000}",
                        "1:21: storage.max-size is '3MiB': expected at least 4MiB, three segments of 1MiB and room for"
                                + " the largest message of 1000"),
                // What is not YAML
                wrong("loops: [1", "1:10: this is not YAML: expected ',' or ']', but got <stream end>"),
                wrong("a: b: c", "1:5: this is not YAML: mapping values are not allowed here"),
                wrong("loops: 1\n\tdata: x",
                        "2:1: this is not YAML: found character '\\t(TAB)' that cannot start any token"
                                + ". (Do not use \\t(TAB) for indentation)"),
                wrong("loops: *x",
                        "1:8: this is not YAML: found undefined alias x; a value that begins with * has to be in quotes"),
                wrong("loops: 1\n---\nloops: 2", "2:1: this is not YAML: but found another document"));
    }

    private static Arguments wrong(String yaml, String error) {
        return Arguments.of(yaml, error);
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void shouldSayWhereAndWhatIsWrong(String yaml, String error) {
        assertThat(problems(yaml)).extracting(Problem::toString).containsExactly("sluicemq.yaml:" + error);
    }

    @Test
    void shouldTellAllThatIsWrongAtOnceInTheOrderOfTheFile() {
        List<Problem> problems = problems("""
                users:
                  - name: ann
                    pasword: x
                    virtual-hosts: [nowhere]
                loops: none
                listeners:
                  amqp: {port: -1}
                """);

        assertThat(problems)
                .extracting(problem -> problem.place().line() + " " + problem.key())
                .containsExactly(
                        "2 users[0].password",
                        "3 users[0].pasword",
                        "4 users",
                        "5 loops",
                        "7 listeners.amqp.port");
        assertThat(problems.get(1).nearest()).isEqualTo("password");
        assertThat(problems.get(3).value()).isEqualTo("none");
        assertThat(problems.get(3).expected()).isEqualTo("a whole number from 1 to 1024");
    }

    @Test
    void shouldNeverShowAPassword() throws ConfigException {
        List<Problem> problems = problems("users: [{name: ann, password: [hunter2]}]");
        ServerConfig config = read("users: [{name: ann, password: hunter2}]");

        assertThat(problems).hasSize(1).allSatisfy(problem -> assertThat(problem.toString())
                .contains("users[0].password")
                .doesNotContain("hunter2"));
        assertThat(config.toString()).contains("ann").doesNotContain("hunter2");
    }

    @Test
    void shouldShortenLongValuesAndKeepThemOnOneLine() {
        List<Problem> problems = problems("loops: \"" + "x\\n".repeat(500) + "\"");

        assertThat(problems).hasSize(1);
        assertThat(problems.getFirst().toString()).hasSizeLessThan(150).doesNotContain("\n");
    }

    @Test
    void shouldSayThatAFileCannotBeRead() throws IOException {
        Path missing = folder.resolve("missing.yaml");
        Path binary = Files.write(folder.resolve("binary.yaml"), "data: ä".getBytes(StandardCharsets.ISO_8859_1));

        assertThat(problems(missing)).containsExactly(missing + ": there is no such file");
        assertThat(problems(folder)).containsExactly(folder + ": it is a folder, not a file");
        assertThat(problems(binary)).containsExactly(binary + ": it is not UTF-8 text");
    }

    private static List<String> problems(Path file) {
        List<Problem> problems = new ArrayList<>();
        YamlReader.read(file, ServerOptions.ROOT, problems);
        return problems.stream().map(Problem::toString).toList();
    }

    private static List<Problem> problems(String yaml) {
        return catchThrowableOfType(ConfigException.class, () -> read(yaml)).problems();
    }

    private static ServerConfig read(String yaml) throws ConfigException {
        List<Problem> problems = new ArrayList<>();
        Settings settings = YamlReader.read(yaml, "sluicemq.yaml", ServerOptions.ROOT, problems);
        return ServerConfig.of(settings, problems);
    }
}
