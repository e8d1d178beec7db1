package io.sluicemq.dist;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * {@code sluicemq prepare}: starts a broker once, on any free port and with a data folder of its own, and keeps what the JVM has loaded
 * and linked by then in a file beside the program (an AOT cache, JEP 483 and 514), by which {@code bin/sluicemq} starts in half the
 * time. Runs on the main thread.
 *
 * <p>Exit codes: 0 it is made, 1 it is not (one line says why), 2 a wrong option.
 */
@Command(
        name = "prepare",
        mixinStandardHelpOptions = true,
        description = "Make starts faster, for this installation and the Java that runs it.",
        footer = {
            "",
            "Starts a broker once and writes lib/sluicemq.aot, some 40 MB. The JVM ignores it when the installation or the Java",
            "has changed since: run this again then. Remove the file to go back.",
            "Exit codes: 0 it is made, 1 it is not."
        })
final class PrepareCommand implements Callable<Integer> {

    /** In the folder of the program's other files; {@code bin/sluicemq} knows it by this name. */
    private static final String CACHE = "sluicemq.aot";

    private static final long LIMIT_SECONDS = 120;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException, URISyntaxException {
        Path jar = Path.of(Main.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        if (!Files.isRegularFile(jar)) {
            return fail("this is not an installation: " + jar + " is no file");
        }
        Path cache = jar.resolveSibling(CACHE);
        Path folder = Files.createTempDirectory("sluicemq-prepare");
        try {
            Path made = Files.createTempFile(jar.getParent(), CACHE, ".new");
            try {
                return make(jar, made, cache, folder);
            } finally {
                Files.deleteIfExists(made);
            }
        } catch (AccessDeniedException e) {
            return fail("you may not write into " + jar.getParent());
        } finally {
            delete(folder);
        }
    }

    private int make(Path jar, Path made, Path cache, Path folder) throws IOException, InterruptedException {
        Path log = folder.resolve("log");
        Process process = new ProcessBuilder(command(jar, made, folder)).redirectError(log.toFile()).start();
        try (BufferedReader out = process.inputReader()) {
            String ready = out.readLine();
            process.toHandle().destroy();
            if (ready == null || !process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || Files.size(made) == 0) {
                return fail("the broker that was started for it has made nothing; its log:\n" + Files.readString(log));
            }
        } finally {
            process.destroyForcibly();
        }
        Files.setPosixFilePermissions(made, Files.getPosixFilePermissions(jar));
        Files.move(made, cache, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        PrintWriter out = spec.commandLine().getOut();
        out.println("Made " + cache + " (" + (Files.size(cache) >> 20) + " MiB), for Java " + Runtime.version() + ".");
        return 0;
    }

    /** As this JVM was started: a cache is good for the same options only, as far as they matter to it. */
    private static List<String> command(Path jar, Path made, Path folder) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:AOTCacheOutput=" + made);
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> !argument.startsWith("-XX:AOT"))
                .forEach(command::add);
        command.addAll(
                List.of("-jar", jar.toString(), "serve", "--port", "0", "--set", "http.port=0", "--data",
                        folder.resolve("data").toString()));
        return command;
    }

    private int fail(String why) {
        spec.commandLine().getErr().println(spec.qualifiedName() + ": " + why);
        return 1;
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
