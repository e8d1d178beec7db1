package io.sluicemq.simulation;

import io.sluicemq.store.disk.Disk;
import io.sluicemq.store.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A disk with a bug, on purpose: the last record that was written to a segment is not yet on its way when a sync of the segment
 * returns. So whoever relies on syncs takes one position too much for durable. All else is as it should be.
 *
 * <p>For one life of a broker: what is held back is lost with it.
 */
final class EarlyDisk implements Disk {

    /** Less than any record of a message. */
    private static final int HELD_BYTES = 64;

    private final Disk disk;
    private final Map<String, Held> held = new HashMap<>();

    EarlyDisk(Disk disk) {
        this.disk = disk;
    }

    /** The end of the latest write, which the disk below does not have yet. */
    private record Held(byte[] bytes, long offset) {}

    private static boolean isSegment(String name) {
        return name.endsWith(".log");
    }

    private void letGo(String name, DiskFile file) throws IOException {
        Held last = held.remove(name);
        if (last != null) {
            file.write(ByteBuffer.wrap(last.bytes()), last.offset());
        }
    }

    @Override
    public List<Entry> list() throws IOException {
        return disk.list();
    }

    @Override
    public DiskFile create(String name) throws IOException {
        return new EarlyFile(disk.create(name));
    }

    @Override
    public DiskFile open(String name) throws IOException {
        return new EarlyFile(disk.open(name));
    }

    @Override
    public DiskFile openReadOnly(String name) throws IOException {
        return new EarlyFile(disk.openReadOnly(name));
    }

    @Override
    public void delete(String name) throws IOException {
        held.remove(name);
        disk.delete(name);
    }

    @Override
    public void rename(String from, String to) throws IOException {
        disk.rename(from, to);
    }

    @Override
    public void syncDirectory() throws IOException {
        disk.syncDirectory();
    }

    @Override
    public long usableBytes() throws IOException {
        return disk.usableBytes();
    }

    @Override
    public String location() {
        return disk.location();
    }

    private final class EarlyFile implements DiskFile {

        private final DiskFile file;

        EarlyFile(DiskFile file) {
            this.file = file;
        }

        @Override
        public String name() {
            return file.name();
        }

        @Override
        public long sizeBytes() throws IOException {
            return file.sizeBytes();
        }

        @Override
        public void write(ByteBuffer source, long offset) throws IOException {
            if (!isSegment(name())) {
                file.write(source, offset);
                return;
            }
            letGo(name(), file);
            byte[] end = new byte[Math.min(HELD_BYTES, source.remaining())];
            ByteBuffer begin = source.slice(source.position(), source.remaining() - end.length);
            long endsAt = offset + begin.remaining();
            file.write(begin, offset);
            source.position(source.limit() - end.length).get(end);
            held.put(name(), new Held(end, endsAt));
        }

        @Override
        public int read(ByteBuffer target, long offset) throws IOException {
            letGo(name(), file);
            return file.read(target, offset);
        }

        @Override
        public void allocateZeros(long offset, long lengthBytes) throws IOException {
            file.allocateZeros(offset, lengthBytes);
        }

        @Override
        public void sync() throws IOException {
            file.sync();
            letGo(name(), file);
        }

        @Override
        public void close() throws IOException {
            letGo(name(), file);
            file.close();
        }
    }
}
