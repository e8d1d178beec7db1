package io.sluicemq.protocol.amqp10;

import io.netty.buffer.ByteBuf;
import io.sluicemq.api.Authenticator;
import io.sluicemq.api.Broker;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.ClientDetails;
import io.sluicemq.api.ClientEvents;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Principal;
import io.sluicemq.api.ProtocolSession;
import io.sluicemq.api.Reply;
import io.sluicemq.api.Wire;
import io.sluicemq.api.connection.ConnectionLog;
import io.sluicemq.api.connection.LateSettlements;
import io.sluicemq.api.connection.WindowOwner;
import io.sluicemq.api.connection.WindowReturns;
import io.sluicemq.base.LogEvent;
import io.sluicemq.base.LogLimit;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp10.codec.AmqpFault;
import io.sluicemq.protocol.amqp10.codec.FrameReader;
import io.sluicemq.protocol.amqp10.codec.FrameWriter;
import io.sluicemq.protocol.amqp10.codec.Performatives;
import io.sluicemq.protocol.amqp10.codec.Shortened;
import io.sluicemq.protocol.amqp10.message.IncomingMessage;
import io.sluicemq.protocol.amqp10.terminus.Termini;
import io.sluicemq.protocol.amqp10.terminus.TerminusError;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.Begin;
import org.apache.qpid.protonj2.types.transport.Close;
import org.apache.qpid.protonj2.types.transport.ConnectionError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.Open;
import org.apache.qpid.protonj2.types.transport.Performative;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One AMQP 1.0 connection (part 2, §2.4): leads its frames to its sessions, keeps what these share, and ends in order. Owned by
 * the wire's loop.
 *
 * <p>Invariant: nothing is written after {@link Phase#CLOSED}; the broker's client is closed once, after every session has
 * given back what it held.
 */
@LoopOwned
final class ConnectionSession implements ProtocolSession, ClientEvents {

    private enum Phase {
        HANDSHAKE,
        RUNNING,
        /** The client has asked to close, and is answered when all is given back. */
        CLOSING_BY_PEER,
        /** We have sent a close and wait for the peer's. */
        CLOSING_BY_US,
        /** Nothing more is read or written. */
        CLOSED
    }

    private static final Logger LOG = LoggerFactory.getLogger(ConnectionSession.class);

    /** What the links of a connection may take of memory, in bytes: some thirty thousand small ones. */
    private static final long MOST_LINK_BYTES = 32 << 20;

    /** What Qpid JMS says it is; its versions up to 2.7 at least. */
    private static final String QPID_JMS = "QpidJMS";

    private final Wire wire;
    private final Loop loop;
    private final Amqp10Options options;
    private final LinkRegistry links;
    private final FrameReader frames;
    private final Performatives performatives = new Performatives();
    private final Handshake handshake;
    private final WindowReturns windows;
    private final LateSettlements lateSettlements;
    private final ConnectionLog log;
    private final Output output;
    private final Congestion congestion;
    private final SuspendedLinks suspendedLinks = new SuspendedLinks(this);
    private final LeftTermini leftTermini = new LeftTermini(this);
    private final LargeMessages largeMessages = new LargeMessages(this);
    private final LinkNames linkNames = new LinkNames();
    private final IncomingMessage reader = new IncomingMessage();

    private Phase phase = Phase.HANDSHAKE;
    private Loop.Timer limit;
    private IdleTimes idleTimes;
    private Client client;
    private String container;
    private boolean doubtsRollback;
    private Termini termini;
    private Transactions transactions;
    private long peerFrameMax = FrameReader.LEAST_MAX_FRAME;
    private AmqpSession[] sessions = {};
    private int unreleasedSessions;
    private int peerChannelMax;
    private PostponedBegin postponed;
    private boolean releasing;
    private boolean clientClosing;
    private boolean resourcesLow;
    /** Why they are low. */
    private String shortage = "";
    private Map<String, Object> peersProperties = Map.of();
    /** Performatives of the input at hand. */
    private int commands;

    private int readingHolds;
    private long partialBytes;
    private long linkBytes;

    /** A session that begins where another has not ended yet. */
    private record PostponedBegin(int channel, Begin begin) {}

    ConnectionSession(
            Wire wire, Broker broker, Authenticator authenticator, Amqp10Options options, LinkRegistry links,
            LogLimit strangers) {
        this.wire = wire;
        this.loop = wire.loop();
        this.options = options;
        this.links = links;
        this.log = new ConnectionLog(loop, wire.name(), strangers, LOG);
        this.frames = new FrameReader(Handshake.FRAME_MAX);
        this.handshake = new Handshake(this, wire, broker, authenticator, options);
        this.windows = new WindowReturns(wire);
        this.lateSettlements = new LateSettlements(loop, this::closeClientWhenReleased);
        this.output = new Output(wire);
        this.congestion = new Congestion(this);
        this.limit = loop.schedule(options.handshakeLimit().toNanos(), this::handshakeTooSlow);
    }

    // ---- for its parts

    Loop loop() {
        return loop;
    }

    Client client() {
        return client;
    }

    Amqp10Options options() {
        return options;
    }

    ConnectionLog log() {
        return log;
    }

    Termini termini() {
        return termini;
    }

    Transactions transactions() {
        return transactions;
    }

    LinkNames linkNames() {
        return linkNames;
    }

    Output output() {
        return output;
    }

    Performatives performatives() {
        return performatives;
    }

    /** What reads messages that arrive, one after the other. */
    IncomingMessage reader() {
        return reader;
    }

    Principal user() {
        return handshake.user();
    }

    /** The largest frame that the peer takes. */
    int peerFrameMax() {
        return (int) Math.min(peerFrameMax, options.frameMax());
    }

    /** Whether the connection is open and neither side has begun to close it. */
    boolean running() {
        return phase == Phase.RUNNING;
    }

    /** Whether it takes {@code amqp:transaction:rollback} in answer to a commit for doubt about what has become of that. */
    boolean doubtsRollback() {
        return doubtsRollback;
    }

    /** Whether publishers are to get no more credit, as the broker is short of memory or disk. */
    boolean resourcesLow() {
        return resourcesLow;
    }

    /** The buffer to write frames to, now and completely. */
    ByteBuf out() {
        if (idleTimes != null) {
            idleTimes.wrote();
        }
        return wire.out();
    }

    /** Writes a performative without a payload. If no frame that the peer takes can hold it the connection ends (§2.8.15). */
    void write(int channel, Performative performative) {
        int most = peerFrameMax();
        int size = performatives.write(out(), channel, performative, most);
        if (size <= most) {
            return;
        }
        Performative shorter = Shortened.of(performative);
        if (shorter == null || performatives.write(out(), channel, shorter, most) > most) {
            fail(AmqpFault.connection(
                    AmqpError.FRAME_SIZE_TOO_SMALL,
                    "an " + name(performative) + " of " + size + " bytes does not fit into a frame of " + most));
        }
    }

    // ---- bytes in

    @Override
    public void input(ByteBuf in) {
        if (idleTimes != null) {
            idleTimes.read();
        }
        while (readingHolds == 0 && in.isReadable()) {
            if (phase == Phase.CLOSED) {
                in.skipBytes(in.readableBytes());
                return;
            }
            if (handshake.awaitsHeader()) {
                handshake.header(in);
                if (handshake.awaitsHeader()) {
                    return;
                }
                continue;
            }
            int before = in.readerIndex();
            try {
                frames.read(in, this::frame);
            } catch (AmqpFault e) {
                fail(e);
            }
            if (in.readerIndex() == before) {
                break; // a frame that has not arrived completely
            }
        }
        wire.commands(commands);
        commands = 0;
        if (client != null && phase == Phase.RUNNING) {
            congestion.check(client);
        }
    }

    private boolean frame(int type, int channel, ProtonBuffer body) throws AmqpFault {
        if (handshake.inSasl()) {
            if (type != FrameReader.TYPE_SASL) {
                throw AmqpFault.connection(ConnectionError.FRAMING_ERROR, "a frame of type " + type + " within SASL");
            }
            handshake.sasl(performatives.readSasl(body));
            // Behind the outcome the stream begins anew, with a header.
            return readingHolds == 0 && !handshake.awaitsHeader() && phase != Phase.CLOSED;
        }
        if (type != FrameReader.TYPE_AMQP) {
            throw AmqpFault.connection(ConnectionError.FRAMING_ERROR, "a frame of type " + type);
        }
        if (body.isReadable()) {
            commands++;
            performative(channel, performatives.read(body), body);
        }
        return readingHolds == 0 && phase != Phase.CLOSED;
    }

    private void performative(int channel, Performative performative, ProtonBuffer payload) throws AmqpFault {
        switch (phase) {
            case HANDSHAKE -> {
                if (performative instanceof Open open) {
                    handshake.open(open);
                } else if (performative instanceof Close && handshake.connecting()) {
                    closeAsked();
                } else {
                    throw AmqpFault.connection(
                            AmqpError.ILLEGAL_STATE, "a performative other than open: " + name(performative));
                }
            }
            case RUNNING -> {
                switch (performative) {
                    case Close close -> {
                        if (close.getError() != null) {
                            log.line(LogEvent.CLIENT_CLOSED_WITH_ERROR, "the client closes with {}", close.getError());
                        }
                        closeAsked();
                    }
                    case Open open -> throw AmqpFault.connection(AmqpError.ILLEGAL_STATE, "a second open");
                    case Begin begin -> begin(channel, begin);
                    default -> {
                        AmqpSession session = session(channel);
                        if (session == null) {
                            throw AmqpFault.connection(
                                    AmqpError.ILLEGAL_STATE,
                                    "a " + name(performative) + " on channel " + channel + ", where no session is");
                        }
                        session.onPerformative(performative, payload, frames.bodyBytes());
                    }
                }
            }
            case CLOSING_BY_US -> {
                if (performative instanceof Close) {
                    close();
                }
            }
            case CLOSING_BY_PEER, CLOSED -> {}
        }
    }

    private static String name(Performative performative) {
        return performative.getPerformativeType().name().toLowerCase(Locale.ROOT);
    }

    // ---- moves of the handshake

    /** The stream begins anew with frames of AMQP of up to the size that we told. */
    void framesOf(int maxBytes) {
        frames.maxFrameBytes(maxBytes);
    }

    void authenticated() {
        wire.authenticated();
    }

    /** Limits are agreed on, and the client is in its virtual host. */
    void opened(Client connected, Open peersOpen, Termini ofClient) {
        client = connected;
        container = peersOpen.getContainerId();
        doubtsRollback = Handshake.product(peersOpen).equals(QPID_JMS);
        peersProperties = plain(peersOpen);
        termini = ofClient;
        transactions = new Transactions(this);
        limit.cancel();
        phase = Phase.RUNNING;
        log.known();
        if (peersOpen.hasMaxFrameSize()) {
            peerFrameMax = Math.max(FrameReader.LEAST_MAX_FRAME, peersOpen.getMaxFrameSize());
        }
        peerChannelMax = peersOpen.hasChannelMax() ? peersOpen.getChannelMax() : options.channelMax();
        long peersIdle = peersOpen.hasIdleTimeout() ? peersOpen.getIdleTimeout() : 0;
        idleTimes = new IdleTimes(loop, options.idleTimeout().toMillis(), peersIdle, new IdlePeer());
    }

    private static Map<String, Object> plain(Open open) {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("container-id", open.getContainerId());
        if (open.getProperties() != null) {
            open.getProperties().forEach((name, value) -> properties.put(name.toString(), value));
        }
        return properties;
    }

    @Override
    public ClientDetails details() {
        List<ClientDetails.Channel> all = new ArrayList<>();
        ClientDetails.State state = phase == Phase.RUNNING ? ClientDetails.State.RUNNING : ClientDetails.State.CLOSING;
        String why = "";
        for (AmqpSession session : sessions) {
            if (session != null) {
                ClientDetails.Channel details = session.details();
                all.add(details);
                if (why.isEmpty() && !details.waitsFor().isEmpty()) {
                    why = details.waitsFor();
                    state = state.and(ClientDetails.State.FLOW);
                }
                if (resourcesLow && details.links().stream().anyMatch(link -> link.role().equals("producer"))) {
                    why = shortage;
                    state = state.and(ClientDetails.State.BLOCKED);
                }
            }
        }
        int idleSeconds = (int) options.idleTimeout().toSeconds();
        return new ClientDetails(
                wire.peer().address(), state, why, wire.receivedBytes(), wire.sentBytes(), peersProperties,
                Math.min(peerChannelMax, options.channelMax()), peerFrameMax(), idleSeconds, all);
    }

    /** The peer's largest frame is known before it is in a virtual host: an error must fit into it. */
    void peerFrameMax(long bytes) {
        peerFrameMax = Math.max(FrameReader.LEAST_MAX_FRAME, bytes);
    }

    // ---- sessions

    private AmqpSession session(int channel) {
        return channel < sessions.length ? sessions[channel] : null;
    }

    private void begin(int channel, Begin begin) throws AmqpFault {
        if (channel > options.channelMax()) {
            throw AmqpFault.connection(
                    ConnectionError.FRAMING_ERROR,
                    "channel " + channel + " is above the channel-max of " + options.channelMax());
        }
        if (channel > peerChannelMax) {
            throw AmqpFault.connection(
                    AmqpError.NOT_ALLOWED,
                    "channel " + channel + " is above the peer's own channel-max of " + peerChannelMax);
        }
        AmqpSession before = session(channel);
        if (before != null) {
            if (!before.isEndedByPeer()) {
                throw AmqpFault.connection(AmqpError.ILLEGAL_STATE, "a second begin on channel " + channel);
            }
            // With its end the peer has freed the channel (§2.5.5); our end is still to be sent on it.
            postponed = new PostponedBegin(channel, begin);
            holdReading();
            return;
        }
        if (begin.hasRemoteChannel()) {
            throw AmqpFault.connection(AmqpError.NOT_ALLOWED, "a begin that answers one that was not sent");
        }
        BrokerError refusal = client.openChannel();
        if (refusal != null) {
            TerminusError error = TerminusError.of(refusal);
            throw AmqpFault.connection(error.condition(), error.description());
        }
        if (channel >= sessions.length) {
            sessions = Arrays.copyOf(
                    sessions, Math.min(options.channelMax() + 1, Math.max(channel + 1, sessions.length * 2)));
        }
        AmqpSession session = new AmqpSession(this, channel, begin);
        sessions[channel] = session;
        unreleasedSessions++;
        session.open();
    }

    /** A session's channel is free again. */
    void forget(AmqpSession session) {
        if (session(session.channel()) == session) {
            sessions[session.channel()] = null;
        }
        if (postponed != null && postponed.channel() == session.channel()) {
            PostponedBegin next = postponed;
            postponed = null;
            if (phase == Phase.RUNNING) {
                try {
                    begin(next.channel(), next.begin());
                } catch (AmqpFault e) {
                    fail(e);
                }
            }
            readAgain();
        }
    }

    /** A session has given back all it held. */
    void sessionReleased() {
        unreleasedSessions--;
        client.channelsChanged(-1);
        closeClientWhenReleased();
    }

    // ---- what links hold of the connection's limits

    /** Takes memory for one more link, if the connection may have that. */
    boolean takesLink(int bytes) {
        if (linkBytes + bytes > MOST_LINK_BYTES) {
            return false;
        }
        linkBytes += bytes;
        return true;
    }

    /** Something is left of a link that has given back more than that. */
    void holdsLink(int bytes) {
        linkBytes += bytes;
    }

    /** A link is there no more. */
    void linkGone(int bytes) {
        linkBytes -= bytes;
    }

    /** A message has arrived and was handed to the broker. */
    void published() {
        congestion.published();
    }

    /** So many more bytes of messages that have not arrived completely are held here (fewer, if negative). */
    void holdsPartial(long differenceBytes) {
        partialBytes += differenceBytes;
        client.holds(differenceBytes);
    }

    /**
     * So many more bytes (fewer, if negative) are held here that others must give back: messages while their addresses are looked up,
     * outcomes until their transaction ends.
     */
    void holdsMemory(long differenceBytes) {
        if (!clientClosing) {
            client.holds(differenceBytes);
        }
    }

    /** Bytes of messages that have not arrived completely and have not been granted memory. */
    long partialBytes() {
        return partialBytes;
    }

    LargeMessages largeMessages() {
        return largeMessages;
    }

    SuspendedLinks suspendedLinks() {
        return suspendedLinks;
    }

    /** Links of all connections whose termini outlive these. */
    LinkRegistry links() {
        return links;
    }

    /** Nobody is to come back for what is kept of a link. */
    void forgetKept(Link link) {
        links.forget(loop, key(link));
    }

    /** What a link is called among those of all connections. */
    LinkClaim.Key key(Link link) {
        return new LinkClaim.Key(client.virtualHost(), user().name(), container, link.name(), link.fromPeer());
    }

    LeftTermini leftTermini() {
        return leftTermini;
    }

    boolean readingPaused() {
        return !wire.isReading();
    }

    /** Nothing is read until {@link #readAgain}, which is to be called once. */
    void holdReading() {
        if (readingHolds++ == 0) {
            wire.pauseReading();
        }
    }

    void readAgain() {
        if (--readingHolds == 0 && phase != Phase.CLOSED) {
            wire.resumeReading();
        }
    }

    @Override
    public void resourcesLow(String reason) {
        resourcesLow = true;
        shortage = reason;
    }

    @Override
    public void resourcesRecovered() {
        resourcesLow = false;
        shortage = "";
        for (AmqpSession session : sessions.clone()) {
            if (session != null) {
                session.regulateCredit();
            }
        }
    }

    // ---- deliveries

    /** Bytes of a consumer are in the buffer; they are given back when they have left. */
    void owes(WindowOwner owner) {
        windows.owe(owner);
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
        // First: behind a large message there may be no room for as long as it takes, and others have sent their part.
        windows.giveBack();
        if (phase == Phase.RUNNING) {
            output.pump();
        }
        windows.giveBack();
    }

    /** Settles a delivery that the client never saw. */
    void settleLater(Delivery delivery, Outcome outcome) {
        lateSettlements.add(delivery, outcome);
    }

    // ---- idle time-outs, time limits

    private final class IdlePeer implements IdleTimes.Peer {
        @Override
        public void sendEmptyFrame() {
            if (wire.isWritable() && phase != Phase.CLOSED && phase != Phase.CLOSING_BY_US) {
                FrameWriter.empty(out());
            }
        }

        @Override
        public void silent() {
            log.line(LogEvent.PEER_SILENT, "nothing came from the client for {} ms", options.idleTimeout().toMillis());
            fail(AmqpFault.connection(AmqpError.RESOURCE_LIMIT_EXCEEDED, "nothing came within the idle time-out"));
        }

        @Override
        public boolean readingPaused() {
            return !wire.isReading();
        }
    }

    private void handshakeTooSlow() {
        log.line(LogEvent.HANDSHAKE_LATE, "handshake not finished within {} s", options.handshakeLimit().toSeconds());
        abort();
    }

    private void closeTooSlow() {
        log.debug("no close within {} s", options.closeLimit().toSeconds());
        abort();
    }

    // ---- ends

    /** Closes the connection for an error of the client's. */
    void fail(AmqpFault fault) {
        switch (phase) {
            case HANDSHAKE -> {
                log.line(LogEvent.CONNECTION_ERROR,
                        "connection error during the handshake, {}: {}", fault.condition(), fault.getMessage());
                handshake.refuse(fault.error());
            }
            case RUNNING -> {
                log.line(LogEvent.CONNECTION_ERROR, "connection error, {}: {}", fault.condition(), fault.getMessage());
                closeWith(fault.error());
            }
            case CLOSING_BY_PEER -> {
                // The peer's close is what one of ours would wait for.
                log.line(LogEvent.CONNECTION_ERROR,
                        "connection error behind a close, {}: {}", fault.condition(), fault.getMessage());
                write(0, new Close().setError(fault.error()));
                close();
            }
            case CLOSING_BY_US -> close();
            case CLOSED -> {}
        }
    }

    private void closeWith(ErrorCondition error) {
        limit.cancel();
        write(0, new Close().setError(error));
        phase = Phase.CLOSING_BY_US;
        handshake.stop();
        limit = loop.schedule(options.closeLimit().toNanos(), this::closeTooSlow);
        release();
        if (error.getCondition() == ConnectionError.FRAMING_ERROR || error.getCondition() == AmqpError.DECODE_ERROR) {
            // Where the next frame begins is not certain any more.
            close();
        }
    }

    /** The client asks to close (§2.4.3); it is answered when what it owns alone is gone. */
    private void closeAsked() {
        limit.cancel();
        phase = Phase.CLOSING_BY_PEER;
        handshake.stop();
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
        limit.cancel();
        if (idleTimes != null) {
            idleTimes.stop();
        }
    }

    private void release() {
        if (releasing) {
            return;
        }
        releasing = true;
        output.stop();
        boolean orderly = phase == Phase.CLOSING_BY_PEER;
        // First all stop, then they give back: what one gives back must not be delivered on another.
        AmqpSession[] stopped = Arrays.stream(sessions).filter(each -> each != null && each.stop()).toArray(
                AmqpSession[]::new);
        if (client != null) {
            client.abandon();
            transactions.end();
        }
        for (AmqpSession session : stopped) {
            session.release(orderly);
        }
        closeClientWhenReleased();
    }

    private void closeClientWhenReleased() {
        if (!releasing || clientClosing || unreleasedSessions > 0 || !lateSettlements.isEmpty()) {
            return;
        }
        clientClosing = true;
        if (client == null) {
            clientClosed();
            return;
        }
        termini.clientGone();
        client.close(new Reply<>() {
            @Override
            public void done(Void result) {
                clientClosed();
            }

            @Override
            public void failed(BrokerError error) {
                clientClosed();
            }
        });
    }

    private void clientClosed() {
        if (phase == Phase.CLOSING_BY_PEER) {
            write(0, new Close());
            ended();
            wire.close();
        }
    }

    @Override
    public void shutdown(String reason) {
        forceClose(reason);
    }

    @Override
    public void closeRequested(String reason) {
        forceClose(reason);
    }

    /** Closes for a reason of the broker's own (§2.8.16, connection-forced). */
    private void forceClose(String reason) {
        switch (phase) {
            case RUNNING -> closeWith(new ErrorCondition(ConnectionError.CONNECTION_FORCED, reason));
            case HANDSHAKE -> close();
            case CLOSING_BY_PEER, CLOSING_BY_US, CLOSED -> {}
        }
    }
}
