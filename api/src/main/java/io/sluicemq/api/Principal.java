package io.sluicemq.api;

import io.sluicemq.base.Published;

/**
 * A user who has proved who they are.
 *
 * @param name the user's name
 * @param anonymous whether they gave no name; a message's user-id can then not be checked against it
 * @param access what they may do; may change while they are here
 * @param usage what they have open, and may have
 */
public record Principal(String name, boolean anonymous, Published<Access> access, Usage usage) {

    /** Somebody who may open as much as they like. */
    public Principal(String name, boolean anonymous, Published<Access> access) {
        this(name, anonymous, access, new Usage());
    }

    /** A user who has a name, and may do that for good. */
    public static Principal named(String name, Access access) {
        return new Principal(name, false, new Published<>(access));
    }

    public boolean mayUse(String virtualHost) {
        return access.get().in(virtualHost) != null;
    }

    @Override
    public String toString() {
        return (anonymous ? "anonymous user '" : "user '") + name + "'";
    }
}
