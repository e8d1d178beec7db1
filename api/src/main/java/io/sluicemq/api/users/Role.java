package io.sluicemq.api.users;

/** What a user may do as an operator of the broker, beside what clients do; each may do what those before it may. */
public enum Role {
    /** To look: what there is, its numbers, its settings. */
    MONITOR,
    /** To act on what there is: purge, move, close connections, declare and delete in any virtual host. */
    OPERATOR,
    /** To change who may do what: users, permissions, settings. */
    ADMINISTRATOR;

    /** Whether who has this role may do what another is for. */
    public boolean includes(Role other) {
        return compareTo(other) >= 0;
    }
}
