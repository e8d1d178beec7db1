package io.sluicemq.crash;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.SocketConfigurators;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reported of Artemis (ARTEMIS-4193, ARTEMIS-4233): data of large messages outlived a crash, or the client that was cut while
 * it sent them. The build has fewer and smaller ones than the report: {@code -Dcrash.large.messages=50
 * -Dcrash.large.mebibytes=20} has as many.
 */
class LargeMessagesTest {

    private static final int MESSAGES = Integer.getInteger("crash.large.messages", 16);
    private static final int BYTES = Integer.getInteger("crash.large.mebibytes", 3) << 20;
    private static final String QUEUE = "films";

    @TempDir
    Path temp;

    private final Set<Long> confirmed = ConcurrentHashMap.newKeySet();
    private final Set<Long> taken = ConcurrentHashMap.newKeySet();

    private BrokerProcess start() throws Exception {
        Path config = Files.writeString(temp.resolve("broker.yaml"), "storage:\n  segment-size: 1MiB\n");
        return BrokerProcess.start(temp.resolve("broker.log"), "--data", temp.resolve("data").toString(), "--config",
                config.toString());
    }

    /** A connection, and the socket under it. */
    private record Cuttable(Connection connection, Socket socket) {

        static Cuttable connect(int port) throws IOException, TimeoutException {
            ConnectionFactory factory = new ConnectionFactory();
            factory.setHost("127.0.0.1");
            factory.setPort(port);
            factory.setAutomaticRecoveryEnabled(false);
            factory.setRequestedHeartbeat(0);
            Socket[] socket = new Socket[1];
            factory.setSocketConfigurator(
                    SocketConfigurators.defaultConfigurator().andThen(each -> socket[0] = each));
            return new Cuttable(factory.newConnection(), socket[0]);
        }

        /** Ends the stream, some time from now, without a word of the protocol. */
        void cutAfter(long nanos) {
            Thread.ofPlatform().daemon().start(() -> {
                LockSupport.parkNanos(nanos);
                try {
                    socket.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    /** Sends them one by one; every third client is cut at some moment. The last one is still on its way when the broker dies. */
    private void send(int port, Random random, CountDownLatch halfway) throws IOException, TimeoutException {
        for (long number = 0; number < MESSAGES; number++) {
            Cuttable client = Cuttable.connect(port);
            try {
                Channel channel = client.connection().createChannel();
                channel.confirmSelect();
                if (number % 3 == 2) {
                    client.cutAfter(random.nextInt(30_000_000));
                }
                channel.basicPublish("", QUEUE, ConfirmingProducer.properties(true), Body.of(number, BYTES));
                if (number == MESSAGES / 2) {
                    halfway.countDown();
                }
                channel.waitForConfirmsOrDie(30_000);
                confirmed.add(number);
            } catch (IOException | RuntimeException | InterruptedException | TimeoutException e) {
                // It was cut, or the broker was killed: whether the message is there is up to the moment.
            } finally {
                client.connection().abort(1_000);
            }
        }
    }

    /** Takes messages, some with clients that are cut before they have acked. */
    private void receive(BrokerProcess broker, Random random) throws Exception {
        for (int round = 0; round < MESSAGES / 4; round++) {
            Cuttable client = Cuttable.connect(broker.port());
            try {
                Channel channel = client.connection().createChannel();
                Inbox inbox = new Inbox(channel);
                channel.basicQos(1);
                channel.basicConsume(QUEUE, false, inbox);
                if (round % 2 == 1) {
                    client.cutAfter(random.nextInt(30_000_000));
                }
                Inbox.Delivery delivery = inbox.next(5_000);
                if (delivery != null) {
                    long number = Body.read(delivery.body());
                    assertThat(number).as("a message with a whole body").isNotNegative();
                    taken.add(number);
                    channel.basicAck(delivery.tag(), false);
                }
            } catch (IOException | RuntimeException e) {
                // It was cut.
            } finally {
                client.connection().abort(1_000);
            }
        }
    }

    @Test
    void shouldLeaveNothingOfLargeMessagesBehind() throws Exception {
        Random random = new Random(4_193);
        try (BrokerProcess broker = start()) {
            Messages.onChannel(broker, channel -> channel.queueDeclare(QUEUE, true, false, false, Map.of()));
            CountDownLatch halfway = new CountDownLatch(1);
            Thread sender = Thread.ofPlatform().daemon().start(() -> {
                try {
                    send(broker.port(), new Random(4_233), halfway);
                } catch (IOException | TimeoutException e) {
                    // The broker is gone.
                }
            });
            receive(broker, random);
            assertThat(halfway.await(60, SECONDS)).isTrue();
            LockSupport.parkNanos(random.nextInt(20_000_000));
            broker.kill();
            sender.join();
        }
        assertThat(confirmed).isNotEmpty();
        try (BrokerProcess broker = start()) {
            // All of them are whole, and none that was confirmed is missing, but for those that somebody has taken.
            Set<Long> left = new TreeSet<>(Messages.drain(broker, QUEUE));
            assertThat(left).doesNotContain(-1L);
            Set<Long> missing = new TreeSet<>(confirmed);
            missing.removeAll(left);
            missing.removeAll(taken);
            assertThat(missing).as("confirmed, not taken, and not there").isEmpty();

            await().atMost(20, SECONDS).until(() -> bytesOfTheLog() < BYTES + (4 << 20));
            assertThat(broker.stop()).isZero();
        }
        assertThat(BrokerProcess.lines(temp.resolve("broker.log"))).noneMatch(line -> line.contains(" ERROR "));
    }

    private long bytesOfTheLog() throws IOException {
        try (Stream<Path> files = Files.list(temp.resolve("data").resolve("log"))) {
            long bytes = 0;
            for (Path each : files.toList()) {
                try {
                    bytes += Files.size(each);
                } catch (NoSuchFileException e) {
                    // Deleted since it was listed: it takes nothing.
                }
            }
            return bytes;
        }
    }
}
