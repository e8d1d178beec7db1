package io.sluicemq.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The rabbitmq-server package of Debian with its default settings and no plug-ins. The node is our own: other name,
 * ports, port mapper and data than those of a node that the system may run. Owned by the thread of the comparison.
 */
final class RabbitMqPeer implements Peer {

    private static final Path PACKAGE = Path.of("/usr/lib/rabbitmq/lib");
    private static final Path POLICY = Path.of("/usr/sbin/policy-rc.d");
    private static final Duration INSTALL_LIMIT = Duration.ofMinutes(10);
    private static final Duration START_LIMIT = Duration.ofMinutes(2);

    private Path home;

    @Override
    public String name() {
        return "rabbitmq";
    }

    @Override
    public String details() {
        return home.getFileName().toString().replace("rabbitmq_server-", "") + " of Debian, defaults, no plug-ins";
    }

    @Override
    public Optional<String> absence(Scenario scenario) {
        return scenario.isAmqp10()
                ? Optional.of("before version 4 it speaks AMQP 1.0 by a plugin with other names for queues")
                : Optional.empty();
    }

    @Override
    public void prepare(Sandbox sandbox) throws PeerFailure, InterruptedException {
        Optional<Path> installed = installed();
        if (installed.isEmpty()) {
            install(sandbox);
            installed = installed();
        }
        home = installed.orElseThrow(() -> new PeerFailure("rabbitmq-server is installed, but not in " + PACKAGE));
    }

    private static Optional<Path> installed() throws PeerFailure {
        if (!Files.isDirectory(PACKAGE)) {
            return Optional.empty();
        }
        try (Stream<Path> versions = Files.list(PACKAGE)) {
            return versions.filter(each -> Files.isExecutable(each.resolve("sbin/rabbitmq-server")))
                    .max(Path::compareTo);
        } catch (IOException e) {
            throw new PeerFailure("cannot read " + PACKAGE + ": " + e.getMessage(), e);
        }
    }

    /** Installs the package without letting it start, now or at the next boot, the service it brings. */
    private static void install(Sandbox sandbox) throws PeerFailure, InterruptedException {
        if (!"root".equals(System.getProperty("user.name")) || !Files.isExecutable(Path.of("/usr/bin/apt-get"))) {
            throw new PeerFailure("rabbitmq-server is not installed; on Debian: sudo apt-get install"
                    + " --no-install-recommends rabbitmq-server && sudo systemctl disable --now rabbitmq-server");
        }
        sandbox.run(
                "install rabbitmq-server",
                sandbox.folder(),
                Map.of("DEBIAN_FRONTEND", "noninteractive", "POLICY", POLICY.toString()),
                INSTALL_LIMIT,
                List.of("/bin/sh", "-ec", """
                        if [ ! -e "$POLICY" ]; then
                            trap 'rm -f "$POLICY"' EXIT
                            printf '#!/bin/sh\\nexit 101\\n' > "$POLICY"
                            chmod 755 "$POLICY"
                        fi
                        apt-get update -qq
                        apt-get install -y -qq --no-install-recommends rabbitmq-server
                        if command -v systemctl > /dev/null; then
                            systemctl disable rabbitmq-server
                        fi
                        """));
    }

    @Override
    public Running start(Sandbox sandbox, int subscribers) throws PeerFailure, InterruptedException {
        int port = Sandbox.freePort();
        int mapperPort = Sandbox.freePort();
        Path folder = sandbox.folder();
        try {
            Files.writeString(folder.resolve("enabled_plugins"), "[].\n");
            Files.writeString(folder.resolve("rabbitmq.conf"), "");
        } catch (IOException e) {
            throw new PeerFailure("cannot write to " + folder + ": " + e.getMessage(), e);
        }
        Map<String, String> environment = new HashMap<>();
        environment.put("HOME", folder.toString());
        environment.put("ERL_EPMD_PORT", Integer.toString(mapperPort));
        environment.put("RABBITMQ_NODENAME", "sluicemq-compare-" + port + "@localhost");
        environment.put("RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1");
        environment.put("RABBITMQ_NODE_PORT", Integer.toString(port));
        environment.put("RABBITMQ_DIST_PORT", Integer.toString(Sandbox.freePort()));
        environment.put(
                "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "-kernel inet_dist_use_interface {127,0,0,1}");
        environment.put("RABBITMQ_MNESIA_BASE", folder.resolve("mnesia").toString());
        environment.put("RABBITMQ_LOG_BASE", folder.resolve("log").toString());
        environment.put("RABBITMQ_ENABLED_PLUGINS_FILE", folder.resolve("enabled_plugins").toString());
        environment.put("RABBITMQ_CONFIG_FILE", folder.resolve("rabbitmq.conf").toString());
        environment.put("RABBITMQ_CONF_ENV_FILE", "/dev/null");
        // The script then becomes the Erlang machine, in place of waiting for it: its process is ours to stop.
        environment.put("RUNNING_UNDER_SYSTEMD", "true");
        // Erlang's port mapper as a child of ours: started by the node it would outlive it.
        sandbox.start(
                "epmd",
                folder,
                Map.of(),
                List.of("epmd", "-port", Integer.toString(mapperPort), "-address", "127.0.0.1"));
        Process process = sandbox.start(
                name(), folder, environment, List.of(home.resolve("sbin/rabbitmq-server").toString()));
        sandbox.awaitReady(name(), process, START_LIMIT, () -> Peer.acceptsClients(port));
        return new Running(port, Sandbox.family(process));
    }
}
