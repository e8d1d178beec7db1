package io.sluicemq.bench;

import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/** A broker (or the bare relay) that can be started alone on loopback. */
sealed interface Peer permits SluiceMqPeer, RabbitMqPeer, BrokerJPeer, ArtemisPeer, RelayPeer {

    /** The most memory a broker on a JVM may use for its heap: the same for all of them. */
    String HEAP = "-Xmx2g";

    int PROBE_MILLIS = 1_000;

    /** The name on the command line and in the table. */
    String name();

    /** Version, platform and settings that matter, once {@link #prepare} is done. */
    String details();

    /** Why it does not take part in a scenario; empty if it does. */
    Optional<String> absence(Scenario scenario);

    /**
     * Has everything ready to start, fetching and building what is missing.
     *
     * @throws PeerFailure if it can't be had on this machine
     */
    void prepare(Sandbox sandbox) throws PeerFailure, InterruptedException;

    /**
     * Starts it with empty data in the sandbox, whose end is its end.
     *
     * @param subscribers copies of each message that a relay is to send; of no meaning to a broker
     */
    Running start(Sandbox sandbox, int subscribers) throws PeerFailure, InterruptedException;

    /** Puts the load of a scenario on it, when it runs. */
    default Measurement measure(Sandbox sandbox, Running running, Scenario scenario, Timing timing)
            throws PeerFailure, InterruptedException {
        return LoadTool.measure(sandbox, running, scenario, timing);
    }

    /**
     * A started peer.
     *
     * @param port on 127.0.0.1
     * @param pids all its processes
     */
    record Running(int port, List<Long> pids) {
        public Running {
            pids = List.copyOf(pids);
        }
    }

    /** Whether a client can log in on the port by AMQP 0-9-1: a broker may listen before its virtual host is there. */
    static boolean acceptsClients(int port) {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(port);
        factory.setConnectionTimeout(PROBE_MILLIS);
        factory.setHandshakeTimeout(PROBE_MILLIS);
        factory.setAutomaticRecoveryEnabled(false);
        try {
            factory.newConnection("sluicemq-compare").abort(PROBE_MILLIS);
            return true;
        } catch (IOException | TimeoutException notYet) {
            return false;
        }
    }
}
