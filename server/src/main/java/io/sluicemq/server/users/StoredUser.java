package io.sluicemq.server.users;

import io.sluicemq.api.Access;
import io.sluicemq.api.users.PermissionPatterns;
import io.sluicemq.api.users.Role;
import io.sluicemq.api.users.UserLimits;
import io.sluicemq.api.users.UserView;
import io.sluicemq.security.Grant;
import io.sluicemq.security.NamePattern;
import io.sluicemq.security.StoredPassword;
import io.sluicemq.security.User;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A user as the file has them.
 *
 * @param password null for one who logs in by a certificate only
 * @param permissions by virtual host; they may not enter others
 */
public record StoredUser(
        String name, StoredPassword password, Optional<Role> role, boolean loopbackOnly,
        Map<String, Grant> permissions, UserLimits limits) {

    public StoredUser {
        permissions = Map.copyOf(permissions);
    }

    StoredUser withPassword(StoredPassword other) {
        return new StoredUser(name, other, role, loopbackOnly, permissions, limits);
    }

    StoredUser withLimits(UserLimits others) {
        return new StoredUser(name, password, role, loopbackOnly, permissions, others);
    }

    /** @param grant null for none there */
    StoredUser withPermissions(String virtualHost, Grant grant) {
        Map<String, Grant> all = new LinkedHashMap<>(permissions);
        if (grant == null) {
            all.remove(virtualHost);
        } else {
            all.put(virtualHost, grant);
        }
        return new StoredUser(name, password, role, loopbackOnly, all, limits);
    }

    User toUser() {
        return User.stored(name, password, role, loopbackOnly, new Access(Map.copyOf(permissions), null))
                .withLimits(limits);
    }

    UserView toView() {
        return new UserView(
                name, role, loopbackOnly, password != null, true, Optional.of(patterns(permissions)), limits);
    }

    /** What grants are in words. */
    static Map<String, PermissionPatterns> patterns(Map<String, Grant> grants) {
        Map<String, PermissionPatterns> patterns = new TreeMap<>();
        grants.forEach((host, grant) -> patterns.put(host, new PermissionPatterns(
                texts(grant.configure()), texts(grant.write()), texts(grant.read()))));
        return patterns;
    }

    private static List<String> texts(List<NamePattern> patterns) {
        return patterns.stream().map(NamePattern::toString).toList();
    }
}
