package io.sluicemq.interop.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluicemq.campaign.BrokerUnderTest;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A program run to its end, or started and waited for. */
final class Tool implements AutoCloseable {

    private static final int LIMIT_SECONDS = 20;

    private final List<String> command;
    private final Process process;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final CompletableFuture<String> output;

    private Tool(List<String> command, Process process) {
        this.command = command;
        this.process = process;
        this.output = CompletableFuture.supplyAsync(() -> {
            StringBuilder all = new StringBuilder();
            int lineStart = 0;
            try (Reader reader = process.inputReader(StandardCharsets.UTF_8)) {
                for (int next = reader.read(); next >= 0; next = reader.read()) {
                    if (next == '\n') {
                        lines.add(all.substring(lineStart));
                        lineStart = all.length() + 1;
                    }
                    all.append((char) next);
                }
                return all.toString();
            } catch (IOException e) {
                return "output not read: " + e;
            }
        }, task -> Thread.ofVirtual().start(task));
    }

    /** Skips the test if the program is not installed. */
    static void assumeInstalled(String program, String debianPackage) {
        boolean found = Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
        assumeTrue(found, program + " is not installed: it is in Debian's " + debianPackage);
    }

    /** Starts a program that is given the bytes as its standard input. */
    static Tool start(String input, String... command) throws IOException {
        return start(Map.of(), input, command);
    }

    /** As {@link #start(String, String...)}, with more environment. */
    static Tool start(Map<String, String> environment, String input, String... command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        Tool tool = new Tool(List.of(command), process);
        try (OutputStream stdin = process.getOutputStream()) {
            stdin.write(input.getBytes(StandardCharsets.UTF_8));
        }
        return tool;
    }

    /** Waits for the next line that it prints, which must begin like that. */
    String awaitLine(String beginning) throws Exception {
        String line = lines.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
        assertThat(line).as("a line of %s; it has ended: %s", command, ended()).startsWith(beginning);
        return line;
    }

    /** Runs a program to its successful end and returns what it has printed. */
    static String run(String input, String... command) throws Exception {
        try (Tool tool = start(input, command)) {
            return tool.join();
        }
    }

    /** Waits for the successful end and returns what was printed. */
    String join() throws Exception {
        boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
        if (!ended) {
            process.destroyForcibly();
        }
        String printed = output.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        assertThat(ended).as("%s has not ended in %s s, and has printed: %s", command, LIMIT_SECONDS, printed).isTrue();
        assertThat(process.exitValue()).as("exit code of %s, which has printed: %s", command, printed).isZero();
        return printed;
    }

    /** Waits for an end that is no success and returns what was printed. */
    String joinFailed() throws Exception {
        assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).as("%s ends", command).isTrue();
        String printed = output.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        assertThat(process.exitValue()).as("exit code of %s, which has printed: %s", command, printed).isNotZero();
        return printed;
    }

    /** Whether it has come to its end. */
    boolean ended() {
        return !process.isAlive();
    }

    /** The broker's address with user and password. */
    static String uri(BrokerUnderTest broker) {
        return "amqp://" + broker.user() + ":" + broker.password() + "@" + broker.host() + ":" + broker.port();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
