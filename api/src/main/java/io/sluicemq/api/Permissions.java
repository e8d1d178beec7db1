package io.sluicemq.api;

/**
 * What a user may do in one virtual host, at one moment. Immutable, so that an answer that was remembered is right as long as the
 * user has the same one. Any thread; an answer takes a time that is bounded by the lengths of names and patterns.
 */
public interface Permissions {

    /** Everything. */
    Permissions ALL = new Permissions() {
        @Override
        public boolean allow(Permission permission, String name) {
            return true;
        }

        @Override
        public boolean allowAllOf(Permission permission, String bindingKey) {
            return true;
        }

        @Override
        public String toString() {
            return "all";
        }
    };

    /** Nothing. */
    Permissions NONE = new Permissions() {
        @Override
        public boolean allow(Permission permission, String name) {
            return false;
        }

        @Override
        public boolean allowAllOf(Permission permission, String bindingKey) {
            return false;
        }

        @Override
        public String toString() {
            return "none";
        }
    };

    /** Whether they may do that with what has this name. */
    boolean allow(Permission permission, String name);

    /**
     * Whether they may do that with every name that a topic's binding key matches: words between dots, {@code *} for any word,
     * {@code #} for any number of words. What can't be told for sure is not allowed.
     */
    boolean allowAllOf(Permission permission, String bindingKey);
}
