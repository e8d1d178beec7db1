package io.sluicemq.api.users;

import java.util.Map;
import java.util.Optional;

/**
 * What is to be of a user. What is null stays as it is; a new user has none of it.
 *
 * @param password the new password; empty to take it away, so that they can log in by a certificate only
 * @param role empty for none
 * @param limits those that change; {@link io.sluicemq.base.Quota#UNLIMITED} takes one away
 */
public record UserChange(
        Optional<String> password, Optional<Role> role, Boolean loopbackOnly,
        Map<UserLimit, Long> limits) {

    public UserChange {
        limits = Map.copyOf(limits);
    }

    /** One that leaves limits as they are. */
    public UserChange(Optional<String> password, Optional<Role> role, Boolean loopbackOnly) {
        this(password, role, loopbackOnly, Map.of());
    }

    /** Without the password. */
    @Override
    public String toString() {
        return "UserChange[role=" + role + ", loopbackOnly=" + loopbackOnly + ", limits=" + limits + "]";
    }
}
