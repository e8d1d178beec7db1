package io.sluicemq.security;

import io.sluicemq.api.Access;
import io.sluicemq.api.Authenticator.Peer;
import io.sluicemq.api.Principal;
import io.sluicemq.api.Usage;
import io.sluicemq.api.users.Role;
import io.sluicemq.api.users.UserLimit;
import io.sluicemq.api.users.UserLimits;
import io.sluicemq.base.Published;
import java.util.Optional;

/** Somebody who may log in. Immutable but for what they may do; neither {@link #toString} nor any other method gives the password away. */
public final class User {

    private final String name;
    private final String preparedName;
    /** As the configuration has it; null if there is none there. */
    private final Password password;
    /** Null if there is none. */
    private final StoredPassword stored;
    private final Optional<Role> role;
    private final boolean loopbackOnly;
    private final Access access;
    /** What those have who have logged in: it is handed on from one reading of the users to the next. */
    private final Published<Access> published;
    /** What they have open, likewise; its limits are {@link #limits} since that has taken effect. */
    private final Usage usage;
    private final UserLimits limits;

    private User(
            String name, Password password, StoredPassword stored, Optional<Role> role, boolean loopbackOnly,
            Access access, Published<Access> published, Usage usage, UserLimits limits) {
        this.usage = usage;
        this.limits = limits;
        this.name = name;
        this.preparedName = Preparation.prepared(name);
        this.password = password;
        this.stored = stored;
        this.role = role;
        this.loopbackOnly = loopbackOnly;
        this.access = access;
        this.published = published;
    }

    /**
     * One whose password is known as it is. Takes some milliseconds, for what SCRAM needs: not for loops.
     *
     * @param loopbackOnly whether the user may log in from this machine only
     * @throws IllegalArgumentException if the name or the password is empty or holds the character NUL, with which nobody could
     *     log in (RFC 4616 §2)
     */
    public User(String name, String password, Optional<Role> role, boolean loopbackOnly, Access access) {
        this(name, passwordOf(name, password), null, role, loopbackOnly, access, new Published<>(access), new Usage(),
                UserLimits.NONE);
    }

    private static Password passwordOf(String name, String password) {
        checkName(name);
        if (password.isEmpty() || password.indexOf(0) >= 0) {
            throw new IllegalArgumentException(
                    "the password of user '" + name + "' must have characters, and none of them NUL");
        }
        return new Password(Preparation.prepared(name), password);
    }

    /** @throws IllegalArgumentException if no user may have that name; its message says why */
    public static void checkName(String name) {
        if (name.isEmpty() || name.indexOf(0) >= 0) {
            throw new IllegalArgumentException("a user's name must have characters, and none of them NUL");
        }
    }

    /**
     * One whose password is stored.
     *
     * @param password null for a user who logs in by a certificate only
     */
    public static User stored(
            String name, StoredPassword password, Optional<Role> role, boolean loopbackOnly, Access access) {
        checkName(name);
        return new User(name, null, password, role, loopbackOnly, access, new Published<>(access), new Usage(),
                UserLimits.NONE);
    }

    /** The same with limits, which hold when they {@linkplain Users#takeEffect take effect}. */
    public User withLimits(UserLimits others) {
        return new User(name, password, stored, role, loopbackOnly, access, published, usage, others);
    }

    /** The same user as another reading has it, for those who have logged in since. */
    User succeeding(User before) {
        boolean samePassword = stored != null && stored.equals(before.stored);
        return new User(name, password, samePassword ? before.stored : stored, role, loopbackOnly, access,
                before.published, before.usage, limits);
    }

    /** Has what this says hold for those who have logged in. */
    void takeEffect() {
        usage.connections().limit(limits.most(UserLimit.CONNECTIONS));
        usage.channels().limit(limits.most(UserLimit.CHANNELS));
        usage.queues().limit(limits.most(UserLimit.QUEUES));
        usage.messageBytes().set(limits.most(UserLimit.MESSAGE_BYTES));
        usage.keptLinks().set(limits.most(UserLimit.KEPT_LINKS));
        if (!access.equals(published.get())) {
            published.publish(access);
        }
    }

    /** There is no such user any more: those who have logged in may do nothing from now on. */
    void end() {
        published.publish(Access.NONE);
    }

    public String name() {
        return name;
    }

    public boolean isLoopbackOnly() {
        return loopbackOnly;
    }

    /** What they may do as an operator; empty for nothing. */
    public Optional<Role> role() {
        return role;
    }

    /** What they may do. */
    public Access access() {
        return access;
    }

    /** What those have who have logged in as this user. */
    Published<Access> published() {
        return published;
    }

    Password password() {
        return password;
    }

    StoredPassword storedPassword() {
        return stored;
    }

    /** The name as SCRAM compares it, or null if it can't be prepared. */
    String preparedName() {
        return preparedName;
    }

    /** What SCRAM needs, or null if there is none for it. */
    ScramKeys scramKeys(ScramHash hash) {
        return stored != null ? stored.keys(hash) : password == null ? null : password.keys(hash);
    }

    /**
     * Lets the user in, who has proved it.
     *
     * @throws Refusal if the user may not come from where the peer is
     */
    Principal admit(Peer peer) {
        if (loopbackOnly && !peer.loopback()) {
            throw new Refusal(name, "the user may only connect via loopback");
        }
        return new Principal(name, false, published, usage);
    }

    @Override
    public String toString() {
        return "user '" + name + "'";
    }
}
