package io.sluicemq.store.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A real folder. Holds no state but its path; safe from any thread.
 *
 * <p>The threads that use it must not be interrupted: that would close the file they are at.
 */
public final class FolderDisk implements Disk {

    /** What new segments are filled with; never written to. Only duplicates are used, so threads can share it. */
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(1 << 20).asReadOnlyBuffer();

    /** Below this much room a failed allocation is taken for a full disk, whatever words the system has for it. */
    private static final long NEARLY_NOTHING_BYTES = 64 << 10;

    private final Path folder;

    /** @param folder exists already */
    public FolderDisk(Path folder) {
        this.folder = folder;
    }

    @Override
    public List<Entry> list() throws IOException {
        List<Entry> entries = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                entries.add(new Entry(file.getFileName().toString(), Files.size(file)));
            }
        }
        entries.sort(Comparator.comparing(Entry::name));
        return entries;
    }

    @Override
    public DiskFile create(String name) throws IOException {
        try {
            return new OpenFile(name, FileChannel.open(folder.resolve(name),
                    StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE));
        } catch (IOException e) {
            throw asFull(e, 0);
        }
    }

    @Override
    public DiskFile open(String name) throws IOException {
        return new OpenFile(name,
                FileChannel.open(folder.resolve(name), StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    @Override
    public DiskFile openReadOnly(String name) throws IOException {
        return new OpenFile(name, FileChannel.open(folder.resolve(name), StandardOpenOption.READ));
    }

    @Override
    public void delete(String name) throws IOException {
        Files.delete(folder.resolve(name));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        try {
            Files.move(folder.resolve(from), folder.resolve(to), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw asFull(e, 0);
        }
    }

    @Override
    public void syncDirectory() throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public long usableBytes() throws IOException {
        FileStore store = Files.getFileStore(folder);
        return store.getUsableSpace();
    }

    @Override
    public String location() {
        return folder.toString();
    }

    private IOException asFull(IOException e, long wantedBytes) {
        String message = String.valueOf(e.getMessage());
        boolean full = message.contains("No space left") || message.contains("quota exceeded");
        if (!full) {
            try {
                full = usableBytes() < Math.max(wantedBytes, NEARLY_NOTHING_BYTES);
            } catch (IOException unknown) {
                e.addSuppressed(unknown);
            }
        }
        return full ? new DiskFull("no space left in " + folder, e) : e;
    }

    /** A file by its channel. */
    private final class OpenFile implements DiskFile {

        private final String name;
        private final FileChannel channel;

        OpenFile(String name, FileChannel channel) {
            this.name = name;
            this.channel = channel;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public long sizeBytes() throws IOException {
            return channel.size();
        }

        @Override
        public void write(ByteBuffer source, long offset) throws IOException {
            long at = offset;
            try {
                while (source.hasRemaining()) {
                    at += channel.write(source, at);
                }
            } catch (IOException e) {
                throw asFull(e, source.remaining());
            }
        }

        @Override
        public int read(ByteBuffer target, long offset) throws IOException {
            int total = 0;
            while (target.hasRemaining()) {
                int count = channel.read(target, offset + total);
                if (count < 0) {
                    break;
                }
                total += count;
            }
            return total;
        }

        /**
         * Writes the zeros, rather than reserve the space: an overwrite of written blocks needs no change of the file system's
         * tables, so that the syncs of the log are several times faster.
         */
        @Override
        public void allocateZeros(long offset, long lengthBytes) throws IOException {
            ByteBuffer zeros = ZEROS.duplicate();
            long done = 0;
            while (done < lengthBytes) {
                zeros.position(0).limit((int) Math.min(zeros.capacity(), lengthBytes - done));
                int count = zeros.remaining();
                write(zeros, offset + done);
                done += count;
            }
        }

        @Override
        public void sync() throws IOException {
            channel.force(false);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
