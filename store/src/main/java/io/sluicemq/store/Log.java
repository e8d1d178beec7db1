package io.sluicemq.store;

import io.sluicemq.base.Distribution;
import io.sluicemq.base.LogEvent;
import io.sluicemq.base.LogLimit;
import io.sluicemq.base.Loop;
import io.sluicemq.store.disk.Disk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of one folder. {@link #open} reads what is there; then every loop is {@link #attach attached}, what is still needed is
 * {@link #retain retained}, and {@link #start} sets the log's threads going: one that writes and syncs, one that keeps house,
 * one for checkpoints, and a few that read.
 *
 * <p>A record's position is a byte position in the log: it grows from record to record, over all segments and restarts, and is
 * the record's identity. Only records that were never durable can lose their position to others, in a crash.
 *
 * <p>The folder must belong to this process alone: whoever opens the log sees to that.
 *
 * <p>Methods may be called from any thread unless they say otherwise. The state is the one thing that several threads change;
 * it goes from open to full and back, and from either to a final one.
 */
public final class Log {

    private static final String FAILED_LINE =
            "the log has failed and takes nothing any more, what was confirmed is on the disk: {}";

    private static final Logger LOG = LoggerFactory.getLogger(Log.class);

    /** The least time between two lines that say that the log is full. */
    private static final long FULL_LINE_NANOS = 10_000_000_000L;

    /** So many lines of one event there are in so long, at most. */
    private static final int LINES = 5;
    private static final long LINES_NANOS = 10_000_000_000L;

    private final LogOptions options;
    private final Disk disk;
    private final Workers workers;
    private final UUID id;
    private final long logId;
    private final RecoveryReport report;
    private final Segments segments;
    private final Tail tail;
    private final Writer writer;
    private final Checkpointer checkpointer;
    private final List<Reader> readers = new ArrayList<>();
    private final List<LogPort> ports = new CopyOnWriteArrayList<>();
    private final Map<LogEvent, LogLimit> lines = new ConcurrentHashMap<>();
    private final AtomicReference<LogState> state = new AtomicReference<>(LogState.OPEN);
    private volatile long durable;
    private Compactor compactor;
    /** Of the housekeeping thread, as are the next two: whether it is in the log that this is full. */
    private boolean fullIsLogged;
    private int fullNotLogged;
    private long nextFullLineNanos;
    private Keeper keeper;
    private volatile Workers.Worker writerWorker;
    private volatile Workers.Worker keeperWorker;
    private volatile Workers.Worker checkpointWorker;
    private final List<Workers.Worker> readerWorkers = new ArrayList<>();

    private Log(Disk disk, LogOptions options, Workers workers, Recovery recovery) {
        this.disk = disk;
        this.options = options;
        this.workers = workers;
        this.id = recovery.log();
        this.logId = SegmentHeader.maskOf(id);
        this.report = recovery.report();
        this.segments = new Segments(recovery.segments());
        this.tail = new Tail(options, segments, recovery.last(), recovery.end());
        this.tail.tell(this::roomAppeared, this::wakeKeeper);
        if (recovery.spare() != null) {
            tail.offerSpare(null, recovery.spare());
        }
        this.writer = new Writer(this, disk, options, workers, tail, recovery.end());
        this.checkpointer = new Checkpointer(this, disk, recovery.checkpoints(), recovery.badCheckpoints());
        this.durable = recovery.end();
        for (int i = 0; i < options.readers(); i++) {
            readers.add(new Reader(this, disk, segments, options));
        }
    }

    /**
     * Opens the log of a folder, or begins one in an empty folder. Takes as long as it takes to read the last checkpoint and the
     * records behind it.
     *
     * @param visitor is given what there is
     * @throws DamagedLog if something is missing that had been synced; nothing was changed
     * @throws ForeignLog if the folder has anything else in it, or a log of a format that is not known; nothing was changed
     */
    public static Log open(Disk disk, LogOptions options, Workers workers, LogVisitor visitor) throws IOException {
        return open(disk, options, workers, visitor, UUID.randomUUID());
    }

    /** As {@link #open(Disk, LogOptions, Workers, LogVisitor)}, with the id that a new log gets. */
    public static Log open(Disk disk, LogOptions options, Workers workers, LogVisitor visitor, UUID freshId)
            throws IOException {
        Recovery recovery = new Recovery(disk, visitor);
        recovery.read();
        for (String bad : recovery.badCheckpoints()) {
            LogEvent.CHECKPOINT_DAMAGED.log(LOG,
                    "{} in {} is not whole; an older checkpoint, or the whole log, stands for it", bad,
                    disk.location());
        }
        RecoveryReport report = recovery.report();
        if (report.cutBytes() > 0) {
            LogEvent.LOG_CUT.log(LOG,
                    "cut {} bytes of unfinished writing off the log, at offset {} of {} in {}", report.cutBytes(),
                    report.cutOffset(), report.cutFile(), disk.location());
        }
        recovery.prepare(options, freshId);
        return new Log(disk, options, workers, recovery);
    }

    /** What opening has found. */
    public RecoveryReport recovery() {
        return report;
    }

    public UUID id() {
        return id;
    }

    public LogOptions options() {
        return options;
    }

    /** Gives a loop its access. Before {@link #start}, or on that loop. */
    public LogPort attach(Loop loop, LogListener listener) {
        LogPort port = new LogPort(this, loop, listener);
        ports.add(port);
        return port;
    }

    /**
     * Sets the log going. What was recovered and is still needed must be retained by now.
     *
     * @param liveness asked when segments are sparse; null if they are never to be emptied
     */
    public void start(Liveness liveness) {
        if (liveness != null && options.sparseBelow() > 0) {
            compactor = new Compactor(this, disk, segments, tail, options, liveness, this::wakeKeeper);
        }
        keeper = new Keeper(this, disk, segments, tail, options, workers, checkpointer, compactor,
                () -> readers.forEach(Reader::wake));
        for (int i = 0; i < readers.size(); i++) {
            Workers.Worker worker = workers.start("log-reader-" + i, readers.get(i));
            readers.get(i).runBy(worker);
            readerWorkers.add(worker);
        }
        checkpointWorker = workers.start("log-checkpoints", checkpointer);
        checkpointer.runBy(checkpointWorker);
        keeperWorker = workers.start("log-keeper", keeper);
        writerWorker = workers.start("log-writer", writer);
    }

    /**
     * Ends the log: writes and syncs what was committed, then ends its threads. Loops must be there until it returns, for they are
     * told what became durable; one that still claims finds no room. Waits for the disk, so not for loops.
     */
    public void close() {
        LogState before = state.getAndUpdate(now -> now.isFinal() ? now : LogState.CLOSED);
        if (before.kind() == LogState.Kind.CLOSED || keeper == null) {
            return;
        }
        checkpointer.close();
        end(checkpointWorker);
        keeper.close();
        end(keeperWorker);
        readers.forEach(Reader::close);
        readerWorkers.forEach(Log::end);
        writer.close();
        end(writerWorker);
    }

    private static void end(Workers.Worker worker) {
        worker.wake();
        worker.awaitEnd();
    }

    /** What the log takes. */
    public LogState state() {
        return state.get();
    }

    /**
     * The end of what is durable: every record at a lower position is. What durable means says the {@link SyncMode}. Never goes
     * back.
     */
    public long durable() {
        return durable;
    }

    /** The end of all that was claimed so far: a record that is claimed later has this position or a higher one. */
    public long end() {
        return tail.claimedEnd();
    }

    /**
     * Says that records are needed until they are {@link #release released}: their segment stays, or they are moved. Records that
     * are never retained are needed for recovery only, and go with the checkpoints. Cheap: a search in an array and two atomic
     * adds.
     *
     * @param position of the record; of any of them if there are several in one segment
     * @param payloadBytes the length of the payloads together
     * @param records how many
     */
    public void retain(long position, long payloadBytes, long records) {
        Segment segment = segments.find(position);
        if (segment == null) {
            throw new IllegalArgumentException("the log has no position " + position);
        }
        segment.retain(payloadBytes, records);
    }

    /**
     * The counterpart of {@link #retain}. The record must not be read after this, and it may be gone at once: a record that a
     * checkpoint may hold is released when the record that settles it is durable, and not before. Else a crash in between brings
     * back a position that the log has no segment for.
     *
     * @return whether its segment holds nothing now that is needed
     */
    public boolean release(long position, long payloadBytes, long records) {
        Segment segment = segments.find(position);
        if (segment == null) {
            throw new IllegalArgumentException("the log has no position " + position);
        }
        long left = segment.retain(-payloadBytes, -records);
        double sparse = options.sparseBelow() * segment.sizeBytes();
        boolean isSparseNow = left < sparse && left + payloadBytes >= sparse;
        boolean isEmptyNow = segment.retainedRecords() == 0;
        if ((isSparseNow || isEmptyNow) && keeperWorker != null) {
            keeperWorker.wake();
        }
        return isEmptyNow;
    }

    /** Whether the log has the segment that a position is in. */
    public boolean contains(long position) {
        return segments.find(position) != null;
    }

    /**
     * Begins a checkpoint. To be called when the position is chosen, before anything is collected for it.
     *
     * @param position a record's position or {@link #end}: the checkpoint will hold what all records below it have led to
     * @throws IllegalStateException if another one is being written
     */
    public Checkpoint beginCheckpoint(long position) {
        if (position > end() || !contains(position)) {
            throw new IllegalArgumentException("the log has no position " + position);
        }
        long moves = compactor == null ? Long.MAX_VALUE : compactor.unapplied();
        return checkpointer.begin(position, Math.min(position, moves));
    }

    /** Whether a checkpoint is begun and neither done nor dropped. */
    public boolean isCheckpointing() {
        return checkpointer.isBusy();
    }

    /** How a segment is used. */
    public record SegmentUse(long start, long end, long retainedBytes, long retainedRecords) {}

    /** The segments there are, in the order of their positions, without the spare one. */
    public List<SegmentUse> segmentUse() {
        List<SegmentUse> uses = new ArrayList<>();
        for (Segment segment : segments.all()) {
            uses.add(new SegmentUse(segment.start, segment.end, segment.retainedBytes(), segment.retainedRecords()));
        }
        return uses;
    }

    /** The bytes of segments that hold nothing that is retained, and are kept until the older of two checkpoints is behind them. */
    public long bytesBehindCheckpoints() {
        long oldestNeeded = checkpointer.oldestNeeded();
        long end = end();
        long bytes = 0;
        for (Segment segment : segments.all()) {
            if (segment.end > oldestNeeded && segment.end <= end && segment.isIdle()) {
                bytes += segment.sizeBytes();
            }
        }
        return bytes;
    }

    /** How long each of {@link #syncs} took, in nanoseconds. */
    public Distribution syncNanos() {
        return writer.syncNanos();
    }

    /** How many bytes each of {@link #syncs} made durable. */
    public Distribution syncBytes() {
        return writer.syncBytes();
    }

    /** How often the log was synced so far, by what was appended to it. */
    public long syncs() {
        return writer.syncs();
    }

    long claim(int bytes, Claim claim, boolean reserved) {
        LogState.Kind kind = state.get().kind();
        if (kind == LogState.Kind.OPEN || reserved && kind == LogState.Kind.FULL) {
            return tail.claim(bytes, claim);
        }
        return LogPort.NO_ROOM;
    }

    void read(ReadRequest request) {
        readers.get(request.port.loop().index() % readers.size()).add(request);
    }

    long logId() {
        return logId;
    }

    long written() {
        return writer.written();
    }

    long synced() {
        return writer.synced();
    }

    AppendBuffer oldestBuffer() {
        return writer.oldest();
    }

    void wantSync(long position) {
        writer.wantSync(position);
        wakeWriter();
    }

    void wakeWriter() {
        Workers.Worker worker = writerWorker;
        if (worker != null) {
            worker.wake();
        }
    }

    void wakeKeeper() {
        Workers.Worker worker = keeperWorker;
        if (worker != null) {
            worker.wake();
        }
    }

    /** Called by the writer alone. */
    void publishDurable(long position) {
        if (position > durable) {
            durable = position;
            for (LogPort port : ports) {
                port.publish(position);
            }
        }
    }

    /** Called by the writer: others may wait for the disk itself. */
    void syncedUpTo(long position) {
        if (checkpointer.isBusy()) {
            checkpointWorker.wake();
        }
        if (compactor != null && compactor.unapplied() < position) {
            wakeKeeper();
        }
    }

    private void roomAppeared() {
        for (LogPort port : ports) {
            port.roomAppeared();
        }
    }

    /**
     * The disk is full for this reason, or no more, if null. Called by the housekeeping thread.
     *
     * @return whether it is full, and the line that says so is still to come, by a call in a while
     */
    boolean full(String reason) {
        LogState now = state.get();
        boolean isFull = now.kind() == LogState.Kind.FULL;
        if (now.isFinal()) {
            return false;
        }
        if (isFull == (reason != null)) {
            return isFull && !fullIsLogged && !logFull(now.reason());
        }
        LogState next = reason == null ? LogState.OPEN : new LogState(LogState.Kind.FULL, reason);
        if (!state.compareAndSet(now, next)) {
            return false; // final by now
        }
        boolean lineToCome = false;
        if (reason != null) {
            lineToCome = !logFull(reason);
        } else if (fullIsLogged) {
            LogEvent.LOG_HAS_ROOM.log(LOG, "the log takes messages again: there is room on the disk");
        } else {
            fullNotLogged++;
        }
        ports.forEach(port -> port.stateChanged(next));
        if (reason == null) {
            fullIsLogged = false;
            roomAppeared();
        }
        return lineToCome;
    }

    /** Logs that it is full unless it has just done so: near a limit it may be full and not, by turns, for ever. */
    private boolean logFull(String reason) {
        long now = workers.nanoTime();
        if (nextFullLineNanos != 0 && now - nextFullLineNanos < 0) {
            return false;
        }
        nextFullLineNanos = now + FULL_LINE_NANOS;
        String more =
                fullNotLogged == 0 ? "" : " (it was full " + fullNotLogged + " times more since the last such line)";
        LogEvent.LOG_FULL.log(LOG, "the log takes no more messages: {}{}", reason, more);
        fullNotLogged = 0;
        fullIsLogged = true;
        return true;
    }

    /** The end of all writing. */
    void fail(String reason, Throwable cause) {
        LogState failed = new LogState(LogState.Kind.FAILED, reason);
        LogState before = state.getAndUpdate(now -> now.kind() == LogState.Kind.FAILED ? now : failed);
        if (before.kind() == LogState.Kind.FAILED) {
            return;
        }
        if (cause instanceof IOException) {
            LogEvent.LOG_FAILED.log(LOG, FAILED_LINE, reason);
        } else {
            LogEvent.LOG_FAILED.log(LOG, FAILED_LINE, reason, cause);
        }
        ports.forEach(port -> port.stateChanged(failed));
        wakeWriter();
        wakeKeeper();
        if (checkpointWorker != null) {
            checkpointWorker.wake();
        }
    }

    /** Something went wrong that the log gets along with. */
    void tell(LogEvent event, String what, IOException cause) {
        long times = lines.computeIfAbsent(event, each -> new LogLimit(LINES_NANOS, LINES)).take(workers.nanoTime());
        if (times > 0) {
            event.log(LOG, "{} in {}: {}{}", what, disk.location(), cause.toString(),
                    times == 1 ? "" : " (so it was " + (times - 1) + " more times since the last such line)");
        }
    }
}
