package io.sluicemq.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.server.SluiceMQ;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs commands as people give them, against one broker. */
final class Shell {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final List<String> access;

    /** @param url where commands find the broker */
    Shell(String url) {
        this.access = List.of("--url", url);
    }

    static Shell of(SluiceMQ broker) {
        return new Shell(broker.httpUri().orElseThrow());
    }

    /** What a command has come to. */
    record Result(int code, String out, String err) {

        List<String> lines() {
            return out.lines().toList();
        }

        JsonNode json() {
            return JSON.readTree(out);
        }
    }

    /** Runs a command that asks the broker. */
    Result run(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(access);
        return plain(all.toArray(String[]::new));
    }

    /** Runs one that is expected to do it. */
    Result done(String... arguments) {
        Result result = run(arguments);
        if (result.code() != 0) {
            throw new AssertionError(List.of(arguments) + " has ended with " + result.code() + ": " + result.err());
        }
        return result;
    }

    /** Runs one that goes on until it is told to end, which it is when it has printed something. */
    Result untilItPrints(String... arguments) throws InterruptedException {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(access);
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        AtomicInteger code = new AtomicInteger(-1);
        Thread thread = Thread.ofVirtual().start(() -> code.set(Main.run(
                new PrintWriter(out, true), new PrintWriter(err, true), all.toArray(String[]::new))));
        try {
            Awaitility.await().until(() -> out.toString().contains("\n") || !thread.isAlive());
        } finally {
            thread.interrupt();
        }
        assertThat(thread.join(Duration.ofSeconds(20))).isTrue();
        return new Result(code.get(), out.toString(), err.toString());
    }

    /** Runs a command with these arguments and no others. What it writes past its writer, as bodies, counts as its output. */
    static Result plain(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        PrintStream before = System.out;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            int code = Main.run(new PrintWriter(out, true), new PrintWriter(err, true), arguments);
            return new Result(code, out + bytes.toString(StandardCharsets.UTF_8), err.toString());
        } finally {
            System.setOut(before);
        }
    }
}
