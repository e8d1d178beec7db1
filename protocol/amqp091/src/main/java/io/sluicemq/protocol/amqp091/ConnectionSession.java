package io.sluicemq.protocol.amqp091;

import io.netty.buffer.ByteBuf;
import io.sluicemq.api.Authenticator;
import io.sluicemq.api.Broker;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.ClientDetails;
import io.sluicemq.api.ClientEvents;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.LateBytes;
import io.sluicemq.api.ProtocolSession;
import io.sluicemq.api.Wire;
import io.sluicemq.api.connection.ConnectionLog;
import io.sluicemq.api.connection.LateSettlements;
import io.sluicemq.api.connection.WindowOwner;
import io.sluicemq.api.connection.WindowReturns;
import io.sluicemq.base.LogEvent;
import io.sluicemq.base.LogLimit;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp091.ReadingPauses.Reason;
import io.sluicemq.protocol.amqp091.codec.BasicProperties;
import io.sluicemq.protocol.amqp091.codec.ChannelMethod;
import io.sluicemq.protocol.amqp091.codec.ConnectionMethod;
import io.sluicemq.protocol.amqp091.codec.FrameDecoder;
import io.sluicemq.protocol.amqp091.codec.FrameEncoder;
import io.sluicemq.protocol.amqp091.codec.FrameHandler;
import io.sluicemq.protocol.amqp091.codec.MethodId;
import io.sluicemq.protocol.amqp091.codec.ProtocolFault;
import io.sluicemq.protocol.amqp091.codec.ProtocolFaultException;
import io.sluicemq.protocol.amqp091.codec.ReplyCode;
import io.sluicemq.protocol.amqp091.codec.ShortString;
import io.sluicemq.protocol.amqp091.codec.ShortStringCache;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One AMQP 0-9-1 connection: leads its frames to its channels, keeps the limits that these share, and ends in order. Owned
 * by the wire's loop.
 *
 * <p>Invariant: nothing is written after {@link Phase#CLOSED}; the broker's client is closed once, after every channel has
 * given back what it held.
 */
@LoopOwned
final class ConnectionSession implements ProtocolSession, ClientEvents, FrameHandler {

    private enum Phase {
        HANDSHAKE,
        RUNNING,
        /** The client has asked to close; what it sent before is still being dealt with. */
        CLOSING_BY_PEER,
        /** We have sent a close and wait for the close-ok. */
        CLOSING_BY_US,
        /** Nothing more is read or written. */
        CLOSED
    }

    /** Bytes of incomplete messages that a connection may have at least, whatever the limit of a single one. */
    private static final long LEAST_PARTIAL_BYTES = 16L << 20;

    private static final Logger LOG = LoggerFactory.getLogger(ConnectionSession.class);

    private final Wire wire;
    private final Loop loop;
    private final Amqp091Options options;
    private final ShortStringCache strings = new ShortStringCache();
    private final FrameDecoder decoder = new FrameDecoder(strings);
    private final ReadingPauses pauses;
    private final Handshake handshake;
    private final PublisherHold publisherHold;
    private final ParkedPublishes parkedPublishes;
    private final WindowReturns windows;
    private long sentBytes;
    private final LateSettlements lateSettlements;
    private final ConnectionLog log;

    private Phase phase = Phase.HANDSHAKE;
    /** Whether the client's close waits for what waited for room, and for its confirms. */
    private boolean closesWhenStored;
    private Loop.Timer limit;
    private Heartbeats heartbeats;
    private Client client;
    private int frameMax;
    private int channelMax;
    private Channel[] channels = {};
    private int unreleasedChannels;
    private boolean releasing;
    private boolean clientClosing;
    private long parkedBytes;
    private long partialBytes;
    private long reportedHeldBytes;
    private PublishFacts facts;
    private List<Runnable> waitingForRoom = new ArrayList<>(0);

    ConnectionSession(Wire wire, Broker broker, Authenticator authenticator, Amqp091Options options,
            LogLimit strangers, LogLimit fullAddresses) {
        this.wire = wire;
        this.loop = wire.loop();
        this.options = options;
        this.log = new ConnectionLog(loop, wire.name(), strangers, LOG);
        this.pauses = new ReadingPauses(wire, decoder);
        this.handshake = new Handshake(this, wire, broker, authenticator, options, pauses);
        BlockedNotice blocked = new BlockedNotice(this);
        this.publisherHold = new PublisherHold(pauses, blocked);
        this.parkedPublishes = new ParkedPublishes(this, pauses, blocked, fullAddresses);
        this.windows = new WindowReturns(wire);
        this.lateSettlements = new LateSettlements(loop, this::closeClientWhenReleased);
        this.limit = loop.schedule(options.handshakeLimit().toNanos(), this::handshakeTooSlow);
        decoder.frameMax(options.handshakeFrameMax());
    }

    // ---- for its parts

    Loop loop() {
        return loop;
    }

    Client client() {
        return client;
    }

    String virtualHost() {
        return client.virtualHost();
    }

    Amqp091Options options() {
        return options;
    }

    /** The largest frame that was agreed on, in bytes. */
    int frameMax() {
        return frameMax;
    }

    ShortStringCache strings() {
        return strings;
    }

    ConnectionLog log() {
        return log;
    }

    /** What the client has said about itself. */
    PeerTraits peer() {
        return handshake.peer();
    }

    /** Whether the connection is open and neither side has begun to close it. */
    boolean running() {
        return phase == Phase.RUNNING;
    }

    /** The buffer to write frames to, now and completely. */
    ByteBuf out() {
        heartbeatsWrote();
        return wire.out();
    }

    private void heartbeatsWrote() {
        if (heartbeats != null) {
            heartbeats.wrote();
        }
    }

    /** Writes large output behind what is in the buffer. */
    void write(LateBytes bytes) {
        heartbeatsWrote();
        wire.write(new CountedBytes(bytes));
    }

    /** Grows while large output leaves for the socket. */
    long sentBytes() {
        return sentBytes;
    }

    /** Large output that tells how much of it the socket has taken. */
    private final class CountedBytes implements LateBytes {

        private final LateBytes bytes;
        private long reached;

        CountedBytes(LateBytes bytes) {
            this.bytes = bytes;
        }

        @Override
        public long length() {
            return bytes.length();
        }

        @Override
        public void copy(long position, ByteBuffer target) {
            int before = target.position();
            bytes.copy(position, target);
            long end = position + target.position() - before;
            if (end > reached) {
                sentBytes += end - reached;
                reached = end;
            }
        }
    }

    PublishFacts publishFacts(BasicProperties properties) {
        if (facts == null || facts.properties() != properties) {
            facts = PublishFacts.of(properties, handshake.user(), peer().qpidJms());
        }
        return facts;
    }

    // ---- bytes in

    @Override
    public void input(ByteBuf in) {
        if (heartbeats != null) {
            heartbeats.read();
        }
        if (handshake.awaitsHeader()) {
            handshake.header(in);
            if (handshake.awaitsHeader()) {
                return;
            }
        }
        while (!pauses.any() && in.isReadable()) {
            if (phase == Phase.CLOSED) {
                in.skipBytes(in.readableBytes());
                return;
            }
            try {
                decoder.decode(in, this);
                break;
            } catch (ProtocolFaultException e) {
                fail(e.fault());
            }
        }
        wire.commands(decoder.takeMethods());
        if (client != null) {
            reportHeld();
        }
        checkPublishers();
    }

    private void checkPublishers() {
        if (phase == Phase.RUNNING) {
            publisherHold.check(client);
        }
    }

    // ---- connection methods

    @Override
    public void onConnectionMethod(ConnectionMethod method) {
        switch (phase) {
            case HANDSHAKE -> {
                if (method instanceof ConnectionMethod.Close) {
                    closeAsked();
                } else {
                    handshake.process(method);
                }
            }
            case RUNNING -> {
                switch (method) {
                    case ConnectionMethod.Close m -> closeAsked();
                    case ConnectionMethod.UpdateSecret m -> {
                        facts = null;
                        handshake.renew(m);
                    }
                    default -> outOfOrder(method);
                }
            }
            case CLOSING_BY_US -> {
                switch (method) {
                    case ConnectionMethod.CloseOk m -> close();
                    case ConnectionMethod.Close m -> FrameEncoder.connectionCloseOk(out());
                    default -> {}
                }
            }
            case CLOSING_BY_PEER, CLOSED -> {}
        }
    }

    /** A method that may not come now. */
    void outOfOrder(ConnectionMethod method) {
        fail(ProtocolFault.at(
                method.id(),
                ReplyCode.COMMAND_INVALID,
                "unexpected " + MethodId.name(method.id()) + " in connection state " + stateName()));
    }

    private String stateName() {
        return phase == Phase.HANDSHAKE
                ? handshake.stepName()
                : phase.name().toLowerCase(Locale.ROOT);
    }

    // ---- moves of the handshake

    /**
     * The client is not who it says in {@code method}; it is told if it has the capability (RabbitMQ,
     * authentication_failure_close).
     */
    void loginRefused(String mechanism, int method, BrokerError error) {
        // The one who refused it logs it, at a bounded rate.
        log.debug("login refused using mechanism {}: {}", mechanism, BrokerFaults.of(error, 0).text());
        // Qpid JMS does not declare it, but understands it, and would wait for long if the stream just ended.
        if (peer().can("authentication_failure_close") || peer().qpidJms()) {
            closeWith(ProtocolFault.at(
                    method,
                    ReplyCode.ACCESS_REFUSED,
                    "Login was refused using authentication mechanism " + mechanism
                            + ". For details see the broker logfile."));
        } else {
            close();
        }
    }

    // ---- for operators

    @Override
    public ClientDetails details() {
        List<ClientDetails.Channel> all = new ArrayList<>();
        ClientDetails.State state = phase == Phase.RUNNING ? ClientDetails.State.RUNNING : ClientDetails.State.CLOSING;
        String why = publisherHold.reason();
        if (!why.isEmpty()) {
            state = state.and(ClientDetails.State.BLOCKED);
        }
        for (Channel channel : channels) {
            if (channel != null) {
                ClientDetails.Channel details = channel.details();
                all.add(details);
                if (!details.waitsFor().isEmpty()) {
                    why = why.isEmpty() ? details.waitsFor() : why;
                    state = state.and(pauses.has(Reason.FULL_ADDRESS)
                            ? ClientDetails.State.BLOCKED
                            : ClientDetails.State.FLOW);
                }
            }
        }
        String pause = pauses.inWords();
        if (!pause.isEmpty()) {
            state = state.and(ClientDetails.State.FLOW);
            why = why.isEmpty() ? pause : why;
        }
        return new ClientDetails(
                wire.peer().address(), state, why, wire.receivedBytes(), wire.sentBytes(), handshake.clientProperties(),
                channelMax, frameMax, heartbeats == null ? 0 : heartbeats.seconds(), all);
    }

    /** Limits are agreed on; {@code heartbeat} in seconds, 0 for none. */
    void tuned(int agreedChannelMax, int agreedFrameMax, int heartbeat) {
        channelMax = agreedChannelMax;
        frameMax = agreedFrameMax;
        decoder.frameMax(frameMax);
        if (heartbeat > 0) {
            heartbeats = new Heartbeats(loop, heartbeat, new HeartbeatPeer());
        }
    }

    /** The client is in its virtual host. */
    void opened(Client connected) {
        client = connected;
        limit.cancel();
        phase = Phase.RUNNING;
        log.known();
        FrameEncoder.connectionOpenOk(out());
    }

    // ---- channel frames

    @Override
    public void onChannelMethod(int number, ChannelMethod method) {
        Channel channel = channel(number);
        boolean opens = method instanceof ChannelMethod.ChannelOpen;
        if (opens && phase == Phase.RUNNING && (channel == null || channel.mayBeReplaced())) {
            if (channel != null) {
                channel.replaced();
            }
            openChannel(number);
        } else if (channel != null) {
            channel.onMethod(method);
        } else if (phase == Phase.RUNNING && method instanceof ChannelMethod.ChannelCloseOk) {
            log.debug("a close-ok on channel {}, which is not open", number);
        } else {
            notOpen(number, method.id());
        }
    }

    private Channel channel(int number) {
        return number < channels.length ? channels[number] : null;
    }

    private void openChannel(int number) {
        if (number > channelMax) {
            fail(ProtocolFault.at(
                    MethodId.CHANNEL_OPEN,
                    ReplyCode.NOT_ALLOWED,
                    "channel " + number + " is above the negotiated channel_max (" + channelMax + ")"));
            return;
        }
        BrokerError refusal = client.openChannel();
        if (refusal != null) {
            fail(ProtocolFault.at(
                    MethodId.CHANNEL_OPEN, ReplyCode.NOT_ALLOWED,
                    BrokerFaults.of(refusal, MethodId.CHANNEL_OPEN).text()));
            return;
        }
        if (number >= channels.length) {
            channels = Arrays.copyOf(channels, Math.min(channelMax + 1, Math.max(number + 1, channels.length * 2)));
        }
        channels[number] = new Channel(this, number);
        unreleasedChannels++;
        FrameEncoder.channelOpenOk(out(), number);
    }

    /** A frame on a channel that is not open: a connection error (spec §4.2.3), or too late to matter. */
    private void notOpen(int number, int method) {
        switch (phase) {
            case RUNNING -> fail(ProtocolFault.at(method, ReplyCode.CHANNEL_ERROR, "expected 'channel.open'"));
            case HANDSHAKE ->
                fail(ProtocolFault.at(
                        method,
                        ReplyCode.UNEXPECTED_FRAME,
                        "a frame on channel " + number + " in connection state " + stateName()));
            case CLOSING_BY_PEER, CLOSING_BY_US, CLOSED -> {}
        }
    }

    @Override
    public void onPublish(
            int number, ShortString exchange, ShortString routingKey, boolean mandatory, boolean immediate) {
        Channel channel = channel(number);
        if (channel == null) {
            notOpen(number, MethodId.BASIC_PUBLISH);
        } else {
            channel.onPublish(exchange, routingKey, mandatory, immediate);
        }
    }

    @Override
    public void onAck(int number, long deliveryTag, boolean multiple) {
        onSettle(number, MethodId.BASIC_ACK, ParkedFrame.SettleKind.ACK, deliveryTag, multiple, false);
    }

    @Override
    public void onNack(int number, long deliveryTag, boolean multiple, boolean requeue) {
        onSettle(number, MethodId.BASIC_NACK, ParkedFrame.SettleKind.NACK, deliveryTag, multiple, requeue);
    }

    @Override
    public void onReject(int number, long deliveryTag, boolean requeue) {
        onSettle(number, MethodId.BASIC_REJECT, ParkedFrame.SettleKind.REJECT, deliveryTag, false, requeue);
    }

    private void onSettle(
            int number, int method, ParkedFrame.SettleKind kind, long tag, boolean multiple, boolean requeue) {
        Channel channel = channel(number);
        if (channel == null) {
            notOpen(number, method);
        } else {
            channel.onSettle(kind, tag, multiple, requeue);
        }
    }

    @Override
    public void onContentHeader(int number, long bodySize, BasicProperties properties) {
        Channel channel = channel(number);
        if (channel == null) {
            notOpen(number, 0);
        } else {
            channel.onHeader(bodySize, properties);
        }
    }

    @Override
    public void onContentBody(int number, ByteBuf buffer, int index, int length) {
        Channel channel = channel(number);
        if (channel == null) {
            notOpen(number, 0);
        } else {
            channel.onBody(buffer, index, length);
        }
    }

    @Override
    public void onHeartbeat() {
        // Any bytes count as life; they have been noted where they came in.
    }

    // ---- what channels hold of the connection's limits

    /** A frame was parked. */
    void parked(int bytes) {
        parkedBytes += bytes;
        if (parkedBytes > parkedLimit()) {
            pauses.add(Reason.PARKED);
        }
    }

    /** A parked frame has been processed or dropped. */
    void unparked(int bytes) {
        parkedBytes -= bytes;
        if (parkedBytes <= parkedLimit() / 2) {
            pauses.remove(Reason.PARKED);
        }
    }

    private long parkedLimit() {
        return Math.min(options.maxParkedBytes(), client.fairShareBytes());
    }

    /** The payload's length of the frame at hand, in bytes. */
    int payloadBytes() {
        return decoder.payloadBytes();
    }

    /** Tells the broker, once for many frames, what is held here for the client. */
    private void reportHeld() {
        long held = parkedBytes + partialBytes;
        if (held != reportedHeldBytes && !clientClosing) {
            client.holds(held - reportedHeldBytes);
            reportedHeldBytes = held;
        }
    }

    /** Whether the client is kept from sending, so that it is no fault of its own if nothing comes. */
    boolean readingPaused() {
        return !wire.isReading() || parkedPublishes.slowsReading();
    }

    /** A channel has processed what it had parked, as far as it goes. */
    void drained() {
        reportHeld();
        checkPublishers();
        if (phase == Phase.CLOSING_BY_PEER) {
            closeIfQuiet();
        }
    }

    /**
     * Takes memory for a message whose body has not arrived completely.
     *
     * @return false, with the connection closed, if all its channels together hold too much
     */
    boolean reservePartial(int bytes) {
        long allowed = Math.max(options.maxMessageBytes() * 2, LEAST_PARTIAL_BYTES);
        if (partialBytes + bytes > allowed) {
            fail(ProtocolFault.at(
                    MethodId.BASIC_PUBLISH,
                    ReplyCode.RESOURCE_ERROR,
                    "incomplete messages of this connection exceed " + allowed + " bytes"));
            return false;
        }
        partialBytes += bytes;
        return true;
    }

    void freePartial(int bytes) {
        partialBytes -= bytes;
    }

    // ---- publishers held back

    /** A message was handed to the broker. */
    void published() {
        publisherHold.published();
    }

    /** Whether a publish that has come must wait. */
    boolean holdsPublisher() {
        return publisherHold.holds();
    }

    /** Whether this connection does nothing but publish on {@code channel}. */
    boolean onlyPublishes(Channel channel) {
        return unreleasedChannels == 1 && channel.onlyPublishes();
    }

    /** What waits for room in its address. */
    ParkedPublishes parkedPublishes() {
        return parkedPublishes;
    }

    /** Whether the client has consumers, or something to settle. */
    boolean consumes() {
        for (Channel channel : channels) {
            if (channel != null && channel.consumes()) {
                return true;
            }
        }
        return false;
    }

    /** Nothing waits for room in its address any more: a close that waits for that goes on, behind the confirms. */
    void noneParked() {
        if (phase == Phase.CLOSING_BY_PEER) {
            loop.execute(() -> {
                if (phase == Phase.CLOSING_BY_PEER) {
                    closeIfQuiet();
                }
            });
        }
    }

    /** A channel has written confirms: a close that waits for them goes on. */
    void confirmed() {
        if (closesWhenStored) {
            noneParked();
        }
    }

    void pausePublisher() {
        pauses.add(Reason.PACE);
    }

    void resumePublisher() {
        pauses.remove(Reason.PACE);
    }

    @Override
    public void resourcesLow(String reason) {
        publisherHold.resourcesLow(reason);
    }

    @Override
    public void resourcesRecovered() {
        publisherHold.resourcesRecovered();
        drainChannels();
    }

    private void drainChannels() {
        for (Channel channel : channels.clone()) {
            if (channel != null) {
                channel.drain();
            }
        }
    }

    // ---- deliveries

    /** Bytes of a consumer are in the buffer; they are given back when they have left. */
    void owes(WindowOwner owner) {
        windows.owe(owner);
    }

    /** Whether the client takes what is written: if not, deliveries wait here rather than in the buffer. */
    boolean hasRoom() {
        return wire.isWritable();
    }

    /** Runs {@code resume}, once, when there is room again. */
    void whenRoom(Runnable resume) {
        waitingForRoom.add(resume);
    }

    /**
     * An answer that may be far larger than its request was written. If the client does not take it, no more requests are
     * processed until it does.
     */
    void answeredAtLength() {
        if (!wire.isWritable()) {
            pauses.add(Reason.OUTPUT);
        }
    }

    /** Whether requests wait for the client to take answers. */
    boolean answersWait() {
        return pauses.has(Reason.OUTPUT);
    }

    @Override
    public void flushed() {
        useRoom();
    }

    @Override
    public void writabilityChanged() {
        useRoom();
    }

    private void useRoom() {
        // First: behind a large message there is no room for as long as it takes, and others have sent their part.
        windows.giveBack();
        if (!waitingForRoom.isEmpty() && wire.isWritable()) {
            List<Runnable> due = waitingForRoom;
            waitingForRoom = new ArrayList<>(0);
            due.forEach(Runnable::run);
        }
        if (pauses.has(Reason.OUTPUT) && wire.isWritable()) {
            pauses.remove(Reason.OUTPUT);
            drainChannels();
        }
        windows.giveBack();
    }

    /** Settles a delivery that the client never saw. */
    void settleLater(Delivery delivery, Outcome outcome) {
        lateSettlements.add(delivery, outcome);
    }

    // ---- heartbeats, time limits

    private final class HeartbeatPeer implements Heartbeats.Peer {
        @Override
        public void sendHeartbeat() {
            if (wire.isWritable()) {
                FrameEncoder.heartbeat(out());
            }
        }

        @Override
        public void silent(int seconds) {
            log.line(LogEvent.PEER_SILENT, "missed heartbeats from client, timeout: {}s", seconds);
            abort();
        }

        @Override
        public boolean readingPaused() {
            return !wire.isReading();
        }
    }

    private void handshakeTooSlow() {
        log.line(LogEvent.HANDSHAKE_LATE,
                "handshake not finished within {} s, in state {}", options.handshakeLimit().toSeconds(), stateName());
        abort();
    }

    private void closeTooSlow() {
        log.debug("no close-ok within {} s", options.closeLimit().toSeconds());
        abort();
    }

    // ---- ends

    /** Closes the connection for an error of the client's. */
    void fail(ProtocolFault fault) {
        switch (phase) {
            case HANDSHAKE, RUNNING, CLOSING_BY_PEER -> {
                log.line(LogEvent.CONNECTION_ERROR, "connection error in state {}, {}: {}",
                        stateName(),
                        MethodId.name(fault.classId() << 16 | fault.methodId()),
                        BrokerFaults.replyText(fault));
                closeWith(fault);
            }
            case CLOSING_BY_US -> {
                if (fault.streamLost()) {
                    close();
                }
            }
            case CLOSED -> {}
        }
    }

    /** A peer that has not logged in, or whose frames cannot be told apart any more, is not waited for. */
    private void closeWith(ProtocolFault fault) {
        limit.cancel();
        FrameEncoder.connectionClose(
                out(), fault.code().code(), BrokerFaults.replyText(fault), fault.classId() << 16 | fault.methodId());
        if (fault.streamLost() || handshake.user() == null) {
            close();
            return;
        }
        phase = Phase.CLOSING_BY_US;
        handshake.stop();
        limit = loop.schedule(options.closeLimit().toNanos(), this::closeTooSlow);
        pauses.removeAll();
        parkedPublishes.end();
        release();
    }

    /** The client asks to close (spec, connection.close); it is answered when its exclusive queues are gone. */
    private void closeAsked() {
        limit.cancel();
        phase = Phase.CLOSING_BY_PEER;
        handshake.stop();
        closeIfQuiet();
    }

    /** Whether all channels have dealt with what the client sent. */
    private boolean isQuiet() {
        for (Channel channel : channels) {
            if (channel != null && (!channel.quiet() || closesWhenStored && channel.owesConfirms())) {
                return false;
            }
        }
        return true;
    }

    /** Goes on with the client's close once all that it sent before has been dealt with. */
    private void closeIfQuiet() {
        if (!parkedPublishes.isEmpty()) {
            closesWhenStored = true;
            return;
        }
        if (!isQuiet()) {
            return;
        }
        release();
    }

    /** Writes nothing more, and closes the socket once it has taken what was written. */
    void close() {
        ended();
        wire.close();
        release();
    }

    private void abort() {
        ended();
        wire.abort();
        release();
    }

    @Override
    public void closed() {
        ended();
        release();
    }

    private void ended() {
        phase = Phase.CLOSED;
        handshake.stop();
        pauses.forget();
        parkedPublishes.end();
        limit.cancel();
        if (heartbeats != null) {
            heartbeats.stop();
        }
    }

    private void release() {
        if (releasing) {
            return;
        }
        releasing = true;
        // First all stop, then they give back: what one gives back must not be delivered on another.
        List<Channel> stopped = new ArrayList<>();
        for (Channel channel : channels) {
            if (channel != null && channel.stop()) {
                stopped.add(channel);
            }
        }
        if (client != null) {
            client.abandon();
        }
        stopped.forEach(Channel::release);
        closeClientWhenReleased();
    }

    /** A channel has given back all it held. */
    void channelReleased() {
        unreleasedChannels--;
        client.channelsChanged(-1);
        closeClientWhenReleased();
    }

    private void closeClientWhenReleased() {
        if (!releasing || clientClosing || unreleasedChannels > 0 || !lateSettlements.isEmpty()) {
            return;
        }
        clientClosing = true;
        if (client == null) {
            clientClosed();
        } else {
            client.close(Answers.either(this::clientClosed));
        }
    }

    private void clientClosed() {
        if (phase == Phase.CLOSING_BY_PEER) {
            FrameEncoder.connectionCloseOk(out());
            ended();
            wire.close();
        }
    }

    /** The client has closed a channel, which is now released. */
    void channelClosed(Channel channel) {
        forget(channel);
        if (phase == Phase.RUNNING) {
            FrameEncoder.channelCloseOk(out(), channel.number());
        }
    }

    /** A channel's number is free again. */
    void forget(Channel channel) {
        if (channels[channel.number()] == channel) {
            channels[channel.number()] = null;
        }
    }

    void logChannelFault(Channel channel, ProtocolFault fault) {
        log.line(LogEvent.CHANNEL_ERROR, "channel {} error, {}: {}",
                channel.number(),
                MethodId.name(fault.classId() << 16 | fault.methodId()),
                BrokerFaults.replyText(fault));
    }

    @Override
    public void shutdown(String reason) {
        forceClose(reason);
    }

    @Override
    public void closeRequested(String reason) {
        forceClose(reason);
    }

    /** Closes for a reason of the broker's own (320, connection-forced). */
    private void forceClose(String reason) {
        switch (phase) {
            case RUNNING -> closeWith(ProtocolFault.at(0, ReplyCode.CONNECTION_FORCED, reason));
            case HANDSHAKE -> close();
            case CLOSING_BY_PEER -> {
                if (!parkedPublishes.isEmpty() || !isQuiet()) {
                    // There may be no room for long, and a close-ok would say that all it sent has been dealt with.
                    closeWith(ProtocolFault.at(0, ReplyCode.CONNECTION_FORCED, reason));
                }
            }
            case CLOSING_BY_US, CLOSED -> {}
        }
    }
}
