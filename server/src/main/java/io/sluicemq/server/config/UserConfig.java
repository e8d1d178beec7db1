package io.sluicemq.server.config;

import io.sluicemq.api.Access;
import io.sluicemq.api.Permissions;
import io.sluicemq.api.users.Role;
import io.sluicemq.api.users.UserLimits;
import io.sluicemq.security.Grant;
import io.sluicemq.security.User;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One user who may log in, with a password as it is.
 *
 * @param virtualHosts those they may enter; null for all, or for those that permissions name
 * @param loopbackOnly whether they may only come from this machine
 * @param permissions what they may do, by virtual host, and nothing in others; null for everything
 */
public record UserConfig(
        String name, String password, Set<String> virtualHosts, boolean loopbackOnly, Optional<Role> role,
        Map<String, Grant> permissions, UserLimits limits) {

    /** One who may do everything. */
    public UserConfig(String name, String password, Set<String> virtualHosts, boolean loopbackOnly) {
        this(name, password, virtualHosts, loopbackOnly, Optional.empty(), null, UserLimits.NONE);
    }

    /** What they may do. */
    public Access access() {
        if (permissions != null) {
            Map<String, Permissions> all = new HashMap<>(permissions);
            if (virtualHosts != null) {
                virtualHosts.forEach(host -> all.putIfAbsent(host, Permissions.NONE));
            }
            return new Access(all, null);
        }
        return virtualHosts == null ? Access.ALL : Access.inside(virtualHosts);
    }

    /** As who they log in. Takes some milliseconds. */
    public User toUser() {
        return new User(name, password, role, loopbackOnly, access()).withLimits(limits);
    }

    /** Without the password. */
    @Override
    public String toString() {
        return "UserConfig[name=" + name + ", virtualHosts=" + virtualHosts + ", loopbackOnly=" + loopbackOnly
                + ", role=" + role + ", permissions=" + permissions + ", limits=" + limits + "]";
    }
}
