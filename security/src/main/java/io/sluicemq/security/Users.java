package io.sluicemq.security;

import io.sluicemq.api.Access;
import io.sluicemq.api.Authenticator.Peer;
import io.sluicemq.api.SaslStep;
import io.sluicemq.api.users.Role;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Everybody who may log in, by name. Immutable. */
public final class Users {

    private final Map<String, User> byName;
    /** By the name as SCRAM compares it, for those whose names can be prepared for it. */
    private final Map<String, User> byPreparedName;

    /** Compared with when there is no such user, so that the answer takes as long. */
    private final Password nobodys = Password.ofNobody();

    private final Decoys decoys;

    private Users(Map<String, User> byName, Map<String, User> byPreparedName, Decoys decoys) {
        this.byName = Map.copyOf(byName);
        this.byPreparedName = Map.copyOf(byPreparedName);
        this.decoys = decoys;
    }

    /** @throws IllegalArgumentException if two users have the same name, or two that SASLprep (RFC 4013) makes the same */
    public static Users of(Collection<User> users) {
        return of(users, null);
    }

    /**
     * As {@link #of(Collection)}.
     *
     * @param decoySecret what names that nobody has are answered by; of the file that users are stored in, or null without one
     */
    public static Users of(Collection<User> users, byte[] decoySecret) {
        Map<String, User> byName = new HashMap<>();
        Map<String, User> byPreparedName = new HashMap<>();
        for (User user : users) {
            if (byName.put(user.name(), user) != null) {
                throw new IllegalArgumentException("there are two users named '" + user.name() + "'");
            }
            if (user.preparedName() != null) {
                User other = byPreparedName.put(user.preparedName(), user);
                if (other != null) {
                    throw new IllegalArgumentException("users '" + other.name() + "' and '" + user.name()
                            + "' have the same name in the eyes of SASLprep (RFC 4013)");
                }
            }
        }
        boolean slow = users.stream().anyMatch(user -> user.storedPassword() != null);
        return new Users(byName, byPreparedName, slow ? new Decoys(decoySecret, true) : Password.decoys());
    }

    /** A new secret for {@link #of(Collection, byte[])}. */
    public static byte[] newDecoySecret() {
        return Decoys.random();
    }

    /** The one user who is there unless told otherwise: {@code guest} with the password {@code guest}, from loopback only. */
    public static Users guestOnly() {
        return of(List.of(new User("guest", "guest", Optional.of(Role.ADMINISTRATOR), true, Access.ALL)));
    }

    /**
     * The same as those that come after {@code before}: who has logged in goes on as the user of the same name, and what was
     * remembered of passwords that are the same still is.
     */
    public Users succeeding(Users before) {
        Map<String, User> all = new HashMap<>();
        Map<String, User> prepared = new HashMap<>();
        byName.forEach((name, user) -> {
            User old = before.find(name);
            User succeeds = old == null ? user : user.succeeding(old);
            all.put(name, succeeds);
            if (user.preparedName() != null) {
                prepared.put(user.preparedName(), succeeds);
            }
        });
        return new Users(all, prepared, decoys);
    }

    /** Has all this hold for those who have logged in, in place of {@code before}, which it succeeds. */
    public void takeEffect(Users before) {
        byName.values().forEach(User::takeEffect);
        before.byName.values().stream().filter(user -> !byName.containsKey(user.name())).forEach(User::end);
    }

    /** The user of that name, or null. */
    public User find(String name) {
        return byName.get(name);
    }

    /** The user whose name is, prepared, this one, or null. */
    User findPrepared(String preparedName) {
        return byPreparedName.get(preparedName);
    }

    Decoys decoys() {
        return decoys;
    }

    public int size() {
        return byName.size();
    }

    /**
     * Lets in the user that these are the credentials of.
     *
     * @throws Refusal if there is none
     */
    Judgement judge(Credentials claimed, Peer peer) {
        User user = find(claimed.name());
        if (user != null && user.storedPassword() != null) {
            return judge(user, user.storedPassword(), claimed, peer);
        }
        Password expected = user == null || user.password() == null ? nobodys : user.password();
        if (expected.matches(claimed.response(), claimed.passwordAt(), claimed.passwordLength()) && user != null) {
            return Judgement.success(user.admit(peer));
        }
        Refusal refusal = user == null
                ? new Refusal(claimed.name(), "there is no such user")
                : user.password() == null ? new Refusal(claimed.name(), "the user has no password") : wrong(user);
        if (!decoys.areSlow()) {
            throw refusal;
        }
        return new Judgement.Slowly(claimed.name(), () -> {
            StoredPassword.matchesNobody(decoys, claimed.name());
            throw refusal;
        });
    }

    private static Judgement judge(User user, StoredPassword expected, Credentials claimed, Peer peer) {
        byte[] password = Arrays.copyOfRange(
                claimed.response(), claimed.passwordAt(), claimed.passwordAt() + claimed.passwordLength());
        if (expected.isRemembered(password)) {
            return Judgement.success(user.admit(peer));
        }
        return new Judgement.Slowly(user.name(), () -> {
            if (!expected.matches(password, Preparation.preparedOf(password))) {
                throw wrong(user);
            }
            return new SaslStep.Success(user.admit(peer), null);
        });
    }

    private static Refusal wrong(User user) {
        return new Refusal(user.name(), "the password is wrong");
    }
}
