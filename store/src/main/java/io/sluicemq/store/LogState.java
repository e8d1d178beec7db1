package io.sluicemq.store;

/**
 * Whether the log takes records, and if not, why.
 *
 * @param kind what it takes
 * @param reason for people; empty while open
 */
public record LogState(Kind kind, String reason) {

    /** What a log takes. */
    public enum Kind {
        /** Everything. */
        OPEN,
        /** Only what gives room back ({@link LogPort#claimReserved}): the disk is full, or nearly. Ends by itself. */
        FULL,
        /** Nothing any more: a write or a sync has failed, so what the disk holds beyond the durable position is unknown. */
        FAILED,
        /** Nothing any more: closed. */
        CLOSED
    }

    static final LogState OPEN = new LogState(Kind.OPEN, "");
    static final LogState CLOSED = new LogState(Kind.CLOSED, "the log is closed");

    /** Whether this state is for ever. */
    public boolean isFinal() {
        return kind == Kind.FAILED || kind == Kind.CLOSED;
    }
}
