package io.sluicemq.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluicemq.server.SluiceMQ;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** RabbitMQ's own command line for its management API, from Debian's package rabbitmq-server, where that is there. */
class RabbitmqadminTest {

    private static final Path SCRIPT = Path.of("/usr/bin/rabbitmqadmin");

    @TempDir
    static Path folder;

    private static SluiceMQ broker;

    @BeforeAll
    static void start() {
        assumeTrue(Files.isReadable(SCRIPT), SCRIPT + " is not there");
        broker = SluiceMQ.builder().port(0).httpPort(0).start();
    }

    @AfterAll
    static void stop() {
        if (broker != null) {
            broker.close();
        }
    }

    private static String run(String... arguments) throws IOException, InterruptedException {
        URI uri = URI.create(broker.httpUri().orElseThrow());
        List<String> command = new ArrayList<>(List.of(
                "python3", SCRIPT.toString(), "--host", uri.getHost(), "--port", Integer.toString(uri.getPort())));
        command.addAll(List.of(arguments));
        Path out = Files.createTempFile(folder, "out", ".txt");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        String text = Files.readString(out, StandardCharsets.UTF_8);
        assertThat(process.exitValue()).as(text).isZero();
        return text;
    }

    @Test
    void shouldListDeclarePublishAndGet() throws Exception {
        assertThat(run("declare", "exchange", "name=stocks", "type=topic")).contains("exchange declared");
        assertThat(run("declare", "queue", "name=orders", "durable=true", "arguments={\"x-max-priority\":3}"))
                .contains("queue declared");
        assertThat(run("declare", "binding", "source=stocks", "destination=orders", "routing_key=us.#"))
                .contains("binding declared");
        assertThat(run("publish", "exchange=stocks", "routing_key=us.a", "payload=tea",
                "properties={\"delivery_mode\":2}")).contains("Message published");
        assertThat(run("publish", "routing_key=orders", "payload=coffee")).contains("Message published");
        assertThat(run("list", "queues", "name", "messages")).contains("orders").contains("| 2 ");
        assertThat(run("list", "queues")).contains("orders");
        assertThat(run("list", "exchanges")).contains("stocks").contains("topic");
        assertThat(run("list", "bindings")).contains("us.#");
        assertThat(run("list", "vhosts")).contains("/");
        assertThat(run("list", "users")).contains("guest");
        assertThat(run("list", "permissions")).contains("guest");
        assertThat(run("list", "nodes")).contains("sluicemq@");
        assertThat(run("list", "connections")).contains("No items");
        assertThat(run("list", "channels")).contains("No items");
        assertThat(run("list", "consumers")).contains("No items");
        assertThat(run("show", "overview")).contains("sluicemq@");
        assertThat(run("get", "queue=orders", "ackmode=ack_requeue_false")).contains("tea").contains("us.a");
        assertThat(run("get", "queue=orders", "ackmode=ack_requeue_true")).contains("coffee");
        assertThat(run("purge", "queue", "name=orders")).contains("purged");
        assertThat(run("delete", "binding", "source=stocks", "destination_type=queue", "destination=orders",
                "properties_key=us.%23")).contains("deleted");
        assertThat(run("delete", "queue", "name=orders")).contains("deleted");
        assertThat(run("delete", "exchange", "name=stocks")).contains("deleted");
        Path file = folder.resolve("definitions.json");
        assertThat(run("export", file.toString())).contains("Exported");
        assertThat(file).content().contains("\"vhosts\"");
    }
}
