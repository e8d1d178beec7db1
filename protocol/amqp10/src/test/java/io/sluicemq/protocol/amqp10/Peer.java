package io.sluicemq.protocol.amqp10;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.sluicemq.protocol.amqp10.codec.Frames;
import io.sluicemq.protocol.amqp10.codec.Frames.Frame;
import io.sluicemq.testkit.FakeWire;
import io.sluicemq.testkit.ManualLoop;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.security.SaslCode;
import org.apache.qpid.protonj2.types.security.SaslMechanisms;
import org.apache.qpid.protonj2.types.security.SaslOutcome;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Begin;
import org.apache.qpid.protonj2.types.transport.Close;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.End;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.Open;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.Transfer;
import org.slf4j.LoggerFactory;

/** A client that writes frames to a session and reads its frames, on one hand-driven loop. */
final class Peer {

    static {
        // What these peers do wrong would fill the log of the build.
        ((Logger) LoggerFactory.getLogger(ConnectionSession.class)).setLevel(Level.OFF);
    }

    final ManualLoop loop;
    final FakeWire wire;
    final ConnectionSession session;
    private final Deque<Frame> inbox = new ArrayDeque<>();

    Peer(Lab lab, int loopIndex, Amqp10Options options, Login login) {
        loop = lab.loops.get(loopIndex);
        wire = new FakeWire(loop);
        session = loop.call(() -> (ConnectionSession) new Amqp10Protocol(
                lab.broker, login, options, lab.links).open(wire));
        wire.session(session);
    }

    // ---- frames

    void send(byte[]... frames) {
        send(Frames.join(frames));
    }

    void send(byte[] bytes) {
        wire.arrive(bytes);
        loop.loops().runAll();
    }

    void send(Object performative) {
        send(0, performative);
    }

    void send(int channel, Object performative) {
        send(Frames.frame(channel, performative));
    }

    /** Takes what was written, as a socket does that is free. */
    private void read() {
        byte[] bytes = wire.writtenBytes();
        inbox.addAll(Frames.read(bytes));
        if (bytes.length > 0 && wire.writable && !wire.ended()) {
            loop.run(session::flushed);
            loop.loops().runAll();
            inbox.addAll(Frames.read(wire.writtenBytes()));
        }
    }

    /** All frames since the last look. */
    List<Frame> frames() {
        read();
        List<Frame> all = new ArrayList<>(inbox);
        inbox.clear();
        return all;
    }

    Frame next() {
        if (inbox.isEmpty()) {
            read();
        }
        assertThat(inbox).as("frames").isNotEmpty();
        return inbox.poll();
    }

    <T> T expect(Class<T> type) {
        return expect(0, type);
    }

    /** The next frame, past new credit, which may come at any time, unless it is a flow that is expected. */
    <T> T expect(int channel, Class<T> type) {
        Frame frame = type == Flow.class ? next() : nextButCredit();
        assertThat(frame.performative()).isInstanceOf(type);
        assertThat(frame.channel()).isEqualTo(channel);
        return type.cast(frame.performative());
    }

    void expectHeader(byte[] header) {
        assertThat(next().payload()).isEqualTo(header);
    }

    private Frame nextButCredit() {
        Frame frame = next();
        while (isCredit(frame)) {
            frame = next();
        }
        return frame;
    }

    private static boolean isCredit(Frame frame) {
        return frame.performative() instanceof Flow flow && flow.hasHandle() && !flow.getDrain();
    }

    /** Nothing but new credit. */
    void expectNothing() {
        assertThat(frames().stream().filter(frame -> !isCredit(frame))).isEmpty();
    }

    // ---- connection

    /** A connection that is open, with a session on channel 0. */
    static Peer connected(Lab lab) {
        return connected(lab, 0);
    }

    static Peer connected(Lab lab, int loop) {
        Peer peer = opened(lab, loop, Lab.OPTIONS, open());
        peer.begin(0);
        return peer;
    }

    static Peer opened(Lab lab, int loop, Amqp10Options options, Open open) {
        Peer peer = new Peer(lab, loop, options, new Login("PLAIN"));
        peer.login();
        peer.send(open);
        peer.expect(Open.class);
        peer.expectNothing();
        return peer;
    }

    /** Up to the AMQP header's answer. */
    void login() {
        send(Frames.SASL, Frames.plain("guest", "guest"), Frames.AMQP);
        expectHeader(Frames.SASL);
        expect(SaslMechanisms.class);
        assertThat(expect(SaslOutcome.class).getCode()).isEqualTo(SaslCode.OK);
        expectHeader(Frames.AMQP);
    }

    static Open open() {
        return new Open().setContainerId("client").setHostname("localhost");
    }

    Begin begin(int channel) {
        send(channel, begin());
        return expect(channel, Begin.class);
    }

    static Begin begin() {
        return new Begin().setNextOutgoingId(0).setIncomingWindow(100_000).setOutgoingWindow(100_000);
    }

    ErrorCondition expectClose(Symbol condition) {
        ErrorCondition error = expect(Close.class).getError();
        assertThat(error).isNotNull();
        assertThat(error.getCondition()).as(error.getDescription()).isEqualTo(condition);
        return error;
    }

    ErrorCondition expectEnd(Symbol condition) {
        ErrorCondition error = expect(End.class).getError();
        assertThat(error.getCondition()).as(error.getDescription()).isEqualTo(condition);
        return error;
    }

    ErrorCondition expectDetach(Symbol condition) {
        Detach detach = expect(Detach.class);
        assertThat(detach.getError()).isNotNull();
        assertThat(detach.getError().getCondition()).as(detach.getError().getDescription()).isEqualTo(condition);
        assertThat(detach.getClosed()).isTrue();
        return detach.getError();
    }

    // ---- links

    static Attach sender(int handle, String name, String address) {
        return new Attach()
                .setName(name)
                .setHandle(handle)
                .setRole(Role.SENDER)
                .setInitialDeliveryCount(0)
                .setSource(new Source().setAddress("here"))
                .setTarget(new Target().setAddress(address));
    }

    static Attach receiver(int handle, String name, String address) {
        return new Attach()
                .setName(name)
                .setHandle(handle)
                .setRole(Role.RECEIVER)
                .setSource(new Source().setAddress(address))
                .setTarget(new Target().setAddress("here"));
    }

    /** Attaches a sender; returns its credit. */
    int attachSender(int handle, String address) {
        send(sender(handle, "sender " + handle, address));
        expect(Attach.class);
        return (int) expect(Flow.class).getLinkCredit();
    }

    void attachReceiver(int handle, String address) {
        send(receiver(handle, "receiver " + handle, address));
        assertThat(expect(Attach.class).getSource()).isNotNull();
    }

    /** A flow with the session's numbers as they are before anything was transferred. */
    static Flow flow() {
        return new Flow().setNextIncomingId(0).setIncomingWindow(100_000).setNextOutgoingId(0)
                .setOutgoingWindow(100_000);
    }

    static Flow credit(int handle, long deliveryCount, long credit) {
        return flow().setHandle(handle).setDeliveryCount(deliveryCount).setLinkCredit(credit);
    }

    // ---- messages

    static Transfer transfer(int handle, long id) {
        return new Transfer().setHandle(handle).setDeliveryId(id).setDeliveryTag(("tag " + id).getBytes(
                StandardCharsets.US_ASCII)).setMessageFormat(0);
    }

    static byte[] message(String text) {
        return message(text.getBytes(StandardCharsets.UTF_8));
    }

    /** A delivery in as many frames as it takes. */
    static byte[] inFrames(int handle, long id, byte[] message, int most) {
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        for (int at = 0; at < message.length; at += most) {
            byte[] part = Arrays.copyOfRange(message, at, Math.min(message.length, at + most));
            Transfer transfer = at == 0 ? transfer(handle, id) : new Transfer().setHandle(handle);
            frames.writeBytes(Frames.frame(0, transfer.setMore(at + most < message.length), part));
        }
        return frames.toByteArray();
    }

    static byte[] message(byte[] data) {
        return Frames.encode(new Data(data));
    }

    static byte[] send(int handle, long id, String text) {
        return Frames.frame(0, transfer(handle, id), message(text));
    }

    /** A delivery in one frame; returns its text. */
    String receive(int handle, long id) {
        Frame frame = nextButCredit();
        Transfer transfer = (Transfer) frame.performative();
        assertThat(transfer.getHandle()).isEqualTo(handle);
        assertThat(transfer.getDeliveryId()).isEqualTo(id);
        assertThat(transfer.getMore()).isFalse();
        return text(frame.payload());
    }

    /** What stands in the data of a message without properties: the text behind the broker's header. */
    static String text(byte[] message) {
        return new String(data(message), StandardCharsets.UTF_8);
    }

    static byte[] data(byte[] message) {
        return Sections.read(message).stream()
                .filter(Data.class::isInstance)
                .map(section -> ((Data) section).getValue())
                .findFirst()
                .orElseThrow();
    }

    static Disposition settle(Role role, long first, long last, DeliveryState state) {
        return new Disposition().setRole(role).setFirst(first).setLast(last).setSettled(true).setState(state);
    }

    void expectOutcome(long first, long last, Class<? extends DeliveryState> state) {
        Disposition disposition = expect(Disposition.class);
        assertThat(disposition.getRole()).isEqualTo(Role.RECEIVER);
        assertThat(disposition.getFirst()).isEqualTo(first);
        assertThat(disposition.hasLast() ? disposition.getLast() : first).isEqualTo(last);
        assertThat(disposition.getState()).isInstanceOf(state);
        assertThat(disposition.getSettled()).isTrue();
    }

    void cutSocket() {
        wire.abort();
        loop.run(session::closed);
        loop.loops().runAll();
    }
}
