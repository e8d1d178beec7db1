package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.Hold;
import io.sluicemq.protocol.amqp091.codec.RawArguments;
import io.sluicemq.protocol.amqp091.codec.RawFrame;
import io.sluicemq.protocol.amqp091.codec.RawFrames;
import io.sluicemq.testkit.ManualLoop;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A client of some kind that publishes to the address {@code q}, which is full, and hears what it is told about that. */
final class PublisherPeer {

    /** What a client says it is. */
    enum Kind {
        RABBITMQ_JAVA(Peer.product("RabbitMQ").andThen(Peer.platform("Java")).andThen(Peer.capabilities())),
        RABBITMQ_DOTNET(Peer.product("RabbitMQ").andThen(Peer.platform(".NET")).andThen(Peer.capabilities())),
        QPID_JMS(Peer.product("qpid")),
        PIKA(Peer.product("Pika Python Client Library").andThen(Peer.capabilities())),
        AMQPLIB(Peer.product("amqplib").andThen(Peer.platform("Node.JS")).andThen(Peer.capabilities())),
        UNKNOWN(out -> {});

        final Consumer<RawArguments> properties;

        Kind(Consumer<RawArguments> properties) {
            this.properties = properties;
        }
    }

    static final String TEXT = "address 'q' in vhost '/' is full: max-size-bytes 1000";
    static final Hold PAUSE = new Hold("q", "/", "max-size-bytes 1000", false);
    static final Hold CLOSE = new Hold("q", "/", "max-size-bytes 1000", true);
    static final int KIB = 1024;

    /** So many messages of 8 KiB are what a client that does not obey may have parked. */
    static final int ALLOWED = Peer.OPTIONS.maxParkedBytes() / (8 * KIB);

    final ManualLoop loop = ManualLoop.single();
    final FakeClient broker = new FakeClient(loop);
    final Peer peer;

    PublisherPeer(Kind kind, int heartbeatSeconds) {
        broker.full.put("q", PAUSE);
        peer = new Peer(loop, broker, new Peer.PlainAuthenticator(), Peer.OPTIONS);
        peer.handshake(kind.properties, 0, 0, heartbeatSeconds);
        peer.openChannel(1);
        peer.openChannel(2);
    }

    PublisherPeer(Kind kind) {
        this(kind, 0);
    }

    /** Publishes messages of so many bytes, in one piece. */
    void publish(int channel, String key, int count, int bytes) {
        byte[] message = RawFrames.message(channel, "", key, new byte[bytes], 64 * KIB);
        byte[][] messages = new byte[count][];
        Arrays.fill(messages, message);
        peer.send(messages);
    }

    /** Publishes messages of 8 KiB to the full address. */
    void publish(int channel, int count) {
        publish(channel, "q", count, 8 * KIB);
    }

    void confirm(int channel) {
        peer.send(RawFrames.confirmSelect(channel, true));
    }

    void millis(long millis) {
        loop.advance(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    void seconds(long seconds) {
        loop.advance(TimeUnit.SECONDS.toNanos(seconds));
    }

    /** What it was told since the last look, heartbeats apart. */
    List<String> told() {
        List<String> all = new ArrayList<>();
        for (RawFrame frame : peer.frames()) {
            if (frame.type() != 8) {
                all.add(words(frame));
            }
        }
        return all;
    }

    private static String words(RawFrame frame) {
        ByteBuffer arguments = frame.arguments();
        String where = " on " + frame.channel();
        return switch (frame.method()) {
            case 20 << 16 | 20 -> (arguments.get() == 0 ? "stop" : "go") + where;
            case 10 << 16 | 60 -> "blocked: " + RawFrame.shortString(arguments);
            case 10 << 16 | 61 -> "unblocked";
            case 10 << 16 | 50 -> "connection closed, " + Peer.closeText(frame);
            case 10 << 16 | 51 -> "connection close-ok";
            case 20 << 16 | 11 -> "opened" + where;
            case 20 << 16 | 40 -> "closed, " + frame.closeCode() + " " + Peer.closeText(frame) + where;
            case 20 << 16 | 41 -> "close-ok" + where;
            case 60 << 16 | 80 -> "ack " + arguments.getLong() + (arguments.get() == 0 ? "" : "*") + where;
            case 60 << 16 | 120 -> "nack " + arguments.getLong() + (arguments.get() == 0 ? "" : "*") + where;
            default -> frame.toString();
        };
    }
}
