package io.sluicemq.server.config;

import io.sluicemq.api.users.UserLimit;
import io.sluicemq.api.users.UserLimits;
import io.sluicemq.base.option.Settings;
import io.sluicemq.security.Grant;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads what a user may do, by virtual host. Stateless. */
public final class PermissionsReader {

    private PermissionsReader() {}

    /** How much they may have open. */
    public static UserLimits limits(Settings user) {
        Map<UserLimit, Long> limits = new EnumMap<>(UserLimit.class);
        UsersSection.USER_LIMITS.forEach((limit, option) -> limits.put(limit, user.get(option)));
        return new UserLimits(limits);
    }

    /** @param user settings that have {@link UsersSection#USER_PERMISSIONS}; what is wrong with them was found before */
    public static Map<String, Grant> read(Settings user) {
        Map<String, Grant> grants = new LinkedHashMap<>();
        for (Settings section : user.list(UsersSection.USER_PERMISSIONS)) {
            section.find(UsersSection.PERMISSION_HOST)
                    .ifPresent(host -> grants.put(
                            host,
                            Grant.of(
                                    section.get(UsersSection.CONFIGURE), section.get(UsersSection.WRITE),
                                    section.get(UsersSection.READ))));
        }
        return grants;
    }
}
