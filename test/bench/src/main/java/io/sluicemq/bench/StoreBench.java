package io.sluicemq.bench;

import io.sluicemq.cli.OneLineErrors;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * What {@code bin/store-bench} runs: the log alone, and bare loops of writes and syncs in the same folder, in turn with one another
 * over several rounds. Runs on the thread of the command line.
 *
 * <p>Exit codes: 0 the log reaches {@value #TARGET} of the bare loop, 1 it does not, or the disk failed, 2 a wrong option.
 */
@Command(
        name = "store-bench",
        sortOptions = false,
        description = "Measure the log alone, beside bare loops of writes with fdatasync in the same folder.",
        footer = {
            "",
            "Writes 700 MiB at most at a time, in a folder of its own that is gone at the end.",
            "Exit codes: 0 the log reaches 80% of the bytes a second of the bare loop of 64 KiB, 1 it",
            "does not (the median of the rounds counts), or the disk failed, 2 a wrong option."
        })
public final class StoreBench implements Callable<Integer> {

    /** What part of the bare loop's bytes a second the log must reach. */
    private static final double TARGET = 0.8;

    /** How many of the loads the target is for, from the second on. */
    private static final int JUDGED = 2;

    private static final long NEEDED_BYTES = DiskLoad.MAX_BYTES + (192L << 20);
    private static final long WARM_UP_NANOS = 500_000_000;

    private static final List<DiskLoad> LOADS = List.of(
            new BareWrites(64 << 10),
            new LogWrites(1 << 10, 512),
            new LogWrites(16 << 10, 32),
            new LogWrites(1 << 10, 32),
            new BareWrites(1 << 20));

    @Spec
    private CommandSpec spec;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this text and end.")
    private boolean help;

    @Option(
            names = "--folder",
            paramLabel = "DIR",
            description = "Where to write; it must be there (default: the system's folder for temporary files).")
    private Path folder;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "How often each is measured; the table has medians (default: ${DEFAULT-VALUE}).",
            defaultValue = "5")
    private int rounds;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "Time of each run (default: ${DEFAULT-VALUE}).",
            defaultValue = "2")
    private int seconds;

    public static void main(String[] arguments) {
        CommandLine line = new CommandLine(new StoreBench()).setParameterExceptionHandler(new OneLineErrors());
        System.exit(line.execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException {
        Path parent = folder != null ? folder : Path.of(System.getProperty("java.io.tmpdir"));
        if (!Files.isDirectory(parent)) {
            throw new ParameterException(spec.commandLine(), "there is no folder " + parent);
        }
        within("--rounds", rounds, 1, 100);
        within("--seconds", seconds, 1, 60);
        try {
            return measure(parent) ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
        } catch (IOException e) {
            err().println(spec.name() + ": " + e.getMessage());
            err().flush();
            return CommandLine.ExitCode.SOFTWARE;
        }
    }

    private void within(String option, int value, int least, int most) {
        if (value < least || value > most) {
            throw new ParameterException(spec.commandLine(), option + " must be from " + least + " to " + most);
        }
    }

    private boolean measure(Path parent) throws IOException, InterruptedException {
        long usable = Files.getFileStore(parent).getUsableSpace();
        if (usable < NEEDED_BYTES) {
            throw new IOException("the disk of " + parent + " has " + (usable >> 20) + " MiB left, "
                    + (NEEDED_BYTES >> 20) + " are needed");
        }
        Machine.busy().ifPresent(warning -> err().println(spec.name() + ": " + warning));
        err().flush();
        StoreReport report = measure(parent, LOADS, rounds, seconds * 1_000_000_000L);
        PrintWriter out = spec.commandLine().getOut();
        out.println(Machine.description());
        out.println(parent.toAbsolutePath() + ", " + Files.getFileStore(parent).type() + "; " + rounds + " rounds of "
                + seconds + " s");
        out.println();
        out.print(report.markdown());
        out.flush();
        boolean reached = true;
        for (int load = 1; load <= JUDGED; load++) {
            reached &= report.ratio(load) >= TARGET;
        }
        return reached;
    }

    /** Measures each load in each round, after a short run of each that does not count. */
    static StoreReport measure(Path parent, List<DiskLoad> loads, int rounds, long nanos)
            throws IOException, InterruptedException {
        double[][] rates = new double[loads.size()][rounds];
        for (DiskLoad load : loads) {
            run(parent, load, Math.min(nanos, WARM_UP_NANOS));
        }
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < loads.size(); i++) {
                // Another one is first in each round, so that a disk that changes its speed favours none.
                int load = (i + round) % loads.size();
                rates[load][round] = run(parent, loads.get(load), nanos);
            }
        }
        return new StoreReport(loads.stream().map(DiskLoad::label).toList(), rates);
    }

    private static double run(Path parent, DiskLoad load, long nanos) throws IOException, InterruptedException {
        Path own = Files.createTempDirectory(parent, "store-bench-");
        Thread interrupted = new Thread(() -> deleteOnInterrupt(own), "store-bench-interrupt");
        Runtime.getRuntime().addShutdownHook(interrupted);
        try {
            return load.bytesPerSecond(own, nanos);
        } finally {
            Runtime.getRuntime().removeShutdownHook(interrupted);
            delete(own);
        }
    }

    private static void deleteOnInterrupt(Path own) {
        try {
            delete(own);
        } catch (IOException e) {
            System.err.println("store-bench: " + own + " could not be deleted: " + e);
        }
    }

    private static void delete(Path own) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(own)) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
        Files.delete(own);
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
