package io.sluicemq.bench;

import io.sluicemq.cli.OneLineErrors;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * What {@code bin/compare} runs: brokers one at a time, each freshly started and alone on the machine, in turn with one
 * another over several rounds, all under the load of the same tool. Runs on the thread of the command line; the hook
 * of an interrupt only closes the sandbox of the moment.
 *
 * <p>Exit codes: 0 done, 1 a broker could not be started or measured (the others are in the table), 2 a wrong option.
 */
@Command(
        name = "compare",
        sortOptions = false,
        description = "Compare SluiceMQ with other brokers on this machine, on loopback, each alone and in turn.",
        footer = {
            "",
            "Peers: sluicemq (this checkout), sluicemq-limits (the same with limits of every",
            "address that are never reached), rabbitmq (Debian's rabbitmq-server), broker-j",
            "and artemis (from Maven Central, kept in ~/.cache/sluicemq-peers or in",
            "$SLUICEMQ_PEERS), tcp-relay (no broker: the limit). What is missing is fetched.",
            "All processes and folders are gone at the end, also after Ctrl-C."
        })
public final class Compare implements Callable<Integer> {

    private static final int SECONDS_AROUND_A_RUN = 12;

    @Spec
    private CommandSpec spec;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this text and end.")
    private boolean help;

    @Option(
            names = "--peers",
            paramLabel = "NAME",
            split = ",",
            description = "Which, with commas between (default: ${DEFAULT-VALUE}).",
            defaultValue = "sluicemq,rabbitmq,broker-j,artemis,tcp-relay")
    private List<String> peerNames;

    @Option(
            names = "--scenario",
            paramLabel = "NAME",
            split = ",",
            description = "Which loads, with commas between (default: transient-1x1,topic-20). All: ${sys:scenarios}.",
            defaultValue = "transient-1x1,topic-20")
    private List<String> scenarioNames;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "How often each is measured; the table has medians (default: ${DEFAULT-VALUE}).",
            defaultValue = "3")
    private int rounds;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "Measured part of each run (default: ${DEFAULT-VALUE}).",
            defaultValue = "10")
    private int seconds;

    @Option(
            names = "--warmup",
            paramLabel = "SECONDS",
            description = "Load before it that is not counted (default: ${DEFAULT-VALUE}).",
            defaultValue = "8")
    private int warmup;

    @Option(
            names = "--folder",
            paramLabel = "DIR",
            description = {
                "Where brokers keep their data, all on the same disk (default: the system's temporary",
                "folder)."
            },
            defaultValue = "${sys:java.io.tmpdir}")
    private Path folder;

    @Option(names = "--markdown", paramLabel = "FILE", description = "Write the tables to a file too, in Markdown.")
    private Path markdown;

    @Option(
            names = "--serve",
            paramLabel = "PEER",
            description = "Measure nothing: start one peer, print its port, and stop it on Ctrl-C.")
    private String served;

    private final AtomicReference<Sandbox> current = new AtomicReference<>();
    private volatile boolean interrupted;
    private boolean failed;

    /** Runs the comparison; the property {@code sluicemq.checkout} is the folder of this checkout. */
    public static void main(String[] arguments) {
        System.setProperty("scenarios", Scenario.labels());
        CommandLine line = new CommandLine(new Compare()).setParameterExceptionHandler(new OneLineErrors());
        System.exit(line.execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException, IOException {
        Path checkout = Path.of(System.getProperty("sluicemq.checkout", "")).toAbsolutePath();
        List<Peer> peers = peers(checkout, served == null ? peerNames : List.of(served));
        List<Scenario> scenarios = scenarios();
        checkFolder(scenarios);
        within("--rounds", rounds, 1, 100);
        within("--seconds", seconds, 1, 3600);
        within("--warmup", warmup, 0, 600);
        CountDownLatch done = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> cleanUp(done), "compare-interrupt"));
        try {
            if (served != null) {
                return serve(peers.getFirst());
            }
            compare(prepared(peers), scenarios);
            return failed ? CommandLine.ExitCode.SOFTWARE : CommandLine.ExitCode.OK;
        } catch (PeerFailure e) {
            err().println(spec.name() + ": " + e.getMessage());
            err().flush();
            return CommandLine.ExitCode.SOFTWARE;
        } finally {
            done.countDown();
        }
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }

    private void cleanUp(CountDownLatch done) {
        if (done.getCount() == 0) {
            return;
        }
        interrupted = true;
        Sandbox sandbox = current.getAndSet(null);
        if (sandbox != null) {
            sandbox.close();
        }
    }

    private void within(String option, int value, int least, int most) {
        if (value < least || value > most) {
            throw new ParameterException(
                    spec.commandLine(), option + " must be from " + least + " to " + most + ", not " + value);
        }
    }

    private void checkFolder(List<Scenario> scenarios) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new ParameterException(spec.commandLine(), "--folder " + folder + " is no folder");
        }
        if (scenarios.stream().anyMatch(Scenario::isPersistent) && Machine.isMemory(folder)) {
            throw new ParameterException(
                    spec.commandLine(),
                    folder + " is in memory, where nothing is persistent: give a --folder on a disk");
        }
    }

    private List<Peer> peers(Path checkout, List<String> names) {
        List<Peer> all = List.of(
                new SluiceMqPeer(checkout),
                new SluiceMqPeer(checkout, true),
                new RabbitMqPeer(),
                new BrokerJPeer(checkout),
                new ArtemisPeer(checkout),
                new RelayPeer());
        List<Peer> chosen = new ArrayList<>();
        for (String name : names) {
            chosen.add(all.stream()
                    .filter(each -> each.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new ParameterException(
                            spec.commandLine(),
                            "no peer '" + name + "': there are "
                                    + String.join(", ", all.stream().map(Peer::name).toList()))));
        }
        return chosen;
    }

    private List<Scenario> scenarios() {
        try {
            return scenarioNames.stream().map(Scenario::of).toList();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage());
        }
    }

    private Sandbox sandbox() {
        Sandbox sandbox = new Sandbox(folder);
        current.set(sandbox);
        if (interrupted) {
            sandbox.close();
        }
        return sandbox;
    }

    private void say(String line) {
        out().println(line);
        out().flush();
    }

    /** Those that can take part; one that can't be had is left out with a line that says why. */
    private List<Peer> prepared(List<Peer> peers) throws InterruptedException {
        List<Peer> ready = new ArrayList<>();
        for (Peer peer : peers) {
            try (Sandbox sandbox = sandbox()) {
                peer.prepare(sandbox);
                say(peer.name() + ": " + peer.details());
                ready.add(peer);
            } catch (PeerFailure e) {
                say(peer.name() + " is left out: " + e.getMessage());
                failed = true;
            }
        }
        return ready;
    }

    private int serve(Peer peer) throws PeerFailure, InterruptedException {
        try (Sandbox sandbox = sandbox()) {
            peer.prepare(sandbox);
            Peer.Running running = peer.start(sandbox, 1);
            say(peer.name() + " (" + peer.details() + ") on 127.0.0.1:" + running.port()
                    + ", user guest, password guest,"
                    + " process " + running.pids().getFirst() + "; Ctrl-C stops it");
            ProcessHandle.of(running.pids().getFirst()).ifPresent(process -> process.onExit().join());
            return CommandLine.ExitCode.OK;
        }
    }

    private void compare(List<Peer> peers, List<Scenario> scenarios) throws InterruptedException, IOException {
        Map<Scenario, Map<Peer, List<Measurement>>> found = new EnumMap<>(Scenario.class);
        int runs = 0;
        for (Scenario scenario : scenarios) {
            Map<Peer, List<Measurement>> ofScenario = new LinkedHashMap<>();
            for (Peer peer : peers) {
                Optional<String> absence = peer.absence(scenario);
                if (absence.isPresent()) {
                    say(scenario.label() + ": " + peer.name() + " is left out: " + absence.get());
                } else {
                    ofScenario.put(peer, new ArrayList<>());
                    runs += rounds;
                }
            }
            found.put(scenario, ofScenario);
        }
        say(runs + " runs, about " + Math.ceilDiv(runs * (warmup + seconds + SECONDS_AROUND_A_RUN), 60) + " minutes");
        Machine.busy().ifPresent(this::say);
        for (int round = 0; round < rounds; round++) {
            for (Scenario scenario : scenarios) {
                // Another one is first in each round, so that none always comes after the same.
                List<Peer> order = new ArrayList<>(found.get(scenario).keySet());
                Collections.rotate(order, -round);
                for (Peer peer : order) {
                    Measurement measurement = measure(peer, scenario);
                    if (interrupted) {
                        return;
                    }
                    found.get(scenario).get(peer).add(measurement);
                    tell(round, scenario, peer, measurement);
                }
            }
        }
        report(found);
    }

    private Measurement measure(Peer peer, Scenario scenario) throws InterruptedException {
        try (Sandbox sandbox = sandbox()) {
            Peer.Running running = peer.start(sandbox, scenario.subscribers());
            return peer.measure(sandbox, running, scenario, new Timing(warmup, seconds));
        } catch (PeerFailure e) {
            return Measurement.failed(e.getMessage());
        }
    }

    private void tell(int round, Scenario scenario, Peer peer, Measurement measurement) {
        if (measurement.problem() != null) {
            failed = true;
            say(String.format("round %d  %-16s %-10s failed: %s",
                    round + 1, scenario.label(), peer.name(), measurement.problem()));
        } else {
            say(String.format(
                    "round %d  %-16s %-10s published %,9.0f/s  consumed %,9.0f/s  %6.2f µs CPU  p99 %,8.2f ms",
                    round + 1,
                    scenario.label(),
                    peer.name(),
                    measurement.publishedPerSecond(),
                    measurement.consumedPerSecond(),
                    measurement.brokerCpuMicros(),
                    measurement.p99Millis()));
        }
    }

    private void report(Map<Scenario, Map<Peer, List<Measurement>>> found) throws IOException {
        StringBuilder document = new StringBuilder();
        String machine = Machine.description();
        String disk = Machine.disk(folder);
        String runs = "Medians of " + rounds + " rounds of " + seconds + " s after " + warmup + " s of warm-up.";
        say("");
        say(machine);
        say(disk);
        say(runs);
        document.append(machine).append("; ").append(disk).append(".\n").append(runs).append("\n");
        found.forEach((scenario, ofScenario) -> {
            List<Standing> standings = new ArrayList<>();
            ofScenario.forEach(
                    (peer, measurements) -> standings.add(new Standing(peer.name(), peer.details(), measurements)));
            say("");
            say(scenario.label() + ": " + scenario.description());
            say(Report.text(standings));
            Report.verdict(standings).ifPresent(this::say);
            document.append("\n### ").append(scenario.label()).append("\n\n").append(scenario.description());
            document.append(".\n\n").append(Report.markdown(standings)).append("\n");
            Report.verdict(standings).ifPresent(verdict -> document.append("\n").append(verdict).append("\n"));
            document.append("\n");
            Report.notes(standings).forEach(note -> document.append("- ").append(note).append("\n"));
        });
        if (markdown != null) {
            Files.writeString(markdown, document);
        }
    }
}
