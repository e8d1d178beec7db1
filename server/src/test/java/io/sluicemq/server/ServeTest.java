package io.sluicemq.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import io.sluicemq.server.config.ConfigException;
import io.sluicemq.server.config.LimitsSection;
import io.sluicemq.server.config.ServerConfig;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServeTest {

    private static final Pattern READY = Pattern.compile(
            "SluiceMQ ready in (\\d+) ms: (amqp://127\\.0\\.0\\.1:\\d+), http://127\\.0\\.0\\.1:\\d+ \\(data in \\./data\\)");

    @TempDir
    Path folder;

    @Test
    void shouldServeUntilItIsToldToStop() throws Exception {
        try (JavaProcess process = JavaProcess.start(folder, ServeMain.class, "port=0")) {
            String line = process.nextLine();
            assertThat(line).matches(READY);
            Matcher ready = READY.matcher(line);
            assertThat(ready.matches()).isTrue();
            assertThat(Integer.parseInt(ready.group(1))).isBetween(1, 60_000);
            assertThat(folder.resolve("data/sluicemq.format")).exists();

            CompletableFuture<ShutdownSignalException> goodbye = new CompletableFuture<>();
            Connection connection = connect(ready.group(2));
            connection.addShutdownListener(goodbye::complete);
            long begun = System.nanoTime();
            process.terminate();

            assertThat(goodbye.get(10, TimeUnit.SECONDS).getMessage())
                    .contains("reply-code=320")
                    .contains("the broker is stopping");
            assertThat(process.exitCode()).isZero();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
            assertThat(process.nextLine()).as("a second line on standard output").isNull();
            assertThat(folder.resolve("data/sluicemq.lock")).isEmptyFile();
        }
    }

    @Test
    void shouldStopInTimeWhenAPeerDoesNotAnswer() throws Exception {
        try (JavaProcess process = JavaProcess.start(folder, ServeMain.class, "port=0")) {
            Matcher ready = READY.matcher(process.nextLine());
            assertThat(ready.matches()).isTrue();
            int port = Integer.parseInt(ready.group(2).substring(ready.group(2).lastIndexOf(':') + 1));
            try (var silent = new java.net.Socket(InetAddress.getLoopbackAddress(), port)) {
                silent.getOutputStream().write(new byte[] {'A', 'M', 'Q', 'P', 0, 0, 9, 1});
                assertThat(silent.getInputStream().read()).as("the first byte of connection.start").isEqualTo(1);
                long begun = System.nanoTime();
                process.terminate();

                assertThat(process.exitCode()).isZero();
                assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
            }
        }
    }

    @Test
    void shouldEndWithOneLineWhenThePortIsInUse() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                JavaProcess process =
                        JavaProcess.start(folder, ServeMain.class, "host=127.0.0.1", "port=" + other.getLocalPort())) {

            assertThat(process.exitCode()).isEqualTo(1);
            assertThat(process.err().lines())
                    .singleElement()
                    .asString()
                    .startsWith(
                            "sluicemq: cannot listen on 127.0.0.1:" + other.getLocalPort() + ": ")
                    .endsWith("Address already in use (--port or listeners.amqp.port takes another)");
            assertThat(process.nextLine()).isNull();
        }
    }

    @Test
    void shouldEndWithOneLineWhenTheDataFolderIsInUse() throws Exception {
        try (JavaProcess first = JavaProcess.start(folder, ServeMain.class, "port=0", "data=d")) {
            assertThat(first.nextLine()).endsWith("(data in ./d)");

            try (JavaProcess second = JavaProcess.start(folder, ServeMain.class, "port=0", "data=d")) {
                assertThat(second.exitCode()).isEqualTo(1);
                assertThat(second.err())
                        .isEqualToIgnoringNewLines("sluicemq: data folder d is in use by process "
                                + first.pid() + " (--data names another)");
            }
        }
    }

    @Test
    void shouldTellAllThatIsWrongAndTouchNothing() throws Exception {
        Path file = Files.writeString(folder.resolve("broker.yaml"), "loops: none\nlistners: {}\n");
        StringWriter err = new StringWriter();
        StringWriter out = new StringWriter();
        Path data = folder.resolve("data");

        int code = Serve.run(
                new ServeOptions(file, data, null, 70_000, null, List.of(), Map.of()), new PrintWriter(out),
                new PrintWriter(err));

        assertThat(code).isEqualTo(2);
        assertThat(err.toString().lines())
                .containsExactly(
                        "sluicemq: --port is '70000': expected a whole number from 0 to 65535",
                        file + ":1:8: loops is 'none': expected a whole number from 1 to 1024",
                        file + ":2:1: unknown key 'listners': did you mean 'listeners'?");
        assertThat(out.toString()).isEmpty();
        assertThat(data).doesNotExist();
    }

    @Test
    void shouldTakeTheCommandLineBeforeTheFile() throws Exception {
        Path file = Files.writeString(folder.resolve("broker.yaml"), """
                data: from-file
                loops: 2
                listeners: {outside: {host: 0.0.0.0, port: 1}}
                """);

        ServerConfig fromFile = config(new ServeOptions(file, null, null, null, null, List.of(), Map.of()));
        ServerConfig fromBoth = config(new ServeOptions(file, Path.of("d"), "127.0.0.1", 2, 3, List.of(), Map.of()));

        assertThat(fromFile.data()).isEqualTo(Path.of("from-file"));
        assertThat(fromFile.listeners()).singleElement().asString().contains("0.0.0.0:1");
        assertThat(fromBoth.data()).isEqualTo(Path.of("d"));
        assertThat(fromBoth.loops()).isEqualTo(3);
        assertThat(fromBoth.listeners()).singleElement().asString().contains("outside").contains("127.0.0.1:2");
        assertThat(config(new ServeOptions(null, null, null, null, null, List.of(), Map.of())).data())
                .isEqualTo(Path.of("data"));
    }

    @Test
    void shouldTakeTheEnvironmentBeforeTheFileAndTheCommandLineBeforeBoth() throws Exception {
        Path file = Files.writeString(folder.resolve("broker.yaml"), """
                loops: 2
                listeners: {outside: {host: 0.0.0.0, port: 1}}
                limits: {heartbeat: 1s, channel-max: 1, frame-max: 5KiB}
                """);
        Map<String, String> environment = Map.of(
                "SLUICEMQ__LOOPS", "4", "SLUICEMQ__LIMITS__HEARTBEAT", "2s", "SLUICEMQ__LIMITS__CHANNEL_MAX", "2",
                "SLUICEMQ__LISTENERS__OUTSIDE__PORT", "7", "SLUICEMQ_PORT", "tcp://10.0.0.1:5672");

        ServerConfig config = config(new ServeOptions(
                file, null, null, null, 5, List.of("limits.channel-max=3", "address-settings[a.#].max-messages=10"),
                environment));

        assertThat(config.loops()).isEqualTo(5);
        assertThat(config.limits().heartbeat()).isEqualTo(Duration.ofSeconds(2));
        assertThat(config.limits().channelMax()).isEqualTo(3);
        assertThat(config.limits().frameMax()).isEqualTo(5 << 10);
        assertThat(config.listeners()).singleElement().asString().contains("outside").contains("0.0.0.0:7");
        assertThat(config.addressSettings().rules()).singleElement().asString().contains("a.#");
    }

    @Test
    void shouldAskWhichListenerAPortIsFor() throws Exception {
        Path file = Files.writeString(folder.resolve("broker.yaml"), "listeners: {a: {port: 1}, b: {port: 2}}");
        StringWriter err = new StringWriter();

        int code = Serve.run(
                new ServeOptions(file, null, null, 3, null, List.of(), Map.of()), new PrintWriter(new StringWriter()),
                new PrintWriter(err));

        assertThat(code).isEqualTo(2);
        assertThat(err.toString())
                .isEqualToIgnoringNewLines("sluicemq: --host and --port are meant for one listener, but the file has a,"
                        + " b and none is named amqp");
    }

    @Test
    void shouldRefuseAnEmptyDataFolder() {
        StringWriter err = new StringWriter();

        int code = Serve.run(
                new ServeOptions(null, Path.of(""), null, 0, null, List.of(), Map.of()),
                new PrintWriter(new StringWriter()),
                new PrintWriter(err));

        assertThat(code).isEqualTo(2);
        assertThat(err.toString().lines()).containsExactly("sluicemq: --data is '': expected a path");
    }

    @Test
    void shouldSayWhatItIsAndWhatItMayTake() throws ConfigException {
        ServerConfig config = SluiceMQ.builder()
                .loops(3)
                .virtualHosts("/", "orders")
                .user("ann", "secret")
                .limit(LimitsSection.MESSAGE_MEMORY, 20L << 20)
                .toConfig();
        assertThat(Serve.startLine(config, List.of("ann")))
                .startsWith("SluiceMQ " + Version.ofProduct() + " on Java " + Runtime.version() + ": loops 3, heap ")
                .endsWith(" MiB, message memory 20 MiB, virtual hosts /, orders, users ann");
    }

    @Test
    void shouldNameEveryAddressInTheReadyLine() throws ConfigException {
        try (SluiceMQ broker = SluiceMQ.builder()
                .port(0)
                .data(folder.resolve("d"))
                .start()) {
            assertThat(Serve.readyLine(broker, 12))
                    .isEqualTo("SluiceMQ ready in 12 ms: amqp://127.0.0.1:" + broker.amqpPort() + " (data in "
                            + folder.resolve("d") + ")");
        }
    }

    private static ServerConfig config(ServeOptions options) throws ConfigException {
        return Serve.source(options).read().config();
    }

    private static Connection connect(String uri) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(uri);
        factory.setAutomaticRecoveryEnabled(false);
        return factory.newConnection();
    }
}
