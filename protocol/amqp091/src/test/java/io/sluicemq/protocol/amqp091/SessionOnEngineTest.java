package io.sluicemq.protocol.amqp091;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Client.ReplyAddress;
import io.sluicemq.broker.engine.BrokerConfig;
import io.sluicemq.broker.engine.BrokerCounters;
import io.sluicemq.broker.engine.BrokerEngine;
import io.sluicemq.protocol.amqp091.codec.BasicProperties;
import io.sluicemq.protocol.amqp091.codec.BasicProperty;
import io.sluicemq.protocol.amqp091.codec.MethodId;
import io.sluicemq.protocol.amqp091.codec.RawArguments;
import io.sluicemq.protocol.amqp091.codec.RawFrame;
import io.sluicemq.protocol.amqp091.codec.RawFrames;
import io.sluicemq.testkit.ManualLoop;
import io.sluicemq.testkit.ManualLoops;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Sessions on the real broker, on loops driven by hand. */
class SessionOnEngineTest {

    private static final Consumer<RawArguments> NONE = out -> {};

    private final ManualLoops loops = new ManualLoops(3);
    private final BrokerEngine broker = new BrokerEngine(
            new BrokerConfig(List.of("/"), 1 << 20),
            IntStream.range(0, 3).mapToObj(loops::get).toList());

    private Peer connect(int loop) {
        return Peer.connected(loops.get(loop), broker);
    }

    private BrokerCounters counters() {
        var counters = broker.counters();
        loops.runAll();
        return counters.join();
    }

    private void declare(Peer peer, String queue, Consumer<RawArguments> arguments) {
        peer.send(RawFrames.queueDeclare(1, queue, arguments));
        peer.expect(1, MethodId.QUEUE_DECLARE_OK);
    }

    @Test
    void shouldCarryAMessageBetweenConnections() {
        Peer producer = connect(0);
        Peer consumer = connect(1);
        declare(consumer, "q", NONE);
        consumer.send(RawFrames.consume(1, "q", "c", NONE));
        consumer.expect(1, MethodId.BASIC_CONSUME_OK);
        producer.send(RawFrames.confirmSelect(1, true), Peer.message(1, "", "q", "hello"));
        producer.expect(1, MethodId.BASIC_ACK);
        assertThat(consumer.delivery(1)).isEqualTo("c:1:hello");
        consumer.send(RawFrames.ack(1, 1, false));
        assertThat(counters().unsettledMessages()).isZero();
        assertThat(counters().messageBytes()).isZero();
    }

    @Test
    void shouldStopAtTheWindowOfAConsumerThatDoesNotRead() {
        Peer producer = connect(0);
        Peer consumer = connect(1);
        declare(consumer, "q", NONE);
        consumer.send(RawFrames.consume(1, "q", "c", NONE, false, true));
        consumer.wire.writable = false;
        for (int i = 0; i < 100; i++) {
            producer.send(Peer.message(1, "", "q", "x".repeat(9_000)));
        }
        assertThat(counters().readyMessages()).isBetween(60L, 80L);
        consumer.wire.writable = true;
        loops.get(1).run(consumer.session::writabilityChanged);
        loops.runAll();
        loops.get(1).run(consumer.session::flushed);
        loops.runAll();
        loops.get(1).run(consumer.session::flushed);
        loops.runAll();
        assertThat(counters().readyMessages()).isZero();
    }

    /** On one loop a queue answers a settlement with the next delivery at once: that one is not meant by "all". */
    @Test
    void shouldSettleOnlyWhatTheClientHasSeen() {
        Peer peer = connect(0);
        declare(peer, "q", NONE);
        for (int i = 1; i <= 10; i++) {
            peer.send(Peer.message(1, "", "q", "" + i));
        }
        peer.send(RawFrames.qos(1, 0, 2, false), RawFrames.consume(1, "q", "c", NONE));
        peer.expect(1, MethodId.BASIC_QOS_OK);
        peer.expect(1, MethodId.BASIC_CONSUME_OK);
        assertThat(peer.delivery(1)).isEqualTo("c:1:1");
        assertThat(peer.delivery(1)).isEqualTo("c:2:2");
        peer.send(RawFrames.ack(1, 0, true));
        assertThat(peer.delivery(1)).isEqualTo("c:3:3");
        assertThat(peer.delivery(1)).isEqualTo("c:4:4");
        peer.expectNothing();
        peer.send(RawFrames.recover(1, true));
        peer.expect(1, MethodId.BASIC_RECOVER_OK);
        assertThat(peer.delivery(1)).isEqualTo("c:5:3");
        assertThat(peer.delivery(1)).isEqualTo("c:6:4");
        peer.expectNothing();
        peer.send(RawFrames.nack(1, 0, true, true));
        assertThat(peer.delivery(1)).isEqualTo("c:7:3");
        assertThat(peer.delivery(1)).isEqualTo("c:8:4");
        peer.expectNothing();
    }

    /** C005: the history of a message that is rejected, waits and comes back. */
    @Test
    void shouldTellTheHistoryOfARetryCycle() {
        Peer peer = connect(0);
        declare(peer, "work", deadLettersTo("retry", 0));
        declare(peer, "retry", deadLettersTo("work", 200));
        peer.send(Peer.message(1, "", "work", "x"));
        for (int round = 0; round < 5; round++) {
            peer.send(RawFrames.get(1, "work", false));
            peer.expect(1, MethodId.BASIC_GET_OK);
            BasicProperties properties = properties(peer.next());
            peer.next();
            if (round > 0) {
                List<?> deaths = (List<?>) properties.header("x-death");
                assertThat(deaths).hasSize(2);
                assertThat(deaths).anySatisfy(death -> {
                    assertThat(((Map<?, ?>) death).get("queue")).isEqualTo("work");
                    assertThat(((Map<?, ?>) death).get("reason")).isEqualTo("rejected");
                });
                assertThat(properties.header("x-first-death-queue")).isEqualTo("work");
                for (Object death : deaths) {
                    assertThat(((Map<?, ?>) death).get("count")).isEqualTo((long) round);
                }
            }
            peer.send(RawFrames.reject(1, round + 1, false));
            loops.advance(java.time.Duration.ofMillis(300).toNanos());
            loops.runAll();
        }
    }

    private static Consumer<RawArguments> deadLettersTo(String queue, int ttl) {
        return out -> {
            out.shortString("x-dead-letter-exchange").octet('S').longString(new byte[0]);
            out.shortString("x-dead-letter-routing-key").octet('S').longString(Peer.bytes(queue));
            if (ttl > 0) {
                out.shortString("x-message-ttl").octet('I').longInt(ttl);
            }
        };
    }

    private static BasicProperties properties(RawFrame header) {
        return BasicProperties.of(Arrays.copyOfRange(header.payload(), 12, header.payload().length));
    }

    @Test
    void shouldAnswerARequestByDirectReply() {
        Peer client = connect(0);
        Peer server = connect(1);
        declare(server, "rpc", NONE);
        server.send(RawFrames.consume(1, "rpc", "s", NONE, false, true));
        server.expect(1, MethodId.BASIC_CONSUME_OK);
        client.send(RawFrames.consume(1, "amq.rabbitmq.reply-to", "r", NONE, false, true, false, true));
        byte[] properties = BasicProperties.EMPTY.edit()
                .set(BasicProperty.REPLY_TO, "amq.rabbitmq.reply-to")
                .build()
                .bytes();
        client.send(Peer.message(1, "", "rpc", false, properties, "question"));
        server.expect(1, MethodId.BASIC_DELIVER);
        String replyTo = properties(server.next()).replyTo();
        assertThat(replyTo).startsWith(ReplyAddress.PREFIX);
        server.send(Peer.message(1, "", replyTo, "answer"));
        assertThat(client.delivery(1)).isEqualTo("r:1:answer");
    }

    @Test
    void shouldHoldPublishersWhileMemoryIsShort() {
        Peer producer = connect(0);
        Peer consumer = connect(1);
        declare(producer, "q", NONE);
        for (int i = 0; i < 20 && producer.frames().stream().noneMatch(f -> f.isMethod(10, 60)); i++) {
            producer.send(Peer.message(1, "", "q", "x".repeat(100_000)));
        }
        long before = counters().published();
        producer.send(Peer.message(1, "", "q", "held"));
        assertThat(counters().published()).isEqualTo(before);
        consumer.send(RawFrames.queuePurge(1, "q", false));
        consumer.expect(1, MethodId.QUEUE_PURGE_OK);
        producer.expect(MethodId.CONNECTION_UNBLOCKED);
        assertThat(counters().published()).isEqualTo(before + 1);
    }

    // ---- random operations

    /** Whatever clients do, in whatever schedule, and however they go: nothing is left behind, and nothing throws. */
    @Property(tries = 60)
    void shouldLeaveNothingBehind(@ForAll long seed) {
        Random random = new Random(seed);
        List<RandomClient> clients = new ArrayList<>();
        for (int step = 0; step < 400; step++) {
            if (clients.size() < 4) {
                clients.add(new RandomClient(connect(random.nextInt(3)), random));
            }
            RandomClient client = clients.get(random.nextInt(clients.size()));
            if (random.nextInt(60) == 0) {
                client.end();
                clients.remove(client);
            } else {
                client.act();
            }
            loops.runAll(random);
        }
        clients.forEach(RandomClient::end);
        loops.runAll(random);
        Peer last = connect(0);
        for (int i = 0; i < 5; i++) {
            last.send(RawFrames.queueDelete(1, "q" + i));
            last.expect(1, MethodId.QUEUE_DELETE_OK);
        }
        last.send(RawFrames.connectionClose(200, "done"));
        last.expect(MethodId.CONNECTION_CLOSE_OK);
        BrokerCounters left = counters();
        assertThat(left.connections()).isZero();
        assertThat(left.channels()).isZero();
        assertThat(left.consumers()).isZero();
        assertThat(left.queues()).isZero();
        assertThat(left.readyMessages()).isZero();
        assertThat(left.unsettledMessages()).isZero();
        assertThat(left.messageBytes()).isZero();
        assertThat(left.replyAddresses()).isZero();
        for (int i = 0; i < 3; i++) {
            assertThat(loops.get(i).pendingTimers()).isZero();
        }
    }

    /** A client that does what it likes on three channels, valid or not, and follows the errors it gets. */
    private static final class RandomClient {

        private final Peer peer;
        private final ManualLoop loop;
        private final Random random;
        private final boolean[] open = new boolean[4];
        private final List<TreeSet<Long>> unacked = List.of(
                new TreeSet<>(), new TreeSet<>(), new TreeSet<>(), new TreeSet<>());
        private int tags;
        private boolean dead;

        RandomClient(Peer peer, Random random) {
            this.peer = peer;
            this.loop = peer.loop;
            this.random = random;
            open[1] = true;
        }

        private void send(byte[]... frames) {
            if (!peer.wire.ended()) {
                peer.wire.arrive(RawFrames.join(frames));
            }
        }

        private String queue() {
            return "q" + random.nextInt(5);
        }

        void act() {
            read();
            if (dead) {
                return;
            }
            int channel = 1 + random.nextInt(3);
            if (!open[channel]) {
                open[channel] = true;
                send(RawFrames.channelOpen(channel));
                return;
            }
            TreeSet<Long> tagsHeld = unacked.get(channel);
            switch (random.nextInt(24)) {
                case 0 -> send(RawFrames.queueDeclare(channel, queue(), NONE));
                case 1 -> send(RawFrames.queueDeclare(channel, "", NONE, false, false, true));
                case 2 -> send(RawFrames.consume(channel, queue(), "", NONE, false, random.nextBoolean()));
                case 3 -> send(RawFrames.consume(channel, queue(), "t" + tags++, NONE));
                case 4 -> send(RawFrames.cancel(channel, "t" + random.nextInt(tags + 1), random.nextBoolean()));
                case 5 -> send(RawFrames.get(channel, queue(), random.nextBoolean()));
                case 6 -> send(RawFrames.qos(channel, 0, random.nextInt(4), random.nextBoolean()));
                case 7 -> send(RawFrames.channelFlow(channel, random.nextInt(3) > 0));
                case 8 -> send(RawFrames.confirmSelect(channel, random.nextBoolean()));
                case 9 -> send(RawFrames.txSelect(channel));
                case 10 -> send(RawFrames.txCommit(channel));
                case 11 -> send(RawFrames.txRollback(channel));
                case 12 -> send(RawFrames.recover(channel, true));
                case 13 -> {
                    send(RawFrames.channelClose(channel, 200, "enough"));
                    open[channel] = false;
                    tagsHeld.clear();
                }
                case 14 -> send(RawFrames.queuePurge(channel, queue(), false));
                case 15 -> send(RawFrames.queueDelete(channel, queue(), random.nextBoolean()));
                case 16 -> send(RawFrames.consume(
                        channel, "amq.rabbitmq.reply-to", "", NONE, false, random.nextInt(5) > 0));
                case 17, 18 -> settle(channel, tagsHeld);
                default -> publish(channel);
            }
            if (random.nextBoolean()) {
                flush();
            }
        }

        private void publish(int channel) {
            byte[][] burst = new byte[1 + random.nextInt(5)][];
            Arrays.setAll(burst, i -> Peer.message(
                    channel, "", queue(), random.nextBoolean(), new byte[2], "x".repeat(random.nextInt(2000))));
            send(burst);
        }

        private void settle(int channel, TreeSet<Long> held) {
            if (held.isEmpty()) {
                return;
            }
            long tag = held.first() + (held.last() - held.first()) * random.nextInt(5) / 4;
            tag = held.floor(tag);
            boolean multiple = random.nextBoolean();
            switch (random.nextInt(3)) {
                case 0 -> send(RawFrames.ack(channel, tag, multiple));
                case 1 -> send(RawFrames.nack(channel, tag, multiple, random.nextBoolean()));
                default -> {
                    multiple = false;
                    send(RawFrames.reject(channel, tag, random.nextBoolean()));
                }
            }
            if (multiple) {
                held.headSet(tag, true).clear();
            } else {
                held.remove(tag);
            }
        }

        private void read() {
            for (RawFrame frame : peer.frames()) {
                int channel = frame.channel();
                if (frame.isMethod(20, 40)) {
                    send(RawFrames.channelCloseOk(channel));
                    open[channel] = false;
                    unacked.get(channel).clear();
                } else if (frame.isMethod(10, 50)) {
                    send(RawFrames.connectionCloseOk());
                    dead = true;
                } else if (frame.isMethod(60, 60) || frame.isMethod(60, 71)) {
                    ByteBuffer arguments = frame.arguments();
                    if (frame.isMethod(60, 60)) {
                        RawFrame.shortString(arguments);
                    }
                    unacked.get(channel).add(arguments.getLong());
                } else if (frame.isMethod(60, 111)) {
                    unacked.get(channel).clear();
                }
            }
            dead |= peer.wire.ended();
        }

        private void flush() {
            if (!peer.wire.ended()) {
                loop.run(peer.session::flushed);
            }
        }

        void end() {
            read();
            if (!dead && random.nextBoolean()) {
                send(RawFrames.connectionClose(200, "bye"));
                flush();
                loop.runAll();
            }
            peer.cutSocket();
        }
    }
}
