package io.sluicemq.security;

import io.sluicemq.api.Authenticator.Peer;
import io.sluicemq.api.Principal;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/** Somebody who may log in. Immutable; neither {@link #toString} nor any other method gives the password away. */
public final class User {

    private final String name;
    private final Password password;
    /** Without entries if the password can't be prepared for SCRAM. */
    private final Map<ScramHash, ScramKeys> scramKeys = new EnumMap<>(ScramHash.class);

    private final String preparedName;
    private final Set<String> virtualHosts;
    private final boolean loopbackOnly;

    /**
     * Takes some milliseconds, for what SCRAM needs: not for loops.
     *
     * @param virtualHosts the virtual hosts that the user may use; null for all
     * @param loopbackOnly whether the user may log in from this machine only
     * @throws IllegalArgumentException if the name or the password is empty or holds the character NUL, with which nobody could
     *     log in (RFC 4616 §2)
     */
    public User(String name, String password, Set<String> virtualHosts, boolean loopbackOnly) {
        if (name.isEmpty() || name.indexOf(0) >= 0) {
            throw new IllegalArgumentException("a user's name must have characters, and none of them NUL");
        }
        if (password.isEmpty() || password.indexOf(0) >= 0) {
            throw new IllegalArgumentException(
                    "the password of user '" + name + "' must have characters, and none of them NUL");
        }
        this.name = name;
        this.password = new Password(password);
        this.preparedName = Preparation.prepared(name);
        String preparedPassword = Preparation.prepared(password);
        if (preparedName != null && preparedPassword != null) {
            for (ScramHash hash : ScramHash.values()) {
                scramKeys.put(hash, ScramKeys.of(hash, preparedName, preparedPassword));
            }
        }
        this.virtualHosts = virtualHosts == null ? null : Set.copyOf(virtualHosts);
        this.loopbackOnly = loopbackOnly;
    }

    public String name() {
        return name;
    }

    public boolean isLoopbackOnly() {
        return loopbackOnly;
    }

    Password password() {
        return password;
    }

    /** The name as SCRAM compares it, or null if it can't be prepared. */
    String preparedName() {
        return preparedName;
    }

    /** What SCRAM needs, or null if the password can't be prepared for it. */
    ScramKeys scramKeys(ScramHash hash) {
        return scramKeys.get(hash);
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
        return new Principal(name, false, virtualHosts);
    }

    @Override
    public String toString() {
        return "user '" + name + "'";
    }
}
