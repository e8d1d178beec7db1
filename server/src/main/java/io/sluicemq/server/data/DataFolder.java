package io.sluicemq.server.data;

import io.sluicemq.server.config.UsersSection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.ReadOnlyFileSystemException;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A data folder that this process has open, alone, until {@link #close}. Opened and closed by the thread that starts and stops
 * the broker.
 *
 * <pre>
 * FOLDER/
 *   sluicemq.format   "sluicemq data folder, format 1" and a line feed: whose folder this is, and how to read it
 *   log/              durable queues and messages
 *   admin.sock        while a broker runs: how its administrators reach it
 *   users.yaml        users, their passwords stored as hashes; users.yaml.lock while it is changed
 *   sluicemq.lock     the process id of whoever has it open, in decimal; the lock is at byte 2^62, never at the text
 * </pre>
 *
 * <p>Invariant: nothing is written into a folder that is not empty, unless its format file says that it is ours.
 */
public final class DataFolder implements AutoCloseable {

    static final String FORMAT_FILE = "sluicemq.format";
    static final String LOCK_FILE = "sluicemq.lock";
    private static final String NEW_FORMAT_FILE = FORMAT_FILE + ".new";

    private static final int FORMAT = 1;
    private static final String FORMAT_TEXT = "sluicemq data folder, format ";
    private static final Pattern FORMAT_PATTERN = Pattern.compile(FORMAT_TEXT + "(\\d{1,9})\\s*");
    private static final int MAX_FORMAT_BYTES = 1024;

    /**
     * What a folder may hold without being somebody else's: what a start that was cut short leaves behind, what the root
     * of a file system has, and users that were made before the first start.
     */
    private static final Set<String> IGNORED = Set.of(
            LOCK_FILE, NEW_FORMAT_FILE, "lost+found", UsersSection.DEFAULT_USERS_FILE,
            UsersSection.DEFAULT_USERS_FILE + ".lock");

    /** Beyond the text, so that others can read the process id where locks are mandatory. */
    static final long LOCK_POSITION = 1L << 62;

    private static final int MAX_PID_BYTES = 20;

    private final Path path;
    private final String openKey;
    private final FileChannel lockChannel;

    private DataFolder(Path path, String openKey, FileChannel lockChannel) {
        this.path = path;
        this.openKey = openKey;
        this.lockChannel = lockChannel;
    }

    /**
     * Opens the folder, creating it if there is none.
     *
     * @throws DataFolderRefused if it is in use, not ours, of a format this version doesn't know, or can't be written; nothing
     *     in it has been changed then
     */
    public static DataFolder open(Path path) throws DataFolderRefused {
        try {
            return openFolder(path);
        } catch (ReadOnlyFileSystemException e) {
            throw new DataFolderRefused("data folder " + path + " can't be used: its file system is read-only", e);
        } catch (IOException e) {
            throw refused(path, e);
        }
    }

    /** What a failure means to whoever named the folder. */
    static DataFolderRefused refused(Path path, IOException failure) {
        String reason = switch (failure) {
            case AccessDeniedException e -> "no permission for " + e.getFile();
            case FileSystemException e ->
                e.getFile() + ": " + (e.getReason() == null ? e.getClass().getSimpleName() : e.getReason());
            default -> failure.getMessage();
        };
        return new DataFolderRefused("data folder " + path + " can't be used: " + reason, failure);
    }

    private static DataFolder openFolder(Path path) throws IOException, DataFolderRefused {
        if (!Files.isDirectory(path)) {
            create(path);
        }
        if (!Files.isWritable(path)) {
            throw new DataFolderRefused("data folder " + path + " can't be used: this process may not write into it");
        }
        boolean ours = checkFormat(path);
        String openKey = claim(path);
        FileChannel channel = null;
        try {
            channel = lock(path);
            // Another process may have begun a new folder between the look above and the lock.
            if (!ours && !checkFormat(path)) {
                writeFormat(path);
            }
            DataFolder folder = new DataFolder(path, openKey, channel);
            channel = null;
            openKey = null;
            return folder;
        } finally {
            if (channel != null) {
                channel.close();
            }
            if (openKey != null) {
                System.getProperties().remove(openKey);
            }
        }
    }

    private static void create(Path path) throws IOException, DataFolderRefused {
        try {
            Files.createDirectories(path);
        } catch (FileAlreadyExistsException e) {
            throw new DataFolderRefused("data folder " + path + " can't be used: " + e.getFile() + " is not a folder",
                    e);
        }
    }

    /** Returns whether the folder is ours already; false if it is as good as empty. */
    static boolean checkFormat(Path path) throws IOException, DataFolderRefused {
        Path file = path.resolve(FORMAT_FILE);
        if (Files.exists(file)) {
            String text = Files.size(file) > MAX_FORMAT_BYTES ? "" : readLatin1(file);
            Matcher matcher = FORMAT_PATTERN.matcher(text);
            if (!matcher.matches()) {
                throw new DataFolderRefused(
                        "data folder " + path + " can't be used: " + file + " is damaged: expected '"
                                + FORMAT_TEXT + FORMAT + "'");
            }
            int format = Integer.parseInt(matcher.group(1));
            if (format != FORMAT) {
                throw new DataFolderRefused("data folder " + path + " has format " + format
                        + ", but this version of SluiceMQ knows format " + FORMAT + " only");
            }
            return true;
        }
        try (Stream<Path> files = Files.list(path)) {
            List<String> foreign = files.map(each -> each.getFileName().toString().replace("/", ""))
                    .filter(name -> !IGNORED.contains(name))
                    .sorted()
                    .limit(1)
                    .toList();
            if (!foreign.isEmpty()) {
                throw new DataFolderRefused("data folder " + path + " is not SluiceMQ's: it holds " + foreign.getFirst()
                        + " and no " + FORMAT_FILE + "; name an empty or a new folder");
            }
        }
        return false;
    }

    private static String readLatin1(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    }

    /**
     * Makes sure that no other broker in this JVM has the folder open, before its lock file is touched: closing any channel to
     * that file, here or by another class loader's copy of this class, would give up the lock that this process holds on it
     * (POSIX locks belong to processes). So the table of open folders is one that the whole JVM shares.
     *
     * @return the key to remove from the JVM's properties in the end
     */
    static String claim(Path path) throws IOException, DataFolderRefused {
        Object fileKey = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
        String key = "io.sluicemq.data.open:" + (fileKey != null ? fileKey : path.toRealPath());
        Properties shared = System.getProperties();
        if (shared.putIfAbsent(key, path.toString()) != null) {
            throw DataFolderRefused.inUse(
                    "data folder " + path + " is in use by this process (" + ownPid() + ") already");
        }
        return key;
    }

    private static FileChannel lock(Path path) throws IOException, DataFolderRefused {
        FileChannel channel = FileChannel.open(
                path.resolve(LOCK_FILE), StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
        boolean locked = false;
        try {
            FileLock lock = channel.tryLock(LOCK_POSITION, 1, false);
            if (lock == null) {
                throw inUse(path, channel);
            }
            channel.truncate(0);
            channel.write(ByteBuffer.wrap((ownPid() + "\n").getBytes(StandardCharsets.US_ASCII)), 0);
            locked = true;
            return channel;
        } finally {
            if (!locked) {
                channel.close();
            }
        }
    }

    /** That another process has the lock. Of one that only reads the file does not tell: it may name one that has ended. */
    static DataFolderRefused inUse(Path path, FileChannel lockFile) throws IOException {
        String pid = readPid(lockFile);
        boolean isThere = !pid.isEmpty() && ProcessHandle.of(Long.parseLong(pid)).isPresent();
        return DataFolderRefused.inUse(
                "data folder " + path + " is in use by " + (isThere ? "process " + pid : "another process"));
    }

    private static long ownPid() {
        return ProcessHandle.current().pid();
    }

    /** The process id in the lock file; empty if its owner has not written it yet. */
    private static String readPid(FileChannel channel) throws IOException {
        ByteBuffer text = ByteBuffer.allocate(MAX_PID_BYTES);
        channel.read(text, 0);
        String pid = new String(text.array(), 0, text.position(), StandardCharsets.US_ASCII).strip();
        return pid.matches("\\d{1,18}") ? pid : "";
    }

    /** Writes the format file whole or not at all. */
    private static void writeFormat(Path path) throws IOException {
        Path fresh = path.resolve(NEW_FORMAT_FILE);
        ByteBuffer text = ByteBuffer.wrap((FORMAT_TEXT + FORMAT + "\n").getBytes(StandardCharsets.US_ASCII));
        try (FileChannel channel = FileChannel.open(
                fresh, StandardOpenOption.WRITE, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING)) {
            while (text.hasRemaining()) {
                channel.write(text);
            }
            channel.force(true);
        }
        Files.move(fresh, path.resolve(FORMAT_FILE), StandardCopyOption.ATOMIC_MOVE);
    }

    public Path path() {
        return path;
    }

    /** Gives the folder up. The lock file stays, without a process id: to delete it could take it from its next owner. */
    @Override
    public void close() throws IOException {
        if (!lockChannel.isOpen()) {
            return;
        }
        try (lockChannel) {
            lockChannel.truncate(0);
        } finally {
            System.getProperties().remove(openKey);
        }
    }
}
