package io.sluicemq.server.users;

import io.sluicemq.api.users.PermissionPatterns;
import io.sluicemq.api.users.Role;
import io.sluicemq.api.users.UserChange;
import io.sluicemq.api.users.UserLimit;
import io.sluicemq.api.users.UserRefused;
import io.sluicemq.base.Quota;
import io.sluicemq.base.option.InvalidValue;
import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.OptionType;
import io.sluicemq.base.option.Problem;
import io.sluicemq.base.option.Settings;
import io.sluicemq.management.AdminClient;
import io.sluicemq.management.AdminRefused;
import io.sluicemq.management.AdminSocket;
import io.sluicemq.management.AdminUnreachable;
import io.sluicemq.security.Grant;
import io.sluicemq.server.config.ConfigException;
import io.sluicemq.server.config.ServerConfig;
import io.sluicemq.server.config.ServerOptions;
import io.sluicemq.server.config.UsersSection;
import io.sluicemq.server.config.YamlReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Changes a {@link UsersFile} for a command line, whether or not a broker runs, and has the broker read it if one does. Used by the thread
 * of the command line.
 */
public final class UserEditor {

    /** It could not be done. */
    public static final int EXIT_FAILED = 1;

    /** What was asked for makes no sense, or the file or the configuration is not valid. */
    public static final int EXIT_USAGE = 2;

    private static final Path DEFAULT_DATA = Path.of("data");
    private static final Duration LIMIT = Duration.ofSeconds(40);
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final UsersFile file;
    private final Path data;
    private final PrintWriter out;
    private final PrintWriter err;

    private UserEditor(UsersFile file, Path data, PrintWriter out, PrintWriter err) {
        this.file = file;
        this.data = data;
        this.out = out;
        this.err = err;
    }

    /**
     * Finds the file.
     *
     * @param usersFile null for the one that the configuration names, or else the one in the data folder
     * @param config null for none
     * @param data null for the one that the configuration names, or else {@code data}
     * @return null if the configuration is not valid, which {@code err} was told
     */
    public static UserEditor of(Path usersFile, Path config, Path data, PrintWriter out, PrintWriter err) {
        Path folder = data;
        Path found = usersFile;
        if (config != null) {
            try {
                List<Problem> problems = new ArrayList<>();
                Settings settings = YamlReader.read(config, ServerOptions.ROOT, problems);
                ServerConfig read = ServerConfig.of(settings, problems);
                folder = folder == null ? read.data() : folder;
                found = found == null && read.usersFileRequired() ? read.usersFile() : found;
            } catch (ConfigException e) {
                e.problems().forEach(err::println);
                err.flush();
                return null;
            }
        }
        folder = folder == null ? DEFAULT_DATA : folder;
        Path path = found == null ? folder.resolve(UsersSection.DEFAULT_USERS_FILE) : found;
        return new UserEditor(new UsersFile(path), folder, out, err);
    }

    /** Makes a user who isn't there yet; one that has all permissions in some virtual hosts. Returns an exit code. */
    public int add(String name, UserChange change, List<String> virtualHosts) {
        UnaryOperator<StoredUser> applied;
        try {
            applied = UserRegistry.applied(change);
        } catch (UserRefused e) {
            return refused(e);
        }
        return change("User '" + name + "' is added", users -> {
            if (users.find(name).isPresent()) {
                throw new UserRefused(UserRefused.Reason.EXISTS, "there is a user '" + name
                        + "': 'sluicemq user passwd' and 'sluicemq user grant' change them");
            }
            StoredUser user = applied.apply(UserRegistry.newUser(name));
            Grant all = Grant.of(List.of("#"), List.of("#"), List.of("#"));
            for (String host : virtualHosts) {
                user = user.withPermissions(host, all);
            }
            return users.with(user);
        });
    }

    /**
     * Changes a user who is there. Returns an exit code.
     *
     * @param limits those that change, as text; {@code none} or {@code -1} takes one away
     */
    public int alter(String name, UserChange change, Map<UserLimit, String> limits) {
        UnaryOperator<StoredUser> applied;
        Map<UserLimit, Long> read = new EnumMap<>(UserLimit.class);
        try {
            applied = UserRegistry.applied(change);
            limits.forEach((limit, text) -> read.put(limit, limit(limit, text)));
        } catch (UserRefused e) {
            return refused(e);
        }
        return change("User '" + name + "' is changed",
                users -> {
                    StoredUser user = applied.apply(UserRegistry.required(users, name));
                    return users.with(user.withLimits(user.limits().with(read)));
                });
    }

    private static long limit(UserLimit limit, String text) {
        if (text.equals("-1")) {
            return Quota.UNLIMITED;
        }
        Option<Long> option = UsersSection.USER_LIMITS.get(limit);
        try {
            return option.parse(text);
        } catch (InvalidValue e) {
            throw new UserRefused(UserRefused.Reason.INVALID,
                    limit.key() + " can't be '" + text + "': expected " + e.expected(), e);
        }
    }

    /** Returns an exit code. */
    public int remove(String name) {
        return change("User '" + name + "' is removed", users -> {
            UserRegistry.required(users, name);
            return users.without(name);
        });
    }

    /** Replaces permissions. Returns an exit code. */
    public int grant(String name, String virtualHost, PermissionPatterns patterns) {
        Grant grant;
        try {
            grant = UserRegistry.grant(patterns);
        } catch (UserRefused e) {
            return refused(e);
        }
        return change("Permissions of user '" + name + "' in '" + virtualHost + "' are set",
                users -> users.with(UserRegistry.required(users, name).withPermissions(virtualHost, grant)));
    }

    /** Takes permissions. Returns an exit code. */
    public int revoke(String name, String virtualHost) {
        return change("User '" + name + "' may not enter '" + virtualHost + "' any more",
                users -> users.with(UserRegistry.required(users, name).withPermissions(virtualHost, null)));
    }

    /** Prints who there is. Returns an exit code: {@link #EXIT_FAILED} if there is no file. */
    public int list() {
        if (!file.exists()) {
            return failed("there is no file " + file.path() + ": 'sluicemq user add' makes it, and --data names another"
                    + " folder");
        }
        try {
            StoredUsers users = file.read();
            if (users.users().isEmpty()) {
                out.println(file.path() + " holds no users.");
            }
            users.users().forEach(this::print);
            out.flush();
            return 0;
        } catch (ConfigException e) {
            return invalid(e);
        }
    }

    private void print(StoredUser user) {
        out.println(user.name() + ": "
                + user.role().map(Role::word).orElse("no role")
                + (user.password() == null ? ", no password" : "")
                + (user.loopbackOnly() ? ", from loopback only" : "")
                + user.limits().limits().entrySet().stream()
                        .map(limit -> ", " + limit.getKey().key() + " "
                                + UsersSection.USER_LIMITS.get(limit.getKey()).type().format(limit.getValue()))
                        .collect(Collectors.joining()));
        Map<String, PermissionPatterns> permissions = StoredUser.patterns(user.permissions());
        if (permissions.isEmpty()) {
            out.println("  no permissions");
        }
        permissions.forEach((host, patterns) -> out.println("  in " + host + ": configure "
                + text(patterns.configure()) + ", write " + text(patterns.write()) + ", read "
                + text(patterns.read())));
    }

    private static String text(List<String> patterns) {
        return patterns.isEmpty() ? "nothing" : OptionType.listOf(OptionType.STRING).format(patterns);
    }

    private int change(String done, UsersFile.Change change) {
        try {
            file.change(change);
        } catch (UserRefused e) {
            return refused(e);
        } catch (ConfigException e) {
            return invalid(e);
        } catch (AccessDeniedException e) {
            return failed(file.path() + " can't be changed: no permission for " + e.getFile());
        } catch (IOException e) {
            return failed(file.path() + " can't be changed: " + e);
        }
        out.println(done + " in " + file.path() + ".");
        out.flush();
        return tellBroker();
    }

    /** Has the broker on the data folder read the file, if one runs there. */
    private int tellBroker() {
        if (!Files.exists(data.resolve(AdminSocket.FILE))) {
            out.println("No broker runs on " + data + ": one that is started with it will know."
                    + " --data names another folder.");
            out.flush();
            return 0;
        }
        try {
            JsonNode answer = AdminClient.ask(data, JSON.createObjectNode().put("command", "users"), LIMIT);
            if (answer.has("problems")) {
                answer.path("problems").valueStream().map(JsonNode::asString).forEach(err::println);
                return failed("the broker on " + data + " goes on with the users it had");
            }
            out.println("The broker on " + data + " knows.");
            out.flush();
            return 0;
        } catch (AdminUnreachable e) {
            err.println("sluicemq user: no broker was told: " + e.getMessage());
            err.flush();
            return 0;
        } catch (AdminRefused e) {
            return failed("the broker on " + data + " goes on with the users it had: " + e.getMessage());
        }
    }

    private int refused(UserRefused refused) {
        failed(refused.getMessage());
        return refused.reason() == UserRefused.Reason.INVALID ? EXIT_USAGE : EXIT_FAILED;
    }

    private int invalid(ConfigException wrong) {
        wrong.problems().forEach(err::println);
        err.flush();
        return EXIT_USAGE;
    }

    private int failed(String reason) {
        err.println("sluicemq user: " + reason);
        err.flush();
        return EXIT_FAILED;
    }
}
