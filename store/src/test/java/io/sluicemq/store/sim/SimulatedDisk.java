package io.sluicemq.store.sim;

import io.sluicemq.store.disk.Disk;
import io.sluicemq.store.disk.DiskFile;
import io.sluicemq.store.disk.DiskFull;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * A disk in memory that does the worst a real one may do. At a {@link #crash} each sector of what was written since the last sync
 * of its file is kept or lost by itself, and of the changes to the folder since its last sync a first part is kept. It can be
 * full, and fail a write, a sync or reads when told to. Safe for several threads.
 *
 * <p>Invariant: {@code files} is what the process sees; {@code onDisk} with the pending lists is what may be left of it.
 */
public final class SimulatedDisk implements Disk {

    /** What is written or lost as one. */
    public static final int SECTOR_BYTES = 512;

    /** How much of what was not synced a crash leaves. */
    public enum Loss {
        /** Nothing. */
        ALL,
        /** All of it: the process was killed, the machine was not. */
        NONE,
        /** A first part, in the order of writing, to a sector. */
        SUFFIX,
        /** Any sectors. */
        ANY
    }

    private Map<String, Content> files = new TreeMap<>();
    private Map<String, Content> onDisk = new TreeMap<>();
    private final List<Runnable> pendingNames = new ArrayList<>();
    private long capacityBytes = Long.MAX_VALUE;
    private long syncs;
    private long writes;
    private long failSyncAt = Long.MAX_VALUE;
    private long failWriteAt = Long.MAX_VALUE;
    private boolean failReads;
    private int epoch;

    /** A file's bytes, as the process sees them and as they are on disk. */
    private static final class Content {
        private byte[] seen = {};
        private byte[] synced = {};
        private final List<Write> pending = new ArrayList<>();
    }

    private record Write(int offset, byte[] bytes) {}

    /** Sets how many bytes all files may have together. */
    public synchronized void setCapacityBytes(long bytes) {
        capacityBytes = bytes;
    }

    /** Lets the {@code n}-th sync from now on fail, 1 for the next. It may have written any part. */
    public synchronized void failSync(int n) {
        failSyncAt = syncs + n;
    }

    /** Lets the {@code n}-th write from now on fail. */
    public synchronized void failWrite(int n) {
        failWriteAt = writes + n;
    }

    /** Lets all reads fail, or no more. */
    public synchronized void failReads(boolean fail) {
        failReads = fail;
    }

    public synchronized long syncs() {
        return syncs;
    }

    public synchronized long usedBytes() {
        return files.values().stream().mapToLong(each -> each.seen.length).sum();
    }

    /** Takes the power away and gives it back: open files are of no use any more. */
    public synchronized void crash(RandomGenerator random, Loss loss) {
        epoch++;
        int kept = switch (loss) {
            case ALL -> 0;
            case NONE -> pendingNames.size();
            case SUFFIX, ANY -> random.nextInt(pendingNames.size() + 1);
        };
        pendingNames.subList(0, kept).forEach(Runnable::run);
        pendingNames.clear();
        files = new TreeMap<>(onDisk);
        for (Content content : files.values()) {
            crash(content, random, loss);
        }
        failSyncAt = Long.MAX_VALUE;
        failWriteAt = Long.MAX_VALUE;
        failReads = false;
    }

    private static void crash(Content content, RandomGenerator random, Loss loss) {
        List<Write> sectors = new ArrayList<>();
        for (Write write : content.pending) {
            for (int at = 0; at < write.bytes.length;) {
                int end = Math.min(write.bytes.length,
                        at + SECTOR_BYTES - (write.offset + at) % SECTOR_BYTES);
                sectors.add(new Write(write.offset + at, java.util.Arrays.copyOfRange(write.bytes, at, end)));
                at = end;
            }
        }
        int prefix = random.nextInt(sectors.size() + 1);
        for (int i = 0; i < sectors.size(); i++) {
            boolean kept = switch (loss) {
                case ALL -> false;
                case NONE -> true;
                case SUFFIX -> i < prefix;
                case ANY -> random.nextBoolean();
            };
            if (kept) {
                content.synced = written(content.synced, sectors.get(i).offset, sectors.get(i).bytes);
            }
        }
        content.pending.clear();
        content.seen = content.synced.clone();
    }

    private static byte[] written(byte[] bytes, int offset, byte[] more) {
        byte[] result =
                bytes.length >= offset + more.length ? bytes : java.util.Arrays.copyOf(bytes, offset + more.length);
        System.arraycopy(more, 0, result, offset, more.length);
        return result;
    }

    /** A copy of a file as the process sees it. */
    public synchronized byte[] content(String name) {
        return files.get(name).seen.clone();
    }

    /** Replaces a file, as if it had always been so: for damage. Other names are new files. */
    public synchronized void put(String name, byte[] bytes) {
        Content content = new Content();
        content.seen = bytes.clone();
        content.synced = bytes.clone();
        files.put(name, content);
        onDisk.put(name, content);
    }

    /** An independent disk with what is to be seen here. */
    public synchronized SimulatedDisk copy() {
        SimulatedDisk copy = new SimulatedDisk();
        files.forEach((name, content) -> copy.put(name, content.seen));
        return copy;
    }

    /** An independent disk with what a crash would leave that loses all that was not synced. */
    public synchronized SimulatedDisk copySynced() {
        SimulatedDisk copy = new SimulatedDisk();
        onDisk.forEach((name, content) -> copy.put(name, content.synced));
        return copy;
    }

    @Override
    public synchronized List<Entry> list() {
        return files.entrySet().stream().map(each -> new Entry(each.getKey(), each.getValue().seen.length)).toList();
    }

    @Override
    public synchronized DiskFile create(String name) throws IOException {
        if (files.containsKey(name)) {
            throw new FileAlreadyExistsException(name);
        }
        Content content = new Content();
        files.put(name, content);
        pendingNames.add(() -> onDisk.put(name, content));
        return new OpenFile(name, content);
    }

    @Override
    public synchronized DiskFile open(String name) throws IOException {
        Content content = files.get(name);
        if (content == null) {
            throw new FileNotFoundException(name);
        }
        return new OpenFile(name, content);
    }

    @Override
    public DiskFile openReadOnly(String name) throws IOException {
        return open(name);
    }

    @Override
    public synchronized void delete(String name) throws IOException {
        if (files.remove(name) == null) {
            throw new FileNotFoundException(name);
        }
        pendingNames.add(() -> onDisk.remove(name));
    }

    @Override
    public synchronized void rename(String from, String to) throws IOException {
        Content content = files.remove(from);
        if (content == null) {
            throw new FileNotFoundException(from);
        }
        files.put(to, content);
        pendingNames.add(() -> {
            onDisk.remove(from);
            onDisk.put(to, content);
        });
    }

    @Override
    public synchronized void syncDirectory() {
        pendingNames.forEach(Runnable::run);
        pendingNames.clear();
    }

    @Override
    public synchronized long usableBytes() {
        return Math.max(0, capacityBytes - usedBytes());
    }

    @Override
    public String location() {
        return "simulated";
    }

    /** A handle on a file; good until the next crash. */
    private final class OpenFile implements DiskFile {

        private final String name;
        private final Content content;
        private final int openedIn = epoch;
        private boolean closed;

        OpenFile(String name, Content content) {
            this.name = name;
            this.content = content;
        }

        private void check() throws IOException {
            if (closed || openedIn != epoch) {
                throw new IOException(name + " is not open");
            }
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public long sizeBytes() {
            synchronized (SimulatedDisk.this) {
                return content.seen.length;
            }
        }

        @Override
        public void write(ByteBuffer source, long offset) throws IOException {
            synchronized (SimulatedDisk.this) {
                check();
                if (++writes == failWriteAt) {
                    throw new IOException("simulated failure of a write");
                }
                long growth = offset + source.remaining() - content.seen.length;
                if (growth > usableBytes()) {
                    throw new DiskFull("simulated", null);
                }
                byte[] bytes = new byte[source.remaining()];
                source.get(bytes);
                content.seen = written(content.seen, (int) offset, bytes);
                content.pending.add(new Write((int) offset, bytes));
            }
        }

        @Override
        public int read(ByteBuffer target, long offset) throws IOException {
            synchronized (SimulatedDisk.this) {
                check();
                if (failReads) {
                    throw new IOException("simulated failure of a read");
                }
                int count = (int) Math.max(0, Math.min(target.remaining(), content.seen.length - offset));
                target.put(content.seen, (int) offset, count);
                return count;
            }
        }

        @Override
        public void allocateZeros(long offset, long lengthBytes) throws IOException {
            write(ByteBuffer.allocate((int) lengthBytes), offset);
        }

        @Override
        public void sync() throws IOException {
            synchronized (SimulatedDisk.this) {
                check();
                if (++syncs == failSyncAt) {
                    throw new IOException("simulated failure of a sync");
                }
                for (Write write : content.pending) {
                    content.synced = written(content.synced, write.offset, write.bytes);
                }
                content.pending.clear();
            }
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
