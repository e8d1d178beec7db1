package io.sluicemq.api.operate;

import io.sluicemq.api.Principal;
import io.sluicemq.api.users.Role;
import java.util.Optional;

/**
 * A user who has proved who they are, as an operator.
 *
 * @param role empty for none: a client of protocols
 */
public record Login(Principal user, Optional<Role> role) {

    /** Whether they may do what a role is for. */
    public boolean may(Role what) {
        return role.isPresent() && role.get().includes(what);
    }

    /** Their role as it is written; {@code none} without one. */
    public String word() {
        return role.map(Role::word).orElse("none");
    }
}
