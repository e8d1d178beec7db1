package io.sluicemq.protocol.amqp10;

import io.netty.buffer.ByteBuf;
import io.sluicemq.api.Authenticator;
import io.sluicemq.api.Broker;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.Principal;
import io.sluicemq.api.Reply;
import io.sluicemq.api.SaslExchange;
import io.sluicemq.api.SaslStep;
import io.sluicemq.api.Wire;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp10.codec.AmqpFault;
import io.sluicemq.protocol.amqp10.codec.FrameReader;
import io.sluicemq.protocol.amqp10.terminus.Termini;
import io.sluicemq.protocol.amqp10.terminus.TerminusError;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.impl.ProtonByteArrayBufferAllocator;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.security.SaslChallenge;
import org.apache.qpid.protonj2.types.security.SaslCode;
import org.apache.qpid.protonj2.types.security.SaslInit;
import org.apache.qpid.protonj2.types.security.SaslMechanisms;
import org.apache.qpid.protonj2.types.security.SaslOutcome;
import org.apache.qpid.protonj2.types.security.SaslPerformative;
import org.apache.qpid.protonj2.types.security.SaslResponse;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.Close;
import org.apache.qpid.protonj2.types.transport.ConnectionError;
import org.apache.qpid.protonj2.types.transport.ErrorCondition;
import org.apache.qpid.protonj2.types.transport.Open;

/**
 * The way from a connection's first byte to its open: headers, SASL (part 5, §5.3), the exchange of opens (part 2, §2.4.1), and
 * into the virtual host. Owned by the connection's loop.
 *
 * <p>While the broker is asked, nothing is read. After {@link #stop} no answer changes anything.
 */
@LoopOwned
final class Handshake {

    /**
     * The largest frame before limits are agreed on, in bytes. The specification says 512 for SASL (§5.3.1), which tokens and long
     * passwords exceed.
     */
    static final int FRAME_MAX = 16 * 1024;

    /** A shorter time than this, in milliseconds, would have a connection send nothing but signs of life. */
    private static final long LEAST_IDLE_MILLIS = 100;

    private static final String VIRTUAL_HOST_PREFIX = "vhost:";
    private static final String DEFAULT_VIRTUAL_HOST = "/";
    private static final Symbol SOLE_CONNECTION = Symbol.valueOf("sole-connection-for-container");
    private static final Symbol ESTABLISHMENT_FAILED = Symbol.valueOf("amqp:connection-establishment-failed");
    private static final Symbol INVALID_FIELD_INFO = Symbol.valueOf("invalid-field");
    private static final Symbol CONTAINER_ID = Symbol.valueOf("container-id");
    private static final List<Symbol> CAPABILITIES = List.of(
            SOLE_CONNECTION,
            Symbol.valueOf("DELAYED_DELIVERY"),
            Symbol.valueOf("ANONYMOUS-RELAY"),
            Symbol.valueOf("SHARED-SUBS"));

    private enum Step {
        HEADER,
        SASL_INIT,
        SASL_RESPONSE,
        JUDGING,
        AMQP_HEADER,
        OPENING,
        CONNECTING,
        DONE
    }

    private final ConnectionSession connection;
    private final Wire wire;
    private final Broker broker;
    private final Authenticator authenticator;
    private final Amqp10Options options;
    private Step step = Step.HEADER;
    private SaslExchange exchange;
    private Principal user;
    private boolean headerSent;
    private boolean openSent;

    Handshake(
            ConnectionSession connection, Wire wire, Broker broker, Authenticator authenticator,
            Amqp10Options options) {
        this.connection = connection;
        this.wire = wire;
        this.broker = broker;
        this.authenticator = authenticator;
        this.options = options;
    }

    /** Who the client is; null until it has proved it. */
    Principal user() {
        return user;
    }

    /** Whether a header comes next, rather than a frame. */
    boolean awaitsHeader() {
        return step == Step.HEADER || step == Step.AMQP_HEADER;
    }

    /** Whether frames of SASL are due. */
    boolean inSasl() {
        return step == Step.SASL_INIT || step == Step.SASL_RESPONSE || step == Step.JUDGING;
    }

    /** Whether the peer's open has come and is being dealt with. */
    boolean connecting() {
        return step == Step.CONNECTING;
    }

    /** The connection ends: answers that are still to come are of no interest. */
    void stop() {
        step = Step.DONE;
    }

    // ---- headers

    /** Takes the header if it has arrived; answers one that is not wanted with one that is, and closes (§2.2). */
    void header(ByteBuf in) {
        Header found = Header.examine(in);
        if (found == Header.NEED_MORE) {
            return;
        }
        boolean first = step == Step.HEADER;
        if (found == Header.SASL && first) {
            in.skipBytes(Header.LENGTH);
            connection.out().writeBytes(Header.SASL_BYTES);
            connection.performatives().writeSasl(connection.out(), mechanisms());
            step = Step.SASL_INIT;
        } else if (found == Header.AMQP && !first) {
            in.skipBytes(Header.LENGTH);
            sendHeader();
            step = Step.OPENING;
        } else if (found == Header.AMQP && authenticator.mechanisms(wire.peer()).contains("ANONYMOUS")) {
            in.skipBytes(Header.LENGTH);
            sendHeader();
            exchange = authenticator.begin("ANONYMOUS", wire.peer(), wire.loop());
            judge(new byte[0], Step.OPENING, error -> refuse(TerminusError.of(error)));
        } else {
            in.skipBytes(in.readableBytes());
            connection.out().writeBytes(first ? Header.SASL_BYTES : Header.AMQP_BYTES);
            connection.close();
        }
    }

    private void sendHeader() {
        connection.out().writeBytes(Header.AMQP_BYTES);
        headerSent = true;
    }

    // ---- SASL

    private SaslMechanisms mechanisms() {
        Symbol[] offered = authenticator.mechanisms(wire.peer()).stream()
                .filter(name -> !name.equals("AMQPLAIN"))
                .map(Symbol::valueOf)
                .toArray(Symbol[]::new);
        return new SaslMechanisms().setSaslServerMechanisms(offered);
    }

    /** Takes a frame of the exchange, which has to be the one that is due. */
    void sasl(SaslPerformative performative) throws AmqpFault {
        switch (performative) {
            case SaslInit init when step == Step.SASL_INIT -> {
                exchange = authenticator.begin(init.getMechanism().toString(), wire.peer(), wire.loop());
                judge(init.getInitialResponse() == null ? null : bytes(init.getInitialResponse()), Step.AMQP_HEADER,
                        error -> refused());
            }
            case SaslResponse response when step == Step.SASL_RESPONSE ->
                judge(bytes(response.getResponse()), Step.AMQP_HEADER, error -> refused());
            default -> throw AmqpFault.connection(AmqpError.ILLEGAL_STATE, "a frame of SASL that is not due");
        }
    }

    private static byte[] bytes(ProtonBuffer buffer) {
        if (buffer == null) {
            return new byte[0];
        }
        byte[] copy = new byte[buffer.getReadableBytes()];
        buffer.copyInto(buffer.getReadOffset(), copy, 0, copy.length);
        return copy;
    }

    private void judge(byte[] response, Step next, Consumer<BrokerError> refused) {
        step = Step.JUDGING;
        exchange.respond(response, answer(Step.JUDGING, outcome -> {
            switch (outcome) {
                case SaslStep.Challenge challenge -> {
                    connection.performatives().writeSasl(
                            connection.out(), new SaslChallenge().setChallenge(wrap(challenge.data())));
                    step = Step.SASL_RESPONSE;
                }
                case SaslStep.Success success -> {
                    user = success.user();
                    connection.authenticated();
                    if (next == Step.AMQP_HEADER) {
                        SaslOutcome told = new SaslOutcome().setCode(SaslCode.OK);
                        if (success.additionalData() != null) {
                            told.setAdditionalData(wrap(success.additionalData()));
                        }
                        connection.performatives().writeSasl(connection.out(), told);
                    }
                    connection.framesOf(options.frameMax());
                    step = next;
                }
            }
        }, late -> {}, refused));
    }

    private static ProtonBuffer wrap(byte[] bytes) {
        return ProtonByteArrayBufferAllocator.wrapped(bytes);
    }

    private void refused() {
        connection.performatives().writeSasl(connection.out(), new SaslOutcome().setCode(SaslCode.AUTH));
        connection.close();
    }

    // ---- open

    /** Takes the peer's open (§2.7.1). */
    void open(Open open) throws AmqpFault {
        if (step != Step.OPENING) {
            throw AmqpFault.connection(AmqpError.ILLEGAL_STATE, "a second open");
        }
        if (!open.hasContainerId() || open.getContainerId() == null) {
            throw AmqpFault.connection(AmqpError.INVALID_FIELD, "an open without a container-id");
        }
        if (open.hasMaxFrameSize()) {
            if (open.getMaxFrameSize() < FrameReader.LEAST_MAX_FRAME) {
                throw AmqpFault.connection(
                        AmqpError.INVALID_FIELD,
                        "a max-frame-size of " + open.getMaxFrameSize() + ", less than "
                                + FrameReader.LEAST_MAX_FRAME);
            }
            connection.peerFrameMax(open.getMaxFrameSize());
        } else {
            connection.peerFrameMax(Integer.MAX_VALUE);
        }
        if (open.hasIdleTimeout() && open.getIdleTimeout() > 0 && open.getIdleTimeout() < LEAST_IDLE_MILLIS) {
            throw AmqpFault.connection(
                    AmqpError.NOT_ALLOWED,
                    "an idle-time-out of " + open.getIdleTimeout() + " ms, less than " + LEAST_IDLE_MILLIS);
        }
        step = Step.CONNECTING;
        boolean sole = has(open.getDesiredCapabilities(), SOLE_CONNECTION);
        Broker.ClientSpec spec = new Broker.ClientSpec(
                virtualHost(open.getHostname()), user, wire.name() + " " + open.getContainerId(), Amqp10Protocol.NAME,
                product(open), open.getContainerId(), sole, connection);
        broker.connect(
                spec,
                wire.loop(),
                this.<Client>answer(
                        Step.CONNECTING,
                        client -> {
                            step = Step.DONE;
                            sendOpen(open, null);
                            connection.opened(
                                    client, open, new Termini(client, open.getContainerId(), options.termini()));
                        },
                        client -> client.close(ignored()),
                        this::connectRefused));
    }

    private static Reply<Void> ignored() {
        return new Reply<>() {
            @Override
            public void done(Void result) {
                // The connection has gone already.
            }

            @Override
            public void failed(BrokerError error) {
                // As well.
            }
        };
    }

    /** {@code vhost:name} as RabbitMQ has it, or a virtual host's name; any other is the name of a machine. */
    private String virtualHost(String hostname) {
        if (hostname == null) {
            return DEFAULT_VIRTUAL_HOST;
        }
        if (hostname.startsWith(VIRTUAL_HOST_PREFIX)) {
            return hostname.substring(VIRTUAL_HOST_PREFIX.length());
        }
        return options.virtualHosts().contains(hostname) ? hostname : DEFAULT_VIRTUAL_HOST;
    }

    /** What the client says it is; empty if it doesn't. */
    static String product(Open open) {
        Object product = open.getProperties() == null ? null : open.getProperties().get(Symbol.valueOf("product"));
        return product == null ? "" : product.toString();
    }

    private static boolean has(Symbol[] capabilities, Symbol wanted) {
        return capabilities != null && Arrays.asList(capabilities).contains(wanted);
    }

    private void sendOpen(Open peers, Map<Symbol, Object> more) {
        Map<Symbol, Object> properties = new LinkedHashMap<>();
        properties.put(Symbol.valueOf("product"), "SluiceMQ");
        properties.put(Symbol.valueOf("version"), options.version());
        properties.put(Symbol.valueOf("platform"), "Java");
        if (more != null) {
            properties.putAll(more);
        }
        List<Symbol> offered = new ArrayList<>();
        for (Symbol capability : CAPABILITIES) {
            if (has(peers.getDesiredCapabilities(), capability)) {
                offered.add(capability);
            }
        }
        Open open = new Open()
                .setContainerId(options.containerId())
                .setMaxFrameSize(options.frameMax())
                .setChannelMax(options.channelMax())
                .setOfferedCapabilities(offered.toArray(Symbol[]::new))
                .setProperties(properties);
        long idleMillis = options.idleTimeout().toMillis();
        if (idleMillis > 0) {
            // Half of the time after which the peer is taken for dead (§2.4.5).
            open.setIdleTimeout(Math.max(1, idleMillis / 2));
        }
        connection.write(0, open);
        openSent = true;
    }

    private void connectRefused(BrokerError error) {
        ErrorCondition condition;
        if (error instanceof BrokerError.IdentityInUse inUse) {
            condition = new ErrorCondition(
                    AmqpError.INVALID_FIELD,
                    "container-id '" + inUse.identity() + "' is in use in vhost '" + inUse.virtualHost() + "'",
                    Map.of(INVALID_FIELD_INFO, CONTAINER_ID));
        } else {
            TerminusError told = TerminusError.of(error);
            condition = new ErrorCondition(told.condition(), told.description());
        }
        refuse(condition);
    }

    private void refuse(TerminusError error) {
        refuse(new ErrorCondition(error.condition(), error.description()));
    }

    /** Tells why there will be no connection, as far as the peer can be told, and closes. */
    void refuse(ErrorCondition error) {
        boolean streamLost = error.getCondition() == ConnectionError.FRAMING_ERROR;
        if (!inSasl() && !(step == Step.HEADER) && (headerSent || !streamLost)) {
            if (!headerSent) {
                sendHeader();
            }
            if (!openSent) {
                // An open comes before a close; this property tells that it means nothing.
                sendOpen(new Open(), Map.of(ESTABLISHMENT_FAILED, true));
            }
            connection.write(0, new Close().setError(error));
        }
        connection.close();
    }

    /** An answer that reading waits for, of interest while the handshake stands where it stood, else {@code late}. */
    private <T> Reply<T> answer(Step standing, Consumer<T> done, Consumer<T> late, Consumer<BrokerError> failed) {
        connection.holdReading();
        return new Reply<>() {
            @Override
            public void done(T result) {
                (step == standing ? done : late).accept(result);
                connection.readAgain();
            }

            @Override
            public void failed(BrokerError error) {
                if (step == standing) {
                    failed.accept(error);
                }
                connection.readAgain();
            }
        };
    }
}
