package io.sluicemq.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The limit of this machine: a relay that copies bytes from a producer's socket to consumers' and does nothing else.
 * No broker can be faster than it. Stateless.
 */
final class RelayPeer implements Peer {

    private static final Duration START_LIMIT = Duration.ofSeconds(30);

    @Override
    public String name() {
        return "tcp-relay";
    }

    @Override
    public String details() {
        return "no broker: the same bytes copied from socket to socket, the limit of this machine";
    }

    @Override
    public Optional<String> absence(Scenario scenario) {
        return scenario.isPlainFlow() ? Optional.empty() : Optional.of("it can only copy a plain flow");
    }

    @Override
    public void prepare(Sandbox sandbox) {
        // It is part of this program.
    }

    @Override
    public Running start(Sandbox sandbox, int subscribers) throws PeerFailure, InterruptedException {
        int port = Sandbox.freePort();
        Process process = sandbox.start(
                name(),
                sandbox.folder(),
                Map.of(),
                LoadTool.java(Relay.class, List.of(Integer.toString(port), Integer.toString(subscribers))));
        sandbox.awaitReady(name(), process, START_LIMIT, () -> saysReady(sandbox));
        return new Running(port, List.of(process.pid()));
    }

    private boolean saysReady(Sandbox sandbox) {
        try {
            return Files.readString(sandbox.log(name())).contains(Relay.READY);
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public Measurement measure(Sandbox sandbox, Running running, Scenario scenario, Timing timing)
            throws PeerFailure, InterruptedException {
        return new RelayLoad(running, scenario, timing).run();
    }
}
