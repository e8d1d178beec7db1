package io.sluicemq.protocol.amqp091;

import io.netty.buffer.ByteBuf;
import io.sluicemq.api.Authenticator;
import io.sluicemq.api.Broker;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.ClientEvents;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Principal;
import io.sluicemq.api.ProtocolSession;
import io.sluicemq.api.Reply;
import io.sluicemq.api.Wire;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp091.codec.BasicProperties;
import io.sluicemq.protocol.amqp091.codec.ChannelMethod;
import io.sluicemq.protocol.amqp091.codec.ConnectionMethod;
import io.sluicemq.protocol.amqp091.codec.FrameDecoder;
import io.sluicemq.protocol.amqp091.codec.FrameEncoder;
import io.sluicemq.protocol.amqp091.codec.FrameFormat;
import io.sluicemq.protocol.amqp091.codec.FrameHandler;
import io.sluicemq.protocol.amqp091.codec.MethodId;
import io.sluicemq.protocol.amqp091.codec.ProtocolFault;
import io.sluicemq.protocol.amqp091.codec.ProtocolFaultException;
import io.sluicemq.protocol.amqp091.codec.ProtocolHeader;
import io.sluicemq.protocol.amqp091.codec.ReplyCode;
import io.sluicemq.protocol.amqp091.codec.ShortString;
import io.sluicemq.protocol.amqp091.codec.ShortStringCache;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * One AMQP 0-9-1 connection: handshake, tuning, heartbeats, its channels, and its end. Owned by the wire's loop.
 *
 * <p>Invariant: reading is paused exactly while a reason to pause holds; nothing is written after {@link Phase#CLOSED};
 * the broker's client is closed once, after every channel has given back what it held.
 */
@LoopOwned
final class ConnectionSession implements ProtocolSession, ClientEvents, FrameHandler {

    private enum Phase {
        /** Waiting for the protocol header, start-ok, tune-ok, open; or for the broker's answer in between. */
        HEADER,
        STARTING,
        AUTHENTICATING,
        TUNING,
        OPENING,
        CONNECTING,
        RUNNING,
        /** The client has asked to close; what it sent before is still being dealt with. */
        CLOSING_BY_PEER,
        /** We have sent a close and wait for the close-ok. */
        CLOSING_BY_US,
        /** Nothing more is read or written. */
        CLOSED
    }

    /** Why reading is paused; bits. */
    private static final int PAUSED_FOR_ANSWER = 1;

    private static final int PAUSED_FOR_PARKED = 2;
    private static final int PAUSED_FOR_BROKER = 4;
    private static final int PAUSED_FOR_PACE = 8;

    private final Wire wire;
    private final Loop loop;
    private final Broker broker;
    private final Authenticator authenticator;
    private final Amqp091Options options;
    private final ShortStringCache strings = new ShortStringCache();
    private final FrameDecoder decoder = new FrameDecoder(strings);
    private final ConnectionLog log;
    private final Runnable settleDue = this::settleDue;
    private final Runnable notCongested = this::notCongested;

    private Phase phase = Phase.HEADER;
    private Loop.Timer limit;
    private Heartbeats heartbeats;
    private PeerTraits peer = PeerTraits.UNKNOWN;
    private Principal user;
    private Client client;
    private boolean releasing;
    private boolean clientClosing;
    private int frameMax;
    private int channelMax;
    private Channel[] channels = {};
    private int unreleasedChannels;
    private int pauses;
    private long parkedBytes;
    private long partialBytes;
    private boolean publishedSinceCheck;
    private boolean congested;
    private boolean hasPublished;
    private String shortage;
    private boolean toldBlocked;
    private PublishFacts facts;
    private List<WindowOwner> owing = new ArrayList<>(0);
    private List<WindowOwner> spareOwing = new ArrayList<>(0);
    private List<LateSettlement> lateSettlements = new ArrayList<>(0);

    private record LateSettlement(Delivery delivery, Outcome outcome) {}

    ConnectionSession(Wire wire, Broker broker, Authenticator authenticator, Amqp091Options options) {
        this.wire = wire;
        this.loop = wire.loop();
        this.broker = broker;
        this.authenticator = authenticator;
        this.options = options;
        this.log = new ConnectionLog(loop, wire.name());
        this.limit = loop.schedule(options.handshakeLimit().toNanos(), this::handshakeTooSlow);
        decoder.frameMax(options.handshakeFrameMax());
    }

    // ---- for channels

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

    int frameMax() {
        return frameMax;
    }

    ShortStringCache strings() {
        return strings;
    }

    ConnectionLog log() {
        return log;
    }

    /** The buffer to write frames to, now and completely. */
    ByteBuf out() {
        if (heartbeats != null) {
            heartbeats.wrote();
        }
        return wire.out();
    }

    /** Whether the client has declared a capability. */
    boolean peerCan(String capability) {
        return peer.can(capability);
    }

    /** Whether the client is Qpid JMS, which takes some methods as its own broker does. */
    boolean peerIsQpidJms() {
        return peer.qpidJms();
    }

    PublishFacts publishFacts(BasicProperties properties) {
        if (facts == null || facts.properties() != properties) {
            facts = PublishFacts.of(properties, user, peer.qpidJms());
        }
        return facts;
    }

    // ---- bytes in

    @Override
    public void input(ByteBuf in) {
        if (heartbeats != null) {
            heartbeats.read();
        }
        if (phase == Phase.HEADER && !header(in)) {
            return;
        }
        while (pauses == 0 && in.isReadable()) {
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
        checkCongestion();
    }

    /** The protocol header (spec §4.2.2); false if it has not arrived or is another's. */
    private boolean header(ByteBuf in) {
        switch (ProtocolHeader.examine(in)) {
            case NEED_MORE -> {
                return false;
            }
            case AMQP_0_9_1 -> {
                in.skipBytes(ProtocolHeader.LENGTH);
                phase = Phase.STARTING;
                FrameEncoder.connectionStart(
                        out(),
                        ServerProperties.of(options.version()),
                        String.join(" ", authenticator.mechanisms(wire.peer())),
                        "en_US");
                return true;
            }
            case OTHER_VERSION, NOT_AMQP -> {
                ProtocolHeader.write(out());
                close();
                in.skipBytes(in.readableBytes());
                return false;
            }
        }
        return false;
    }

    private void pause(int reason) {
        if (pauses == 0) {
            wire.pauseReading();
            decoder.pause();
        }
        pauses |= reason;
    }

    private void resume(int reason) {
        if ((pauses & reason) != 0) {
            pauses &= ~reason;
            if (pauses == 0 && phase != Phase.CLOSED) {
                wire.resumeReading();
            }
        }
    }

    // ---- connection methods

    @Override
    public void onConnectionMethod(ConnectionMethod method) {
        switch (phase) {
            case CLOSED, HEADER -> {}
            case CLOSING_BY_US -> {
                switch (method) {
                    case ConnectionMethod.CloseOk m -> close();
                    case ConnectionMethod.Close m -> FrameEncoder.connectionCloseOk(out());
                    default -> {}
                }
            }
            case CLOSING_BY_PEER -> {}
            case STARTING, AUTHENTICATING, TUNING, OPENING, CONNECTING, RUNNING -> process(method);
        }
    }

    private void process(ConnectionMethod method) {
        switch (method) {
            case ConnectionMethod.StartOk m when phase == Phase.STARTING -> startOk(m);
            case ConnectionMethod.TuneOk m when phase == Phase.TUNING -> tuneOk(m);
            case ConnectionMethod.Open m when phase == Phase.OPENING -> open(m);
            case ConnectionMethod.UpdateSecret m when phase == Phase.RUNNING -> updateSecret(m);
            case ConnectionMethod.Close m -> closeAsked();
            case ConnectionMethod.StartOk m -> outOfOrder(m);
            case ConnectionMethod.TuneOk m -> outOfOrder(m);
            case ConnectionMethod.Open m -> outOfOrder(m);
            case ConnectionMethod.UpdateSecret m -> outOfOrder(m);
            case ConnectionMethod.SecureOk m -> outOfOrder(m);
            case ConnectionMethod.CloseOk m -> outOfOrder(m);
        }
    }

    private void outOfOrder(ConnectionMethod method) {
        fail(ProtocolFault.at(
                method.id(),
                ReplyCode.COMMAND_INVALID,
                "unexpected " + MethodId.name(method.id()) + " in connection state " + stateName()));
    }

    private String stateName() {
        return phase.name().toLowerCase(Locale.ROOT);
    }

    private void startOk(ConnectionMethod.StartOk method) {
        peer = PeerTraits.of(method.clientProperties());
        phase = Phase.AUTHENTICATING;
        pause(PAUSED_FOR_ANSWER);
        authenticator.authenticate(
                method.mechanism(),
                method.response(),
                wire.peer(),
                loop,
                answer(Phase.AUTHENTICATING, this::authenticated, error -> loginRefused(method.mechanism(), error)));
    }

    private void authenticated(Principal principal) {
        user = principal;
        phase = Phase.TUNING;
        wire.authenticated();
        FrameEncoder.connectionTune(out(), options.channelMax(), options.frameMax(), options.heartbeatSeconds());
    }

    private void loginRefused(String mechanism, BrokerError error) {
        log.info("login refused using mechanism {}: {}", mechanism, BrokerFaults.of(error, 0).text());
        if (peerCan("authentication_failure_close")) {
            closeWith(ProtocolFault.at(
                    MethodId.CONNECTION_START_OK,
                    ReplyCode.ACCESS_REFUSED,
                    "Login was refused using authentication mechanism " + mechanism
                            + ". For details see the broker logfile."));
        } else {
            close();
        }
    }

    private void tuneOk(ConnectionMethod.TuneOk method) {
        String refusal = Tuning.refusal("frame_max", method.frameMax(), FrameFormat.MIN_FRAME_MAX, options.frameMax());
        if (refusal == null) {
            refusal = Tuning.refusal("channel_max", method.channelMax(), 1, options.channelMax());
        }
        if (refusal != null) {
            fail(ProtocolFault.at(method.id(), ReplyCode.NOT_ALLOWED, refusal));
            return;
        }
        frameMax = method.frameMax() == 0 ? options.frameMax() : (int) method.frameMax();
        channelMax = method.channelMax() == 0 ? options.channelMax() : method.channelMax();
        decoder.frameMax(frameMax);
        if (method.heartbeat() > 0) {
            heartbeats = new Heartbeats(loop, method.heartbeat(), new HeartbeatPeer());
        }
        phase = Phase.OPENING;
    }

    private void open(ConnectionMethod.Open method) {
        phase = Phase.CONNECTING;
        pause(PAUSED_FOR_ANSWER);
        String name = peer.connectionName().isEmpty() ? wire.name() : wire.name() + " " + peer.connectionName();
        Broker.ClientSpec spec = new Broker.ClientSpec(
                method.virtualHost(), user, name, Amqp091Protocol.NAME, peer.product(), this);
        broker.connect(spec, loop, new Reply<>() {
            @Override
            public void done(Client connected) {
                if (phase == Phase.CONNECTING) {
                    client = connected;
                    opened();
                } else {
                    connected.close(whenClosed(() -> {}));
                }
            }

            @Override
            public void failed(BrokerError error) {
                resume(PAUSED_FOR_ANSWER);
                if (phase == Phase.CONNECTING) {
                    fail(openRefusal(error));
                }
            }
        });
    }

    /** Whatever keeps a client out of a virtual host is a 530 to it. */
    private static ProtocolFault openRefusal(BrokerError error) {
        ProtocolFault fault = BrokerFaults.of(error, MethodId.CONNECTION_OPEN);
        return fault.hard()
                ? fault
                : ProtocolFault.at(MethodId.CONNECTION_OPEN, ReplyCode.NOT_ALLOWED, fault.text());
    }

    private void opened() {
        limit.cancel();
        phase = Phase.RUNNING;
        FrameEncoder.connectionOpenOk(out());
        resume(PAUSED_FOR_ANSWER);
    }

    private void updateSecret(ConnectionMethod.UpdateSecret method) {
        authenticator.renew(
                user,
                method.newSecret(),
                wire.peer(),
                loop,
                new Reply<>() {
                    @Override
                    public void done(Principal renewed) {
                        if (phase == Phase.RUNNING) {
                            user = renewed;
                            facts = null;
                            FrameEncoder.connectionUpdateSecretOk(out());
                        }
                    }

                    @Override
                    public void failed(BrokerError error) {
                        if (phase == Phase.RUNNING) {
                            fail(ProtocolFault.at(method.id(), ReplyCode.NOT_ALLOWED, "New secret was refused"));
                        }
                    }
                });
    }

    /** An answer that reading waits for, of interest while the handshake stands where it stood. */
    private <T> Reply<T> answer(Phase standing, Consumer<T> done, Consumer<BrokerError> failed) {
        return new Reply<>() {
            @Override
            public void done(T result) {
                if (phase == standing) {
                    done.accept(result);
                }
                resume(PAUSED_FOR_ANSWER);
            }

            @Override
            public void failed(BrokerError error) {
                if (phase == standing) {
                    failed.accept(error);
                }
                resume(PAUSED_FOR_ANSWER);
            }
        };
    }

    // ---- channel frames

    @Override
    public void onChannelMethod(int number, ChannelMethod method) {
        Channel channel = channel(number);
        boolean opens = method instanceof ChannelMethod.ChannelOpen;
        if (opens && phase == Phase.RUNNING && (channel == null || channel.mayBeReplaced())) {
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
        if (number >= channels.length) {
            channels = Arrays.copyOf(channels, Math.min(channelMax + 1, Math.max(number + 1, channels.length * 2)));
        }
        channels[number] = new Channel(this, number);
        unreleasedChannels++;
        client.channelsChanged(1);
        FrameEncoder.channelOpenOk(out(), number);
    }

    /** A frame on a channel that is not open: a connection error (spec §4.2.3), or too late to matter. */
    private void notOpen(int number, int method) {
        switch (phase) {
            case RUNNING ->
                fail(ProtocolFault.at(method, ReplyCode.CHANNEL_ERROR, "expected 'channel.open'"));
            case HEADER, STARTING, AUTHENTICATING, TUNING, OPENING, CONNECTING ->
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
        if (parkedBytes > options.maxParkedBytes()) {
            pause(PAUSED_FOR_PARKED);
        }
    }

    /** A parked frame has been processed or dropped. */
    void unparked(int bytes) {
        parkedBytes -= bytes;
        if (parkedBytes <= options.maxParkedBytes() / 2) {
            resume(PAUSED_FOR_PARKED);
        }
    }

    /** A channel has processed what it had parked, as far as it goes. */
    void drained(Channel channel) {
        checkCongestion();
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
        long allowed = Math.max(options.maxMessageBytes() * 2, 16L << 20);
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
        publishedSinceCheck = true;
        hasPublished = true;
    }

    /** Whether the client is known to stop publishing on a channel at channel.flow, and takes no harm from it. */
    boolean peerObeysFlow() {
        return peer.obeysFlow();
    }

    /** Whether this connection does nothing but publish on {@code channel}. */
    boolean onlyPublishes(Channel channel) {
        return unreleasedChannels == 1 && channel.onlyPublishes();
    }

    void pausePublisher() {
        pause(PAUSED_FOR_PACE);
    }

    void resumePublisher() {
        resume(PAUSED_FOR_PACE);
    }

    private void checkCongestion() {
        if (publishedSinceCheck && !congested && phase == Phase.RUNNING) {
            publishedSinceCheck = false;
            if (client.congested(notCongested)) {
                congested = true;
                pause(PAUSED_FOR_BROKER);
            }
        }
    }

    private void notCongested() {
        congested = false;
        resume(PAUSED_FOR_BROKER);
    }

    /** Whether publishes have to wait, and the client is told so if that is new. */
    boolean holdsPublisher() {
        if (shortage == null) {
            return false;
        }
        hasPublished = true;
        tellBlocked();
        return true;
    }

    private void tellBlocked() {
        if (!toldBlocked && peerCan("connection.blocked") && phase == Phase.RUNNING) {
            toldBlocked = true;
            FrameEncoder.connectionBlocked(out(), shortage);
        }
    }

    @Override
    public void resourcesLow(String reason) {
        shortage = reason;
        if (hasPublished) {
            tellBlocked();
        }
    }

    @Override
    public void resourcesRecovered() {
        shortage = null;
        if (toldBlocked) {
            toldBlocked = false;
            if (phase == Phase.RUNNING) {
                FrameEncoder.connectionUnblocked(out());
            }
        }
        for (Channel channel : channels.clone()) {
            if (channel != null) {
                channel.drain();
            }
        }
    }

    // ---- deliveries

    /** Bytes of a consumer are in the buffer; they are given back when they have left. */
    void owes(WindowOwner owner) {
        owing.add(owner);
    }

    @Override
    public void flushed() {
        giveBack();
    }

    @Override
    public void writabilityChanged() {
        giveBack();
    }

    private void giveBack() {
        if (owing.isEmpty() || !wire.isWritable()) {
            return;
        }
        List<WindowOwner> due = owing;
        owing = spareOwing;
        for (int i = 0; i < due.size(); i++) {
            due.get(i).giveBack();
        }
        due.clear();
        spareOwing = due;
    }

    /**
     * Settles a delivery that the client never saw, not at once but in a turn to come: its queue may be in the middle of
     * delivering, and would find the next consumer that settles like this, and so on, ever deeper.
     */
    void settleLater(Delivery delivery, Outcome outcome) {
        if (lateSettlements.isEmpty()) {
            loop.execute(settleDue);
        }
        lateSettlements.add(new LateSettlement(delivery, outcome));
    }

    private void settleDue() {
        List<LateSettlement> due = lateSettlements;
        lateSettlements = new ArrayList<>(0);
        for (LateSettlement each : due) {
            each.delivery.settle(each.outcome);
        }
        closeClientWhenReleased();
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
            log.info("missed heartbeats from client, timeout: {}s", seconds);
            abort();
        }

        @Override
        public boolean readingPaused() {
            return !wire.isReading();
        }
    }

    private void handshakeTooSlow() {
        log.info("handshake not finished within {} s, in state {}", options.handshakeLimit().toSeconds(), stateName());
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
            case CLOSED -> {}
            case CLOSING_BY_US -> {
                if (fault.streamLost()) {
                    close();
                }
            }
            case HEADER, STARTING, AUTHENTICATING, TUNING, OPENING, CONNECTING, RUNNING, CLOSING_BY_PEER -> {
                log.warn(
                        "connection error in state {}, {}: {}",
                        stateName(),
                        MethodId.name(fault.classId() << 16 | fault.methodId()),
                        BrokerFaults.replyText(fault));
                closeWith(fault);
            }
        }
    }

    private void closeWith(ProtocolFault fault) {
        boolean authenticated = user != null;
        limit.cancel();
        FrameEncoder.connectionClose(
                out(), fault.code().code(), BrokerFaults.replyText(fault), fault.classId() << 16 | fault.methodId());
        if (fault.streamLost() || !authenticated) {
            close();
            return;
        }
        phase = Phase.CLOSING_BY_US;
        decoder.frameMax(Math.max(frameMax, FrameFormat.MIN_FRAME_MAX));
        limit = loop.schedule(options.closeLimit().toNanos(), this::closeTooSlow);
        release();
    }

    /** The client asks to close (spec, connection.close); it is answered when its exclusive queues are gone. */
    private void closeAsked() {
        limit.cancel();
        phase = Phase.CLOSING_BY_PEER;
        closeIfQuiet();
    }

    /** Goes on with the client's close once all that it sent before has been dealt with. */
    private void closeIfQuiet() {
        for (Channel channel : channels) {
            if (channel != null && !channel.quiet()) {
                return;
            }
        }
        release();
    }

    /** Writes nothing more, and closes the socket once it has taken what was written. */
    private void close() {
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
        stopped.forEach(Channel::release);
        closeClientWhenReleased();
    }

    /** A channel that was to be released has given back all it held. */
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
            client.close(whenClosed(this::clientClosed));
        }
    }

    private static Reply<Void> whenClosed(Runnable action) {
        return new Reply<>() {
            @Override
            public void done(Void result) {
                action.run();
            }

            @Override
            public void failed(BrokerError error) {
                action.run();
            }
        };
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
        log.info(
                "channel {} error, {}: {}",
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
            case RUNNING, OPENING, CONNECTING -> closeWith(ProtocolFault.at(0, ReplyCode.CONNECTION_FORCED, reason));
            case HEADER, STARTING, AUTHENTICATING, TUNING -> close();
            case CLOSING_BY_PEER, CLOSING_BY_US, CLOSED -> {}
        }
    }
}
