package io.sluicemq.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Apache Qpid Broker-J with the virtual host of its default configuration, a port on loopback and no HTTP management.
 * The garbage collector is the one of its launcher; heap and direct memory (where it keeps messages) are both more
 * than its launcher gives. Owned by the thread of the comparison.
 */
final class BrokerJPeer implements Peer {

    private static final PeerArchive ARCHIVE = new PeerArchive("org.apache.qpid", "apache-qpid-broker-j", "9.2.1");
    private static final Duration START_LIMIT = Duration.ofMinutes(1);

    /** From Java 23 on it fails at its start, on Subject.getSubject. */
    private static final int NEWEST_JAVA = 22;

    private static final int OLDEST_JAVA = 17;

    private static final String CONFIGURATION = """
            {
              "name": "compare",
              "modelVersion": "8.0",
              "authenticationproviders": [{
                "name": "plain", "type": "Plain", "secureOnlyMechanisms": [],
                "users": [{"name": "guest", "type": "managed", "password": "guest"}]
              }],
              "brokerloggers": [{
                "name": "logfile", "type": "File", "fileName": "${qpid.work_dir}/qpid.log",
                "brokerloginclusionrules": [
                  {"name": "Root", "type": "NameAndLevel", "level": "WARN", "loggerName": "ROOT"}
                ]
              }],
              "ports": [{
                "name": "AMQP", "port": "${qpid.amqp_port}", "bindingAddress": "127.0.0.1",
                "authenticationProvider": "plain",
                "virtualhostaliases": [
                  {"name": "nameAlias", "type": "nameAlias"},
                  {"name": "defaultAlias", "type": "defaultAlias"},
                  {"name": "hostnameAlias", "type": "hostnameAlias"}
                ]
              }],
              "virtualhostnodes": [{
                "name": "default", "type": "JSON", "defaultVirtualHostNode": "true",
                "virtualHostInitialConfiguration": "${qpid.initial_config_virtualhost_config}"
              }]
            }
            """;

    private final Path checkout;
    private Path libraries;
    private Jdk jdk;

    BrokerJPeer(Path checkout) {
        this.checkout = checkout;
    }

    @Override
    public String name() {
        return "broker-j";
    }

    @Override
    public String details() {
        return ARCHIVE.version() + " on Java " + jdk.feature() + ", G1, " + HEAP + ", 2 GiB of direct memory";
    }

    @Override
    public Optional<String> absence(Scenario scenario) {
        return Optional.empty();
    }

    @Override
    public void prepare(Sandbox sandbox) throws PeerFailure, InterruptedException {
        jdk = Jdk.newest(OLDEST_JAVA, NEWEST_JAVA)
                .orElseThrow(() -> new PeerFailure("it needs a Java from " + OLDEST_JAVA + " to " + NEWEST_JAVA
                        + ", and none was found; on Debian: apt-get install openjdk-17-jre-headless"));
        libraries = ARCHIVE.unpacked(sandbox, checkout).resolve("qpid-broker/" + ARCHIVE.version() + "/lib");
    }

    @Override
    public Running start(Sandbox sandbox, int subscribers) throws PeerFailure, InterruptedException {
        int port = Sandbox.freePort();
        Path work = sandbox.folder().resolve("work");
        Path configuration = sandbox.folder().resolve("broker-j.json");
        try {
            Files.createDirectory(work);
            Files.writeString(configuration, CONFIGURATION);
        } catch (IOException e) {
            throw new PeerFailure("cannot write to " + sandbox.folder() + ": " + e.getMessage(), e);
        }
        Process process = sandbox.start(
                name(),
                sandbox.folder(),
                Map.of(),
                List.of(
                        jdk.java().toString(),
                        "-server",
                        "-XX:+UseG1GC",
                        HEAP,
                        "-XX:MaxDirectMemorySize=2g",
                        "-DQPID_WORK=" + work,
                        "-cp",
                        libraries + "/*",
                        "org.apache.qpid.server.Main",
                        "-icp",
                        configuration.toString(),
                        "-prop",
                        "qpid.amqp_port=" + port,
                        "-prop",
                        "qpid.work_dir=" + work));
        sandbox.awaitReady(name(), process, START_LIMIT, () -> Peer.acceptsClients(port));
        return new Running(port, Sandbox.family(process));
    }
}
