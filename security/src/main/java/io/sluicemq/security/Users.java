package io.sluicemq.security;

import io.sluicemq.api.Authenticator.Peer;
import io.sluicemq.api.Principal;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Everybody who may log in, by name. Immutable. */
public final class Users {

    private final Map<String, User> byName;
    /** By the name as SCRAM compares it, for those whose names can be prepared for it. */
    private final Map<String, User> byPreparedName;

    /** Compared with when there is no such user, so that the answer takes as long. */
    private final Password nobodys = new Password(UUID.randomUUID().toString());

    private Users(Map<String, User> byName, Map<String, User> byPreparedName) {
        this.byName = Map.copyOf(byName);
        this.byPreparedName = Map.copyOf(byPreparedName);
    }

    /** @throws IllegalArgumentException if two users have the same name, or two that SASLprep (RFC 4013) makes the same */
    public static Users of(Collection<User> users) {
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
        return new Users(byName, byPreparedName);
    }

    /** The one user who is there unless told otherwise: {@code guest} with the password {@code guest}, from loopback only. */
    public static Users guestOnly() {
        return of(List.of(new User("guest", "guest", null, true)));
    }

    /** The user of that name, or null. */
    public User find(String name) {
        return byName.get(name);
    }

    /** The user whose name is, prepared, this one, or null. */
    User findPrepared(String preparedName) {
        return byPreparedName.get(preparedName);
    }

    public int size() {
        return byName.size();
    }

    /**
     * The user that these are the credentials of.
     *
     * @throws Refusal if there is none; it takes as long as a wrong password
     */
    Principal admit(Credentials claimed, Peer peer) {
        User user = find(claimed.name());
        Password expected = user == null ? nobodys : user.password();
        boolean proved = expected.matches(claimed.response(), claimed.passwordAt(), claimed.passwordLength());
        if (user == null) {
            throw new Refusal(claimed.name(), "there is no such user");
        }
        if (!proved) {
            throw new Refusal(claimed.name(), "the password is wrong");
        }
        return user.admit(peer);
    }
}
