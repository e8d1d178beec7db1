package io.sluicemq.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A temporary folder and the processes started in it. Closing it, also from the shutdown hook of a run that was
 * interrupted, stops those processes, last one first, and deletes the folder; after that nothing more starts. Any
 * thread.
 */
final class Sandbox implements AutoCloseable {

    private static final long IN_ORDER_SECONDS = 20;
    private static final long LOOK_MILLIS = 50;
    private static final int LOG_LINES_TO_SHOW = 5;

    private final Path folder;
    private final Deque<Process> processes = new ArrayDeque<>();
    private boolean closed;

    /** In the folder of the system for temporary files. */
    Sandbox() {
        this(Path.of(System.getProperty("java.io.tmpdir")));
    }

    Sandbox(Path parent) {
        try {
            folder = Files.createTempDirectory(parent.toAbsolutePath(), "sluicemq-compare-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path folder() {
        return folder;
    }

    /** A port on loopback that was free a moment ago. */
    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts a process without input whose output and errors go to {@code NAME.log} in the folder. */
    Process start(String name, Path directory, Map<String, String> environment, List<String> command)
            throws PeerFailure {
        Path log = log(name);
        return start(name, directory, environment, command, log, log);
    }

    /** The same with errors apart from the output, in {@code NAME.err}. */
    Process startWithErrorsApart(String name, List<String> command) throws PeerFailure {
        return start(name, folder, Map.of(), command, log(name), folder.resolve(name + ".err"));
    }

    private synchronized Process start(
            String name, Path directory, Map<String, String> environment, List<String> command, Path out, Path err)
            throws PeerFailure {
        if (closed) {
            throw new PeerFailure("interrupted");
        }
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(out.toFile());
        if (err.equals(out)) {
            builder.redirectErrorStream(true);
        } else {
            builder.redirectError(err.toFile());
        }
        builder.environment().putAll(environment);
        try {
            Process process = builder.start();
            processes.push(process);
            return process;
        } catch (IOException e) {
            throw new PeerFailure(name + " cannot be started: " + e.getMessage(), e);
        }
    }

    Path log(String name) {
        return folder.resolve(name + ".log");
    }

    /** Runs a command to its end.
     *
     * @throws PeerFailure with the last lines of its output if it fails or does not end in time */
    void run(String name, Path directory, Map<String, String> environment, Duration limit, List<String> command)
            throws PeerFailure, InterruptedException {
        Process process = start(name, directory, environment, command);
        if (!process.waitFor(limit.toSeconds(), TimeUnit.SECONDS)) {
            stop(process);
            throw new PeerFailure(name + " did not end within " + limit.toSeconds() + " s" + tail(name));
        }
        if (process.exitValue() != 0) {
            throw new PeerFailure(name + " ended with exit code " + process.exitValue() + tail(name));
        }
    }

    /** Waits until a process that was started is ready. */
    void awaitReady(String name, Process process, Duration limit, BooleanSupplier ready)
            throws PeerFailure, InterruptedException {
        awaitReady(name, process, limit, LOOK_MILLIS, ready);
    }

    /** The same with a time between two looks, where it matters how long it took. */
    void awaitReady(String name, Process process, Duration limit, long lookMillis, BooleanSupplier ready)
            throws PeerFailure, InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (!ready.getAsBoolean()) {
            if (!process.isAlive()) {
                throw new PeerFailure(
                        name + " ended at its start with exit code " + process.exitValue() + tail(name));
            }
            if (System.nanoTime() > end) {
                throw new PeerFailure(name + " was not ready within " + limit.toSeconds() + " s" + tail(name));
            }
            TimeUnit.MILLISECONDS.sleep(lookMillis);
        }
    }

    private String tail(String name) {
        try {
            List<String> lines = Files.readString(log(name))
                    .lines()
                    .filter(line -> !line.isBlank())
                    .toList();
            List<String> last = lines.subList(Math.max(0, lines.size() - LOG_LINES_TO_SHOW), lines.size());
            return last.isEmpty() ? "" : ":\n    " + String.join("\n    ", last);
        } catch (IOException e) {
            return " (its log cannot be read: " + e.getMessage() + ")";
        }
    }

    /** A process and all that it started: what makes up a broker. */
    static List<Long> family(Process process) {
        List<Long> pids = new ArrayList<>();
        pids.add(process.pid());
        process.descendants().map(ProcessHandle::pid).forEach(pids::add);
        return pids;
    }

    /** Asks a process to end, and after 20 seconds ends it with all that it started. */
    private static void stop(Process process) {
        List<ProcessHandle> family = new ArrayList<>(process.descendants().toList());
        process.destroy();
        try {
            if (process.waitFor(IN_ORDER_SECONDS, TimeUnit.SECONDS)) {
                family.forEach(ProcessHandle::destroy);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
        family.forEach(ProcessHandle::destroyForcibly);
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        while (!processes.isEmpty()) {
            stop(processes.pop());
        }
        try {
            delete(folder);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + folder, e);
        }
    }

    private static void delete(Path root) throws IOException {
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException error) throws IOException {
                Files.deleteIfExists(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
