package io.sluicemq.store;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * All segments that have records or are being written, by position. An immutable array that is replaced: any thread finds a
 * segment without a lock; the one that turns to a new segment adds, the housekeeping thread removes.
 */
final class Segments {

    private final AtomicReference<Segment[]> sorted;

    Segments(List<Segment> initial) {
        sorted = new AtomicReference<>(initial.toArray(Segment[]::new));
    }

    /** The segment that a position is in; null if it is no more. */
    Segment find(long position) {
        Segment[] all = sorted.get();
        int low = 0;
        int high = all.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            Segment segment = all[middle];
            if (position < segment.start) {
                high = middle - 1;
            } else if (position >= segment.end) {
                low = middle + 1;
            } else {
                return segment;
            }
        }
        return null;
    }

    /** Adds the segment that follows all others. */
    void add(Segment segment) {
        sorted.updateAndGet(all -> {
            Segment[] more = java.util.Arrays.copyOf(all, all.length + 1);
            more[all.length] = segment;
            return more;
        });
    }

    void remove(Segment segment) {
        sorted.updateAndGet(
                all -> java.util.Arrays.stream(all).filter(each -> each != segment).toArray(Segment[]::new));
    }

    /** As they are now, in the order of their positions. Not to be changed. */
    Segment[] all() {
        return sorted.get();
    }
}
