package io.sluicemq.crash;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Kills a broker under load, starts it again on the same folder, and checks that it has kept what it owes; many times
 * over. Now and then it kills the broker while that starts, or tells it to stop in order. The first restart at which
 * something is wrong ends it. Runs on the main thread; {@link Load} has threads of its own.
 */
@Command(name = "crash", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Kills a broker under load again and again, and checks after each restart that it has kept what"
                + " it owes.",
        footer = {"",
            "The seed decides what each client does and when the broker is killed; how the",
            "clients' steps mix is up to the machine. So a seed narrows a failure down and",
            "does not repeat it to the letter.",
            "",
            "Exit code: 0 if all was right, 1 if not, 2 for wrong usage."})
public final class CrashCampaign implements Callable<Integer> {

    private static final int SHORTEST_LOAD_MILLIS = 300;
    private static final int BACKLOG_LIMIT = 2_000;
    private static final Pattern CUT = Pattern.compile("\\b(torn|cut)\\b", Pattern.CASE_INSENSITIVE);

    /** When the broker syncs. */
    enum Sync {
        ALWAYS, INTERVAL, OS
    }

    @Spec
    private CommandSpec spec;

    @Option(names = "--rounds", defaultValue = "50",
            description = "How often the broker is ended (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(names = "--seed",
            description = "What the clients do, and when the broker is killed (default: another each time;"
                    + " it is printed).")
    private Long seed;

    @Option(names = "--sync",
            description = "The broker's storage.sync: ${COMPLETION-CANDIDATES} (default: its own default).")
    private Sync sync;

    @Option(names = "--config", paramLabel = "FILE", description = "A configuration for the broker, instead of --sync.")
    private Path config;

    @Option(names = "--longest", defaultValue = "3000", paramLabel = "MILLIS",
            description = "The longest load before a kill, in milliseconds (default: ${DEFAULT-VALUE}).")
    private int longestMillis;

    @Option(names = "--folder", paramLabel = "DIR",
            description = "A new or empty folder for the broker's data and logs (default: a temporary one). It is"
                    + " deleted in the end if all was right.")
    private Path folder;

    @Option(names = "--copy", description = "Copy the data folder before each restart, to see what the crash has left.")
    private boolean copy;

    private final PrintStream out;
    private final Findings findings = new Findings();
    private final Ledger ledger = new Ledger(findings);
    private final TopologyClient topology = new TopologyClient(findings);
    private final List<Client> clients = clients();
    private long endedAt;
    private boolean endedInOrder;
    private int lives;

    /** Prints to a stream. */
    public CrashCampaign(PrintStream out) {
        this.out = out;
    }

    /** The command line's entry. */
    public static void main(String[] arguments) {
        System.exit(commandLine(System.out).execute(arguments));
    }

    static CommandLine commandLine(PrintStream out) {
        return new CommandLine(new CrashCampaign(out)).setCaseInsensitiveEnumValuesAllowed(true);
    }

    private List<Client> clients() {
        return List.of(
                new ConfirmingProducer(1, BACKLOG_LIMIT, ledger, findings),
                new ConfirmingProducer(2, BACKLOG_LIMIT, ledger, findings),
                new TransactedProducer(3, BACKLOG_LIMIT, ledger, findings),
                new AckingConsumer("direct-0", ledger, findings),
                new AckingConsumer("direct-0", ledger, findings),
                new AckingConsumer("direct-1", ledger, findings),
                new AckingConsumer("spread-0", ledger, findings),
                new AckingConsumer("spread-1", ledger, findings),
                new AckingConsumer("moved-0", ledger, findings),
                new TransactedMover(4, "direct-2", BACKLOG_LIMIT, ledger, findings),
                new TransactedMover(5, "spread-2", BACKLOG_LIMIT, ledger, findings),
                new TransactedMover(6, "moved-1", BACKLOG_LIMIT, ledger, findings),
                topology);
    }

    @Override
    public Integer call() throws IOException, InterruptedException, TimeoutException {
        checkOptions();
        long chosen = seed == null ? System.nanoTime() : seed;
        Path place = folder == null ? Files.createTempDirectory("sluicemq-crash-") : Files.createDirectories(folder);
        String repeat = "bin/crash --rounds " + rounds + " --seed " + chosen + " --longest " + longestMillis
                + (sync == null ? "" : " --sync " + sync.name().toLowerCase(Locale.ROOT))
                + (config == null ? "" : " --config " + config);
        out.println("in " + place + "; to do the same again: " + repeat);
        play(place, new Random(chosen));
        findings.count("messages sent to queues", ledger.copies());
        findings.counts().forEach((what, count) -> out.printf("%,12d  %s%n", count, what));
        findings.faults().forEach(fault -> out.println("FAULT: " + fault));
        if (findings.faultCount() == 0) {
            out.println("Nothing was lost, and nothing came back.");
            delete(place);
            return 0;
        }
        out.println(findings.faultCount() + " faults; the data folder and the broker's logs are in " + place);
        out.println("repeat with " + repeat);
        return 1;
    }

    private void checkOptions() throws IOException {
        if (rounds < 1 || longestMillis < SHORTEST_LOAD_MILLIS) {
            throw wrong("--rounds must be 1 or more, --longest " + SHORTEST_LOAD_MILLIS + " or more");
        }
        if (config != null && sync != null) {
            throw wrong("--config and --sync exclude each other");
        }
        if (folder != null && Files.exists(folder)) {
            try (Stream<Path> files = Files.list(folder)) {
                if (files.findAny().isPresent()) {
                    throw wrong("--folder " + folder + " is not empty");
                }
            }
        }
    }

    private ParameterException wrong(String what) {
        return new ParameterException(spec.commandLine(), what);
    }

    private void play(Path place, Random random) throws IOException, InterruptedException, TimeoutException {
        String[] options = options(place);
        for (int round = 1; round <= rounds + 1 && findings.faultCount() == 0; round++) {
            boolean fromRest = round > 1 && endedInOrder;
            if (round > 1 && random.nextInt(4) == 0) {
                fromRest = false;
                BrokerProcess.startAndKill(log(place), random.nextInt(1_500), options);
                inspectLog(place, false);
                findings.count("brokers killed while they started");
            }
            try (BrokerProcess broker = BrokerProcess.start(log(place), options)) {
                begin(broker, round);
                if (findings.faultCount() == 0) {
                    end(broker, round, random);
                }
            } catch (BrokerRefused e) {
                findings.fault("restart " + (round - 1) + ": " + e.getMessage());
            }
            inspectLog(place, fromRest);
            if (copy && round <= rounds && findings.faultCount() == 0) {
                delete(place.resolve("crashed"));
                copy(place.resolve("data"), place.resolve("crashed"));
            }
        }
    }

    private String[] options(Path place) throws IOException {
        List<String> options = new ArrayList<>(List.of("--data", place.resolve("data").toString()));
        Path file = config;
        if (sync != null) {
            file = Files.writeString(place.resolve("broker.yaml"),
                    "storage:\n  sync: " + sync.name().toLowerCase(Locale.ROOT) + "\n");
        }
        if (file != null) {
            options.addAll(List.of("--config", file.toString()));
        }
        return options.toArray(String[]::new);
    }

    private Path log(Path place) {
        return place.resolve("broker-" + ++lives + ".log");
    }

    /** Declares what there has to be, or finds out what the restart has left of it. */
    private void begin(BrokerProcess broker, int round) throws IOException, InterruptedException, TimeoutException {
        try (Connection connection = Client.connect(broker.port())) {
            if (round == 1) {
                try (Channel channel = connection.createChannel()) {
                    Queues.declare(channel);
                }
                return;
            }
            ledger.audit(Audit.read(connection, findings), endedAt, endedInOrder);
            topology.audit(connection);
        }
        out.printf("restart %d: ready in %,d ms%n", round - 1, broker.startMillis());
    }

    private void end(BrokerProcess broker, int round, Random random) throws IOException, InterruptedException {
        long millis = SHORTEST_LOAD_MILLIS + random.nextInt(longestMillis - SHORTEST_LOAD_MILLIS + 1);
        boolean inOrder = round > rounds || random.nextInt(6) == 0;
        // The last start is for looking only.
        Load load = Load.start(round > rounds ? List.of() : clients, broker.port(), new Random(random.nextLong()),
                findings);
        if (round <= rounds) {
            load.letRun(millis);
        }
        if (!broker.isAlive()) {
            findings.fault("the broker has ended by itself");
        }
        load.ending();
        endedAt = System.nanoTime();
        endedInOrder = inOrder;
        if (inOrder) {
            ledger.stopping();
            int code = broker.stop();
            if (code != 0) {
                findings.fault("told to stop, the broker has ended with code " + code);
            }
            findings.count("brokers stopped in order");
        } else {
            broker.kill();
            findings.count("brokers killed under load");
        }
        load.join();
        if (round > rounds) {
            return;
        }
        out.printf("round %d: %s after %,d ms of load%n", round, inOrder ? "stopped" : "killed", millis);
    }

    /** A broker that has stopped in order has left no torn tail; and none logs an error. */
    private void inspectLog(Path place, boolean afterAnOrderlyStop) {
        for (String line : BrokerProcess.lines(place.resolve("broker-" + lives + ".log"))) {
            if (line.contains(" ERROR ")) {
                findings.fault("in the broker's log: " + line);
            } else if (afterAnOrderlyStop && CUT.matcher(line).find()) {
                findings.fault("after an orderly stop: " + line);
            }
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path each, BasicFileAttributes attributes) throws IOException {
                Files.createDirectories(to.resolve(from.relativize(each)));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path each, BasicFileAttributes attributes) throws IOException {
                if (attributes.isRegularFile()) { // a killed broker's socket is nothing to keep
                    Files.copy(each, to.resolve(from.relativize(each)));
                }
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static void delete(Path tree) throws IOException {
        if (!Files.exists(tree)) {
            return;
        }
        Files.walkFileTree(tree, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path each, BasicFileAttributes attributes) throws IOException {
                Files.delete(each);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path each, IOException failure) throws IOException {
                Files.delete(each);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
