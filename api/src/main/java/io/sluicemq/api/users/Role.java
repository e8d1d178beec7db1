package io.sluicemq.api.users;

import java.util.Locale;

/** What a user may do as an operator of the broker, beside what clients do; each may do what those before it may. */
public enum Role {
    /** To look: what there is, and its numbers, but no message. */
    MONITOR,
    /** To act on what there is, and see messages, as far as the user's permissions go: purge, move, close connections, declare, delete. */
    OPERATOR,
    /** To change who may do what: users, permissions, settings. */
    ADMINISTRATOR;

    /** Whether who has this role may do what another is for. */
    public boolean includes(Role other) {
        return compareTo(other) >= 0;
    }

    /** As it is written. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
