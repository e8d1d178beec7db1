package io.sluicemq.cli;

import io.sluicemq.cli.bench.Bench;
import io.sluicemq.cli.bench.BenchFailure;
import io.sluicemq.cli.bench.BenchPlan;
import io.sluicemq.cli.bench.BenchResult;
import io.sluicemq.cli.bench.BenchText;
import io.sluicemq.cli.bench.ClientIo;
import io.sluicemq.cli.bench.Dispatch;
import io.sluicemq.cli.bench.ExchangeKind;
import io.sluicemq.cli.bench.LoadClient;
import io.sluicemq.cli.bench.Sample;
import io.sluicemq.cli.bench.WireProtocol;
import io.sluicemq.cli.http.Trust;
import io.sluicemq.cli.http.WrongAccess;
import java.io.PrintWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code sluicemq bench}: puts a load on an AMQP broker and shows what it makes of it. Runs on the thread of the
 * command line; an interrupt by Ctrl-C ends the run in order, with the figures so far.
 *
 * <p>Exit codes: 0 the load was carried and checked, 1 it was not (one line says why), 2 a wrong option.
 */
@Command(
        name = "bench",
        sortOptions = false,
        description = "Put a load on an AMQP 0-9-1 or 1.0 broker and measure it.",
        footer = {
            "",
            "Each second a line; at the end totals. Order and loss are checked: exit code 1",
            "if a message was missing, repeated or out of order. Ctrl-C ends a run early,",
            "with the figures so far.",
            "",
            "  sluicemq bench                       1 producer, 1 consumer, 1 KiB, localhost",
            "  sluicemq bench --confirm 500 --persistent --durable",
            "  sluicemq bench --exchange-type topic --subscribers 20 --size 100",
            "  sluicemq bench --rate 5000 --pid 4711     latency at a rate, and broker's CPU"
        })
public final class BenchCommand implements Callable<Integer> {

    private static final int HEADING_EVERY = 20;
    private static final long END_IN_ORDER_SECONDS = 30;

    private final LoadClient.Opener opener;

    @Spec
    private CommandSpec spec;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this text and end.")
    private boolean help;

    @Option(
            names = "--uri",
            paramLabel = "URI",
            description = "The broker (default: ${DEFAULT-VALUE}).",
            defaultValue = "amqp://guest:guest@127.0.0.1:5672")
    private String uri;

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            description = "Certificates of who has issued the broker's, in PEM form, for amqps (default: what Java trusts).")
    private Path ca;

    @Option(
            names = "--protocol",
            paramLabel = "NAME",
            description = {
                "amqp091: AMQP 0-9-1 by the RabbitMQ Java client; amqp10: AMQP 1.0 by Qpid JMS",
                "(default: ${DEFAULT-VALUE})."
            },
            defaultValue = "amqp091")
    private WireProtocol protocol;

    @Option(
            names = "--exchange-type",
            paramLabel = "TYPE",
            description = {
                "direct: by the default exchange, each message to one queue;",
                "fanout or topic: by an exchange of the run's own, each message to all queues",
                "(default: ${DEFAULT-VALUE})."
            },
            defaultValue = "direct")
    private ExchangeKind exchangeType;

    @Option(names = "--queues", paramLabel = "N", description = "Queues (default: 1).")
    private Integer queues;

    @Option(
            names = "--producers",
            paramLabel = "N",
            description = "Publishing threads (default: ${DEFAULT-VALUE}).",
            defaultValue = "1")
    private int producers;

    @Option(names = "--consumers", paramLabel = "N", description = "Consumers (default: 1 a queue).")
    private Integer consumers;

    @Option(
            names = "--subscribers",
            paramLabel = "N",
            description = "With fanout and topic: N queues with one consumer each.")
    private Integer subscribers;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            description = "Body of a message, at least 16 (default: ${DEFAULT-VALUE}).",
            defaultValue = "1024")
    private int size;

    @Option(names = "--persistent", description = "Publish with delivery mode 2.")
    private boolean persistent;

    @Option(names = "--durable", description = "Durable queues; without it they end with their last consumer.")
    private boolean durable;

    @Option(
            names = "--queue-args",
            paramLabel = "KEY=VALUE",
            split = ",",
            description = "Arguments of the queues, with commas between: x-max-length=1000,x-queue-mode=lazy.")
    private Map<String, String> queueArguments = new LinkedHashMap<>();

    @Option(
            names = "--confirm",
            paramLabel = "N",
            description = "Publisher confirms, N unconfirmed a producer at most; 0 = off (default: ${DEFAULT-VALUE}).",
            defaultValue = "0")
    private int confirm;

    @Option(names = "--mandatory", description = "Have unroutable messages returned, and count them.")
    private boolean mandatory;

    @Option(
            names = "--prefetch",
            paramLabel = "N",
            description = "Unacknowledged messages a consumer; 0 = no limit (default: ${DEFAULT-VALUE}).",
            defaultValue = "500")
    private int prefetch;

    @Option(
            names = "--ack-every",
            paramLabel = "N",
            description = {
                "Acknowledge each N-th with those before it; 0 = automatic (default: 50, and no more than half",
                "of the prefetch)."
            })
    private Integer ackEvery;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = {
                "Messages a second by all producers together, on a schedule that does not slip: latency is then",
                "counted from the intended send; 0 = as fast as they can (default: ${DEFAULT-VALUE})."
            },
            defaultValue = "0")
    private long rate;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "Length of the measured part (default: ${DEFAULT-VALUE}).",
            defaultValue = "10")
    private int seconds;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            description = "Load before it that is not counted (default: ${DEFAULT-VALUE}).",
            defaultValue = "3")
    private int warmup;

    @Option(
            names = "--drain",
            paramLabel = "SECONDS",
            description = "Longest wait at the end for what is still queued (default: ${DEFAULT-VALUE}).",
            defaultValue = "10")
    private int drain;

    @Option(
            names = "--pid",
            paramLabel = "PID",
            split = ",",
            description = "The broker's processes on this machine: shows CPU time and memory (Linux).")
    private List<Long> pids = List.of();

    @Option(
            names = "--connections-shared",
            description = "One connection for all producers and one for all consumers, not one each.")
    private boolean connectionsShared;

    @Option(
            names = "--io",
            paramLabel = "KIND",
            description = "The client library's transport: socket or netty (default: ${DEFAULT-VALUE}).",
            defaultValue = "socket")
    private ClientIo io;

    @Option(
            names = "--dispatch",
            paramLabel = "KIND",
            description = {
                "Where the client library runs consumers: pool (a pool for each connection) or direct (the thread",
                "that reads) (default: ${DEFAULT-VALUE})."
            },
            defaultValue = "direct")
    private Dispatch dispatch;

    @Option(names = "--allow-loss", description = "Missing messages (a length limit, say) do not fail the run.")
    private boolean allowLoss;

    @Option(names = "--json", description = "The result as one JSON object on standard output; lines go to stderr.")
    private boolean json;

    @Option(names = "--flow-samples", description = "With --json: also each second's figures.")
    private boolean flowSamples;

    @Option(names = "--quiet", description = "No live lines.")
    private boolean quiet;

    private int lines;

    /** A load by the protocol that is asked for. */
    public BenchCommand() {
        this(null);
    }

    private BenchCommand(LoadClient.Opener opener) {
        this.opener = opener;
    }

    /** Runs this command alone. */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    /** A command line for this command alone. */
    public static CommandLine commandLine() {
        return commandLine(null);
    }

    /**
     * The same load, options and result by another client library. Of the URI, whose scheme stays {@code amqp}, host,
     * port, user and password count.
     *
     * @param opener null for that of the protocol that is asked for
     */
    public static CommandLine commandLine(LoadClient.Opener opener) {
        return new CommandLine(new BenchCommand(opener))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler(new OneLineErrors());
    }

    @Override
    public Integer call() throws InterruptedException {
        Bench bench = new Bench(plan(), opener == null ? protocol::open : opener);
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        PrintWriter people = json ? err : out;
        CountDownLatch done = new CountDownLatch(1);
        Thread hook = new Thread(() -> endInOrder(bench, done), "bench-interrupt");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            BenchResult result = bench.run(sample -> show(sample, people));
            if (json) {
                out.println(toJson(result));
                out.flush();
            } else {
                out.println();
                BenchText.summary(result).forEach(out::println);
                out.flush();
            }
            if (result.problem() != null) {
                return fail(err, result.problem());
            }
            return CommandLine.ExitCode.OK;
        } catch (BenchFailure e) {
            int code = fail(err, e.getMessage());
            for (Throwable further : e.getSuppressed()) {
                fail(err, further.getMessage());
            }
            return code;
        } finally {
            done.countDown();
            removeUnlessItRuns(hook);
        }
    }

    private int fail(PrintWriter err, String message) {
        err.println(spec.qualifiedName() + ": " + message);
        err.flush();
        return CommandLine.ExitCode.SOFTWARE;
    }

    private static void endInOrder(Bench bench, CountDownLatch done) {
        bench.stop();
        try {
            done.await(END_IN_ORDER_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void removeUnlessItRuns(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shutdownHasBegun) {
            // Then the hook is what ended the run, and it ends by itself.
            return;
        }
    }

    private void show(Sample sample, PrintWriter to) {
        if (quiet) {
            return;
        }
        if (lines++ % HEADING_EVERY == 0) {
            to.println(BenchText.heading());
        }
        to.println(BenchText.line(sample));
        to.flush();
    }

    private String toJson(BenchResult result) {
        JsonMapper mapper = new JsonMapper();
        ObjectNode tree = mapper.valueToTree(result);
        if (!flowSamples) {
            tree.remove("samples");
        }
        return mapper.writerWithDefaultPrettyPrinter().writeValueAsString(tree);
    }

    /** The options as a plan; what is wrong with them becomes picocli's usage error, exit code 2. */
    BenchPlan plan() {
        if (flowSamples && !json) {
            throw usage("--flow-samples needs --json");
        }
        if (subscribers != null) {
            if (exchangeType == ExchangeKind.DIRECT) {
                throw usage("--subscribers needs --exchange-type fanout or topic");
            }
            if (queues != null || consumers != null) {
                throw usage("--subscribers stands for --queues and --consumers: give one or the other");
            }
        }
        int queueCount = subscribers != null ? subscribers : queues != null ? queues : 1;
        int acknowledgeEvery = ackEvery != null ? ackEvery : prefetch == 0 ? 50 : Math.clamp(prefetch / 2, 1, 50);
        int consumerCount = consumers != null ? consumers : queueCount;
        try {
            return new BenchPlan(
                    new URI(uri),
                    trust(),
                    exchangeType,
                    queueCount,
                    producers,
                    consumerCount,
                    size,
                    persistent,
                    confirm,
                    mandatory,
                    prefetch,
                    acknowledgeEvery,
                    rate,
                    seconds,
                    warmup,
                    drain,
                    durable,
                    typed(queueArguments),
                    connectionsShared,
                    io,
                    dispatch,
                    pids,
                    allowLoss);
        } catch (URISyntaxException e) {
            throw usage("--uri must look like amqp://user:password@host:port/vhost: " + e.getReason());
        } catch (IllegalArgumentException | WrongAccess e) {
            throw usage(e.getMessage());
        }
    }

    /** Null for what speaks no TLS. */
    private SSLContext trust() throws WrongAccess {
        if (ca != null) {
            return Trust.of(ca);
        }
        try {
            return uri.regionMatches(true, 0, "amqps:", 0, 6) ? SSLContext.getDefault() : null;
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has TLS", e);
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** Queue arguments have types on the wire: whole numbers and true or false are told from text by their look. */
    static Map<String, Object> typed(Map<String, String> arguments) {
        Map<String, Object> typed = new LinkedHashMap<>();
        arguments.forEach((key, value) -> {
            if (value.matches("-?[0-9]{1,18}")) {
                typed.put(key, Long.valueOf(value));
            } else if (value.equals("true") || value.equals("false")) {
                typed.put(key, Boolean.valueOf(value));
            } else {
                typed.put(key, value);
            }
        });
        return typed;
    }
}
