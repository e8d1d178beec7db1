package io.sluicemq.broker.queue;

import io.sluicemq.api.Charge;
import io.sluicemq.api.Message;
import java.nio.ByteBuffer;

/**
 * A message of a queue that is not to be delivered yet: an index entry if it is in the log, and else the message itself. Owned by
 * the queue's loop.
 */
final class Delayed implements Comparable<Delayed> {

    /** What one takes beside its message. */
    static final int BYTES = 74;

    static final int ENCODED_BYTES = Short.BYTES + Long.BYTES + 3 * Integer.BYTES + 2 * Long.BYTES;

    final int level;
    /** As {@link Backlog} has places. Changes when the log is compacted. */
    long place;
    final int share;
    final int headerBytes;
    final int bodyBytes;
    final long expiresAtMillis;
    final long notBeforeMillis;
    /** Null unless it is in memory. */
    final Message message;
    /** What it counts for beside its queues; null for nothing. */
    final Charge charge;
    /** The order of arrival. */
    long number;

    Delayed(
            int level, long place, int share, int headerBytes, int bodyBytes, long expiresAtMillis,
            long notBeforeMillis,
            Message message, Charge charge) {
        this.level = level;
        this.place = place;
        this.share = share;
        this.headerBytes = headerBytes;
        this.bodyBytes = bodyBytes;
        this.expiresAtMillis = expiresAtMillis;
        this.notBeforeMillis = notBeforeMillis;
        this.message = message;
        this.charge = charge;
    }

    /** When it is delayed no more: it is due, or it expires before that. */
    long endsAtMillis() {
        return Math.min(notBeforeMillis, expiresAtMillis);
    }

    int sizeBytes() {
        return headerBytes + bodyBytes + Message.OVERHEAD_BYTES;
    }

    /** Whether a start finds it in the log. */
    boolean isLogged() {
        return place >= 0 && !Backlog.isPaged(place);
    }

    @Override
    public int compareTo(Delayed other) {
        int order = Long.compare(endsAtMillis(), other.endsAtMillis());
        return order == 0 ? Long.compare(number, other.number) : order;
    }

    void encode(ByteBuffer out) {
        out.putShort((short) level).putLong(place).putInt(share).putInt(headerBytes).putInt(bodyBytes)
                .putLong(expiresAtMillis).putLong(notBeforeMillis);
    }

    /** Reads what is behind the level. */
    static Delayed decode(int level, ByteBuffer in) {
        return new Delayed(
                level, in.getLong(), in.getInt(), in.getInt(), in.getInt(), in.getLong(), in.getLong(), null, null);
    }
}
