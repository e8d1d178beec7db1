package io.sluicemq.broker.queue;

import io.sluicemq.broker.journal.BadRecord;
import io.sluicemq.broker.journal.Numbers;
import java.nio.ByteBuffer;

/**
 * Writes entries of a queue that are in the log into a block that can be read by itself.
 *
 * <pre>
 *  block = count(i32) group*            until count entries are read
 *  group = tag(varint) delta(zigzag) [share(varint) headerBytes(varint) bodyBytes(varint)] [expires(zigzag)]
 *
 *  tag      entries of the group * 4 + 2 if the three sizes are those of the group before + 1 if it expires
 *  delta    (position - position of the entry before) / 8, for each entry of the group; the first's is its position / 8
 *  expires  expiresAtMillis - that of the entry before that expires, 0 at first; such a group has one entry
 * </pre>
 *
 * <p>The older encoding has no headerBytes; it is still read.
 *
 * <p>Messages of one size lie in the log at equal distances, so however many there are they make one group. Reusable; owned by
 * the loop that uses it.
 */
final class EntryBlock {

    /** The most entries in a block, which bounds what damaged bytes can claim to stand for. */
    static final int MAX_ENTRIES = 1 << 24;

    private static final int MAX_GROUP_BYTES = 5 + Numbers.MAX_VARINT_BYTES + 5 + 5 + 5 + Numbers.MAX_VARINT_BYTES;

    /** A buffer with less room than this may not take any entry. */
    static final int MIN_BYTES = Integer.BYTES + MAX_GROUP_BYTES;

    private static final int SAME_SIZES = 2;
    private static final int EXPIRES = 1;

    private ByteBuffer out;
    private int startedAt;
    private int entries;

    private long position;
    private long expiresAtMillis;
    /** The sizes that the last written group left behind. */
    private int writtenShare;

    private int writtenHeaderBytes;
    private int writtenBodyBytes;

    /** Entries in the group that is not written yet: 0 if there is none, otherwise none of them expires. */
    private int run;

    private long runDelta;
    private int runShare;
    private int runHeaderBytes;
    private int runBodyBytes;

    /**
     * Starts a block at the position of {@code target}.
     *
     * @throws IllegalArgumentException if that has room for less than {@link #MIN_BYTES}
     */
    void begin(ByteBuffer target) {
        if (target.remaining() < MIN_BYTES) {
            throw new IllegalArgumentException("a block needs " + MIN_BYTES + " bytes, not " + target.remaining());
        }
        out = target;
        startedAt = target.position();
        entries = 0;
        position = 0;
        expiresAtMillis = 0;
        writtenShare = 0;
        writtenHeaderBytes = 0;
        writtenBodyBytes = 0;
        run = 0;
        Numbers.putInt(target, 0);
    }

    /**
     * Adds an entry; returns false, having changed nothing, if there is no room.
     *
     * @param position from 0, divisible by 8
     * @param expiresAtMillis milliseconds since 1970, or {@link QueueEntry#NEVER}
     */
    boolean add(long position, int share, int headerBytes, int bodyBytes, long expiresAtMillis) {
        if (position < 0 || (position & 7) != 0 || (share | headerBytes | bodyBytes) < 0) {
            throw new IllegalArgumentException(
                    "no entry: position " + position + ", share " + share + ", header " + headerBytes + ", body "
                            + bodyBytes);
        }
        long delta = position - this.position >> 3;
        boolean expires = expiresAtMillis != QueueEntry.NEVER;
        if (entries == MAX_ENTRIES) {
            return false;
        }
        if (run > 0
                && !expires
                && delta == runDelta
                && share == runShare
                && headerBytes == runHeaderBytes
                && bodyBytes == runBodyBytes) {
            run++;
        } else {
            // The group that is not written yet has its room; this one needs as much beyond.
            if (out.remaining() < (run > 0 ? 2 * MAX_GROUP_BYTES : MAX_GROUP_BYTES)) {
                return false;
            }
            writeRun();
            if (expires) {
                writeGroup(1, delta, share, headerBytes, bodyBytes, EXPIRES);
                Numbers.putVarint(out, Numbers.zigzag(expiresAtMillis - this.expiresAtMillis));
                this.expiresAtMillis = expiresAtMillis;
            } else {
                run = 1;
                runDelta = delta;
                runShare = share;
                runHeaderBytes = headerBytes;
                runBodyBytes = bodyBytes;
            }
        }
        this.position = position;
        entries++;
        return true;
    }

    /** Completes the block; returns how many entries it has. */
    int end() {
        writeRun();
        Numbers.setInt(out, startedAt, entries);
        out = null;
        return entries;
    }

    private void writeRun() {
        if (run > 0) {
            writeGroup(run, runDelta, runShare, runHeaderBytes, runBodyBytes, 0);
            run = 0;
        }
    }

    private void writeGroup(int count, long delta, int share, int headerBytes, int bodyBytes, int expires) {
        boolean same =
                share == writtenShare && headerBytes == writtenHeaderBytes && bodyBytes == writtenBodyBytes;
        Numbers.putVarint(out, (long) count << 2 | (same ? SAME_SIZES : 0) | expires);
        Numbers.putVarint(out, Numbers.zigzag(delta));
        if (!same) {
            Numbers.putVarint(out, share);
            Numbers.putVarint(out, headerBytes);
            Numbers.putVarint(out, bodyBytes);
            writtenShare = share;
            writtenHeaderBytes = headerBytes;
            writtenBodyBytes = bodyBytes;
        }
    }

    /**
     * Reads the block at the position of {@code in}, which moves behind it; the entries' messages are null.
     *
     * @param headers whether it has header bytes; if not, 0 is told
     * @throws BadRecord if it is malformed; entries before the fault have been told then
     */
    static void decode(ByteBuffer in, boolean headers, Backlog.Entries out) throws BadRecord {
        int left = Numbers.readInt(in);
        if (left < 0 || left > MAX_ENTRIES) {
            throw new BadRecord("a block of " + left + " entries");
        }
        long position = 0;
        long expiresAtMillis = 0;
        int share = 0;
        int headerBytes = 0;
        int bodyBytes = 0;
        while (left > 0) {
            long tag = Numbers.readVarint(in);
            long count = tag >>> 2;
            boolean expires = (tag & EXPIRES) != 0;
            if (count == 0 || count > (expires ? 1 : left)) {
                throw new BadRecord("a group of " + count + " entries where " + left + " are left");
            }
            long delta = Numbers.unzigzag(Numbers.readVarint(in)) << 3;
            if ((tag & SAME_SIZES) == 0) {
                share = Numbers.readVarint(in, Integer.MAX_VALUE);
                headerBytes = headers ? Numbers.readVarint(in, Integer.MAX_VALUE) : 0;
                bodyBytes = Numbers.readVarint(in, Integer.MAX_VALUE);
            }
            long expiry = QueueEntry.NEVER;
            if (expires) {
                expiresAtMillis += Numbers.unzigzag(Numbers.readVarint(in));
                expiry = expiresAtMillis;
            }
            for (long i = 0; i < count; i++) {
                position += delta;
                if (position < 0) {
                    throw new BadRecord("an entry at the position " + position);
                }
                out.entry(position, share, headerBytes, bodyBytes, expiry, null);
            }
            left -= (int) count;
        }
    }
}
