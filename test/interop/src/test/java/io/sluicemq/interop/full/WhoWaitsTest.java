package io.sluicemq.interop.full;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.MessageProperties;
import io.sluicemq.campaign.BrokerUnderTest;
import io.sluicemq.dist.Main;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.Mailbox;
import io.sluicemq.interop.lab.Sender;
import io.sluicemq.interop.lab.Sender.Mode;
import io.sluicemq.interop.lab.Spec;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** What {@code sluicemq why} tells of a broker's process while producers wait, and what {@code sluicemq reload} does for them. */
@DisabledIfSystemProperty(named = "interop.uri", matches = ".+", disabledReason = "needs a broker's process of its own")
class WhoWaitsTest {

    private static final Pattern READY = Pattern.compile("SluiceMQ ready in .* amqp://127\\.0\\.0\\.1:(\\d+) .*");
    private static final int LIMIT_SECONDS = 30;

    @TempDir
    Path folder;

    private Path config;
    private Process process;
    private Lab lab;

    @BeforeEach
    void start() throws Exception {
        config = folder.resolve("broker.yaml");
        limit(20);
        process = run("serve", "--port", "0", "--set", "http.enabled=false", "--config", config.toString(), "--data",
                data());
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        String line = out.readLine();
        Matcher ready = READY.matcher(line);
        assertThat(ready.matches()).as(line).isTrue();
        lab = Lab.at(BrokerUnderTest.at("amqp://127.0.0.1:" + ready.group(1)));
    }

    @AfterEach
    void stop() throws Exception {
        try {
            if (lab != null) {
                lab.leave();
            }
        } finally {
            process.toHandle().destroy();
            assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).as("it stops").isTrue();
        }
    }

    private void limit(int messages) throws Exception {
        Files.writeString(config, "address-settings:\n  - match: orders\n    max-messages: " + messages
                + "\n    address-full-policy: block\n");
    }

    private String data() {
        return folder.resolve("data").toString();
    }

    private Process run(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m", "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow", "-cp", System.getProperty("java.class.path"),
                Main.class.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectError(folder.resolve("log").toFile()).start();
    }

    /** Runs a command to its successful end; what it prints. */
    private List<String> answer(String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--data", data()));
        Process asking = run(all.toArray(String[]::new));
        List<String> lines = asking.inputReader(StandardCharsets.UTF_8).lines().toList();
        assertThat(asking.waitFor()).as("%s", lines).isZero();
        return lines;
    }

    @Test
    @Spec("0-9-1 channel.flow")
    void shouldTellWhoWaitsForWhatAndWhoCouldMakeRoom() throws Exception {
        lab.channel().queueDeclare(lab.forget("orders"), true, false, false, Map.of());
        Connection consuming = lab.connect();
        Channel slow = consuming.createChannel();
        slow.basicQos(7);
        Mailbox mailbox = Lab.consume(slow, "orders", false);
        Connection publishing = lab.connect();
        Channel second = publishing.createChannel(2);
        Sender sender = Sender.start(second, "orders", Mode.CONFIRMED, MessageProperties.MINIMAL_PERSISTENT_BASIC, 50,
                100);
        mailbox.next(7);
        Lab.until("it waits", () -> sender.sent() == 50 && sender.isHeld() && lab.depth("orders") == 13);
        publishing.createChannel(); // answered when all that was sent before has come

        List<String> lines = answer("why");

        assertThat(lines.get(0)).isEqualTo("queue orders in virtual host /: 1 producer waits");
        assertThat(lines.get(1)).contains("20 of 20 messages").contains("policy block");
        assertThat(lines.get(2)).matches("  1\\. channel 2 of 127\\.0\\.0\\.1:" + port(publishing)
                + " -> 127\\.0\\.0\\.1:\\d+ has waited [0-9.]+ m?s for max-messages 20, with 30 messages, .*");
        assertThat(lines.get(3)).isEqualTo("  who could make room:");
        assertThat(lines.get(4)).isEqualTo("    queue orders: 13 ready, 7 unacknowledged");
        assertThat(lines.get(5)).matches("      consumer " + Pattern.quote(mailbox.tag()) + " of 127\\.0\\.0\\.1:"
                + port(consuming) + " -> .*: 7 unacknowledged, acknowledges 0\\.0 a second");
        assertThat(answer("why", "127.0.0.1:" + port(publishing))).anyMatch(line -> line.contains("channel 2 of "));

        // A higher limit lets it go on, and then nobody waits.
        limit(100);
        assertThat(answer("reload")).first().asString().endsWith("changed address-settings.");
        sender.shouldFinish();
        assertThat(answer("why")).containsExactly("Nobody waits, and no address is full.");
        slow.basicAck(0, true);
    }

    private static int port(Connection connection) {
        return ((com.rabbitmq.client.impl.AMQConnection) connection).getLocalPort();
    }
}
