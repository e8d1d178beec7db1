package io.sluicemq.api.operate;

import java.util.Locale;

/** What a user may do as an operator, each the more. */
public enum Role {
    /** Nothing: a client of protocols. */
    NONE,
    /** See what there is, but no message. */
    MONITOR,
    /** Change what there is, and see messages, as far as the user's permissions go. */
    OPERATOR,
    /** Also change users and settings. */
    ADMINISTRATOR;

    /** Whether it is this one or more. */
    public boolean includes(Role other) {
        return compareTo(other) >= 0;
    }

    /** As it is written. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
