package io.sluicemq.server;

import io.sluicemq.broker.journal.RecordText;
import io.sluicemq.server.data.DataFolderReading;
import io.sluicemq.server.data.DataFolderRefused;
import io.sluicemq.store.LogTool;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Looks into the log of a broker that is stopped, and keeps it stopped meanwhile: the data folder is locked as long as this
 * reads. Changes nothing. Runs on the main thread.
 */
public final class InspectLog {

    /** All that was read is whole. */
    public static final int EXIT_WHOLE = 0;

    /** Something is damaged or missing; the output says what and where. */
    public static final int EXIT_DAMAGED = 1;

    /** There is no log that could be read; one line says why. */
    public static final int EXIT_UNUSABLE = 2;

    /** Where in a data folder the log is. */
    private static final String LOG_FOLDER = "log";

    private static final int OUT_BUFFER_CHARS = 64 << 10;

    private InspectLog() {}

    /** What to do with a log; tells whether it was whole. */
    private interface Look {
        boolean at(Path log, PrintWriter out) throws IOException;
    }

    /**
     * Checks every record and every checkpoint.
     *
     * @param folder a data folder, or one with segments in it
     * @return {@link #EXIT_WHOLE}, {@link #EXIT_DAMAGED} or {@link #EXIT_UNUSABLE}
     */
    public static int verify(Path folder, PrintWriter out, PrintWriter err) {
        return run(folder, LogTool::verify, out, err);
    }

    /**
     * Prints a line for each record.
     *
     * @param folder a data folder, or one with segments in it
     * @param from the position to begin at, 0 for the beginning
     * @param payloads whether to print payloads, too
     * @return as {@link #verify}, of what was read
     */
    public static int dump(Path folder, long from, boolean payloads, PrintWriter out, PrintWriter err) {
        return run(folder, (log, to) -> LogTool.dump(log, from, payloads, RecordText::of, to), out, err);
    }

    private static int run(Path folder, Look look, PrintWriter out, PrintWriter err) {
        try {
            return look(folder, look, out) ? EXIT_WHOLE : EXIT_DAMAGED;
        } catch (FileSystemException e) {
            String reason = e.getReason() == null ? e.getClass().getSimpleName() : e.getReason();
            err.println("sluicemq: can't read " + e.getFile() + ": " + reason);
        } catch (DataFolderRefused e) {
            err.println("sluicemq: " + e.getMessage() + (e.isInUse() ? ": stop the broker first" : ""));
        } catch (IOException e) {
            err.println("sluicemq: " + e.getMessage());
        }
        err.flush();
        return EXIT_UNUSABLE;
    }

    private static boolean look(Path folder, Look look, PrintWriter out) throws IOException, DataFolderRefused {
        if (!Files.isDirectory(folder)) {
            throw new IOException("there is no folder " + folder);
        }
        if (DataFolderReading.isDataFolder(folder)) {
            return lookLocked(folder, Path.of(LOG_FOLDER), look, out);
        }
        if (!LogTool.hasSegments(folder)) {
            return lookAt(folder.resolve(LOG_FOLDER), look, out);
        }
        Path real = folder.toRealPath();
        Path above = real.getParent();
        return above != null && DataFolderReading.isDataFolder(above)
                ? lookLocked(above, real.getFileName(), look, out)
                : lookAt(folder, look, out);
    }

    private static boolean lookLocked(Path data, Path name, Look look, PrintWriter out)
            throws IOException, DataFolderRefused {
        try (DataFolderReading reading = DataFolderReading.open(data)) {
            return lookAt(reading.path().resolve(name), look, out);
        }
    }

    private static boolean lookAt(Path log, Look look, PrintWriter out) throws IOException {
        if (!Files.isDirectory(log)) {
            throw new IOException(
                    "no log in " + log.toAbsolutePath().getParent() + ": it holds no folder '" + LOG_FOLDER
                            + "' and no .log file");
        }
        // Whoever gave `out` may have it flushed by each line; a log has millions.
        PrintWriter buffered = new PrintWriter(new BufferedWriter(out, OUT_BUFFER_CHARS));
        try {
            return look.at(log, buffered);
        } finally {
            buffered.flush();
        }
    }
}
