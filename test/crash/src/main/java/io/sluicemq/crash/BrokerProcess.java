package io.sluicemq.crash;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A broker as its users run it: {@code sluicemq serve} in a process of its own, with this one's Java and class path.
 * Owns the process, which ends with {@link #close} at the latest. Any thread may ask; one starts and ends it.
 */
final class BrokerProcess implements AutoCloseable {

    private static final long START_LIMIT_SECONDS = 60;
    private static final long STOP_LIMIT_SECONDS = 30;
    private static final Pattern READY =
            Pattern.compile("SluiceMQ ready in (\\d+) ms: amqp://127\\.0\\.0\\.1:(\\d+) .*");

    private static final StartCache JVM = new StartCache("-Xmx256m", "-XX:+UseSerialGC",
            "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow");

    private final Process process;
    private final int port;
    private final long startMillis;

    private BrokerProcess(Process process, int port, long startMillis) {
        this.process = process;
        this.port = port;
        this.startMillis = startMillis;
    }

    /**
     * Starts a broker and waits until it is ready.
     *
     * @param log gets all that the process writes to standard error, behind what is there
     * @param options of {@code sluicemq serve}, beside the port
     * @throws BrokerRefused if it ends instead
     */
    static BrokerProcess start(Path log, String... options) throws IOException, InterruptedException, BrokerRefused {
        Process process = launch(log, options);
        boolean ready = false;
        try {
            BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
            String line = firstLine(out);
            if (line == null) {
                process.waitFor();
                throw new BrokerRefused(process.exitValue(), lines(log));
            }
            Matcher matcher = READY.matcher(line);
            if (!matcher.matches()) {
                throw new IOException("the broker's first line is '" + line + "'");
            }
            ready = true;
            return new BrokerProcess(process, Integer.parseInt(matcher.group(2)), Long.parseLong(matcher.group(1)));
        } finally {
            if (!ready) {
                process.destroyForcibly();
            }
        }
    }

    /** Starts a broker and kills it before long: while it starts, or just after. */
    static void startAndKill(Path log, long millis, String... options) throws IOException, InterruptedException {
        Process process = launch(log, options);
        try {
            process.waitFor(millis, TimeUnit.MILLISECONDS);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private static Process launch(Path log, String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(command());
        command.addAll(serve());
        command.addAll(List.of(options));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile())).start();
    }

    /** A broker of which nothing but its AMQP port is seen, any free one. */
    static List<String> serve() {
        return List.of("serve", "--port", "0", "--set", "http.enabled=false");
    }

    /** The words that run the command {@code sluicemq} with some arguments. */
    static List<String> command(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(JVM.command());
        command.addAll(List.of(arguments));
        return command;
    }

    private static String firstLine(BufferedReader out) throws IOException, InterruptedException {
        CompletableFuture<String> line = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                line.complete(out.readLine());
            } catch (IOException e) {
                line.completeExceptionally(e);
            }
        });
        try {
            return line.get(START_LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IOException("the broker's first line can't be read", e);
        } catch (TimeoutException e) {
            throw new IOException("the broker is not ready after " + START_LIMIT_SECONDS + " s", e);
        }
    }

    /** The lines of a log. */
    static List<String> lines(Path log) {
        try (Stream<String> lines = Files.lines(log, StandardCharsets.UTF_8)) {
            return lines.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return port;
    }

    /** From the start of its JVM until it was ready. */
    long startMillis() {
        return startMillis;
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** SIGKILL: it has no say. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /**
     * SIGTERM: it stops in order. Returns its exit code. (By its handle: to destroy the process would close its
     * streams.)
     */
    int stop() throws IOException, InterruptedException {
        process.toHandle().destroy();
        return awaitEnd();
    }

    /** Waits until it has ended; its exit code. */
    int awaitEnd() throws IOException, InterruptedException {
        if (!process.waitFor(STOP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("the broker has not ended after " + STOP_LIMIT_SECONDS + " s");
        }
        return process.exitValue();
    }

    /** Kills it if it is there yet, and waits until it has let go of its folder. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
