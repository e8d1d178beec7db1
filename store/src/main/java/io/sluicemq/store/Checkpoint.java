package io.sluicemq.store;

import io.sluicemq.base.Loop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * A checkpoint that is being written: pieces, then {@link #commit} or {@link #abandon}. Calls may come from any thread, one after
 * the other; the writing is done by a thread of the log.
 */
public final class Checkpoint {

    /** What the writing thread does next. */
    sealed interface Task {
        /** Bytes to add. */
        record Piece(ByteBuffer bytes) implements Task {}

        /** The end; whom to tell how it went. */
        record Commit(Loop loop, Consumer<IOException> listener) implements Task {}

        /** Not to be. */
        record Abandon() implements Task {}
    }

    private final Checkpointer checkpointer;
    final long position;
    final long replayFrom;
    private boolean closed;
    /** What the pieces tell of is below this: it must be on the disk before they are. */
    volatile long told;

    Checkpoint(Checkpointer checkpointer, long position, long replayFrom) {
        this.checkpointer = checkpointer;
        this.position = position;
        this.replayFrom = replayFrom;
    }

    public long position() {
        return position;
    }

    /**
     * Adds a piece: the remaining bytes, which must not change any more. At recovery the same pieces come back in this order.
     *
     * @param piece not empty
     */
    public void append(ByteBuffer piece) {
        checkOpen();
        if (!piece.hasRemaining()) {
            throw new IllegalArgumentException("an empty piece");
        }
        checkpointer.add(new Task.Piece(piece.duplicate()));
    }

    /** Bytes that were appended and are not written yet: whoever makes the pieces may want to wait when it is many. */
    public long pendingBytes() {
        return checkpointer.pendingBytes();
    }

    /**
     * Makes the checkpoint the last one. The two last are kept.
     *
     * @param listener told on {@code loop}: null when it is done, or why it could not be; the log goes on then with the
     *     checkpoint it had
     */
    public void commit(Loop loop, Consumer<IOException> listener) {
        checkOpen();
        closed = true;
        told = checkpointer.end();
        checkpointer.add(new Task.Commit(loop, listener));
    }

    /** Drops it. */
    public void abandon() {
        checkOpen();
        closed = true;
        checkpointer.add(new Task.Abandon());
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the checkpoint is committed or abandoned");
        }
    }
}
