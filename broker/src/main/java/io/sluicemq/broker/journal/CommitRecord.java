package io.sluicemq.broker.journal;

import io.sluicemq.api.Message;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A transaction, whole in one record: what it publishes, whose bodies are in records before this one, and what it does to
 * queues.
 *
 * <pre>
 *  payload = publishes(i32) publish* turn
 *
 *  publish, at its
 *  0          8              12         13      14           16          20                28          36
 *  +----------+--------------+----------+-------+------------+-----------+-----------------+-----------+- - - - - - -+
 *  | position | payloadBytes | priority | flags | queueCount | bodyBytes | publishedMillis | ttlMillis | ids (i64)   |
 *  |   i64    |     i32      |    u8    |  u8   |    u16     |    i32    |       i64       |    i64    |             |
 *  +----------+--------------+----------+-------+------------+-----------+-----------------+-----------+- - - - - - -+
 *  +- - - - - - - - - - - - -+
 *  | [notBeforeMillis (i64)] |
 *  +- - - - - - - - - - - - -+
 *
 *  flags     1: there is notBeforeMillis
 *  turn      the payload of a {@link TurnRecord}
 * </pre>
 *
 * <p>Pure.
 */
public final class CommitRecord {

    private static final int PUBLISH_BYTES = 36;
    private static final int DELAYED = 1;

    private CommitRecord() {}

    /**
     * A message that the transaction publishes.
     *
     * @param position where the {@link MessageRecord} is in the log
     * @param payloadBytes the length of its payload
     * @param publishedMillis when, in milliseconds since 1970
     * @param ttlMillis milliseconds it may wait in a queue, or {@link Message#NO_TTL}
     * @param notBeforeMillis when it may be delivered first, in milliseconds since 1970; 0 for at once
     * @param queueIds the queues that it goes to; shared, not to be changed
     */
    public record Publish(
            long position,
            int payloadBytes,
            int priority,
            int bodyBytes,
            long publishedMillis,
            long ttlMillis,
            long notBeforeMillis,
            long[] queueIds) {}

    /** Bytes of the payload. */
    public static int length(List<Publish> publishes, TurnRecord turn) {
        long length = Integer.BYTES + (long) turn.length();
        for (Publish publish : publishes) {
            length += PUBLISH_BYTES + (long) Long.BYTES * publish.queueIds.length
                    + (publish.notBeforeMillis == 0 ? 0 : Long.BYTES);
        }
        return Math.toIntExact(length);
    }

    /**
     * Writes the payload at the position of {@code target}, which moves behind it.
     *
     * @throws IllegalArgumentException if one has more than {@link MessageRecord#MAX_QUEUES} queues, or a priority above 255
     */
    public static void encode(ByteBuffer target, List<Publish> publishes, TurnRecord turn) {
        Numbers.putInt(target, publishes.size());
        for (Publish publish : publishes) {
            int queues = publish.queueIds.length;
            if (queues > MessageRecord.MAX_QUEUES || publish.priority < 0 || publish.priority > 0xFF) {
                throw new IllegalArgumentException(
                        "no record for " + queues + " queues and the priority " + publish.priority);
            }
            Numbers.putLong(target, publish.position);
            Numbers.putInt(target, publish.payloadBytes);
            target.put((byte) publish.priority).put((byte) (publish.notBeforeMillis == 0 ? 0 : DELAYED));
            Numbers.putShort(target, queues);
            Numbers.putInt(target, publish.bodyBytes);
            Numbers.putLong(target, publish.publishedMillis);
            Numbers.putLong(target, publish.ttlMillis);
            for (long queueId : publish.queueIds) {
                Numbers.putLong(target, queueId);
            }
            if (publish.notBeforeMillis != 0) {
                Numbers.putLong(target, publish.notBeforeMillis);
            }
        }
        turn.writeTo(target);
    }

    /**
     * Reads the payload from the position of {@code in} to its limit, where the position is then.
     *
     * @throws BadRecord if it is malformed; what is before the fault has been told then
     */
    public static void read(ByteBuffer in, Visitor visitor) throws BadRecord {
        int publishes = Numbers.readInt(in);
        if (publishes < 0) {
            throw new BadRecord("a transaction that publishes " + publishes + " messages");
        }
        for (int i = 0; i < publishes; i++) {
            visitor.published(readPublish(in));
        }
        TurnRecord.read(in, visitor);
    }

    private static Publish readPublish(ByteBuffer in) throws BadRecord {
        long position = Numbers.readLong(in);
        int payloadBytes = Numbers.readInt(in);
        int priority = Numbers.readByte(in) & 0xFF;
        int flags = Numbers.readByte(in);
        int queues = Numbers.readUnsignedShort(in);
        int bodyBytes = Numbers.readInt(in);
        long publishedMillis = Numbers.readLong(in);
        long ttlMillis = Numbers.readLong(in);
        if (position < 0
                || (position & 7) != 0
                || (flags & ~DELAYED) != 0
                || bodyBytes < 0
                || bodyBytes > payloadBytes
                || ttlMillis < Message.NO_TTL) {
            throw new BadRecord("a transaction's message at the position " + position + " with " + payloadBytes
                    + " bytes, a body of " + bodyBytes + " and " + ttlMillis + " ms to live");
        }
        Numbers.require(in, queues * Long.BYTES);
        long[] queueIds = new long[queues];
        for (int i = 0; i < queues; i++) {
            queueIds[i] = Numbers.readLong(in);
        }
        long notBeforeMillis = (flags & DELAYED) == 0 ? 0 : Numbers.readLong(in);
        return new Publish(
                position, payloadBytes, priority, bodyBytes, publishedMillis, ttlMillis, notBeforeMillis, queueIds);
    }

    /** Is told what a transaction publishes, then what it does to queues. */
    public interface Visitor extends TurnRecord.Visitor {

        void published(Publish publish);
    }
}
