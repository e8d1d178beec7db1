package io.sluicemq.server.config;

import io.sluicemq.api.users.Role;
import io.sluicemq.api.users.UserLimit;
import io.sluicemq.base.Quota;
import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.OptionType;
import io.sluicemq.base.option.Section;
import io.sluicemq.base.option.SectionList;
import io.sluicemq.security.NamePattern;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Who may log in and do what, in the configuration and in the file of users. Part of {@link ServerOptions}. */
public final class UsersSection {

    public static final Option<String> USER_NAME =
            Option.of("name", Names.NAME, "The name they log in with.").required()
                    .example("ann");

    public static final Option<String> USER_PASSWORD = Option.of(
            "password",
            OptionType.STRING.where(
                    "a password of at least one character, none of them NUL",
                    text -> !text.isEmpty() && text.indexOf(0) < 0),
            "The password they log in with. Quote it if it holds `#`, `:` or quotes.")
            .required()
            .secret()
            .example("change me");

    public static final Option<List<String>> USER_VIRTUAL_HOSTS = Option.of(
            "virtual-hosts",
            OptionType.listOf(Names.NAME),
            "The virtual hosts they may enter, each one of the broker's. All of them if this is left out.")
            .example("/");

    public static final Option<Boolean> USER_LOOPBACK_ONLY = Option.of(
            "loopback-only",
            OptionType.BOOLEAN,
            "Whether they may log in only from the machine that the broker runs on.")
            .defaultsTo(false);

    public static final Option<Role> USER_ROLE = Option.of(
            "role",
            OptionType.oneOf(Role.class),
            "What they may do as an operator, beside what clients do. `monitor`: to look. `operator`: to act on queues and"
                    + " connections as well. `administrator`: to change users and permissions as well. Nothing if this is left"
                    + " out.")
            .example("monitor");

    private static final OptionType<String> NAME_PATTERN = OptionType.STRING.where(
            "a pattern such as \"orders.#\", or " + NamePattern.REGEX + " and a regular expression (RE2)",
            UsersSection::isNamePattern);

    public static final Option<String> PERMISSION_HOST = Option.of(
            "virtual-host", Names.NAME, "In which virtual host.").required().example("/");

    public static final Option<List<String>> CONFIGURE = Option.of(
            "configure",
            OptionType.listOf(NAME_PATTERN),
            "Names of queues and exchanges that they may make and delete: patterns of words between dots, `*` for any word,"
                    + " `#` for any number of words, or `regex:` and a regular expression. No pattern, no name.")
            .defaultsTo(List.of());

    public static final Option<List<String>> WRITE = Option.of(
            "write",
            OptionType.listOf(NAME_PATTERN),
            "Names of addresses and exchanges that they may publish to, and of queues and exchanges that they may bind: patterns as"
                    + " in `configure`.")
            .defaultsTo(List.of());

    public static final Option<List<String>> READ = Option.of(
            "read",
            OptionType.listOf(NAME_PATTERN),
            "Names of queues that they may consume from, and of exchanges and topics that they may bind from or subscribe to,"
                    + " by patterns as in `configure`.")
            .defaultsTo(List.of());

    public static final SectionList USER_PERMISSIONS = new SectionList(
            "permissions",
            "What they may do, by virtual host; in others they may do nothing. Everything in all of `virtual-hosts` if this is left"
                    + " out.",
            PERMISSION_HOST,
            new Section("PERMISSIONS", "In one virtual host.", PERMISSION_HOST, CONFIGURE, WRITE, READ));

    public static final Option<Long> USER_MAX_CONNECTIONS = Option.of(
            "max-connections",
            OptionType.LONG.orNone(Quota.UNLIMITED),
            "How many connections they may have into virtual hosts.")
            .atLeast(0L)
            .defaultsTo(Quota.UNLIMITED);

    public static final Option<Long> USER_MAX_CHANNELS = Option.of(
            "max-channels",
            OptionType.LONG.orNone(Quota.UNLIMITED),
            "How many channels they may have open on all connections together, or sessions with AMQP 1.0.")
            .atLeast(0L)
            .defaultsTo(Quota.UNLIMITED);

    public static final Option<Long> USER_MAX_QUEUES = Option.of(
            "max-queues",
            OptionType.LONG.orNone(Quota.UNLIMITED),
            "How many queues there may be that they have declared, of all virtual hosts.")
            .atLeast(0L)
            .defaultsTo(Quota.UNLIMITED);

    public static final Option<Long> USER_MAX_MESSAGE_SIZE = Option.of(
            "max-message-size",
            OptionType.SIZE.orNone(Quota.UNLIMITED),
            "The size of the largest message that they may publish; `limits.max-message-size` holds, too.")
            .atLeast(1L)
            .defaultsTo(Quota.UNLIMITED);

    public static final Option<Long> USER_MAX_KEPT_LINKS = Option.of(
            "max-kept-links",
            OptionType.LONG.orNone(Quota.UNLIMITED),
            "AMQP 1.0: of how many links of theirs that have ended, on all connections, the deliveries may be kept for links that come"
                    + " back.")
            .atLeast(0L)
            .defaultsTo(Quota.UNLIMITED);

    /** What limits of users are called, and may be. */
    public static final Map<UserLimit, Option<Long>> USER_LIMITS = Collections.unmodifiableMap(new EnumMap<>(Map.of(
            UserLimit.CONNECTIONS, USER_MAX_CONNECTIONS,
            UserLimit.CHANNELS, USER_MAX_CHANNELS,
            UserLimit.QUEUES, USER_MAX_QUEUES,
            UserLimit.MESSAGE_BYTES, USER_MAX_MESSAGE_SIZE,
            UserLimit.KEPT_LINKS, USER_MAX_KEPT_LINKS)));

    public static final SectionList USERS = new SectionList(
            "users",
            "Who may log in, with passwords as they are: for tests, see [security](security.md). If there is none, nor a file of"
                    + " users, `guest` with the password `guest` may, from the loopback interface only.",
            USER_NAME,
            new Section("USER", "One user.", USER_NAME, USER_PASSWORD, USER_VIRTUAL_HOSTS, USER_LOOPBACK_ONLY,
                    USER_ROLE, USER_PERMISSIONS, USER_MAX_CONNECTIONS, USER_MAX_CHANNELS, USER_MAX_QUEUES,
                    USER_MAX_MESSAGE_SIZE, USER_MAX_KEPT_LINKS));

    public static final Option<Path> USERS_FILE = Option.of(
            "users-file",
            OptionType.PATH,
            "The file with the users that `sluicemq user` has made, their passwords stored as salted slow hashes. `users.yaml` in"
                    + " the data folder if this is left out, where it need not be there.")
            .example("users.yaml");

    /** The name of that file in the data folder. */
    public static final String DEFAULT_USERS_FILE = "users.yaml";

    public static final Option<String> STORED_SHA_256 = Option.of(
            "password-sha-256",
            OptionType.STRING,
            "The keys of SCRAM-SHA-256: iterations, salt, StoredKey, ServerKey.")
            .secret();

    public static final Option<String> STORED_SHA_512 = Option.of(
            "password-sha-512", OptionType.STRING, "The keys of SCRAM-SHA-512: iterations, salt, StoredKey, ServerKey.")
            .secret();

    public static final SectionList STORED_USERS = new SectionList(
            "users",
            "Who may log in.",
            USER_NAME,
            new Section("USER", "One user.", USER_NAME, STORED_SHA_256, STORED_SHA_512, USER_LOOPBACK_ONLY, USER_ROLE,
                    USER_PERMISSIONS, USER_MAX_CONNECTIONS, USER_MAX_CHANNELS, USER_MAX_QUEUES, USER_MAX_MESSAGE_SIZE,
                    USER_MAX_KEPT_LINKS));

    public static final Option<String> DECOY_SECRET = Option.of(
            "decoy-secret",
            OptionType.STRING,
            "From what names that nobody has get salts, so that they can't be told from others.")
            .secret();

    /** All that a file of users may hold. */
    public static final Section USERS_FILE_ROOT =
            new Section("", "The users.", DECOY_SECRET, STORED_USERS);

    private UsersSection() {}

    private static boolean isNamePattern(String text) {
        try {
            NamePattern.of(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
