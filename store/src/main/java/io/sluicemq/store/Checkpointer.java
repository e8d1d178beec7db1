package io.sluicemq.store;

import io.sluicemq.base.LogEvent;
import io.sluicemq.store.disk.Disk;
import io.sluicemq.store.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes checkpoints, one at a time, on a thread of its own. What others hand it comes by a queue.
 *
 * <p>Invariant: a file with a checkpoint's name is whole, its position is synced in the log, and the two last ones are kept.
 */
final class Checkpointer implements Workers.Step {

    /** How many checkpoints are kept, so that there is one if the last can't be read. */
    static final int KEPT = 2;

    private static final int BUFFER_BYTES = 256 << 10;

    private final Log log;
    private final Disk disk;
    private final ConcurrentLinkedQueue<Checkpoint.Task> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicLong pendingBytes = new AtomicLong();
    private final AtomicBoolean busy = new AtomicBoolean();
    private final List<String> bad;
    private final List<Kept> kept = new ArrayList<>();
    private volatile long oldestNeeded;
    private volatile boolean closing;
    private volatile Checkpoint current;

    private ByteBuffer out;
    private DiskFile file;
    private long fileBytes;
    private long pieces;
    private long pieceBytes;
    private IOException failure;
    private Workers.Worker worker;

    private record Kept(String name, long replayFrom) {}

    Checkpointer(Log log, Disk disk, List<CheckpointFile> found, List<String> bad) {
        this.log = log;
        this.disk = disk;
        this.bad = new ArrayList<>(bad);
        for (CheckpointFile each : found) {
            kept.add(new Kept(each.name(), each.replayFrom()));
        }
        findOldestNeeded();
    }

    void runBy(Workers.Worker own) {
        worker = own;
    }

    /** Records below this position are needed for no recovery, unless they are retained. */
    long oldestNeeded() {
        return oldestNeeded;
    }

    private void findOldestNeeded() {
        oldestNeeded = kept.size() < KEPT ? 0 : kept.get(kept.size() - KEPT).replayFrom();
    }

    Checkpoint begin(long position, long replayFrom) {
        if (!busy.compareAndSet(false, true)) {
            throw new IllegalStateException("another checkpoint is being written");
        }
        Checkpoint checkpoint = new Checkpoint(this, position, replayFrom);
        current = checkpoint;
        return checkpoint;
    }

    boolean isBusy() {
        return busy.get();
    }

    void add(Checkpoint.Task task) {
        if (task instanceof Checkpoint.Task.Piece(ByteBuffer bytes)) {
            pendingBytes.addAndGet(bytes.remaining());
        }
        tasks.add(task);
        worker.wake();
    }

    long pendingBytes() {
        return pendingBytes.get();
    }

    void close() {
        closing = true;
    }

    @Override
    public long run() {
        Checkpoint.Task task = tasks.peek();
        if (task == null) {
            return closing ? ended() : Workers.UNTIL_WOKEN;
        }
        Checkpoint checkpoint = current;
        switch (task) {
            case Checkpoint.Task.Piece(ByteBuffer bytes) -> {
                tasks.poll();
                pendingBytes.addAndGet(-bytes.remaining());
                attempt(() -> piece(checkpoint, bytes));
            }
            case Checkpoint.Task.Commit commit -> {
                if (failure == null && !log.state().isFinal() && log.synced() < checkpoint.told) {
                    // Pieces were made after the position was chosen: what they tell must not be lost when they are kept.
                    log.wantSync(checkpoint.told);
                    return Workers.UNTIL_WOKEN;
                }
                tasks.poll();
                attempt(() -> finish(checkpoint));
                IOException outcome = failure;
                reset();
                commit.loop().execute(() -> commit.listener().accept(outcome));
            }
            case Checkpoint.Task.Abandon() -> {
                tasks.poll();
                failure = failure == null ? new IOException("abandoned") : failure;
                reset();
            }
        }
        return 0;
    }

    /** The end of all that was claimed so far. */
    long end() {
        return log.end();
    }

    /** Part of the work, that may fail. */
    private interface Attempt {
        void run() throws IOException;
    }

    private void attempt(Attempt work) {
        if (failure != null) {
            return;
        }
        try {
            if (log.state().isFinal()) {
                throw new IOException(log.state().reason());
            }
            work.run();
        } catch (IOException e) {
            failure = e;
        } catch (RuntimeException | Error e) {
            // Checkpoints that end with their thread would let the log grow for ever.
            failure = new IOException("the checkpoint could not be written by a defect: " + e, e);
        }
    }

    private void piece(Checkpoint checkpoint, ByteBuffer bytes) throws IOException {
        begin(checkpoint);
        put(CheckpointFile.encodePieceHeader(bytes, pieces));
        pieces++;
        pieceBytes += bytes.remaining();
        put(bytes);
    }

    private void begin(Checkpoint checkpoint) throws IOException {
        if (file == null) {
            if (out == null) {
                out = ByteBuffer.allocateDirect(BUFFER_BYTES);
            }
            file = disk.create(newName(checkpoint));
            put(CheckpointFile.encodeHeader(checkpoint.position, checkpoint.replayFrom, log.id()));
        }
    }

    private static String newName(Checkpoint checkpoint) {
        return CheckpointFile.fileName(checkpoint.position) + CheckpointFile.NEW_SUFFIX;
    }

    private void put(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (!out.hasRemaining()) {
                flush();
            }
            int count = Math.min(out.remaining(), bytes.remaining());
            out.put(bytes.slice(bytes.position(), count));
            bytes.position(bytes.position() + count);
        }
    }

    private void flush() throws IOException {
        out.flip();
        int count = out.remaining();
        file.write(out, fileBytes);
        fileBytes += count;
        out.clear();
    }

    private void finish(Checkpoint checkpoint) throws IOException {
        begin(checkpoint);
        put(CheckpointFile.encodeEnd(pieces, pieceBytes));
        flush();
        file.sync();
        file.close();
        String name = CheckpointFile.fileName(checkpoint.position);
        disk.rename(newName(checkpoint), name);
        disk.syncDirectory();
        file = null;
        kept.removeIf(each -> each.name().equals(name));
        kept.add(new Kept(name, checkpoint.replayFrom));
        findOldestNeeded();
        while (kept.size() > KEPT) {
            drop(kept.removeFirst().name());
        }
        bad.remove(name);
        while (!bad.isEmpty()) {
            drop(bad.removeFirst());
        }
        log.wakeKeeper();
    }

    private void drop(String name) {
        try {
            disk.delete(name);
        } catch (IOException e) {
            log.tell(LogEvent.FILE_NOT_DELETED, "the old " + name + " could not be deleted", e);
        }
    }

    /** Puts away what is left of one that did not come to be, and is ready for another. */
    private void reset() {
        if (file != null) {
            try {
                file.close();
                disk.delete(newName(current));
            } catch (IOException e) {
                log.tell(LogEvent.FILE_NOT_DELETED, "what is left of a checkpoint could not be deleted", e);
            }
        }
        file = null;
        fileBytes = 0;
        pieces = 0;
        pieceBytes = 0;
        failure = null;
        if (out != null) {
            out.clear();
        }
        current = null;
        busy.set(false);
    }

    private long ended() {
        if (file != null) {
            reset();
        }
        return Workers.ENDED;
    }
}
