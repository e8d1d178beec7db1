package io.sluicemq.bench;

import io.sluicemq.cli.BenchCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Runs {@code sluicemq bench} in a process of its own, the same way for every broker. Stateless. */
final class LoadTool {

    private static final String NAME = "bench";
    private static final int DRAIN_SECONDS = 5;
    private static final int SLACK_SECONDS = 90;

    private LoadTool() {}

    /** A command that runs a class of this program on this Java, with settings that cost little of the machine. */
    static List<String> java(Class<?> main, List<String> arguments) {
        return java("", main, arguments);
    }

    private static List<String> java(String librariesBefore, Class<?> main, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xmx512m",
                "-cp",
                librariesBefore + System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(arguments);
        return command;
    }

    /** The load by the protocol of the scenario. */
    static Measurement measure(Sandbox sandbox, Peer.Running running, Scenario scenario, Timing timing)
            throws PeerFailure, InterruptedException {
        return result(sandbox, begin(sandbox, running, scenario.options(), timing), timing);
    }

    /**
     * The load by another client.
     *
     * @param libraries its class path, which comes before this program's
     * @param main      takes the options of {@code sluicemq bench} and prints its result
     */
    static Measurement measure(
            Sandbox sandbox, Peer.Running running, Scenario scenario, Timing timing, Path libraries, Class<?> main)
            throws PeerFailure, InterruptedException {
        String before = libraries.resolve("*") + System.getProperty("path.separator");
        return result(sandbox, begin(sandbox, running, scenario.options(), timing, before, main), timing);
    }

    /** Starts a load by AMQP 0-9-1, whose {@link #result} is to be waited for. */
    static Process begin(Sandbox sandbox, Peer.Running running, List<String> options, Timing timing)
            throws PeerFailure {
        return begin(sandbox, running, options, timing, "", BenchCommand.class);
    }

    private static Process begin(
            Sandbox sandbox,
            Peer.Running running,
            List<String> options,
            Timing timing,
            String librariesBefore,
            Class<?> main)
            throws PeerFailure {
        List<String> arguments = new ArrayList<>(options);
        arguments.addAll(List.of(
                "--uri",
                "amqp://guest:guest@127.0.0.1:" + running.port(),
                "--pid",
                running.pids().stream().map(String::valueOf).collect(Collectors.joining(",")),
                "--warmup",
                Integer.toString(timing.warmupSeconds()),
                "--seconds",
                Integer.toString(timing.seconds()),
                "--drain",
                Integer.toString(DRAIN_SECONDS),
                "--json",
                "--quiet"));
        return sandbox.startWithErrorsApart(NAME, java(librariesBefore, main, arguments));
    }

    /** Waits for the end of a load and reads its figures. */
    static Measurement result(Sandbox sandbox, Process process, Timing timing)
            throws PeerFailure, InterruptedException {
        long limit = timing.warmupSeconds() + timing.seconds() + DRAIN_SECONDS + SLACK_SECONDS;
        if (!process.waitFor(limit, TimeUnit.SECONDS)) {
            throw new PeerFailure("the load tool did not end within " + limit + " s");
        }
        try {
            String json = Files.readString(sandbox.log(NAME));
            if (json.isBlank()) {
                // The last line is the tool's own; before it a library may have had something to say.
                String reason = Files.readString(sandbox.folder().resolve(NAME + ".err"))
                        .lines()
                        .filter(line -> !line.isBlank())
                        .reduce("it said nothing", (before, line) -> line);
                throw new PeerFailure("the load tool failed: " + reason);
            }
            return Measurement.of(new JsonMapper().readTree(json));
        } catch (IOException | JacksonException e) {
            throw new PeerFailure("the load tool's result cannot be read: " + e.getMessage(), e);
        }
    }
}
