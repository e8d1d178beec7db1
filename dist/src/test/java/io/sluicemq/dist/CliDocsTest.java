package io.sluicemq.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.impl.NetworkConnection;
import io.sluicemq.server.SluiceMQ;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs all that docs/cli.md tells people to run, in its order, against a broker that has what it speaks of. A real shell reads the lines; in
 * place of the program it finds a function that writes down with what it was called, which is then done in this process: there are so many that
 * {@link PagesIT}, with a process for each, would take long.
 */
class CliDocsTest {

    /** Commands that are about a process or its files, and stand on pages of their own. */
    private static final Set<String> ELSEWHERE =
            Set.of("serve", "reload", "addresses", "log", "config", "prepare", "bench", "user", "help", "version");

    private static final String FUNCTION = """
            sluicemq() {
                local call
                call=$(mktemp -d calls/XXXXXX)
                printf '%s\\0' "$@" > "$call/arguments"
                cat > "$call/input"
            }
            """;

    @TempDir
    Path folder;

    @Test
    void shouldRunEveryCommandOfThePage() throws Exception {
        Files.writeString(folder.resolve("ann.secret"), "espresso\n");
        Files.setPosixFilePermissions(folder.resolve("ann.secret"), PosixFilePermissions.fromString("rw-------"));
        Files.writeString(folder.resolve("order.json"), "{\"cups\": 2}");
        Files.writeString(folder.resolve("orders.txt"), "one\ntwo\n");
        Path config = Files.writeString(folder.resolve("broker.yaml"), """
                loops: 1
                users:
                  - {name: guest, password: guest, role: administrator}
                  - {name: ann, password: espresso, role: monitor}
                """);
        try (SluiceMQ broker = SluiceMQ.builder().config(config).port(0).httpPort(0).start()) {
            Shell shell = Shell.of(broker);
            prepare(shell);
            Connection connection = connection(broker); // the page closes it
            String address = "127.0.0.1:" + ((NetworkConnection) connection).getLocalPort();
            List<String> lines = lines();
            assertThat(lines).hasSizeGreaterThan(40);
            for (String line : lines) {
                run(shell, line, Map.of(
                        "10.1.2.3:59118", address,
                        "http://broker.example:15672", broker.httpUri().orElseThrow(),
                        "ann.secret", folder.resolve("ann.secret").toString(),
                        "order.json", folder.resolve("order.json").toString()));
            }
            await().until(() -> !connection.isOpen());
        }
    }

    @Test
    void shouldHaveEveryCommandOnThePage() {
        Set<String> missing = new TreeSet<>(Main.commands());
        missing.removeAll(ELSEWHERE);
        for (String line : lines()) {
            missing.removeIf(command -> line.contains("sluicemq " + command));
        }
        assertThat(missing).isEmpty();
    }

    /** What the page speaks of. */
    private static void prepare(Shell shell) {
        shell.done("declare", "queue", "orders.dead");
        shell.done("declare", "queue", "orders",
                "-a", "x-dead-letter-exchange=", "-a", "x-dead-letter-routing-key=orders.dead");
        shell.done("declare", "exchange", "events", "--type", "topic");
        shell.done("send", "orders", "first");
    }

    private static Connection connection(SluiceMQ broker) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(broker.amqpPort());
        factory.setAutomaticRecoveryEnabled(false);
        return factory.newConnection();
    }

    /** The lines of the page's shell blocks that call the program. */
    private static List<String> lines() {
        return Page.read("docs/cli.md").blocks("sh").stream()
                .flatMap(block -> block.text().lines())
                .filter(line -> line.contains("sluicemq"))
                .toList();
    }

    private void run(Shell shell, String line, Map<String, String> stands) throws Exception {
        for (Call call : calls(line)) {
            List<String> arguments = new ArrayList<>();
            for (String each : call.arguments()) {
                arguments.add(stands.getOrDefault(each, each));
            }
            InputStream before = System.in;
            System.setIn(new ByteArrayInputStream(call.input()));
            Shell.Result result = switch (arguments.getFirst()) {
                case "completion" -> Shell.plain(arguments.toArray(String[]::new));
                case "top" -> arguments.contains("--once")
                        ? shell.run(arguments.toArray(String[]::new))
                        : shell.untilItPrints(arguments.toArray(String[]::new));
                default -> arguments.contains("--url")
                        ? Shell.plain(arguments.toArray(String[]::new))
                        : shell.run(arguments.toArray(String[]::new));
            };
            System.setIn(before);
            assertThat(result.code()).as(line + ": " + result.err()).isIn(0, line.contains("||") ? 1 : 0);
        }
    }

    private record Call(List<String> arguments, byte[] input) {}

    /** With what a line calls the program, as a shell reads it. */
    private List<Call> calls(String line) throws Exception {
        Path calls = Files.createDirectories(folder.resolve("calls"));
        Process bash = new ProcessBuilder("bash", "-c", FUNCTION + line)
                .directory(folder.toFile())
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(bash.waitFor(30, TimeUnit.SECONDS)).as(line).isTrue();
        assertThat(said).as(line).isEmpty();
        List<Call> found = new ArrayList<>();
        try (Stream<Path> folders = Files.list(calls)) {
            for (Path each : folders.toList()) {
                String arguments = Files.readString(each.resolve("arguments"));
                found.add(new Call(
                        List.of(arguments.substring(0, arguments.length() - 1).split("\0", -1)),
                        Files.readAllBytes(each.resolve("input"))));
                Files.delete(each.resolve("arguments"));
                Files.delete(each.resolve("input"));
                Files.delete(each);
            }
        }
        assertThat(found).as(line).hasSize(1);
        return found;
    }
}
