package io.sluicemq.broker.flow;

/** What happens to a message for which its address has no room. */
public enum FullPolicy {
    /** It waits, and its producer with it, until there is room. */
    BLOCK,
    /** Its body goes to the disk; the limit is one of memory. */
    PAGE,
    /** It is dropped and counted; its sender is told that all is well. */
    DROP,
    /** It is refused, and its sender told so. */
    FAIL,
    /** The oldest messages are dropped and counted, to make room for it. */
    RING
}
