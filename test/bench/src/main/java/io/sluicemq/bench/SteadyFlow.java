package io.sluicemq.bench;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import com.rabbitmq.client.ShutdownSignalException;
import io.sluicemq.cli.OneLineErrors;
import io.sluicemq.cli.bench.BenchFailure;
import io.sluicemq.cli.bench.FirstFailure;
import io.sluicemq.cli.bench.ProcessProbe;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * What {@code bin/steady-flow} runs: a flow of persistent messages that are consumed at once, behind one that never is,
 * and a look at the data folder now and then. Runs on the thread of the command line; the hook of an interrupt only
 * closes the sandbox.
 *
 * <p>Exit codes: 0 the flow was carried within the limit given, 1 it was not, 2 a wrong option.
 */
@Command(
        name = "steady-flow",
        sortOptions = false,
        description = {
            "Publish one message that nobody consumes, then have persistent messages flow",
            "for a while, and show what the data folder takes of the disk over time."
        },
        footer = {
            "",
            "  steady-flow                               10 minutes, as fast as it goes",
            "  steady-flow --seconds 60 --rate 5000 --at-most 256"
        })
public final class SteadyFlow implements Callable<Integer> {

    private static final String QUEUE = "sluicemq-steady-old";
    private static final byte[] OLD = "the first message".getBytes(StandardCharsets.UTF_8);
    private static final long CONFIRM_MILLIS = 10_000;

    @Spec
    private CommandSpec spec;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this text and end.")
    private boolean help;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "Length of the flow (default: ${DEFAULT-VALUE}).",
            defaultValue = "600")
    private int seconds;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Messages a second; 0 = as fast as it goes (default: ${DEFAULT-VALUE}).",
            defaultValue = "0")
    private long rate;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            description = "Body of each (default: ${DEFAULT-VALUE}).",
            defaultValue = "1024")
    private int size;

    @Option(
            names = "--every",
            paramLabel = "SECONDS",
            description = "Between two looks (default: ${DEFAULT-VALUE}).",
            defaultValue = "5")
    private int every;

    @Option(
            names = "--heap",
            paramLabel = "SIZE",
            description = "The broker's, as the JVM's -Xmx has it (default: ${DEFAULT-VALUE}).",
            defaultValue = "2g")
    private String heap;

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
            names = "--at-most",
            paramLabel = "MIB",
            description = "Fail if the data folder is ever larger (default: no limit).")
    private Long atMost;

    /** Runs the measurement; the property {@code sluicemq.checkout} is the folder of this checkout. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new SteadyFlow())
                .setParameterExceptionHandler(new OneLineErrors())
                .execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException, IOException {
        if (seconds < 1 || every < 1 || rate < 0) {
            throw new ParameterException(
                    spec.commandLine(), "--seconds and --every must be 1 or more, --rate 0 or more");
        }
        if (!Files.isDirectory(folder) || Machine.isMemory(folder)) {
            throw new ParameterException(spec.commandLine(), "--folder " + folder + " is no folder on a disk");
        }
        Path checkout = Path.of(System.getProperty("sluicemq.checkout", "")).toAbsolutePath();
        try (Sandbox sandbox = new Sandbox(folder)) {
            Runtime.getRuntime().addShutdownHook(new Thread(sandbox::close, "steady-flow-interrupt"));
            SluiceMqPeer peer = new SluiceMqPeer(checkout);
            peer.prepare(sandbox);
            run(sandbox, peer);
            return CommandLine.ExitCode.OK;
        } catch (PeerFailure | BenchFailure e) {
            PrintWriter err = spec.commandLine().getErr();
            err.println(spec.name() + ": " + e.getMessage());
            err.flush();
            return CommandLine.ExitCode.SOFTWARE;
        }
    }

    private void run(Sandbox sandbox, SluiceMqPeer peer)
            throws PeerFailure, BenchFailure, InterruptedException, IOException {
        int port = Sandbox.freePort();
        Path data = sandbox.folder().resolve("data");
        Process process = peer.launch(sandbox, port, data, "-Xmx" + heap, serveOptions);
        sandbox.awaitReady(peer.name(), process, SluiceMqPeer.START_LIMIT, () -> Peer.acceptsClients(port));
        Peer.Running running = new Peer.Running(port, Sandbox.family(process));
        say(peer.details().replace(Peer.HEAP, "-Xmx" + heap));
        say(Machine.description());
        say(Machine.disk(folder));
        publishOld(port);

        ProcessProbe probe = new ProcessProbe(running.pids());
        Timing timing = new Timing(0, seconds);
        List<String> options = List.of(
                "--persistent",
                "--durable",
                "--confirm",
                "500",
                "--prefetch",
                "500",
                "--ack-every",
                "50",
                "--size",
                Integer.toString(size),
                "--rate",
                Long.toString(rate));
        Process load = LoadTool.begin(sandbox, running, options, timing);
        say("     s   data folder MiB   files   resident MiB");
        long begun = System.nanoTime();
        long peak = 0;
        boolean ended;
        do {
            ended = load.waitFor(every, TimeUnit.SECONDS);
            long bytes = DiskUse.bytes(data);
            peak = Math.max(peak, bytes);
            say(String.format(
                    Locale.ROOT,
                    "%6d   %,15d   %5d   %,12d",
                    (System.nanoTime() - begun) / 1_000_000_000,
                    DiskUse.mebibytes(bytes),
                    DiskUse.files(data),
                    DiskUse.mebibytes(probe.read().rssBytes())));
        } while (!ended);
        Measurement flow = LoadTool.result(sandbox, load, timing);
        if (flow.problem() != null) {
            throw new PeerFailure("the flow failed: " + flow.problem());
        }
        consumeOld(port);
        double written = flow.publishedPerSecond() * seconds * size;
        say(String.format(
                Locale.ROOT,
                "flow: %,.0f/s, %.2f µs CPU a message; bodies of %,.0f MiB went through; the data folder took %,d MiB at"
                        + " most; the first message is still there",
                flow.consumedPerSecond(),
                flow.brokerCpuMicros(),
                written / (1024 * 1024),
                DiskUse.mebibytes(peak)));
        if (atMost != null && DiskUse.mebibytes(peak) > atMost) {
            throw new PeerFailure("the data folder took more than " + atMost + " MiB");
        }
    }

    private static Connection connect(int port) throws IOException, TimeoutException {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(port);
        factory.setAutomaticRecoveryEnabled(false);
        return factory.newConnection("sluicemq-steady");
    }

    private static void publishOld(int port) throws PeerFailure, InterruptedException {
        try (Connection connection = connect(port)) {
            Channel channel = connection.createChannel();
            channel.queueDeclare(QUEUE, true, false, false, null);
            channel.confirmSelect();
            channel.basicPublish("", QUEUE, MessageProperties.MINIMAL_PERSISTENT_BASIC, OLD);
            channel.waitForConfirmsOrDie(CONFIRM_MILLIS);
        } catch (IOException | TimeoutException | ShutdownSignalException e) {
            throw new PeerFailure("cannot publish the first message: " + FirstFailure.reason(e), e);
        }
    }

    private static void consumeOld(int port) throws PeerFailure {
        try (Connection connection = connect(port)) {
            GetResponse old = connection.createChannel().basicGet(QUEUE, true);
            if (old == null || !Arrays.equals(old.getBody(), OLD)) {
                throw new PeerFailure("the first message is not there any more");
            }
        } catch (IOException | TimeoutException | ShutdownSignalException e) {
            throw new PeerFailure("cannot get the first message: " + FirstFailure.reason(e), e);
        }
    }

    private void say(String line) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(line);
        out.flush();
    }
}
