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
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xmx512m",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(arguments);
        return command;
    }

    static Measurement measure(Sandbox sandbox, Peer.Running running, Scenario scenario, Timing timing)
            throws PeerFailure, InterruptedException {
        List<String> arguments = new ArrayList<>(scenario.options());
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
        Process process = sandbox.startWithErrorsApart(NAME, java(BenchCommand.class, arguments));
        long limit = timing.warmupSeconds() + timing.seconds() + DRAIN_SECONDS + SLACK_SECONDS;
        if (!process.waitFor(limit, TimeUnit.SECONDS)) {
            throw new PeerFailure("the load tool did not end within " + limit + " s");
        }
        try {
            String json = Files.readString(sandbox.log(NAME));
            if (json.isBlank()) {
                throw new PeerFailure("the load tool failed: "
                        + Files.readString(sandbox.folder().resolve(NAME + ".err")).strip());
            }
            return Measurement.of(new JsonMapper().readTree(json));
        } catch (IOException | JacksonException e) {
            throw new PeerFailure("the load tool's result cannot be read: " + e.getMessage(), e);
        }
    }
}
