package io.sluicemq.broker.queue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * What is in the log of a queue at one moment, as sections of a checkpoint. Owned by the queue's loop; what happens to the queue
 * meanwhile doesn't change it.
 *
 * <pre>
 *  section   = head | entries | delayed | older
 *  head      = 1 (u8) queue id (i64) delivered up to (i64) count (i32) count * { position (i64) failed deliveries (i32) }
 *              0 failed deliveries: it was delivered, too, though it is behind that position, as its record has moved
 *  entries   = 6 (u8) queue id (i64) level (u16) a block of {@link EntryBlock}
 *  delayed   = 7 (u8) queue id (i64) count (i32) count * { level (u16) position (i64) share (i32) header bytes (i32)
 *              body bytes (i32) expires at, in milliseconds (i64) not before, likewise (i64) }    in no order
 *  older     = 2 (u8) queue id (i64) level (u16) a block of its older encoding, which is still read
 * </pre>
 *
 * The entries of a level come in their order, over any number of sections.
 */
public final class QueueSnapshot {

    static final int HEAD = 1;
    static final int ENTRIES_WITHOUT_HEADERS = 2;
    static final int ENTRIES = 6;
    static final int DELAYED = 7;

    /** What is dying stands before what is ready, in the order in which it left. */
    private static final long BEFORE_ALL = -1;

    private static final int FAILED_BYTES = Long.BYTES + Integer.BYTES;
    private static final int HEAD_BYTES = 1 + Long.BYTES + Long.BYTES + Integer.BYTES;
    private static final int ENTRIES_BYTES = 1 + Long.BYTES + Short.BYTES;
    private static final int DELAYED_BYTES = 1 + Long.BYTES + Integer.BYTES;
    /** A buffer must have room for this. */
    public static final int LEAST_BYTES = Math.max(
            Math.max(HEAD_BYTES + FAILED_BYTES, ENTRIES_BYTES + EntryBlock.MIN_BYTES),
            DELAYED_BYTES + Delayed.ENCODED_BYTES);

    /** A message that is in the log, but not among those that wait there. */
    record Resident(
            long sequence, long position, int share, int headerBytes, int bodyBytes, long expiresAtMillis) {

        boolean addTo(EntryBlock block) {
            return block.add(position, share, headerBytes, bodyBytes, expiresAtMillis);
        }
    }

    private static final class Level {
        private final int number;
        private List<Resident> residents = new ArrayList<>();
        private Backlog.Snapshot backlog;
        private long backlogBegins = Long.MAX_VALUE;
        private int next;

        /** Those that consumers have from behind the first that waits in the log belong there. */
        private void sort() {
            residents.sort(Comparator.comparingLong(Resident::sequence));
            int before = 0;
            while (before < residents.size() && residents.get(before).sequence < backlogBegins) {
                before++;
            }
            if (before < residents.size()) {
                backlog.include(residents.subList(before, residents.size()));
                residents = residents.subList(0, before);
            }
        }

        Level(int number) {
            this.number = number;
        }
    }

    private final long id;
    private final long deliveredUpTo;
    private final Iterator<Map.Entry<Long, Integer>> failed;
    private final List<Level> levels = new ArrayList<>();
    private final EntryBlock block = new EntryBlock();
    /** Where one has moved since, its new position is as good. */
    private final List<Delayed> delayed;

    private boolean headWritten;
    private int level;
    private int nextDelayed;

    private QueueSnapshot(long id, long deliveredUpTo, Map<Long, Integer> failed, List<Delayed> delayed) {
        this.id = id;
        this.deliveredUpTo = deliveredUpTo;
        this.failed = failed.entrySet().iterator();
        this.delayed = delayed;
    }

    static QueueSnapshot of(long id, LoggedMessages logged, List<Delayed> delayed) {
        PriorityMessages ready = logged.ready();
        long deliveredUpTo = logged.deliveredUpTo();
        Map<Long, Integer> failed = new HashMap<>(logged.failed());
        Level[] levels = new Level[ready.levels()];
        for (LoggedMessages.Dying each : logged.dying()) {
            if (each.paged) {
                continue;
            }
            open(levels, each.level).residents.add(new Resident(
                    BEFORE_ALL, each.position, each.share, each.headerBytes, each.bodyBytes, each.expiresAtMillis));
        }
        for (QueueEntry entry = logged.unsettled().oldest(); entry != null; entry = entry.after) {
            if (entry.isLogged()) {
                add(levels, ready.level(entry), entry, deliveredUpTo, failed);
            }
        }
        for (int number = 0; number < levels.length; number++) {
            int here = number;
            ready.forEachResident(number, entry -> {
                if (entry.isLogged()) {
                    add(levels, here, entry, deliveredUpTo, failed);
                }
            });
            if (ready.waitsInLog(number)) {
                Level with = open(levels, number);
                with.backlog = ready.backlog(number).snapshot();
                with.backlogBegins = ready.backlog(number).firstSequence();
            }
        }
        QueueSnapshot snapshot = new QueueSnapshot(id, deliveredUpTo, failed, delayed);
        for (Level each : levels) {
            if (each != null) {
                each.sort();
                snapshot.levels.add(each);
            }
        }
        return snapshot;
    }

    private static Level open(Level[] levels, int number) {
        if (levels[number] == null) {
            levels[number] = new Level(number);
        }
        return levels[number];
    }

    private static void add(
            Level[] levels, int number, QueueEntry entry, long deliveredUpTo, Map<Long, Integer> failed) {
        open(levels, number).residents.add(new Resident(
                entry.sequence, entry.position, entry.share, entry.message.header().length, entry.message.body().length,
                entry.expiresAtMillis));
        boolean counts = entry.queue.options().countsDeliveries();
        boolean delivered = entry.redelivered || !entry.isReady();
        if (counts && entry.deliveryCount > 0 || delivered && entry.position > deliveredUpTo) {
            failed.put(entry.position, counts ? entry.deliveryCount : 0);
        }
    }

    /**
     * Writes the next section.
     *
     * @param out with room for {@link #LEAST_BYTES} or more
     * @return whether there are more
     */
    public boolean encodeNext(ByteBuffer out) {
        if (!headWritten || failed.hasNext()) {
            encodeHead(out);
            headWritten = true;
            return failed.hasNext() || hasMore();
        }
        if (level == levels.size()) {
            encodeDelayed(out);
            return hasMore();
        }
        Level at = levels.get(level);
        out.put((byte) ENTRIES).putLong(id).putShort((short) at.number);
        if (at.next < at.residents.size()) {
            block.begin(out);
            while (at.next < at.residents.size()) {
                Resident next = at.residents.get(at.next);
                if (!next.addTo(block)) {
                    break;
                }
                at.next++;
            }
            block.end();
            if (at.next < at.residents.size() || at.backlog != null) {
                return true;
            }
        } else if (at.backlog.encodeNext(out)) {
            return true;
        }
        level++;
        return hasMore();
    }

    private boolean hasMore() {
        return level < levels.size() || nextDelayed < delayed.size();
    }

    private void encodeDelayed(ByteBuffer out) {
        out.put((byte) DELAYED).putLong(id);
        int count = Math.min(
                delayed.size() - nextDelayed, (out.remaining() - Integer.BYTES) / Delayed.ENCODED_BYTES);
        out.putInt(count);
        for (int i = 0; i < count; i++) {
            delayed.get(nextDelayed++).encode(out);
        }
    }

    private void encodeHead(ByteBuffer out) {
        out.put((byte) HEAD).putLong(id).putLong(deliveredUpTo);
        int countAt = out.position();
        out.putInt(0);
        int count = 0;
        while (failed.hasNext() && out.remaining() >= FAILED_BYTES) {
            Map.Entry<Long, Integer> next = failed.next();
            out.putLong(next.getKey()).putInt(next.getValue());
            count++;
        }
        out.putInt(countAt, count);
    }
}
