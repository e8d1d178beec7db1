package io.sluicemq.hostile;

import io.sluicemq.server.SluiceMQ;
import io.sluicemq.server.SluiceMQBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A broker in a JVM of its own, of a heap as small as wished, that tells its numbers when asked. The process is this class's
 * {@link #main}; the object, for one thread, talks to it.
 */
public final class HostedBroker implements AutoCloseable {

    /** What an answer begins with. */
    private static final String ANSWER = "= ";

    private static final Pattern COLLECTOR = Pattern.compile("-XX:\\+Use\\w+GC");

    private final Process process;
    private final BufferedReader answers;
    private final Path log;
    private final int port;

    private HostedBroker(Process process, Path log) throws IOException {
        this.process = process;
        this.log = log;
        this.answers = process.inputReader(StandardCharsets.UTF_8);
        this.port = Integer.parseInt(ask(null));
    }

    /**
     * Starts one.
     *
     * @param flags for its JVM, such as {@code -Xmx256m}; it collects serially if none of them says otherwise
     */
    public static HostedBroker start(String... flags) throws IOException {
        Path log = Files.createTempFile("hosted-broker", ".log");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        if (Stream.of(flags).noneMatch(COLLECTOR.asMatchPredicate())) {
            command.add("-XX:+UseSerialGC");
        }
        command.add("-Dlogback.configurationFile=io/sluicemq/hostile/logback.xml");
        command.addAll(List.of(flags));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), HostedBroker.class.getName()));
        return new HostedBroker(
                new ProcessBuilder(command).redirectError(log.toFile()).start(), log);
    }

    /**
     * The broker's numbers.
     *
     * @param counters all that there is now, as text
     * @param failedTasks of the broker's own defects
     * @param heapBytes in use after a collection
     * @param directBytes buffers outside the heap that connections hold
     */
    public record Numbers(String counters, long failedTasks, long heapBytes, long directBytes) {}

    /** Collects garbage and tells. */
    public Numbers numbers() throws IOException {
        String[] parts = ask("numbers").split("\\|");
        return new Numbers(
                parts[3], Long.parseLong(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2]));
    }

    public int port() {
        return port;
    }

    public boolean alive() {
        return process.isAlive();
    }

    /** What it has logged so far. */
    public List<String> log() throws IOException {
        return Files.readAllLines(log);
    }

    private String ask(String question) throws IOException {
        if (question != null) {
            process.outputWriter(StandardCharsets.UTF_8).append(question).append('\n').flush();
        }
        String answer = answers.readLine();
        while (answer != null && !answer.startsWith(ANSWER)) {
            answer = answers.readLine(); // the JVM's own words
        }
        if (answer == null) {
            throw new AssertionError("the broker has died:\n" + String.join("\n", log()));
        }
        return answer.substring(ANSWER.length());
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(15, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Files.deleteIfExists(log);
    }

    /**
     * The process: a line with the port, then a line for each that is read, until the input ends. It keeps what is durable in the
     * folder that the property {@code hosted.data} names, if there is one.
     */
    public static void main(String[] args) throws IOException {
        SluiceMQBuilder builder = SluiceMQ.builder().port(0);
        String data = System.getProperty("hosted.data");
        if (data != null) {
            builder.data(Path.of(data));
        }
        try (SluiceMQ broker = builder.start();
                BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            System.out.println(ANSWER + broker.amqpPort());
            while (in.readLine() != null) {
                System.gc();
                System.out.println(ANSWER + broker.failedTasks() + "|"
                        + ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() + "|" + directBytes() + "|"
                        + broker.counters() + " " + broker.listenerCounters());
            }
        }
    }

    private static long directBytes() {
        return io.netty.buffer.PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
    }
}
