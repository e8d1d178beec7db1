package io.sluicemq.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * SluiceMQ as it is in this checkout, by its own launcher and defaults; or with limits of every address and of the virtual host
 * that are never reached, to see what counting costs. Owned by the thread of the comparison.
 */
final class SluiceMqPeer implements Peer {

    private static final Duration BUILD_LIMIT = Duration.ofMinutes(15);
    static final Duration START_LIMIT = Duration.ofMinutes(1);

    /** A start with data to read: far beyond what is hoped for, so that the time is told and not only that it failed. */
    static final Duration RECOVERY_LIMIT = Duration.ofMinutes(10);

    private static final String LIMITS = """
            address-settings: [{match: "#", max-size-bytes: 1000GiB, max-messages: 1000000000, address-full-policy: block}]
            """;

    private final Path checkout;
    private final boolean limited;
    private String version = "";

    SluiceMqPeer(Path checkout) {
        this(checkout, false);
    }

    SluiceMqPeer(Path checkout, boolean limited) {
        this.checkout = checkout;
        this.limited = limited;
    }

    @Override
    public String name() {
        return limited ? "sluicemq-limits" : "sluicemq";
    }

    @Override
    public String details() {
        return version + ", " + HEAP;
    }

    @Override
    public Optional<String> absence(Scenario scenario) {
        return Optional.empty();
    }

    private Path launcher() {
        return checkout.resolve("bin/sluicemq");
    }

    @Override
    public void prepare(Sandbox sandbox) throws PeerFailure, InterruptedException {
        if (!Files.isExecutable(launcher())) {
            throw new PeerFailure("there is no bin/sluicemq in this checkout");
        }
        sandbox.run(
                "sluicemq version", checkout, Map.of(), BUILD_LIMIT, List.of(launcher().toString(), "--version"));
        try {
            List<String> lines = Files.readAllLines(sandbox.log("sluicemq version"));
            version = lines.isEmpty() ? "" : lines.getLast().strip();
        } catch (IOException e) {
            throw new PeerFailure("cannot read what bin/sluicemq --version says: " + e.getMessage(), e);
        }
    }

    @Override
    public Running start(Sandbox sandbox, int subscribers) throws PeerFailure, InterruptedException {
        int port = Sandbox.freePort();
        Process process = launch(sandbox, port, sandbox.folder().resolve("data"), HEAP, options(sandbox));
        sandbox.awaitReady(name(), process, START_LIMIT, () -> Peer.acceptsClients(port));
        return new Running(port, Sandbox.family(process));
    }

    private List<String> options(Sandbox sandbox) throws PeerFailure {
        if (!limited) {
            return List.of();
        }
        Path file = sandbox.folder().resolve("limits.yaml");
        try {
            return List.of("--config", Files.writeString(file, LIMITS).toString());
        } catch (IOException e) {
            throw new PeerFailure("cannot write " + file + ": " + e.getMessage(), e);
        }
    }

    /**
     * Starts a broker and does not wait for it. Its launcher becomes the JVM, so the process is the broker.
     *
     * @param data    its data folder, empty or of a broker before it
     * @param heap    an option of the JVM
     * @param options more of {@code sluicemq serve}
     */
    Process launch(Sandbox sandbox, int port, Path data, String heap, List<String> options) throws PeerFailure {
        List<String> command = new ArrayList<>(List.of(
                launcher().toString(), "serve", "--port", Integer.toString(port), "--set",
                "http.enabled=false", "--data", data.toString()));
        command.addAll(options);
        return sandbox.start(name(), sandbox.folder(), Map.of("SLUICEMQ_JAVA_OPTS", heap), command);
    }
}
