package io.sluicemq.store;

import io.sluicemq.base.LogEvent;
import io.sluicemq.store.disk.Disk;
import io.sluicemq.store.disk.DiskFile;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.zip.CRC32C;

/**
 * Reads records for the loops that are assigned to it, in the order they ask. Runs on its own thread; requests come by a queue,
 * which the loops' own limits bound. A stretch of the log that was read stays in {@code window}, so that the records that
 * follow closely need no read of their own; those of many queues lie scattered, and are read one by one.
 */
final class Reader implements Workers.Step {

    private static final int MAX_OPEN_FILES = 16;

    /** What is read for a record of which nothing is known yet. */
    private static final int FIRST_BYTES = 4 << 10;
    /** To read so many bytes that nobody wants costs about as much as another read. */
    private static final int CLOSE_BYTES = 16 << 10;

    private final Log log;
    private final Disk disk;
    private final Segments segments;
    private final LogOptions options;
    private final ConcurrentLinkedQueue<ReadRequest> requests = new ConcurrentLinkedQueue<>();
    private final Map<Segment, DiskFile> files = new LinkedHashMap<>(16, 0.75f, true);
    private final CRC32C crc = new CRC32C();
    private final ByteBuffer window;
    private volatile boolean closing;
    private Workers.Worker worker;
    private Segment windowSegment;
    private long windowStart;
    private int windowBytes;
    /** How much is worth reading from the record at hand on. */
    private int wanted;

    Reader(Log log, Disk disk, Segments segments, LogOptions options) {
        this.log = log;
        this.disk = disk;
        this.segments = segments;
        this.options = options;
        this.window = ByteBuffer.allocateDirect(options.readAheadBytes()).order(ByteOrder.LITTLE_ENDIAN);
    }

    void runBy(Workers.Worker own) {
        worker = own;
    }

    /** From any loop. */
    void add(ReadRequest request) {
        requests.add(request);
        worker.wake();
    }

    /** Has this reader let go of files that are deleted. */
    void wake() {
        worker.wake();
    }

    void close() {
        closing = true;
    }

    @Override
    public long run() {
        ReadRequest request = requests.poll();
        if (request == null) {
            closeFiles(closing);
            return closing ? Workers.ENDED : Workers.UNTIL_WOKEN;
        }
        serve(request);
        request.send();
        return 0;
    }

    private void serve(ReadRequest request) {
        for (int i = 0; i < request.count; i++) {
            long position = request.positions[request.from + i];
            Segment segment = segments.find(position);
            if (segment == null) {
                request.fail(gone(position));
                return;
            }
            segment.readBegins();
            try {
                if (segment.deleted) {
                    throw gone(position);
                }
                if (i > 0 && request.bytes() >= options.readBatchBytes()) {
                    return;
                }
                wanted = wantedFrom(request, i);
                if (!read(segment, position, request)) {
                    return;
                }
            } catch (IOException e) {
                request.fail(e);
                return;
            } catch (RuntimeException | OutOfMemoryError e) {
                request.fail(new IOException("the record at " + position + " could not be read", e));
                return;
            } finally {
                segment.readEnds();
            }
        }
    }

    /** How many bytes from a record on bring those that are asked for next, as far as they are close to each other. */
    private int wantedFrom(ReadRequest request, int index) {
        long start = request.positions[request.from + index];
        long end = start;
        for (int i = index + 1; i < request.count; i++) {
            long next = request.positions[request.from + i];
            if (next < end || next - end > CLOSE_BYTES || next - start > window.capacity() - FIRST_BYTES) {
                break;
            }
            end = next;
        }
        return (int) (end - start) + FIRST_BYTES;
    }

    private static IOException gone(long position) {
        return new IOException("there is no record at " + position + " any more: its segment was given back");
    }

    private boolean read(Segment segment, long position, ReadRequest request) throws IOException {
        if (position >= log.written() && readFromMemory(position, request)) {
            return true;
        }
        if (position >= log.written()) {
            throw new IOException("there is no complete record at " + position);
        }
        ByteBuffer in = window;
        int offset = load(segment, position, RecordFormat.HEADER_BYTES);
        int length = RecordFormat.length(window, offset);
        if (length < RecordFormat.HEADER_BYTES || length > segment.end - position) {
            throw damaged(segment, position);
        }
        if (request.bytes() > 0 && request.bytes() + (long) length > options.readBatchBytes()) {
            return false;
        }
        if (length > window.capacity()) {
            in = ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
            if (file(segment).read(in, position - segment.start) < length) {
                throw damaged(segment, position);
            }
            offset = 0;
        } else {
            offset = load(segment, position, length);
        }
        if (!RecordFormat.isValid(in, offset, length, position, log.logId(), crc)) {
            throw damaged(segment, position);
        }
        deliver(in, offset, length, position, request);
        return true;
    }

    private static void deliver(ByteBuffer in, int offset, int length, long position, ReadRequest request)
            throws IOException {
        int type = RecordFormat.type(in, offset);
        ByteBuffer payload = in.slice(offset + RecordFormat.HEADER_BYTES, length - RecordFormat.HEADER_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
        if (type == RecordFormat.MOVED) {
            MovedRecord moved = MovedRecord.decode(payload);
            request.add(moved.type(), moved.payload());
        } else if (type <= RecordFormat.MAX_USER_TYPE) {
            request.add(type, payload);
        } else {
            throw new IOException("what is at " + position + " is the log's own");
        }
    }

    private DamagedLog damaged(Segment segment, long position) {
        return new DamagedLog(disk.location(), segment.fileName(), position - segment.start,
                "there is no whole record");
    }

    /** Has so many bytes from a position on in the window; returns where. */
    private int load(Segment segment, long position, int bytes) throws IOException {
        if (segment != windowSegment || position < windowStart || position + bytes > windowStart + windowBytes) {
            long available = Math.min(log.written(), segment.end) - position;
            int length = Math.min(window.capacity(), Math.max(bytes, wanted));
            window.clear().limit((int) Math.min(length, available));
            windowSegment = null;
            windowBytes = file(segment).read(window, position - segment.start);
            window.clear();
            windowSegment = segment;
            windowStart = position;
            if (windowBytes < bytes) {
                throw damaged(segment, position);
            }
        }
        return (int) (position - windowStart);
    }

    /** Reads what may not be written yet; false if it is by now. */
    private boolean readFromMemory(long position, ReadRequest request) throws IOException {
        for (AppendBuffer buffer = log.oldestBuffer(); buffer != null; buffer = buffer.next) {
            int offset = (int) Math.min(Integer.MAX_VALUE, position - buffer.base);
            if (position < buffer.base || offset >= buffer.claimedBytes()) {
                continue;
            }
            int length = RecordFormat.lengthAcquire(buffer.memory, offset);
            if (length < RecordFormat.HEADER_BYTES || length > buffer.capacity - offset) {
                return false;
            }
            ByteBuffer copy = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
            copy.put(0, buffer.memory, offset, length);
            VarHandle.acquireFence();
            if (buffer.reused || !RecordFormat.isValid(copy, 0, length, position, log.logId(), crc)) {
                return false;
            }
            deliver(copy, 0, length, position, request);
            return true;
        }
        return false;
    }

    private DiskFile file(Segment segment) throws IOException {
        DiskFile file = files.get(segment);
        if (file == null) {
            if (files.size() == MAX_OPEN_FILES) {
                Iterator<DiskFile> eldest = files.values().iterator();
                close(eldest.next());
                eldest.remove();
            }
            file = disk.openReadOnly(segment.fileName());
            files.put(segment, file);
        }
        return file;
    }

    private void closeFiles(boolean all) {
        files.entrySet().removeIf(each -> {
            if (all || each.getKey().deleted) {
                close(each.getValue());
                return true;
            }
            return false;
        });
        if (windowSegment != null && windowSegment.deleted) {
            windowSegment = null;
        }
    }

    private void close(DiskFile file) {
        try {
            file.close();
        } catch (IOException e) {
            log.tell(LogEvent.FILE_NOT_CLOSED, "a segment that was read could not be closed", e);
        }
    }
}
