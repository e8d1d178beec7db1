package io.sluicemq.hostile;

import io.sluicemq.broker.engine.BrokerCounters;
import io.sluicemq.protocol.amqp091.codec.RawArguments;
import io.sluicemq.protocol.amqp091.codec.RawFrames;
import io.sluicemq.server.SluiceMQ;
import io.sluicemq.server.config.LimitsSection;
import io.sluicemq.transport.ListenerCounters;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A campaign of random frames: one hostile peer after the other connects to a broker in this JVM, gets some way through a
 * conversation, and sends valid, mutated and random frames, then leaves in one of several rude ways; meanwhile a peer that
 * behaves must get its answers. At the end nothing of the broker's may have failed, and nobody and nothing of theirs be left.
 *
 * <p>What a peer sends follows from the seed alone; how it meets what the others do is up to the machine.
 */
public final class FrameCampaign {

    private static final int PEERS_AT_ONCE = 4;
    private static final String[] NAMES =
            {"h0", "h1", "h2", "h3", "amq.topic", "amq.fanout", "", "\u0000", "ä".repeat(127)};

    private final SluiceMQ broker;
    private final long seed;
    private long sessions;

    private FrameCampaign(SluiceMQ broker, long seed) {
        this.broker = broker;
        this.seed = seed;
    }

    /**
     * Runs a campaign.
     *
     * @return how many peers there were
     * @throws AssertionError if the broker was harmed
     */
    public static long run(SluiceMQ broker, long seconds, long seed) throws IOException {
        FrameCampaign campaign = new FrameCampaign(broker, seed);
        try {
            campaign.run(TimeUnit.SECONDS.toNanos(seconds));
        } catch (AssertionError e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
        return campaign.sessions;
    }

    private void run(long nanos) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        long end = System.nanoTime() + nanos;
        try (RawPeer witness = RawPeer.withChannel(broker.amqpPort()).queue(1, "witness")) {
            List<RawPeer> peers = new ArrayList<>();
            do {
                if (peers.size() == PEERS_AT_ONCE) {
                    leave(peers.remove(random.nextInt(peers.size())), random);
                }
                RawPeer peer = RawPeer.dial(broker.amqpPort(), random.nextInt(3) == 0 ? 4096 : 0);
                peers.add(peer);
                attack(peer, random);
                sessions++;
                if (sessions % 20 == 0) {
                    witnessIsServed(witness);
                }
                if (broker.failedTasks() > 0) {
                    throw new AssertionError(broker.failedTasks() + " tasks of the broker failed");
                }
            } while (System.nanoTime() < end);
            for (RawPeer peer : peers) {
                leave(peer, random);
            }
            witnessIsServed(witness);
            tidy(witness);
        }
        allIsQuiet();
    }

    private static void attack(RawPeer peer, SplittableRandom random) {
        try {
            for (byte[] piece : conversation(random)) {
                peer.send(piece);
            }
        } catch (IOException e) {
            // The broker has closed the connection, as well it may.
        }
    }

    /** What a peer sends: the beginning of a good handshake, all of it mostly, then what comes to mind. */
    private static List<byte[]> conversation(SplittableRandom random) {
        List<byte[]> handshake = List.of(
                RawFrames.protocolHeader(), RawFrames.startOkPlain("guest", "guest"),
                RawFrames.tuneOk(random.nextInt(1, 2048), random.nextBoolean() ? 131_072 : 4096, random.nextInt(3)),
                RawFrames.connectionOpen("/"), RawFrames.channelOpen(1));
        int good = random.nextInt(4) == 0 ? random.nextInt(handshake.size()) : handshake.size();
        List<byte[]> sent = new ArrayList<>(handshake.subList(0, good));
        int frames = random.nextInt(60);
        for (int i = 0; i < frames; i++) {
            byte[] next = switch (random.nextInt(24)) {
                case 0 -> mutate(frame(random), random);
                case 1 -> bytes(random, random.nextInt(200));
                case 2 -> Arrays.copyOf(frame(random), random.nextInt(12));
                default -> frame(random);
            };
            sent.add(next);
        }
        return sent;
    }

    private static byte[] frame(SplittableRandom random) {
        int channel = random.nextInt(12) == 0 ? random.nextInt(4) : 1;
        String queue = NAMES[random.nextInt(4)];
        String name = NAMES[random.nextInt(NAMES.length)];
        boolean coin = random.nextBoolean();
        return switch (random.nextInt(30)) {
            case 0, 1 -> RawFrames.queueDeclare(channel, queue, table -> arguments(table, random), false, false, false,
                    random.nextBoolean(), coin);
            case 2 -> RawFrames.queueDeclare(channel, name, none -> {}, coin, false, true);
            case 3 -> RawFrames.queueDelete(channel, queue, coin, random.nextBoolean(), random.nextBoolean());
            case 4 -> RawFrames.exchangeDeclare(channel, "x-" + queue, random.nextInt(9) == 0 ? "none" : "topic",
                    table -> arguments(table, random), false, false, random.nextBoolean(), false, coin);
            case 5 -> RawFrames.exchangeDelete(channel, "x-" + queue, coin, random.nextBoolean());
            case 6 -> RawFrames.queueBind(channel, queue, "x-h" + random.nextInt(4), "#", coin, none -> {});
            case 7 -> RawFrames.queueBind(channel, queue, "amq.headers", "k", coin, table -> arguments(table, random));
            case 8 -> RawFrames.exchangeBind(channel, "x-" + queue, "x-h" + random.nextInt(4), "*", coin, none -> {});
            case 9, 10 -> RawFrames.consume(channel, queue, "t" + random.nextInt(9), table -> arguments(table, random),
                    random.nextBoolean(), random.nextBoolean(), false, coin);
            case 11 -> RawFrames.cancel(channel, "t" + random.nextInt(9), coin);
            case 12 -> RawFrames.get(channel, queue, coin);
            case 13 -> RawFrames.ack(channel, random.nextInt(6), coin);
            case 14 -> RawFrames.nack(channel, random.nextInt(6), coin, random.nextBoolean());
            case 15 -> RawFrames.recover(channel, coin);
            case 16 -> RawFrames.qos(channel, 0, random.nextInt(4), coin);
            case 17 -> RawFrames.channelFlow(channel, coin);
            case 18 -> coin ? RawFrames.txSelect(channel) : RawFrames.confirmSelect(channel, random.nextBoolean());
            case 19 -> coin ? RawFrames.txCommit(channel) : RawFrames.txRollback(channel);
            case 20 ->
                coin ? RawFrames.channelOpen(channel + random.nextInt(2)) : RawFrames.channelClose(channel, 200, "");
            case 21 -> coin ? RawFrames.channelCloseOk(channel) : RawFrames.heartbeat();
            case 22 -> RawFrames.header(channel, random.nextLong() >> random.nextInt(64), RawFrames.persistent());
            case 23 -> RawFrames.join(RawFrames.publish(channel, "", queue, coin, false),
                    RawFrames.header(channel, 3, properties(random)), RawFrames.body(channel, bytes(random, 3)));
            default -> RawFrames.message(channel, coin ? "" : "x-" + queue, queue,
                    bytes(random, random.nextInt(random.nextInt(8) == 0 ? 60_000 : 300)), 4000);
        };
    }

    private static void arguments(RawArguments table, SplittableRandom random) {
        String[] keys = {"x-message-ttl", "x-expires", "x-max-length", "x-max-priority", "x-dead-letter-exchange",
            "x-overflow", "x-match", "x-priority", "x-single-active-consumer", "alternate-exchange"};
        for (int i = random.nextInt(3); i > 0; i--) {
            String key = keys[random.nextInt(keys.length)];
            switch (random.nextInt(5)) {
                case 0 -> table.field(key, "h" + random.nextInt(4));
                case 1 -> table.field(key, random.nextInt(-2, 300));
                case 2 -> table.field(key, random.nextBoolean());
                case 3 -> table.field(key, 'l', value -> value.longLong(Long.MAX_VALUE));
                default -> table.field(key, "");
            }
        }
    }

    /** Header flags with expiration and priority, sensible or not. */
    private static byte[] properties(SplittableRandom random) {
        String[] expirations = {"0", "5", "", "-1", "9223372036854775808", "x", "100000"};
        return new RawArguments().shortInt(0x0900).octet(random.nextInt(256))
                .shortString(expirations[random.nextInt(expirations.length)]).toBytes();
    }

    private static byte[] mutate(byte[] original, SplittableRandom random) {
        byte[] bytes = original.clone();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        return bytes;
    }

    private static byte[] bytes(SplittableRandom random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static void leave(RawPeer peer, SplittableRandom random) throws IOException {
        try {
            switch (random.nextInt(4)) {
                case 0 -> peer.cut();
                case 1 -> peer.close();
                case 2 -> {
                    peer.shutdownOutput();
                    peer.readToEnd();
                    peer.close();
                }
                default -> {
                    peer.send(RawFrames.connectionClose(200, ""));
                    peer.readLimit(20).readToEnd();
                }
            }
        } catch (IOException | AssertionError e) {
            // It may be gone, or wait for the rest of what this peer has begun to send.
            peer.close();
        }
    }

    private static void witnessIsServed(RawPeer witness) throws IOException {
        try {
            witness.send(RawFrames.message(1, "", "witness", new byte[10], 4000), RawFrames.get(1, "witness", true));
            witness.skipTo(1, 60, 71);
            witness.read();
            witness.read();
        } catch (SocketTimeoutException e) {
            throw new AssertionError("a peer that behaves gets no answer", e);
        }
    }

    /** Deletes what the others may have left behind; what is there already is no error. */
    private void tidy(RawPeer witness) throws IOException {
        for (int i = 0; i < 4; i++) {
            witness.send(RawFrames.queueDelete(1, "h" + i), RawFrames.exchangeDelete(1, "x-h" + i, false, false));
            witness.skipTo(1, 50, 41);
            witness.skipTo(1, 40, 21);
        }
        witness.send(RawFrames.queueDelete(1, "witness"));
        witness.skipTo(1, 50, 41);
        witness.bye();
    }

    private void allIsQuiet() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!isQuiet()) {
            if (System.nanoTime() > end) {
                throw new AssertionError(
                        "something is left: " + broker.counters() + " " + broker.listenerCounters());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    /** Mutated names may have made queues and exchanges that nobody knows to delete; nothing else may be left. */
    private boolean isQuiet() {
        BrokerCounters now = broker.counters();
        ListenerCounters sockets = broker.listenerCounters().values().iterator().next();
        return now.connections() + now.channels() + now.consumers() + now.unsettledMessages() + now.replyAddresses()
                + sockets.open() == 0
                && (now.readyMessages() > 0 || now.messageBytes() == 0);
    }

    /** {@code FrameCampaign SECONDS SEED}: runs a campaign against a broker of its own. */
    public static void main(String[] args) throws IOException {
        long seconds = Long.parseLong(args[0]);
        long seed = Long.parseLong(args[1]);
        System.out.println("seed " + seed);
        // Or all peers would be held off after some failed logins, as they come from one address, and reach nothing behind the login.
        try (SluiceMQ broker = SluiceMQ.builder().port(0).limit(LimitsSection.LOGIN_FAILURES, 1_000_000).start()) {
            System.out.println(run(broker, seconds, seed) + " hostile peers, no harm done");
        }
    }
}
