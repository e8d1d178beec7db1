package io.sluicemq.crash;

import io.sluicemq.dist.Main;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What a JVM has loaded and linked when a broker is ready, in a file by which each broker after the first starts with a third of the CPU
 * time (an AOT cache, JEP 514; what {@code sluicemq prepare} makes for an installation). Made at the first start in a process of the
 * tests and deleted with it. Any thread may ask.
 */
final class StartCache {

    private static final long LIMIT_SECONDS = 120;
    private static final String QUIET = "-Xlog:aot*=off,cds*=off";

    private final List<String> plain;
    private List<String> faster;

    /** @param options of the JVM */
    StartCache(String... options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", String.join(File.pathSeparator, archives()), Main.class.getName()));
        this.plain = List.copyOf(command);
    }

    /** What a broker needs of this process's class path: archives, since the JVM takes no folders for a cache. */
    private static List<String> archives() {
        List<String> archives = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> Files.isRegularFile(Path.of(entry)))
                .toList();
        String program = Main.class.getProtectionDomain().getCodeSource().getLocation().getPath();
        if (!archives.contains(program)) {
            throw new IllegalStateException(program + " is no archive: have Maven package what is tested (mvn verify)");
        }
        return archives;
    }

    /** The JVM, its options and the class by which a command starts. */
    synchronized List<String> command() throws IOException, InterruptedException {
        if (faster == null) {
            faster = make();
        }
        return faster;
    }

    private List<String> make() throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("sluicemq-start-");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
        Path cache = folder.resolve("broker.aot");
        List<String> training = with(List.of("-XX:AOTCacheOutput=" + cache, QUIET));
        training.addAll(BrokerProcess.serve());
        training.addAll(List.of("--data", folder.resolve("data").toString()));
        Path log = folder.resolve("log");
        Process process = new ProcessBuilder(training).redirectError(log.toFile()).start();
        try (BufferedReader out = process.inputReader()) {
            String ready = out.readLine();
            process.toHandle().destroy();
            if (ready == null || !process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || Files.size(cache) == 0) {
                throw new IOException("no cache was made: " + Files.readString(log));
            }
        } finally {
            process.destroyForcibly();
        }
        return List.copyOf(with(List.of("-XX:AOTCache=" + cache, QUIET)));
    }

    private List<String> with(List<String> options) {
        List<String> command = new ArrayList<>(plain);
        command.addAll(1, options);
        return command;
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        } catch (IOException e) {
            System.err.println(folder + " is left behind: " + e);
        }
    }
}
