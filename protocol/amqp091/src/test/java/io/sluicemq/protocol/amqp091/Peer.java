package io.sluicemq.protocol.amqp091;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.sluicemq.api.Access;
import io.sluicemq.api.Authenticator;
import io.sluicemq.api.Broker;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Principal;
import io.sluicemq.api.Reply;
import io.sluicemq.api.SaslExchange;
import io.sluicemq.api.SaslStep;
import io.sluicemq.base.Loop;
import io.sluicemq.protocol.amqp091.codec.MethodId;
import io.sluicemq.protocol.amqp091.codec.RawArguments;
import io.sluicemq.protocol.amqp091.codec.RawFrame;
import io.sluicemq.protocol.amqp091.codec.RawFrames;
import io.sluicemq.testkit.FakeWire;
import io.sluicemq.testkit.ManualLoop;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.LoggerFactory;

/** A client that sends frames to a session and reads its frames, on one hand-driven loop. */
final class Peer {

    static {
        // What these peers do wrong would fill the log of the build.
        ((Logger) LoggerFactory.getLogger(ConnectionSession.class)).setLevel(Level.OFF);
    }

    static final Amqp091Options OPTIONS = Amqp091Options.defaults("1.2.3");

    final ManualLoop loop;
    final FakeWire wire;
    final ConnectionSession session;
    private final Deque<RawFrame> inbox = new ArrayDeque<>();

    Peer(ManualLoop loop, Broker broker, Authenticator authenticator, Amqp091Options options) {
        this.loop = loop;
        wire = new FakeWire(loop);
        session = loop.call(() -> (ConnectionSession) new Amqp091Protocol(broker, authenticator, options).open(wire));
        wire.session(session);
    }

    /** A connection with an open channel 1 to {@code broker}. */
    static Peer connected(ManualLoop loop, Broker broker) {
        return connected(loop, broker, OPTIONS, capabilities());
    }

    static Peer connected(
            ManualLoop loop, Broker broker, Amqp091Options options, Consumer<RawArguments> clientProperties) {
        Peer peer = new Peer(loop, broker, new PlainAuthenticator(), options);
        peer.handshake(clientProperties, options.channelMax(), options.frameMax(), 0);
        peer.openChannel(1);
        return peer;
    }

    void handshake(Consumer<RawArguments> clientProperties, int channelMax, long frameMax, int heartbeat) {
        send(RawFrames.protocolHeader());
        expect(MethodId.CONNECTION_START);
        send(RawFrames.startOk(clientProperties, "PLAIN", plain("guest", "guest"), "en_US"));
        expect(MethodId.CONNECTION_TUNE);
        send(RawFrames.tuneOk(channelMax, frameMax, heartbeat), RawFrames.connectionOpen("/"));
        expect(MethodId.CONNECTION_OPEN_OK);
        expectNothing();
    }

    void openChannel(int channel) {
        send(RawFrames.channelOpen(channel));
        expect(channel, MethodId.CHANNEL_OPEN_OK);
    }

    /** Client properties with the capabilities of RabbitMQ's clients. */
    static Consumer<RawArguments> capabilities() {
        return out -> out.shortString("capabilities").octet('F').table(table -> {
            for (String name : List.of(
                    "consumer_cancel_notify", "connection.blocked", "authentication_failure_close")) {
                table.shortString(name).octet('t').octet(1);
            }
        });
    }

    static Consumer<RawArguments> product(String product) {
        return out -> out.shortString("product").octet('S').longString(product.getBytes(StandardCharsets.UTF_8));
    }

    static Consumer<RawArguments> platform(String platform) {
        return out -> out.shortString("platform").octet('S').longString(platform.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] plain(String user, String password) {
        return ("\0" + user + "\0" + password).getBytes(StandardCharsets.UTF_8);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** A message without properties, in one body frame. */
    static byte[] message(int channel, String exchange, String key, String body) {
        return message(channel, exchange, key, false, new byte[2], body);
    }

    static byte[] message(int channel, String exchange, String key, boolean mandatory, byte[] properties, String body) {
        byte[] bytes = bytes(body);
        return RawFrames.join(
                RawFrames.publish(channel, exchange, key, mandatory, false),
                RawFrames.header(channel, bytes.length, properties),
                bytes.length == 0 ? new byte[0] : RawFrames.body(channel, bytes));
    }

    void send(byte[]... frames) {
        wire.arrive(RawFrames.join(frames));
        loop.runAll();
    }

    /** All frames since the last look. */
    List<RawFrame> frames() {
        inbox.addAll(RawFrame.all(wire.writtenBytes()));
        List<RawFrame> all = new ArrayList<>(inbox);
        inbox.clear();
        return all;
    }

    RawFrame next() {
        inbox.addAll(RawFrame.all(wire.writtenBytes()));
        assertThat(inbox).as("frames").isNotEmpty();
        return inbox.poll();
    }

    RawFrame expect(int method) {
        return expect(0, method);
    }

    RawFrame expect(int channel, int method) {
        RawFrame frame = next();
        assertThat(MethodId.name(frame.method()) + " on channel " + frame.channel())
                .as("%s", frame.closeCode() > 0 ? closeText(frame) : frame)
                .isEqualTo(MethodId.name(method) + " on channel " + channel);
        return frame;
    }

    void expectNothing() {
        assertThat(frames()).isEmpty();
    }

    /** A channel.close with this text; answers it. */
    void expectChannelClose(int channel, int code, String text) {
        RawFrame frame = expect(channel, MethodId.CHANNEL_CLOSE);
        assertThat(frame.closeCode() + " " + closeText(frame)).isEqualTo(code + " " + text);
        send(RawFrames.channelCloseOk(channel));
    }

    /** A connection.close with this code whose text contains {@code text}. */
    RawFrame expectConnectionClose(int code, String text) {
        RawFrame frame = expect(MethodId.CONNECTION_CLOSE);
        assertThat(frame.closeCode() + " " + closeText(frame)).startsWith(code + " ").contains(text);
        return frame;
    }

    static String closeText(RawFrame frame) {
        return RawFrame.shortString(frame.arguments().position(2));
    }

    /** A content after a deliver, get-ok or return: its body. */
    String content(int channel) {
        RawFrame header = next();
        assertThat(header.type()).as("%s", header).isEqualTo(2);
        assertThat(header.channel()).isEqualTo(channel);
        long size = java.nio.ByteBuffer.wrap(header.payload()).getLong(4);
        StringBuilder body = new StringBuilder();
        while (body.length() < size) {
            RawFrame frame = next();
            assertThat(frame.type()).isEqualTo(3);
            assertThat(frame.channel()).isEqualTo(channel);
            body.append(new String(frame.payload(), StandardCharsets.UTF_8));
        }
        return body.toString();
    }

    /** A delivery; returns {@code tag:deliveryTag:body}. */
    String delivery(int channel) {
        var arguments = expect(channel, MethodId.BASIC_DELIVER).arguments();
        String tag = RawFrame.shortString(arguments);
        long deliveryTag = arguments.getLong();
        return tag + ":" + deliveryTag + ":" + content(channel);
    }

    void cutSocket() {
        wire.abort();
        loop.run(session::closed);
        loop.runAll();
    }

    /** Accepts guest, guest. */
    static final class PlainAuthenticator implements Authenticator {

        final Principal guest;

        PlainAuthenticator() {
            this(Principal.named("guest", Access.ALL));
        }

        PlainAuthenticator(Principal guest) {
            this.guest = guest;
        }

        @Override
        public List<String> mechanisms(Peer peer) {
            return List.of("PLAIN", "AMQPLAIN");
        }

        @Override
        public SaslExchange begin(String mechanism, Peer peer, Loop on) {
            return mechanism.equals("STEPS") ? new Steps(guest) : (response, reply) -> {
                if (new String(response, StandardCharsets.UTF_8).equals("\0guest\0guest")) {
                    reply.done(new SaslStep.Success(guest, null));
                } else {
                    reply.failed(refusal());
                }
            };
        }

        @Override
        public void renew(Principal user, byte[] secret, Peer peer, Loop on, Reply<Principal> reply) {
            if (new String(secret, StandardCharsets.UTF_8).equals("new")) {
                reply.done(user);
            } else {
                reply.failed(refusal());
            }
        }

        private static BrokerError refusal() {
            return new BrokerError.LoginRefused("bad password");
        }
    }

    /** A mechanism that wants to hear 1, 2 and 3, and has the last word. */
    private static final class Steps implements SaslExchange {

        private final Principal guest;
        private int taken;

        Steps(Principal guest) {
            this.guest = guest;
        }

        @Override
        public void respond(byte[] response, Reply<SaslStep> reply) {
            taken++;
            if (!new String(response, StandardCharsets.UTF_8).equals("" + taken)) {
                reply.failed(PlainAuthenticator.refusal());
            } else if (taken == 3) {
                reply.done(new SaslStep.Success(guest, bytes("welcome")));
            } else {
                reply.done(new SaslStep.Challenge(bytes("after " + taken)));
            }
        }
    }
}
