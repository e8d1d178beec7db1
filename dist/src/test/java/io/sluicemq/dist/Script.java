package io.sluicemq.dist;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Starts the script of an unpacked archive in an environment that has nothing but what a test gives it. */
final class Script {
    private static final long LIMIT_SECONDS = 60;

    /** What a run that has ended said. */
    record Result(int exitCode, List<String> out, List<String> err) {}

    private Script() {}

    /** The builder of a process in {@code folder}; {@code HOME} is that folder too, the {@code PATH} has the system's tools. */
    static ProcessBuilder builder(Path folder, Map<String, String> environment, String... command) {
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/bin" + File.pathSeparator + "/bin");
        builder.environment().put("HOME", folder.toString());
        builder.environment().putAll(environment);
        return builder;
    }

    /** Runs a command to its end. */
    static Result run(Path folder, Map<String, String> environment, String... command)
            throws IOException, InterruptedException {
        Path out = Files.createTempFile(folder, "out", ".txt");
        Path err = Files.createTempFile(folder, "err", ".txt");
        Process process = builder(folder, environment, command)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        try {
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("still running after " + LIMIT_SECONDS + " s: " + List.of(command));
            }
        } finally {
            process.destroyForcibly();
        }
        return new Result(process.exitValue(), lines(out), lines(err));
    }

    private static List<String> lines(Path file) throws IOException {
        try (Stream<String> lines = Files.lines(file, StandardCharsets.UTF_8)) {
            return lines.toList();
        }
    }
}
