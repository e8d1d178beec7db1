package io.sluicemq.server.users;

import io.sluicemq.api.Authenticator.Peer;
import io.sluicemq.api.users.PermissionPatterns;
import io.sluicemq.api.users.Role;
import io.sluicemq.api.users.UserChange;
import io.sluicemq.api.users.UserDirectory;
import io.sluicemq.api.users.UserLimits;
import io.sluicemq.api.users.UserRefused;
import io.sluicemq.api.users.UserView;
import io.sluicemq.base.Audit;
import io.sluicemq.base.LogEvent;
import io.sluicemq.base.Published;
import io.sluicemq.base.option.InvalidValue;
import io.sluicemq.security.Grant;
import io.sluicemq.security.NamePattern;
import io.sluicemq.security.SaslAuthenticator;
import io.sluicemq.security.StoredPassword;
import io.sluicemq.security.User;
import io.sluicemq.security.Users;
import io.sluicemq.server.config.ConfigException;
import io.sluicemq.server.config.ServerConfig;
import io.sluicemq.server.config.UserConfig;
import io.sluicemq.server.config.UsersSection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The users of a broker that runs: those of its configuration and those of its {@link UsersFile file}; and {@code guest}, as long as there
 * is neither. It is the only one who publishes them. Any thread that may wait for a disk; one at a time changes something.
 */
public final class UserRegistry implements UserDirectory, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(UserRegistry.class);

    private final Published<Users> published;
    private final SaslAuthenticator authenticator;
    private final Runnable accessChanged;
    /** Replaced as a whole by whoever holds this object's lock; read without. */
    private volatile State state;

    /**
     * Where users come from.
     *
     * @param stored null if there is none, and never was
     * @param file null if users can't be stored
     */
    private record State(List<UserConfig> configured, StoredUsers stored, UsersFile file) {

        static UsersFile fileOf(ServerConfig config) {
            return config.usersFile() == null ? null : new UsersFile(config.usersFile());
        }

        boolean hasOnlyGuest() {
            return configured.isEmpty() && stored == null;
        }

        /** Those who are not in the file. */
        List<UserConfig> inConfiguration() {
            return hasOnlyGuest() ? List.of(ServerConfig.GUEST) : configured;
        }
    }

    /**
     * @param stored what the file holds; null if it isn't there
     * @param users what both come to, by {@link #assemble}
     * @param accessChanged has what users may do hold for those who are connected
     */
    public UserRegistry(ServerConfig config, StoredUsers stored, Users users, Runnable accessChanged) {
        this.state = new State(config.users(), stored, State.fileOf(config));
        this.accessChanged = accessChanged;
        users.takeEffect(users);
        this.published = new Published<>(users);
        this.authenticator = new SaslAuthenticator(
                published, config.anonymousLogin(), config.limits().loginFailures());
        warnOfOpenFile();
    }

    /** By whom peers prove who they are. */
    public SaslAuthenticator authenticator() {
        return authenticator;
    }

    /** Who may log in by a configuration and a file; throws {@link IllegalArgumentException} if two have the same name. */
    public static Users assemble(List<UserConfig> configured, StoredUsers stored) {
        List<UserConfig> all = configured.isEmpty() && stored == null ? List.of(ServerConfig.GUEST) : configured;
        List<User> users = new ArrayList<>(all.stream().map(UserConfig::toUser).toList());
        if (stored != null) {
            stored.users().stream().map(StoredUser::toUser).forEach(users::add);
        }
        return Users.of(users, stored == null ? null : stored.decoySecret());
    }

    /** Whether nobody but the built-in guest may log in. */
    public boolean hasOnlyGuest() {
        return state.hasOnlyGuest();
    }

    private void warnOfOpenFile() {
        try {
            if (state.stored != null && state.file.isOpenToOthers()) {
                LogEvent.USERS_FILE_OPEN.log(LOG,
                        "{}, which holds the hashes of passwords, can be read or changed by others than its"
                                + " owner: it should have mode 600",
                        state.file.path());
            }
        } catch (IOException e) {
            LOG.debug("who may read {} is not known: {}", state.file.path(), e.toString());
        }
    }

    // ---- what was read again

    /**
     * Has a configuration and what its file holds be who may log in.
     *
     * @param now null if the file isn't there
     * @param all what both come to
     * @param by who wants that
     */
    public synchronized void replace(ServerConfig config, StoredUsers now, Users all, String by) {
        // Whoever had users has no guest again by losing the file.
        boolean lost = now == null && state.stored != null;
        StoredUsers kept = lost ? StoredUsers.none() : now;
        Users users = lost ? assemble(config.users(), kept) : all;
        tell(kept, by);
        if (!config.users().equals(state.configured)) {
            Audit.changed(LogEvent.USERS_CHANGED, by, "the users of the configuration are others: "
                    + String.join(", ", config.users().stream().map(UserConfig::name).toList()));
        }
        state = new State(config.users(), kept, State.fileOf(config));
        publish(users);
        warnOfOpenFile();
    }

    /**
     * Reads the file again, which others may have changed.
     *
     * @return how many users it holds
     * @throws ConfigException if it is not valid; then nothing has changed
     * @throws UserRefused if it can't hold, since two users have the same name
     */
    public synchronized int readAgain(String by) throws ConfigException {
        if (state.file == null || !state.file.exists()) {
            return 0;
        }
        StoredUsers now = state.file.read();
        install(now, by);
        return now.users().size();
    }

    private void install(StoredUsers now, String by) {
        Users users;
        try {
            users = assemble(state.configured, now);
        } catch (IllegalArgumentException e) {
            throw new UserRefused(UserRefused.Reason.EXISTS, e.getMessage(), e);
        }
        tell(now, by);
        state = new State(state.configured, now, state.file);
        publish(users);
    }

    private void publish(Users next) {
        Users before = published.get();
        Users users = next.succeeding(before);
        published.publish(users);
        users.takeEffect(before);
        accessChanged.run();
    }

    /** Tells the audit log what is others than before. */
    private void tell(StoredUsers now, String by) {
        List<StoredUser> before = state.stored == null ? List.of() : state.stored.users();
        List<StoredUser> after = now == null ? List.of() : now.users();
        for (StoredUser user : after) {
            Optional<StoredUser> old = before.stream().filter(each -> each.name().equals(user.name())).findFirst();
            if (old.isEmpty()) {
                Audit.changed(LogEvent.USERS_CHANGED, by, "user '" + user.name() + "' added" + facts(user));
            } else if (!old.get().equals(user)) {
                boolean password = !Objects.equals(old.get().password(), user.password());
                Audit.changed(LogEvent.USERS_CHANGED, by,
                        "user '" + user.name() + "' changed" + (password ? ", with another password" : "")
                                + facts(user));
            }
        }
        before.stream().filter(user -> after.stream().noneMatch(each -> each.name().equals(user.name())))
                .forEach(user -> Audit.changed(LogEvent.USERS_CHANGED, by, "user '" + user.name() + "' removed"));
    }

    private static String facts(StoredUser user) {
        StringBuilder facts = new StringBuilder(", role ").append(word(user.role()))
                .append(user.loopbackOnly() ? ", from loopback only" : "")
                .append(user.password() == null ? ", without a password" : "");
        user.limits().limits()
                .forEach((limit, most) -> facts.append(", ").append(limit.key()).append(' ').append(most));
        StoredUser.patterns(user.permissions()).forEach((host, patterns) -> facts.append(", in vhost '").append(host)
                .append("' configure ").append(patterns.configure()).append(" write ").append(patterns.write())
                .append(" read ").append(patterns.read()));
        return facts.toString();
    }

    private static String word(Optional<Role> role) {
        return role.map(Role::word).orElse("none");
    }

    // ---- for administrators

    @Override
    public List<UserView> list() {
        State now = state;
        return Stream.concat(
                now.inConfiguration().stream().map(UserRegistry::view),
                now.stored == null ? Stream.of() : now.stored.users().stream().map(StoredUser::toView))
                .sorted(Comparator.comparing(UserView::name))
                .toList();
    }

    private static UserView view(UserConfig user) {
        Optional<Map<String, PermissionPatterns>> permissions;
        if (user.permissions() != null) {
            permissions = Optional.of(StoredUser.patterns(user.permissions()));
        } else if (user.virtualHosts() != null) {
            PermissionPatterns all = new PermissionPatterns(List.of("#"), List.of("#"), List.of("#"));
            Map<String, PermissionPatterns> inside = new TreeMap<>();
            user.virtualHosts().forEach(host -> inside.put(host, all));
            permissions = Optional.of(inside);
        } else {
            permissions = Optional.empty();
        }
        return new UserView(user.name(), user.role(), user.loopbackOnly(), true, false, permissions, user.limits());
    }

    @Override
    public Optional<UserView> find(String name) {
        State now = state;
        Optional<UserView> found = now.inConfiguration().stream()
                .filter(user -> user.name().equals(name))
                .findFirst()
                .map(UserRegistry::view);
        return found.isPresent() || now.stored == null ? found : now.stored.find(name).map(StoredUser::toView);
    }

    @Override
    public void put(String name, UserChange change, String by) {
        UnaryOperator<StoredUser> applied = applied(change);
        change(name, by, users -> users.with(applied.apply(users.find(name).orElseGet(() -> newUser(name)))));
    }

    /** What a change makes of a user; hashes the password. */
    static UnaryOperator<StoredUser> applied(UserChange change) {
        StoredPassword password = change.password() == null || change.password().isEmpty()
                ? null
                : stored(change.password().get());
        return user -> new StoredUser(
                user.name(),
                change.password() == null ? user.password() : password,
                change.role() == null ? user.role() : change.role(),
                change.loopbackOnly() == null ? user.loopbackOnly() : change.loopbackOnly(),
                user.permissions(),
                user.limits().with(change.limits()));
    }

    static StoredUser newUser(String name) {
        try {
            UsersSection.USER_NAME.check(name);
        } catch (InvalidValue e) {
            throw new UserRefused(UserRefused.Reason.INVALID,
                    "'" + name + "' can't be a user's name: expected " + e.expected(), e);
        }
        return new StoredUser(name, null, Optional.empty(), false, Map.of(), UserLimits.NONE);
    }

    private static StoredPassword stored(String password) {
        try {
            return StoredPassword.of(password);
        } catch (IllegalArgumentException e) {
            throw new UserRefused(UserRefused.Reason.INVALID, e.getMessage(), e);
        }
    }

    @Override
    public void remove(String name, String by) {
        change(name, by, users -> {
            required(users, name);
            return users.without(name);
        });
    }

    @Override
    public void grant(String name, String virtualHost, PermissionPatterns patterns, String by) {
        Grant grant = grant(patterns);
        change(name, by, users -> users.with(required(users, name).withPermissions(virtualHost, grant)));
    }

    static Grant grant(PermissionPatterns patterns) {
        try {
            return Grant.of(patterns.configure(), patterns.write(), patterns.read());
        } catch (IllegalArgumentException e) {
            throw new UserRefused(UserRefused.Reason.INVALID, e.getMessage(), e);
        }
    }

    @Override
    public void revoke(String name, String virtualHost, String by) {
        change(name, by, users -> users.with(required(users, name).withPermissions(virtualHost, null)));
    }

    static StoredUser required(StoredUsers users, String name) {
        return users.find(name).orElseThrow(
                () -> new UserRefused(UserRefused.Reason.NOT_FOUND, "there is no user '" + name + "'"));
    }

    private synchronized void change(String name, String by, UsersFile.Change change) {
        if (state.configured.stream().anyMatch(user -> user.name().equals(name))) {
            throw new UserRefused(UserRefused.Reason.NOT_CHANGEABLE,
                    "user '" + name + "' stands in the broker's configuration and is changed there");
        }
        UsersFile file = state.file;
        if (file == null) {
            throw new UserRefused(UserRefused.Reason.NOT_CHANGEABLE,
                    "this broker has no file of users: it has neither a data folder nor users-file");
        }
        try {
            install(file.change(change), by);
        } catch (IOException e) {
            LogEvent.USERS_FILE_UNCHANGED.log(LOG, "{} can't be changed: {}", file.path(), e.toString());
            throw new UserRefused(UserRefused.Reason.NOT_CHANGEABLE, file.path() + " can't be changed: " + e, e);
        } catch (ConfigException e) {
            e.problems().forEach(problem -> LogEvent.USERS_FILE_INVALID.log(LOG, "{}", problem));
            throw new UserRefused(UserRefused.Reason.NOT_CHANGEABLE, file.path() + " is not valid: " + e.problems(), e);
        }
    }

    @Override
    public CompletableFuture<Optional<UserView>> login(String name, byte[] password, Peer peer) {
        return authenticator.check(name, password, peer, System.nanoTime())
                .thenApply(user -> user.flatMap(found -> find(found.name())));
    }

    @Override
    public String regex(List<String> patterns) {
        return NamePattern.regexOf(patterns);
    }

    /** Logins that wait are not answered any more. */
    @Override
    public void close() {
        authenticator.close();
    }
}
