package io.sluicemq.api.users;

import io.sluicemq.base.Quota;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * How much a user may have. Immutable.
 *
 * @param limits those there are, in the order of {@link UserLimit}; not among them is what is {@link Quota#UNLIMITED}
 */
public record UserLimits(Map<UserLimit, Long> limits) {

    /** Any number of everything. */
    public static final UserLimits NONE = new UserLimits(Map.of());

    public UserLimits {
        Map<UserLimit, Long> copy = new EnumMap<>(UserLimit.class);
        limits.forEach((limit, most) -> {
            if (most != Quota.UNLIMITED) {
                copy.put(limit, most);
            }
        });
        limits = Collections.unmodifiableMap(copy);
    }

    /** {@link Quota#UNLIMITED} for any number. */
    public long most(UserLimit limit) {
        return limits.getOrDefault(limit, Quota.UNLIMITED);
    }

    /** These, but for those that change; {@link Quota#UNLIMITED} takes one away. */
    public UserLimits with(Map<UserLimit, Long> changes) {
        Map<UserLimit, Long> all = new EnumMap<>(UserLimit.class);
        all.putAll(limits);
        all.putAll(changes);
        return new UserLimits(all);
    }
}
