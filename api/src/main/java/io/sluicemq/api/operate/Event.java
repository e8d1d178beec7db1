package io.sluicemq.api.operate;

/**
 * Something that has happened.
 *
 * @param atMillis when, in milliseconds since 1970
 * @param virtualHost where; empty if it isn't about one
 * @param subject what it is about: the name of a queue, a connection, a file
 * @param text in words, for people
 */
public record Event(long atMillis, Kind kind, String virtualHost, String subject, String text) {

    /** What kinds there are; of each a number is remembered of its own, so that many of one don't push others out. */
    public enum Kind {
        CONNECTION_OPENED,
        CONNECTION_CLOSED,
        /** An operator, or the broker, has ended it. */
        CONNECTION_FORCED,
        /** Found too slow, or cut since it was. */
        SLOW_CONSUMER,
        /** A producer waits for room in an address that nobody waited for until then. */
        LIMIT_REACHED,
        /** All publishers wait for memory or the disk, or no more. */
        SHORTAGE,
        /** The configuration was read again, or a part of it changed. */
        RELOADED,
        /** An operator has done something. */
        ACT
    }
}
