package io.sluicemq.api;

/** Which messages somebody wants. Immutable; called on any loop. */
public interface MessageFilter {

    /** Whether a message is wanted. Never throws: what can't be compared does not match. */
    boolean matches(Message message);

    /** The filter as it was written, for people and for telling two of them apart. */
    String text();
}
