package io.sluicemq.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Another JVM, as this one and with its class path, that ends with the test. Its streams are read as they come. */
public final class JavaProcess implements AutoCloseable {

    private static final long LIMIT_SECONDS = 60;

    private final Process process;
    private final BufferedReader out;
    private final StringBuilder soFar = new StringBuilder();
    private final CompletableFuture<String> err;

    private JavaProcess(Process process) {
        this.process = process;
        this.out = process.inputReader(StandardCharsets.UTF_8);
        this.err = CompletableFuture.supplyAsync(() -> readAll(process.errorReader(StandardCharsets.UTF_8)),
                task -> Thread.ofVirtual()
                        .start(task));
    }

    /** Starts {@code mainClass} in {@code workingFolder}. */
    public static JavaProcess start(Path workingFolder, Class<?> mainClass, String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-Dlogback.configurationFile=" + System.getProperty("logback.configurationFile", ""),
                "-cp",
                System.getProperty("java.class.path"),
                mainClass.getName()));
        command.addAll(List.of(args));
        return new JavaProcess(
                new ProcessBuilder(command).directory(workingFolder.toFile()).start());
    }

    /** Waits for the next line of its standard output; null at the end. */
    public String nextLine() throws IOException {
        return out.readLine();
    }

    public long pid() {
        return process.pid();
    }

    /** SIGTERM. (By its handle: to destroy the process itself would close its streams, too.) */
    public void terminate() {
        process.toHandle().destroy();
    }

    /** SIGKILL: it has no say. */
    public void kill() {
        process.toHandle().destroyForcibly();
    }

    /** Waits for its end and returns its exit code. */
    public int exitCode() throws InterruptedException, TimeoutException {
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new TimeoutException("process " + process.pid() + " is still there after " + LIMIT_SECONDS + " s");
        }
        return process.exitValue();
    }

    /** All of its standard error output; waits for its end. */
    public String err() {
        return err.join();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** Waits until its standard error output has a text. */
    public void awaitErr(String text) throws InterruptedException, TimeoutException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        synchronized (soFar) {
            while (soFar.indexOf(text) < 0) {
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (left <= 0) {
                    throw new TimeoutException("'" + text + "' is not in: " + soFar);
                }
                soFar.wait(left);
            }
        }
    }

    private String readAll(BufferedReader reader) {
        try (reader) {
            for (int c = reader.read(); c >= 0; c = reader.read()) {
                synchronized (soFar) {
                    soFar.append((char) c);
                    soFar.notifyAll();
                }
            }
            synchronized (soFar) {
                return soFar.toString();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
