package io.sluicemq.interop.reported;

import static io.sluicemq.interop.lab.Lab.bytes;
import static io.sluicemq.interop.lab.Lab.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.MessageProperties;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Confirms;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Mailbox;
import io.sluicemq.interop.lab.Reported;
import io.sluicemq.interop.lab.Sender;
import io.sluicemq.interop.lab.Sender.Mode;
import io.sluicemq.interop.lab.Spec;
import io.sluicemq.server.AddressSetting;
import io.sluicemq.server.config.LimitsSection;
import io.sluicemq.server.config.StorageSection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reported faults of limits and of holding producers: who is held too long, or not at all, and who is told. */
@ExtendWith(LabExtension.class)
@BeyondRabbitMq("has no limits of addresses")
class ReportedFlowTest {

    private static final BasicProperties PERSISTENT = MessageProperties.MINIMAL_PERSISTENT_BASIC;

    @TempDir
    Path temp;

    // ---- the disk

    private static String command(String... words) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() == 0 ? "" : "exit code " + process.exitValue() + ": " + said.strip();
    }

    /** Nobody consumes; what fills the disk, and is deleted, is somebody else's file. */
    @Test
    @Reported("ARTEMIS-5002")
    @Spec("RabbitMQ connection.blocked")
    void shouldLetEverybodyGoOnWhenTheDiskHasRoomAgain() throws Exception {
        Path disk = Files.createDirectory(temp.resolve("disk"));
        String refusal = command("mount", "-t", "tmpfs", "-o", "size=32m", "none", disk.toString());
        assumeTrue(refusal.isEmpty(), "a small file system can't be mounted here: " + refusal);
        try (EmbeddedBroker broker = EmbeddedBroker.start(builder -> builder.data(disk.resolve("data"))
                .storage(StorageSection.SEGMENT_SIZE, 1L << 20).storage(StorageSection.FREE_SPACE_FLOOR, 8L << 20))) {
            Lab lab = Lab.at(broker);
            List<Held> producers = new ArrayList<>();
            for (Mode mode : Mode.values()) {
                producers.add(new Held(lab, lab.queue(), mode));
            }
            for (Held producer : producers) {
                producer.shouldGoOn(Duration.ofSeconds(5));
            }

            Path filler = Files.write(disk.resolve("filler"), new byte[18 << 20]);

            for (Held producer : producers) {
                assertThat(producer.told.poll(5, TimeUnit.SECONDS)).as("%s is told", producer.mode).contains("disk");
            }
            Files.delete(filler);
            for (Held producer : producers) {
                assertThat(producer.told.poll(5, TimeUnit.SECONDS)).isEqualTo("unblocked");
                producer.shouldGoOn(Duration.ofSeconds(5));
            }
            for (Held producer : producers) {
                producer.end();
                lab.channel().queuePurge(producer.queue);
            }
            lab.leave();
        } finally {
            assertThat(command("umount", disk.toString())).as("the end of the small disk").isEmpty();
        }
    }

    /** A producer on a connection of its own that publishes one message after the other until it is stopped. */
    private static final class Held {
        private final String queue;
        private final Mode mode;
        private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
        private final Thread thread;
        private volatile boolean ending;
        private volatile int answered;
        private volatile Exception failure;

        Held(Lab lab, String queue, Mode mode) throws Exception {
            this.queue = queue;
            this.mode = mode;
            Connection connection = lab.connect(factory -> factory.setChannelRpcTimeout(0));
            connection.addBlockedListener(told::add, () -> told.add("unblocked"));
            Channel channel = connection.createChannel();
            thread = Thread.ofPlatform().daemon().start(() -> run(channel));
        }

        private void run(Channel channel) {
            try {
                switch (mode) {
                    case PLAIN -> {
                    }
                    case CONFIRMED -> channel.confirmSelect();
                    case TRANSACTED -> channel.txSelect();
                }
                while (!ending) {
                    channel.basicPublish("", queue, PERSISTENT, new byte[100]);
                    switch (mode) {
                        // An answer that is behind the publish.
                        case PLAIN -> channel.basicQos(1);
                        case CONFIRMED -> channel.waitForConfirms();
                        case TRANSACTED -> channel.txCommit();
                    }
                    answered++;
                }
            } catch (IOException | InterruptedException e) {
                failure = e;
            }
        }

        void shouldGoOn(Duration limit) {
            int before = answered;
            org.awaitility.Awaitility.await(mode + " goes on").atMost(limit).pollInterval(Duration.ofMillis(5))
                    .until(() -> answered > before + 1);
        }

        void end() throws InterruptedException {
            ending = true;
            thread.join(Duration.ofSeconds(10));
            assertThat(failure).isNull();
        }
    }

    /** Declarations are accepted, and stay, while no messages are. */
    @Test
    @Reported({"cloudamqp/lavinmq#2202", "cloudamqp/lavinmq#567"})
    @Spec({"0-9-1 queue.declare", "0-9-1 exchange.declare", "0-9-1 queue.bind"})
    void shouldKeepWhatIsDeclaredWhileTheDiskIsFull() throws Exception {
        Path data = temp.resolve("data");
        for (long floor : new long[] {1L << 50, 1L << 50, 0}) {
            try (EmbeddedBroker broker = EmbeddedBroker
                    .start(builder -> builder.data(data).storage(StorageSection.FREE_SPACE_FLOOR, floor))) {
                Lab lab = Lab.at(broker);
                Channel channel = lab.connect().createChannel();
                channel.queueDeclare("declared", true, false, false, Map.of());
                channel.exchangeDeclare("exchange", "topic", true);
                channel.queueBind("declared", "exchange", "a.#");
                Channel other = lab.connect().createChannel();
                other.queueDeclarePassive("declared");
                other.exchangeDeclarePassive("exchange");
                if (floor == 0) {
                    lab.publish("exchange", "a.b", "m");
                    assertThat(lab.drain("declared")).containsExactly("m");
                    lab.forget("declared");
                    lab.forgetExchange("exchange");
                    lab.leave();
                }
            }
        }
    }

    // ---- who is held

    /** The producer of the report has no address of its own, as each channel of this protocol. */
    @Test
    @Reported("ARTEMIS-3065")
    @Spec({"0-9-1 basic.publish", "RabbitMQ publisher confirms"})
    void shouldServeEachAddressByItsOwnPolicy(Lab lab) throws Exception {
        String paging = lab.queue();
        String blocking = lab.queue();
        String failing = lab.queue();
        lab.limit(AddressSetting.match(paging).maxMessages(5).fullPolicy(FullPolicy.PAGE),
                AddressSetting.match(blocking).maxMessages(5).fullPolicy(FullPolicy.BLOCK),
                AddressSetting.match(failing).maxMessages(1).fullPolicy(FullPolicy.FAIL));
        lab.send(failing, "it is full");
        Channel channel = lab.channel();
        Confirms confirms = Confirms.on(channel);
        int rounds = 20;
        for (int i = 0; i < rounds; i++) {
            for (String queue : List.of(paging, blocking, failing)) {
                channel.basicPublish("", queue, PERSISTENT, bytes(Integer.toString(i)));
            }
        }
        assertThat(confirms.acked(rounds + 5)).hasSize(rounds + 5);
        assertThat(confirms.nacked(rounds)).allMatch(tag -> tag % 3 == 0);
        lab.awaitParked(15);
        for (int left = rounds; left > 0; left--) {
            Lab.until("the next is there", () -> lab.depth(blocking) > 0);
            assertThat(Lab.text(lab.channel().basicGet(blocking, true))).isEqualTo(Integer.toString(rounds - left));
        }
        assertThat(confirms.acked(rounds - 5)).hasSize(rounds - 5);
        assertThat(lab.drain(paging)).containsExactly(Lab.numbers(0, rounds - 1));
        channel.basicPublish("", failing, PERSISTENT, bytes("one more"));
        assertThat(confirms.nacked(1)).hasSize(1);
    }

    @Test
    @Reported("QPID-8451")
    @Spec("0-9-1 basic.publish")
    void shouldHoldNewConnectionsToo(Lab lab) throws Exception {
        int limit = 20;
        int connections = 50;
        String queue = lab.queue();
        lab.limit(AddressSetting.match(queue).maxMessages(limit).fullPolicy(FullPolicy.BLOCK));
        Channel first = lab.channel();
        for (int i = 0; i < limit + 1; i++) {
            first.basicPublish("", queue, PERSISTENT, bytes("old"));
        }
        lab.awaitParked(1);
        List<Channel> others = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            Channel channel = lab.connect().createChannel();
            channel.confirmSelect();
            channel.basicPublish("", queue, PERSISTENT, bytes("new"));
            others.add(channel);
        }
        lab.awaitParked(1 + connections);
        assertThat(lab.depth(queue)).isEqualTo(limit);
        assertThat(lab.address(queue).waiting()).hasSize(1 + connections);

        Mailbox mailbox = Lab.consume(lab.channel(), queue, true);

        for (Channel channel : others) {
            assertThat(channel.waitForConfirms(5_000)).isTrue();
        }
        assertThat(mailbox.bodies(limit + 1 + connections))
                .startsWith(Collections.nCopies(limit, "old").toArray(String[]::new))
                .filteredOn("old"::equals).hasSize(limit + 1);
    }

    /** What connection.blocked is for: memory that is short, and a connection that is not read. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Reported("cloudamqp/lavinmq#2197")
    @Spec("RabbitMQ connection.blocked")
    void shouldTellThatItIsBlockedOnceAndWhenThatIsOver(boolean memory) throws Exception {
        int messages = 400;
        try (EmbeddedBroker broker = EmbeddedBroker.start(builder -> memory
                ? builder.limit(LimitsSection.MESSAGE_MEMORY, 1L << 20)
                : builder.addressSettings(
                        AddressSetting.match("full").maxMessages(10).fullPolicy(FullPolicy.BLOCK)))) {
            Lab lab = Lab.at(broker);
            lab.channel().queueDeclare(lab.forget("full"), false, false, false, Map.of());
            Connection connection = lab.connect(factory -> {
                // A client that nobody knows to obey channel.flow.
                Map<String, Object> properties = new HashMap<>(factory.getClientProperties());
                properties.put("product", "another client");
                factory.setClientProperties(properties);
            });
            BlockingQueue<String> told = new LinkedBlockingQueue<>();
            connection.addBlockedListener(told::add, () -> told.add("unblocked"));
            // What a consumer holds can't leave memory for the disk.
            Channel consuming = lab.channel();
            Mailbox taken = memory ? Lab.consume(consuming, "full", false) : null;
            Sender sender = Sender.start(connection.createChannel(), "full", Mode.CONFIRMED,
                    MessageProperties.MINIMAL_BASIC, messages, 4_096);
            String reason = told.poll(10, TimeUnit.SECONDS);
            assertThat(reason).contains(memory ? "memory" : "full").isNotEqualTo("unblocked");
            assertThat(told).isEmpty();

            if (memory) {
                consuming.basicAck(0, true);
            } else {
                taken = Lab.consume(consuming, "full", true);
            }
            List<Integer> numbers =
                    taken.next(messages).stream().map(each -> Sender.number(each.getBody())).toList();
            Sender.shouldBeNumbers(numbers, 0, messages);
            sender.shouldFinish();
            assertThat(told.poll(5, TimeUnit.SECONDS)).isEqualTo("unblocked");
            lab.leave();
        }
    }

    // ---- what counts

    @ParameterizedTest
    @EnumSource
    @Reported("ARTEMIS-3940")
    @Spec("0-9-1 basic.publish")
    void shouldLimitByMessagesAlone(FullPolicy policy, Lab lab) throws Exception {
        int limit = 100;
        int producers = 10;
        int each = 30;
        String queue = lab.queue();
        lab.limit(AddressSetting.match(queue).maxMessages(limit).fullPolicy(policy));
        List<Confirms> confirms = new ArrayList<>();
        for (int i = 0; i < producers; i++) {
            Channel channel = lab.connect().createChannel();
            confirms.add(Confirms.on(channel));
            for (int j = 0; j < each; j++) {
                channel.basicPublish("", queue, PERSISTENT, bytes("ten bytes."));
            }
        }
        int all = producers * each;
        Lab.until("all are answered, or wait",
                () -> confirms.stream().mapToLong(one -> one.ackedCount() + one.nackedCount()).sum()
                        + lab.counters().parkedMessages() == all);
        long acked = confirms.stream().mapToLong(Confirms::ackedCount).sum();
        long nacked = confirms.stream().mapToLong(Confirms::nackedCount).sum();
        long depth = lab.depth(queue);
        switch (policy) {
            case BLOCK -> assertThat(List.of(depth, acked, nacked)).containsExactly(100L, 100L, 0L);
            case FAIL -> assertThat(List.of(depth, acked, nacked)).containsExactly(100L, 100L, 200L);
            case DROP, RING -> assertThat(List.of(depth, acked, nacked)).containsExactly(100L, 300L, 0L);
            case PAGE -> assertThat(List.of(depth, acked, nacked)).containsExactly(300L, 300L, 0L);
        }
        lab.channel().queueDelete(queue);
        lab.awaitParked(0);
    }

    /** The ways in which a full queue gets empty. */
    enum Emptying {
        CONSUMER,
        PURGE,
        EXPIRY
    }

    @ParameterizedTest
    @EnumSource
    @Reported("apache/pulsar#15609")
    @Spec({"0-9-1 basic.publish", "0-9-1 queue.purge", "RabbitMQ x-message-ttl"})
    void shouldAcceptMessagesAsSoonAsAFullQueueIsEmpty(Emptying emptying, Lab lab) throws Exception {
        String queue = lab.queue(emptying == Emptying.EXPIRY ? Map.of("x-message-ttl", 1_000) : Map.of());
        lab.limit(AddressSetting.match(queue).maxSizeBytes(10_000).fullPolicy(FullPolicy.FAIL));
        Channel old = lab.channel();
        Confirms confirms = Confirms.on(old);
        for (int i = 0; i < 20; i++) {
            old.basicPublish("", queue, PERSISTENT, new byte[1_000]);
        }
        assertThat(confirms.nacked(12)).hasSize(12);
        int stored = confirms.acked(8).size();

        switch (emptying) {
            case CONSUMER -> assertThat(lab.take(queue)).hasSize(stored);
            case PURGE -> assertThat(lab.channel().queuePurge(queue).getMessageCount()).isEqualTo(stored);
            case EXPIRY -> Lab.until("they have expired", () -> lab.depth(queue) == 0);
        }

        old.basicPublish("", queue, PERSISTENT, bytes("old"));
        assertThat(confirms.acked(1)).containsExactly(21L);
        Channel young = lab.connect().createChannel();
        Confirms youngConfirms = Confirms.on(young);
        young.basicPublish("", queue, PERSISTENT, bytes("young"));
        assertThat(youngConfirms.acked(1)).containsExactly(1L);
    }

    /** How the target of dead letters is limited. */
    enum Target {
        REJECT_PUBLISH,
        BLOCK,
        FAIL,
        DROP
    }

    @ParameterizedTest
    @EnumSource
    @Reported("rabbitmq/rabbitmq-server#8495")
    @Spec({"RabbitMQ dead lettering", "0-9-1 basic.reject"})
    void shouldKeepToTheLimitOfWhereDeadLettersGo(Target target, Lab lab) throws Exception {
        int limit = 10;
        int messages = 5_000;
        String dead = lab.queue(target == Target.REJECT_PUBLISH
                ? table("x-max-length", limit, "x-overflow", "reject-publish")
                : Map.of());
        String queue = lab.queue(table("x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead));
        if (target != Target.REJECT_PUBLISH) {
            lab.limit(AddressSetting.match(dead).maxMessages(limit).fullPolicy(FullPolicy.valueOf(target.name())));
        }
        lab.sendNumbers(queue, 1, messages);
        long before = dropped(lab);
        Channel channel = lab.channel();
        Mailbox mailbox = Lab.consume(channel, queue, false);
        mailbox.next(messages);
        channel.basicNack(0, true, false);
        channel.basicCancel(mailbox.tag());

        if (target == Target.BLOCK) {
            Lab.until("the target is full", () -> lab.depth(dead) == limit);
            assertThat(lab.address(queue).usedMessages()).as("what waits counts where it died")
                    .isEqualTo(messages - limit);
            List<String> letters = new ArrayList<>();
            Mailbox letterbox = Lab.consume(lab.channel(), dead, true);
            letters.addAll(letterbox.bodies(messages));
            assertThat(letters).containsExactly(Lab.numbers(1, messages));
        } else {
            Lab.until("all are dealt with", () -> dropped(lab) - before == messages - limit);
            assertThat(lab.drain(dead)).containsExactly(Lab.numbers(1, limit));
        }
        Lab.until("nothing is left", () -> lab.address(queue).usedMessages() == 0);
    }

    /** What was dropped for want of room, by whichever kind of limit. */
    private static long dropped(Lab lab) {
        return lab.counters().droppedByLimit() + lab.counters().droppedByPolicy() + lab.counters().refusedByPolicy();
    }
}
