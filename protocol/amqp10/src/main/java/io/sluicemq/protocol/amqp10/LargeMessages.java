package io.sluicemq.protocol.amqp10;

import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp10.message.MessageAssembly;
import java.util.ArrayList;
import java.util.List;

/**
 * The messages of one connection that are arriving and too large, or too many, to take memory without having asked for it. Owned
 * by the connection's loop.
 *
 * <p>Invariant: what is held of messages that arrive without having been granted memory stays within {@link #MOST_WAITING_BYTES} and
 * what one more frame brings.
 */
@LoopOwned
final class LargeMessages {

    /** A larger message's memory is asked for before all of it arrives, in bytes. */
    private static final int LARGE = 1 << 20;

    /** Bytes of incomplete messages beyond which every message asks, and those who wait are not read any more. */
    static final int MOST_WAITING_BYTES = 4 << 20;

    private final ConnectionSession connection;
    private final List<MemoryTurn> waiting = new ArrayList<>(0);
    private int granted;

    LargeMessages(ConnectionSession connection) {
        this.connection = connection;
    }

    ConnectionSession connection() {
        return connection;
    }

    /**
     * Whether a message has to ask for memory.
     *
     * @param announcedBytes how long it says that it is; 0 if it doesn't say
     */
    boolean isLarge(long arrivedBytes, long announcedBytes) {
        return Math.max(arrivedBytes, announcedBytes) > LARGE || connection.partialBytes() > MOST_WAITING_BYTES;
    }

    /** What is to {@linkplain MemoryTurn#ask ask} for the memory of a message of which this much has arrived. */
    MemoryTurn turn(ProducerLink link, MessageAssembly assembly) {
        long most = connection.options().maxMessageBytes();
        long announced = assembly.announcedBytes();
        long bytes = announced > 0 ? Math.min(most, Math.max(announced, assembly.length())) : most;
        MemoryTurn turn = new MemoryTurn(this, link, assembly, bytes);
        waiting.add(turn);
        return turn;
    }

    /** Memory is granted to one that waited. */
    void granted(MemoryTurn turn) {
        waiting.remove(turn);
        granted++;
        for (MemoryTurn other : List.copyOf(waiting)) {
            if (other.holdsReading()) {
                // The rest of the one that has memory now stands behind what nobody reads.
                other.giveUp();
            }
        }
    }

    /** No more is to come of one, which had memory or waited for it. */
    void ended(MemoryTurn turn) {
        if (!waiting.remove(turn)) {
            granted--;
        }
    }

    /** Whether reading could stop for one that waits, and would begin again some time. */
    boolean mayHoldReading() {
        return granted == 0;
    }
}
