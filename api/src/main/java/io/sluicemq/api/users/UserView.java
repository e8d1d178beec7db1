package io.sluicemq.api.users;

import java.util.Map;
import java.util.Optional;

/**
 * A user as an administrator sees them.
 *
 * @param role what they may do as an operator; empty for nothing
 * @param loopbackOnly whether they may log in from this machine only
 * @param hasPassword whether they can log in by one
 * @param changeable whether they can be changed while the broker runs: not so those that stand in its configuration
 * @param permissions by virtual host, and they may not enter others; empty if they may do everything in all of them
 * @param limits how much they may have open
 */
public record UserView(
        String name, Optional<Role> role, boolean loopbackOnly, boolean hasPassword, boolean changeable,
        Optional<Map<String, PermissionPatterns>> permissions, UserLimits limits) {}
