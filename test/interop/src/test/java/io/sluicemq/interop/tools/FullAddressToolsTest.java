package io.sluicemq.interop.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Mailbox;
import io.sluicemq.interop.lab.Sender;
import io.sluicemq.interop.lab.Spec;
import io.sluicemq.server.AddressSetting;
import io.sluicemq.server.config.AddressesSection.UncooperativeProducers;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients of other languages whose queue is full: those that do not know channel.flow, or can't bear it. */
@ExtendWith(LabExtension.class)
@BeyondRabbitMq("has no limits of addresses")
class FullAddressToolsTest {

    private static final int LIMIT = 50;
    private static final int SMALL = 100;
    private static final int BODY_BYTES = 4_096;

    /** A client, and the program that uses it. */
    enum Client {
        PIKA("pika_full.py") {
            @Override
            Tool start(Path script, List<String> arguments) throws IOException, InterruptedException {
                List<String> command = new ArrayList<>(List.of(PikaTest.python(), script.toString()));
                command.addAll(arguments);
                return Tool.start("", command.toArray(String[]::new));
            }
        },
        AMQPLIB("amqplib_full.js") {
            @Override
            Tool start(Path script, List<String> arguments) throws IOException, InterruptedException {
                List<String> command = new ArrayList<>(List.of("node", script.toString()));
                command.addAll(arguments);
                return Tool.start(Map.of("NODE_PATH", NodeClient.AMQPLIB.installed().toString()), "",
                        command.toArray(String[]::new));
            }
        };

        private final String script;

        Client(String script) {
            this.script = script;
        }

        abstract Tool start(Path script, List<String> arguments) throws IOException, InterruptedException;
    }

    @TempDir
    Path folder;

    private Tool start(Lab lab, Client client, String queue, String mode, int count, int bytes) throws Exception {
        Path script = folder.resolve(client.script);
        try (InputStream source = FullAddressToolsTest.class.getResourceAsStream(client.script)) {
            Files.copy(source, script);
        }
        return lab.closing(client.start(script, List.of(Tool.uri(lab.broker()), queue, lab.queue(), mode,
                Integer.toString(count), Integer.toString(bytes))));
    }

    private static AddressSetting limited(String queue, FullPolicy policy) {
        return AddressSetting.match(queue).maxMessages(LIMIT).fullPolicy(policy);
    }

    /** A consumer of the same connection makes the room that its publisher waits for. */
    @ParameterizedTest
    @EnumSource
    @Spec("RabbitMQ publisher confirms")
    void shouldHoldConfirmsUntilThereIsRoom(Client client, Lab lab) throws Exception {
        String queue = lab.queue();
        lab.limit(limited(queue, FullPolicy.BLOCK));

        Tool tool = start(lab, client, queue, "confirmed", 300, SMALL);

        assertThat(tool.join()).isEqualTo("done\n");
        assertThat(lab.depth(queue)).isZero();
    }

    /** One that goes on publishing: parked up to what may be parked, then read in slices, and told so. */
    @ParameterizedTest
    @EnumSource
    @Spec({"RabbitMQ connection.blocked", "0-9-1 §4.2.7"})
    void shouldReadInSlicesFromOneThatGoesOn(Client client, Lab lab) throws Exception {
        String queue = lab.queue();
        lab.limit(limited(queue, FullPolicy.BLOCK));

        Tool tool = start(lab, client, queue, "unconfirmed", 600, BODY_BYTES);

        tool.awaitLine("blocked");
        int published = Integer.parseInt(tool.awaitLine("published ").substring("published ".length()));
        tool.awaitLine("another channel");
        assertThat(lab.depth(queue)).isEqualTo(LIMIT);
        assertThat(lab.counters().parkedBytes()).isBetween(200L << 10, 4 * (256L << 10) + BODY_BYTES);
        Mailbox mailbox = Lab.consume(lab.channel(), queue, true);
        List<Integer> numbers =
                mailbox.next(published).stream().map(each -> Sender.number(each.getBody())).toList();
        Sender.shouldBeNumbers(numbers, 0, published);
        assertThat(tool.join()).endsWith("\ndone\n");
        mailbox.shouldBeEmpty();
    }

    @ParameterizedTest
    @EnumSource
    @Spec({"RabbitMQ publisher confirms", "0-9-1 channel.close"})
    void shouldRefuseByNackOrByClosingTheChannel(Client client, Lab lab) throws Exception {
        String queue = lab.queue();
        lab.limit(limited(queue, FullPolicy.FAIL));

        String said = start(lab, client, queue, "failing", LIMIT + 10, SMALL).join();

        assertThat(said).startsWith("stored " + LIMIT + "\n").endsWith("\ndone\n")
                .contains("RESOURCE_ERROR - address '" + queue + "' in vhost '/' is full: max-messages " + LIMIT);
    }

    @ParameterizedTest
    @EnumSource
    @Spec("0-9-1 channel.close")
    void shouldCloseTheChannelOfOneThatGoesOnIfItIsToldTo(Client client, Lab lab) throws Exception {
        String queue = lab.queue();
        lab.limit(limited(queue, FullPolicy.BLOCK).uncooperativeProducers(UncooperativeProducers.CLOSE_CHANNEL));

        Tool tool = start(lab, client, queue, "uncooperative", 2_000, BODY_BYTES);

        assertThat(tool.awaitLine("")).contains("RESOURCE_ERROR - address '" + queue
                + "' in vhost '/' is full: max-messages " + LIMIT + ", and more was published than may wait for room");
        tool.awaitLine("goes on");
        // What was parked came before the close, and is stored when there is room.
        assertThat(lab.counters().parkedMessages()).isPositive();
        assertThat(lab.take(queue)).hasSizeGreaterThan(LIMIT);
        Lab.until("nothing waits", () -> {
            lab.take(queue);
            return lab.counters().parkedMessages() == 0;
        });
        tool.join();
    }
}
