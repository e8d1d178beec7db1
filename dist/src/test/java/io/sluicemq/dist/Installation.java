package io.sluicemq.dist;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The archive that was just built, unpacked and prepared once for all tests that only want to run what is in it. They change nothing there. */
final class Installation {

    private static Installation only;

    private final Path home;
    private final Script.Result prepared;

    private Installation() throws IOException, InterruptedException {
        Path folder = Path.of("target", "installed").toAbsolutePath();
        if (Files.exists(folder)) {
            delete(folder);
        }
        Files.createDirectories(folder);
        home = folder.resolve(name());
        Script.Result unpacked = Script.run(folder, Map.of(), "tar", "-xzf", archive().toString());
        if (unpacked.exitCode() != 0) {
            throw new IllegalStateException("can't unpack " + archive() + ": " + unpacked.err());
        }
        prepared = Script.run(
                folder, Map.of("JAVA_HOME", System.getProperty("java.home")), script(), "prepare");
    }

    static synchronized Installation get() throws IOException, InterruptedException {
        if (only == null) {
            only = new Installation();
        }
        return only;
    }

    /** What the archive unpacks to. */
    static String name() {
        return "sluicemq-" + Version.ofProduct();
    }

    static Path archive() {
        return Path.of("target", name() + ".tar.gz").toAbsolutePath();
    }

    Path home() {
        return home;
    }

    /** Its {@code bin/sluicemq}. */
    String script() {
        return home.resolve("bin/sluicemq").toString();
    }

    /** What {@code sluicemq prepare} has come to. */
    Script.Result prepared() {
        return prepared;
    }

    private static void delete(Path folder) throws IOException {
        List<Path> deepestFirst;
        try (Stream<Path> all = Files.walk(folder)) {
            deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
        }
        deepestFirst.forEach(file -> {
            try {
                Files.delete(file);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }
}
