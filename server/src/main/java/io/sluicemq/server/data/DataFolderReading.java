package io.sluicemq.server.data;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A data folder that no broker can open until {@link #close}, because this process reads what is in it. Several processes may
 * read at the same time. Opened and closed by one thread.
 *
 * <p>Invariant: nothing in the folder is changed, so one that may not be written is good enough. A folder without a lock file,
 * a copy say, is read without a lock.
 */
public final class DataFolderReading implements AutoCloseable {

    private final Path path;
    private final String openKey;
    private final FileChannel lockChannel;

    private DataFolderReading(Path path, String openKey, FileChannel lockChannel) {
        this.path = path;
        this.openKey = openKey;
        this.lockChannel = lockChannel;
    }

    /** Whether a folder says of itself that it is a data folder, of whatever format. */
    public static boolean isDataFolder(Path path) {
        return Files.exists(path.resolve(DataFolder.FORMAT_FILE));
    }

    /**
     * Keeps brokers out of the folder.
     *
     * @throws DataFolderRefused if a broker has it open, it is not ours, of a format this version doesn't know, or can't be read
     */
    public static DataFolderReading open(Path path) throws DataFolderRefused {
        try {
            return openFolder(path);
        } catch (IOException e) {
            throw DataFolder.refused(path, e);
        }
    }

    private static DataFolderReading openFolder(Path path) throws IOException, DataFolderRefused {
        if (!DataFolder.checkFormat(path)) {
            throw new DataFolderRefused(path + " is no data folder: it holds no " + DataFolder.FORMAT_FILE);
        }
        String openKey = DataFolder.claim(path);
        FileChannel channel = null;
        try {
            Path lockFile = path.resolve(DataFolder.LOCK_FILE);
            if (Files.exists(lockFile)) {
                channel = FileChannel.open(lockFile, StandardOpenOption.READ);
                if (channel.tryLock(DataFolder.LOCK_POSITION, 1, true) == null) {
                    throw DataFolder.inUse(path, channel);
                }
            }
            DataFolderReading reading = new DataFolderReading(path, openKey, channel);
            channel = null;
            openKey = null;
            return reading;
        } finally {
            if (channel != null) {
                channel.close();
            }
            if (openKey != null) {
                System.getProperties().remove(openKey);
            }
        }
    }

    public Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        try {
            if (lockChannel != null) {
                lockChannel.close();
            }
        } finally {
            System.getProperties().remove(openKey);
        }
    }
}
