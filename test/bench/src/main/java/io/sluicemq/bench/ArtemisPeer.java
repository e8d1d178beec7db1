package io.sluicemq.bench;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Apache ActiveMQ Artemis, an instance made by its own {@code create} with one acceptor on loopback and no console. It
 * does not speak AMQP 0-9-1, so that load comes by its own client. Owned by the thread of the comparison.
 */
final class ArtemisPeer implements Peer {

    private static final PeerArchive ARCHIVE = new PeerArchive("org.apache.activemq", "apache-artemis", "2.40.0");
    private static final Pattern JOURNAL = Pattern.compile("<journal-(type|datasync|buffer-timeout)>([^<]*)<");
    private static final Duration CREATE_LIMIT = Duration.ofMinutes(2);
    private static final Duration START_LIMIT = Duration.ofMinutes(1);
    private static final int OLDEST_JAVA = 17;
    private static final int NEWEST_JAVA = 25;

    private final Path checkout;
    private Path home;
    private Jdk jdk;
    private String journal = "";

    ArtemisPeer(Path checkout) {
        this.checkout = checkout;
    }

    @Override
    public String name() {
        return "artemis";
    }

    @Override
    public String details() {
        return ARCHIVE.version() + " on Java " + jdk.feature() + ", " + HEAP + journal;
    }

    @Override
    public Optional<String> absence(Scenario scenario) {
        return Optional.empty();
    }

    @Override
    public void prepare(Sandbox sandbox) throws PeerFailure, InterruptedException {
        jdk = Jdk.newest(OLDEST_JAVA, NEWEST_JAVA)
                .orElseThrow(() -> new PeerFailure("it needs a Java from " + OLDEST_JAVA + " to " + NEWEST_JAVA));
        home = ARCHIVE.unpacked(sandbox, checkout).resolve("apache-artemis-" + ARCHIVE.version());
    }

    @Override
    public Running start(Sandbox sandbox, int subscribers) throws PeerFailure, InterruptedException {
        int port = Sandbox.freePort();
        Path instance = sandbox.folder().resolve("artemis-instance");
        Map<String, String> environment = Map.of("JAVA_HOME", jdk.home().toString());
        sandbox.run(
                "create artemis",
                sandbox.folder(),
                environment,
                CREATE_LIMIT,
                List.of(
                        home.resolve("bin/artemis").toString(),
                        "create",
                        "--silent",
                        "--user",
                        "guest",
                        "--password",
                        "guest",
                        "--require-login",
                        "--host",
                        "127.0.0.1",
                        "--default-port",
                        Integer.toString(port),
                        "--no-amqp-acceptor",
                        "--no-hornetq-acceptor",
                        "--no-mqtt-acceptor",
                        "--no-stomp-acceptor",
                        "--no-web",
                        "--java-memory",
                        "2G",
                        instance.toString()));
        journal = journal(instance.resolve("etc/broker.xml"));
        Process process = sandbox.start(
                name(), sandbox.folder(), environment, List.of(instance.resolve("bin/artemis").toString(), "run"));
        sandbox.awaitReady(name(), process, START_LIMIT, () -> answers(port));
        return new Running(port, Sandbox.family(process));
    }

    @Override
    public Measurement measure(Sandbox sandbox, Running running, Scenario scenario, Timing timing)
            throws PeerFailure, InterruptedException {
        return scenario.isAmqp10()
                ? LoadTool.measure(sandbox, running, scenario, timing)
                : LoadTool.measure(sandbox, running, scenario, timing, home.resolve("lib"), ArtemisClient.class);
    }

    /** What its {@code create} chose for this machine: asynchronous writes by the kernel where it has the library. */
    private static String journal(Path configuration) throws PeerFailure {
        try {
            Matcher setting = JOURNAL.matcher(Files.readString(configuration));
            StringBuilder journal = new StringBuilder(", journal");
            while (setting.find()) {
                journal.append(' ').append(setting.group(1)).append(' ').append(setting.group(2));
            }
            return journal.toString();
        } catch (IOException e) {
            throw new PeerFailure("cannot read " + configuration + ": " + e.getMessage(), e);
        }
    }

    /** Whether it answers the protocol header of AMQP 1.0, which its all-protocols acceptor knows. */
    private static boolean answers(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PROBE_MILLIS);
            socket.setSoTimeout(PROBE_MILLIS);
            OutputStream out = socket.getOutputStream();
            out.write(new byte[] {'A', 'M', 'Q', 'P', 0, 1, 0, 0});
            out.flush();
            return socket.getInputStream().read() >= 0;
        } catch (IOException notYet) {
            return false;
        }
    }
}
