package io.sluicemq.bench;

import io.sluicemq.cli.OneLineErrors;
import io.sluicemq.cli.bench.BenchFailure;
import io.sluicemq.cli.bench.ProcessProbe;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * What {@code bin/deep-backlog} runs: a broker is filled, killed by SIGKILL, started again and drained. Runs on the
 * thread of the command line; the hook of an interrupt only closes the sandbox.
 *
 * <p>Exit codes: 0 all is there and within the limits given, 1 it is not, 2 a wrong option.
 */
@Command(
        name = "deep-backlog",
        sortOptions = false,
        description = {
            "Fill a broker with persistent messages, kill it with SIGKILL, start it again and",
            "drain it: how long until it is ready, whether all is there and in order, and",
            "how fast it comes, compared with a flow through empty queues."
        },
        footer = {
            "",
            "  deep-backlog                              10 million messages of 100 bytes",
            "  deep-backlog --queues 1000                the same over 1,000 queues",
            "  deep-backlog --idle 0 --tail 256          killed while 256 MiB of bodies are new",
            "  deep-backlog --ready-within 2 --least-ratio 0.5"
        })
public final class DeepBacklog implements Callable<Integer> {

    private static final int FLOW_PREFETCH = 500;
    private static final int FLOW_ACK_EVERY = 50;
    private static final long LOOK_MILLIS = 5;

    @Spec
    private CommandSpec spec;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this text and end.")
    private boolean help;

    @Option(
            names = "--messages",
            paramLabel = "N",
            description = "How many (default: ${DEFAULT-VALUE}).",
            defaultValue = "10000000")
    private long messages;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            description = "Body of each, at least 16 (default: ${DEFAULT-VALUE}).",
            defaultValue = "100")
    private int size;

    @Option(
            names = "--queues",
            paramLabel = "N",
            description = "Durable queues they are spread over (default: ${DEFAULT-VALUE}).",
            defaultValue = "1")
    private int queues;

    @Option(
            names = "--confirm",
            paramLabel = "N",
            description = "Unconfirmed at most (default: ${DEFAULT-VALUE}).",
            defaultValue = "2000")
    private int window;

    @Option(
            names = "--heap",
            paramLabel = "SIZE",
            description = "The broker's, as the JVM's -Xmx has it (default: ${DEFAULT-VALUE}).",
            defaultValue = "1g")
    private String heap;

    @Option(
            names = "--idle",
            paramLabel = "SECONDS",
            description = "Rest before the kill (or before the tail), in which a broker may write a checkpoint (default: ${DEFAULT-VALUE}).",
            defaultValue = "30")
    private int idle;

    @Option(
            names = "--tail",
            paramLabel = "MIB",
            description = "More bodies, published after the rest and right before the kill (default: ${DEFAULT-VALUE}).",
            defaultValue = "0")
    private int tail;

    @Option(
            names = "--flow-seconds",
            paramLabel = "N",
            description = "Length of the flow to compare with, after as long a warm-up (default: ${DEFAULT-VALUE}).",
            defaultValue = "10")
    private int flowSeconds;

    @Option(
            names = "--serve-option",
            paramLabel = "OPTION",
            description = "One more word for sluicemq serve; may be repeated.")
    private List<String> serveOptions = new ArrayList<>();

    @Option(
            names = "--folder",
            paramLabel = "DIR",
            description = "Where the broker keeps its data (default: the system's temporary folder).",
            defaultValue = "${sys:java.io.tmpdir}")
    private Path folder;

    @Option(
            names = "--ready-within",
            paramLabel = "SECONDS",
            description = "Fail if the start after the kill takes longer (default: no limit).")
    private Double readyWithin;

    @Option(
            names = "--least-ratio",
            paramLabel = "X",
            description = "Fail if the drain is slower than X times the flow (default: no limit).")
    private Double leastRatio;

    /** Runs the measurement; the property {@code sluicemq.checkout} is the folder of this checkout. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new DeepBacklog())
                .setParameterExceptionHandler(new OneLineErrors())
                .execute(arguments));
    }

    /** A broker that runs, and how long its start took. */
    private record Started(Process process, Peer.Running running, double seconds) {}

    @Override
    public Integer call() throws InterruptedException, IOException {
        check();
        Path checkout = Path.of(System.getProperty("sluicemq.checkout", "")).toAbsolutePath();
        try (Sandbox sandbox = new Sandbox(folder)) {
            Runtime.getRuntime().addShutdownHook(new Thread(sandbox::close, "deep-backlog-interrupt"));
            SluiceMqPeer peer = new SluiceMqPeer(checkout);
            peer.prepare(sandbox);
            return run(sandbox, peer);
        } catch (PeerFailure | BenchFailure e) {
            PrintWriter err = spec.commandLine().getErr();
            err.println(spec.name() + ": " + e.getMessage());
            err.flush();
            return CommandLine.ExitCode.SOFTWARE;
        }
    }

    private void check() throws IOException {
        if (messages < 1 || size < 16 || queues < 1 || window < 1 || idle < 0 || tail < 0 || flowSeconds < 1) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--messages, --queues, --confirm and --flow-seconds must be 1 or more, --size 16 or more,"
                            + " --idle and --tail 0 or more");
        }
        if (!Files.isDirectory(folder) || Machine.isMemory(folder)) {
            throw new ParameterException(spec.commandLine(), "--folder " + folder + " is no folder on a disk");
        }
    }

    private int run(Sandbox sandbox, SluiceMqPeer peer) throws PeerFailure, BenchFailure, InterruptedException,
            IOException {
        int port = Sandbox.freePort();
        Path data = sandbox.folder().resolve("data");
        Backlog backlog = new Backlog(port, queues, size, window);
        say(peer.details().replace(Peer.HEAP, "-Xmx" + heap));
        say(Machine.description());
        say(Machine.disk(folder));
        Started first = start(sandbox, peer, port, data);
        say(String.format(Locale.ROOT, "started with an empty data folder in %.2f s", first.seconds()));

        Measurement flow = flow(sandbox, first.running());
        say(String.format(
                Locale.ROOT,
                "flow through empty queues: %,.0f/s, %.2f µs CPU a message, p99 %.2f ms",
                flow.consumedPerSecond(),
                flow.brokerCpuMicros(),
                flow.p99Millis()));

        ProcessProbe probe = new ProcessProbe(first.running().pids());
        LongConsumer progress = count -> say(state(count, data, probe));
        backlog.declare();
        OptionalLong heapBefore = LiveHeap.bytes(first.process().pid(), sandbox.folder());
        say("publishing " + String.format(Locale.ROOT, "%,d", messages) + " messages of " + size + " bytes");
        tell("published", backlog.fill(0, messages, progress));
        say(state(messages, data, probe));
        OptionalLong heapAfter = LiveHeap.bytes(first.process().pid(), sandbox.folder());
        if (heapBefore.isPresent() && heapAfter.isPresent()) {
            say(String.format(
                    Locale.ROOT,
                    "heap after a collection: %,d MiB, %.1f bytes a message more than without them",
                    DiskUse.mebibytes(heapAfter.getAsLong()),
                    (heapAfter.getAsLong() - heapBefore.getAsLong()) / (double) messages));
        }
        TimeUnit.SECONDS.sleep(idle);
        long more = tail * 1024L * 1024 / size;
        if (more > 0) {
            tell("published right before the kill", backlog.fill(messages, messages + more, progress));
        }
        first.process().destroyForcibly().waitFor();

        Started second = start(sandbox, peer, port, data);
        say(String.format(
                Locale.ROOT,
                "killed, and ready again in %.2f s (%.2f s with an empty data folder)",
                second.seconds(),
                first.seconds()));
        ProcessProbe again = new ProcessProbe(second.running().pids());
        say(state(backlog.depth(), data, again));
        Backlog.Pace drain = backlog.drain(messages + more, count -> say(state(count, data, again)));
        tell("drained, whole and in order,", drain);
        double ratio = drain.perSecond() / flow.consumedPerSecond();
        say(String.format(
                Locale.ROOT, "drain: %.2f × the flow; data folder %,d MiB",
                ratio,
                DiskUse.mebibytes(DiskUse.bytes(data))));
        return verdict(second.seconds(), ratio);
    }

    private int verdict(double readySeconds, double ratio) throws PeerFailure {
        if (readyWithin != null && readySeconds > readyWithin) {
            throw new PeerFailure("ready after " + readySeconds + " s, which is more than " + readyWithin);
        }
        if (leastRatio != null && ratio < leastRatio) {
            throw new PeerFailure("drained at " + ratio + " times the flow, which is less than " + leastRatio);
        }
        return CommandLine.ExitCode.OK;
    }

    /** From the start of the process to the first login that succeeds. */
    private Started start(Sandbox sandbox, SluiceMqPeer peer, int port, Path data)
            throws PeerFailure, InterruptedException {
        long begun = System.nanoTime();
        Process process = peer.launch(sandbox, port, data, "-Xmx" + heap, serveOptions);
        sandbox.awaitReady(
                peer.name(), process, SluiceMqPeer.RECOVERY_LIMIT, LOOK_MILLIS, () -> Peer.acceptsClients(port));
        double seconds = (System.nanoTime() - begun) / 1e9;
        return new Started(process, new Peer.Running(port, Sandbox.family(process)), seconds);
    }

    private Measurement flow(Sandbox sandbox, Peer.Running running) throws PeerFailure, InterruptedException {
        Timing timing = new Timing(flowSeconds, flowSeconds);
        List<String> options = List.of(
                "--persistent",
                "--durable",
                "--size",
                Integer.toString(size),
                "--queues",
                Integer.toString(queues),
                "--consumers",
                "1",
                "--confirm",
                Integer.toString(window),
                "--prefetch",
                Integer.toString(FLOW_PREFETCH),
                "--ack-every",
                Integer.toString(FLOW_ACK_EVERY));
        Measurement flow = LoadTool.result(sandbox, LoadTool.begin(sandbox, running, options, timing), timing);
        if (flow.problem() != null) {
            throw new PeerFailure("the flow failed: " + flow.problem());
        }
        return flow;
    }

    /** How things stand at a number of messages; what can't be read is left out, since the broker may be gone. */
    private static String state(long count, Path data, ProcessProbe probe) {
        String line = String.format(Locale.ROOT, "  %,13d messages", count);
        try {
            line += String.format(Locale.ROOT, "   data folder %,6d MiB", DiskUse.mebibytes(DiskUse.bytes(data)));
            line += String.format(
                    Locale.ROOT, "   resident %,6d MiB", DiskUse.mebibytes(probe.read().rssBytes()));
        } catch (PeerFailure | BenchFailure gone) {
            return line + "   (" + gone.getMessage() + ")";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return line;
    }

    private void tell(String what, Backlog.Pace pace) {
        say(String.format(
                Locale.ROOT,
                "%s %,d in %.1f s: %,.0f/s, in the slowest 5 s %,.0f/s",
                what,
                pace.messages(),
                pace.seconds(),
                pace.perSecond(),
                pace.slowestPerSecond()));
    }

    private void say(String line) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(line);
        out.flush();
    }
}
