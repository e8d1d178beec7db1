package io.sluicemq.crash;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Brokers whose disk has no room, or refuses what is written, and what their clients see. */
class FullDiskTest {

    private static final String QUEUE = "orders";
    private static final int DISK_MEBIBYTES = 16;
    private static final int MESSAGE_BYTES = 10_000;

    @TempDir
    Path temp;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private SmallDisk disk;
    private int lives;

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened.reversed()) {
            each.close();
        }
    }

    private <T extends AutoCloseable> T closing(T each) {
        opened.add(each);
        return each;
    }

    private Path data() {
        return (disk == null ? temp : disk.path()).resolve("data");
    }

    private Path log() {
        return temp.resolve("broker-" + lives + ".log");
    }

    private void mountSmallDisk() throws Exception {
        disk = closing(SmallDisk.mount(temp.resolve("small"), DISK_MEBIBYTES));
    }

    private BrokerProcess start(String floor) throws Exception {
        lives++;
        Path config = Files.writeString(temp.resolve("broker.yaml"),
                "storage:\n  segment-size: 1MiB\n  free-space-floor: " + floor + "\n");
        return closing(BrokerProcess.start(log(), "--data", data().toString(), "--config", config.toString()));
    }

    private void shouldHaveLoggedNoError() {
        assertThat(BrokerProcess.lines(log())).noneMatch(line -> line.contains(" ERROR "));
    }

    private static List<Long> numbers(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }

    /** Publishes numbered messages to the queue on a thread and a connection of its own, and knows what was confirmed. */
    private final class Publisher {

        private final BlockingQueue<String> blocked = new LinkedBlockingQueue<>();
        private final BlockingQueue<String> unblocked = new LinkedBlockingQueue<>();
        private final CompletableFuture<Void> done = new CompletableFuture<>();
        /** Confirmed is all below. */
        private volatile long confirmedBelow;

        Publisher(BrokerProcess broker, int from, int to) throws Exception {
            Connection connection = Client.connect(broker.port());
            opened.add(connection::abort);
            connection.addBlockedListener(blocked::add, () -> unblocked.add("unblocked"));
            Channel channel = connection.createChannel();
            channel.queueDeclare(QUEUE, true, false, false, Map.of());
            channel.confirmSelect();
            channel.addConfirmListener((tag, multiple) -> confirmed(from, tag, multiple),
                    (tag, multiple) -> done.completeExceptionally(new IllegalStateException(tag + " was refused")));
            confirmedBelow = from;
            Thread.ofPlatform().daemon().start(() -> {
                try {
                    for (int number = from; number < to; number++) {
                        channel.basicPublish("", QUEUE, ConfirmingProducer.properties(true),
                                Body.of(number, MESSAGE_BYTES));
                    }
                    channel.waitForConfirmsOrDie();
                    done.complete(null);
                } catch (IOException | InterruptedException | ShutdownSignalException e) {
                    done.completeExceptionally(e);
                }
            });
        }

        private void confirmed(int from, long tag, boolean multiple) {
            long number = from + tag - 1;
            if (number < confirmedBelow || !multiple && number != confirmedBelow) {
                done.completeExceptionally(new IllegalStateException("confirm " + tag + " after " + confirmedBelow));
            }
            confirmedBelow = number + 1;
        }

        String awaitBlocked() throws InterruptedException {
            String reason = blocked.poll(30, SECONDS);
            assertThat(reason).as("why the publisher is blocked").isNotNull();
            return reason;
        }

        void awaitUnblocked() throws InterruptedException {
            assertThat(unblocked.poll(30, SECONDS)).as("the end of the block").isNotNull();
        }

        void shouldFinish() {
            assertThat(done).succeedsWithin(60, SECONDS);
        }
    }

    /** By a connection of its own: a publisher that is held gets no answers. */
    private static int ready(BrokerProcess broker) throws Exception {
        try (Connection connection = Client.connect(broker.port())) {
            return connection.createChannel().queueDeclarePassive(QUEUE).getMessageCount();
        }
    }

    /** Takes messages until it has so many. */
    private List<Long> take(BrokerProcess broker, int count) throws Exception {
        Connection connection = Client.connect(broker.port());
        opened.add(connection::abort);
        Channel channel = connection.createChannel();
        channel.basicQos(100);
        Inbox inbox = new Inbox(channel);
        channel.basicConsume(QUEUE, false, inbox);
        List<Long> numbers = new ArrayList<>();
        while (numbers.size() < count) {
            Inbox.Delivery delivery = inbox.next(30_000);
            assertThat(delivery).as("message %s of %s", numbers.size(), count).isNotNull();
            numbers.add(Body.read(delivery.body()));
            channel.basicAck(delivery.tag(), false);
        }
        // An answer comes behind the acks.
        channel.queueDeclarePassive(QUEUE);
        connection.close();
        return numbers;
    }

    /** Consumers make room, and publishers go on by themselves: many more bytes than the disk has pass through. */
    @ParameterizedTest
    @CsvSource({"0, no room", "4MiB, floor"})
    void shouldHoldPublishersUntilConsumersHaveMadeRoom(String floor, String why) throws Exception {
        mountSmallDisk();
        int messages = 3_000;
        try (BrokerProcess broker = start(floor)) {
            Publisher publisher = new Publisher(broker, 0, messages);
            assertThat(publisher.awaitBlocked()).contains("disk").contains(disk.path().toString());
            assertThat(publisher.done).isNotDone();
            assertThat(publisher.confirmedBelow).isLessThan((DISK_MEBIBYTES << 20) / MESSAGE_BYTES);

            // What makes no messages goes on.
            Messages.onChannel(broker, channel -> {
                channel.queueDeclare("another", true, false, false, Map.of());
                channel.queueBind("another", "amq.topic", "#");
                channel.queueDelete("another");
            });
            // A message that needs no disk waits as well, as it does when memory is short.
            Connection other = Client.connect(broker.port());
            opened.add(other::abort);
            BlockingQueue<String> told = new LinkedBlockingQueue<>();
            other.addBlockedListener(told::add, () -> told.add("unblocked"));
            Channel channel = other.createChannel();
            String transientQueue = channel.queueDeclare().getQueue();
            channel.confirmSelect();
            channel.basicPublish("", transientQueue, ConfirmingProducer.properties(false), Body.of(1, 100));
            assertThat(told.poll(30, SECONDS)).contains("disk");

            assertThat(take(broker, messages)).isEqualTo(numbers(0, messages));

            publisher.shouldFinish();
            publisher.awaitUnblocked();
            assertThat(channel.waitForConfirms(30_000)).isTrue();
            assertThat(told.poll(30, SECONDS)).isEqualTo("unblocked");
            assertThat(broker.stop()).isZero();
            shouldHaveLoggedNoError();
            assertThat(BrokerProcess.lines(log())).anyMatch(
                    line -> line.contains("the log takes no more messages: ") && line.contains(why));
        }
        try (BrokerProcess broker = start(floor)) {
            assertThat(Messages.drain(broker, QUEUE)).isEmpty();
        }
    }

    /** All of the disk is in use by what waits: what is taken lets the log grow by very little, and yet room must come of it. */
    @Test
    void shouldResumeWhenFewLargeMessagesAreTaken() throws Exception {
        mountSmallDisk();
        try (BrokerProcess broker = start("0")) {
            int taken = 8;
            Connection connection = Client.connect(broker.port());
            opened.add(connection::abort);
            BlockingQueue<String> states = new LinkedBlockingQueue<>();
            connection.addBlockedListener(states::add, () -> states.add("unblocked"));
            Channel channel = connection.createChannel();
            channel.queueDeclare(QUEUE, true, false, false, Map.of());
            channel.confirmSelect();
            Thread.ofPlatform().daemon().start(() -> {
                try {
                    for (int number = 0; number < taken * 3; number++) {
                        channel.basicPublish("", QUEUE, ConfirmingProducer.properties(true),
                                Body.of(number, 1_500_000));
                    }
                } catch (IOException e) {
                    states.add("failed: " + e);
                }
            });
            assertThat(states.poll(30, SECONDS)).contains("disk");
            int ready = ready(broker);

            assertThat(take(broker, ready)).isEqualTo(numbers(0, ready));

            assertThat(states.poll(30, SECONDS)).isEqualTo("unblocked");
            assertThat(take(broker, 1)).containsExactly((long) ready);
            connection.abort();
            assertThat(broker.stop()).isZero();
            shouldHaveLoggedNoError();
        }
    }

    @Test
    void shouldResumeWhenSomebodyElseHasMadeRoom() throws Exception {
        mountSmallDisk();
        disk.fill(8 << 20);
        int messages = 900;
        try (BrokerProcess broker = start("1MiB")) {
            Publisher publisher = new Publisher(broker, 0, messages);
            publisher.awaitBlocked();
            long before = publisher.confirmedBelow;

            disk.clear();

            publisher.awaitUnblocked();
            publisher.shouldFinish();
            assertThat(publisher.confirmedBelow).isEqualTo(messages).isGreaterThan(before);
            assertThat(take(broker, messages)).isEqualTo(numbers(0, messages));
            assertThat(broker.stop()).isZero();
            shouldHaveLoggedNoError();
        }
    }

    @Test
    void shouldStartOnAFullDiskWithAllThatItHasConfirmed() throws Exception {
        mountSmallDisk();
        long confirmed;
        try (BrokerProcess broker = start("0")) {
            Publisher publisher = new Publisher(broker, 0, 3_000);
            publisher.awaitBlocked();
            // What was written when room ran out is confirmed yet.
            await().until(() -> publisher.confirmedBelow > 0);
            disk.fill(Long.MAX_VALUE);
            broker.kill();
            confirmed = publisher.confirmedBelow;
        }
        try (BrokerProcess broker = start("0")) {
            Publisher publisher = new Publisher(broker, 10_000, 10_100);
            publisher.awaitBlocked();
            List<Long> kept = take(broker, (int) confirmed);
            assertThat(kept).isEqualTo(numbers(0, confirmed));
            disk.clear();
            publisher.shouldFinish();
            assertThat(broker.stop()).isZero();
            shouldHaveLoggedNoError();
        }
    }

    /** A disk that has less than the floor to begin with is no reason not to start: consumers may make the room. */
    @Test
    void shouldStartBelowTheFloorAndTakeNoMessages() throws Exception {
        try (BrokerProcess broker = start("0")) {
            Messages.publish(broker, QUEUE, 0, 10, 100);
            assertThat(broker.stop()).isZero();
        }
        try (BrokerProcess broker = start("900TiB")) {
            Publisher publisher = new Publisher(broker, 10, 20);
            assertThat(publisher.awaitBlocked()).contains("the floor is ");
            assertThat(take(broker, 10)).isEqualTo(numbers(0, 10));
            assertThat(publisher.confirmedBelow).isEqualTo(10);
            assertThat(broker.stop()).isZero();
            shouldHaveLoggedNoError();
        }
    }

    /** A limit to the size of files, set while the broker runs, stands for a disk that refuses a write. */
    @Test
    void shouldStopWhenTheDiskRefusesAWrite() throws Exception {
        String refusal;
        long confirmed;
        try (BrokerProcess broker = start("0")) {
            Messages.publish(broker, QUEUE, 0, 10, MESSAGE_BYTES);
            Publisher publisher = new Publisher(broker, 10, 100_000);
            Connection other = Client.connect(broker.port());
            opened.add(other::abort);
            CompletableFuture<ShutdownSignalException> ended = new CompletableFuture<>();
            other.addShutdownListener(ended::complete);
            try {
                refusal = SmallDisk.command("prlimit", "--pid", Long.toString(broker.pid()), "--fsize=300000");
            } catch (IOException e) {
                refusal = e.getMessage();
            }
            assumeTrue(refusal.isEmpty(), "a process can't be limited here: " + refusal);

            assertThat(broker.awaitEnd()).isEqualTo(1);

            assertThat(ended).succeedsWithin(10, SECONDS)
                    .satisfies(signal -> assertThat(((AMQP.Connection.Close) signal.getReason()).getReplyCode())
                            .isEqualTo(AMQP.CONNECTION_FORCED));
            assertThat(publisher.done).failsWithin(10_000, MILLISECONDS);
            confirmed = publisher.confirmedBelow;
            assertThat(BrokerProcess.lines(log())).anyMatch(line -> line.contains("ERROR")
                    && line.contains("the broker stops, since its log has failed: "));
        }
        try (BrokerProcess broker = start("0")) {
            assertThat(Messages.drain(broker, QUEUE)).startsWith(numbers(0, confirmed).toArray(Long[]::new));
            assertThat(broker.stop()).isZero();
        }
    }
}
