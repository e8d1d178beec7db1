package io.sluicemq.protocol.amqp091;

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
import io.sluicemq.protocol.amqp091.ReadingPauses.Reason;
import io.sluicemq.protocol.amqp091.codec.ConnectionMethod;
import io.sluicemq.protocol.amqp091.codec.FrameEncoder;
import io.sluicemq.protocol.amqp091.codec.FrameFormat;
import io.sluicemq.protocol.amqp091.codec.MethodId;
import io.sluicemq.protocol.amqp091.codec.ProtocolFault;
import io.sluicemq.protocol.amqp091.codec.ProtocolHeader;
import io.sluicemq.protocol.amqp091.codec.ReplyCode;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The way from a connection's first byte to connection.open-ok (spec §2.2.4): protocol header, authentication, tuning,
 * virtual host; and what was found out about the peer on it. Owned by the connection's loop.
 *
 * <p>While the broker is asked, nothing is read. After {@link #stop} no answer changes anything.
 */
@LoopOwned
final class Handshake {

    private enum Step {
        HEADER,
        STARTING,
        AUTHENTICATING,
        SECURING,
        TUNING,
        OPENING,
        CONNECTING,
        DONE
    }

    private final ConnectionSession connection;
    private final Wire wire;
    private final Broker broker;
    private final Authenticator authenticator;
    private final Amqp091Options options;
    private final ReadingPauses pauses;
    private Step step = Step.HEADER;
    private Map<String, Object> clientProperties = Map.of();
    private PeerTraits peer = PeerTraits.UNKNOWN;
    private Principal user;
    private String mechanism;
    private SaslExchange exchange;
    /** Who the client is, once that is settled but for its answer to the last challenge; else null. */
    private Principal proved;

    Handshake(
            ConnectionSession connection,
            Wire wire,
            Broker broker,
            Authenticator authenticator,
            Amqp091Options options,
            ReadingPauses pauses) {
        this.connection = connection;
        this.wire = wire;
        this.broker = broker;
        this.authenticator = authenticator;
        this.options = options;
        this.pauses = pauses;
    }

    /** What the client has said about itself. */
    PeerTraits peer() {
        return peer;
    }

    /** All that the client has said about itself, by name. */
    Map<String, Object> clientProperties() {
        return clientProperties;
    }

    /** Who the client is; null until it has proved it. */
    Principal user() {
        return user;
    }

    /** How far it is, for people. */
    String stepName() {
        return step.name().toLowerCase(Locale.ROOT);
    }

    boolean awaitsHeader() {
        return step == Step.HEADER;
    }

    /** The connection ends: answers that are still to come are of no interest. */
    void stop() {
        step = Step.DONE;
    }

    // ---- the peer's moves

    /** Takes the protocol header (spec §4.2.2) if it has arrived; answers another's with its own. */
    void header(ByteBuf in) {
        switch (ProtocolHeader.examine(in)) {
            case NEED_MORE -> {}
            case AMQP_0_9_1 -> {
                in.skipBytes(ProtocolHeader.LENGTH);
                step = Step.STARTING;
                FrameEncoder.connectionStart(
                        connection.out(),
                        ServerProperties.of(options.version()),
                        String.join(" ", authenticator.mechanisms(wire.peer())),
                        "en_US");
            }
            case OTHER_VERSION, NOT_AMQP -> {
                in.skipBytes(in.readableBytes());
                ProtocolHeader.write(connection.out());
                connection.close();
            }
        }
    }

    /** Takes a method, which has to be the one that is due. */
    void process(ConnectionMethod method) {
        switch (method) {
            case ConnectionMethod.StartOk m when step == Step.STARTING -> startOk(m);
            case ConnectionMethod.SecureOk m when step == Step.SECURING -> secureOk(m);
            case ConnectionMethod.TuneOk m when step == Step.TUNING -> tuneOk(m);
            case ConnectionMethod.Open m when step == Step.OPENING -> open(m);
            default -> connection.outOfOrder(method);
        }
    }

    private void startOk(ConnectionMethod.StartOk method) {
        clientProperties = method.clientProperties();
        peer = PeerTraits.of(clientProperties);
        mechanism = method.mechanism();
        exchange = authenticator.begin(mechanism, wire.peer(), wire.loop());
        judge(method.response(), method.id());
    }

    private void secureOk(ConnectionMethod.SecureOk method) {
        if (proved != null) {
            // It has nothing to say to the last challenge (RFC 4422 §3.6): the outcome does not depend on it.
            authenticated(proved);
        } else {
            judge(method.response(), method.id());
        }
    }

    /** Has a response judged that came with {@code method}. */
    private void judge(byte[] response, int method) {
        step = Step.AUTHENTICATING;
        pauses.add(Reason.ANSWER);
        exchange.respond(
                response,
                answer(
                        Step.AUTHENTICATING,
                        this::judged,
                        late -> {},
                        error -> connection.loginRefused(mechanism, method, error)));
    }

    private void judged(SaslStep next) {
        switch (next) {
            case SaslStep.Challenge challenge -> challenge(challenge.data());
            case SaslStep.Success success when success.additionalData() == null -> authenticated(success.user());
            case SaslStep.Success success -> {
                proved = success.user();
                challenge(success.additionalData());
            }
        }
    }

    private void challenge(byte[] data) {
        step = Step.SECURING;
        FrameEncoder.connectionSecure(connection.out(), data);
    }

    private void authenticated(Principal principal) {
        user = principal;
        exchange = null;
        proved = null;
        step = Step.TUNING;
        wire.authenticated();
        FrameEncoder.connectionTune(
                connection.out(), options.channelMax(), options.frameMax(), options.heartbeatSeconds());
    }

    private void tuneOk(ConnectionMethod.TuneOk method) {
        String refusal = Tuning.refusal("frame_max", method.frameMax(), FrameFormat.MIN_FRAME_MAX, options.frameMax());
        if (refusal == null) {
            refusal = Tuning.refusal("channel_max", method.channelMax(), 1, options.channelMax());
        }
        if (refusal != null) {
            connection.fail(ProtocolFault.at(method.id(), ReplyCode.NOT_ALLOWED, refusal));
            return;
        }
        step = Step.OPENING;
        connection.tuned(
                method.channelMax() == 0 ? options.channelMax() : method.channelMax(),
                method.frameMax() == 0 ? options.frameMax() : (int) method.frameMax(),
                method.heartbeat());
    }

    private void open(ConnectionMethod.Open method) {
        step = Step.CONNECTING;
        pauses.add(Reason.ANSWER);
        String name = peer.connectionName().isEmpty() ? wire.name() : wire.name() + " " + peer.connectionName();
        Broker.ClientSpec spec = new Broker.ClientSpec(
                method.virtualHost(), user, name, Amqp091Protocol.NAME, peer.product(), connection);
        broker.connect(
                spec,
                wire.loop(),
                this.<Client>answer(
                        Step.CONNECTING,
                        client -> {
                            step = Step.DONE;
                            connection.opened(client);
                        },
                        client -> client.close(Answers.either(() -> {})),
                        error -> connection.fail(openRefusal(error))));
    }

    /** Whatever keeps a client out of a virtual host is a 530 to it. */
    private static ProtocolFault openRefusal(BrokerError error) {
        ProtocolFault fault = BrokerFaults.of(error, MethodId.CONNECTION_OPEN);
        return fault.hard()
                ? fault
                : ProtocolFault.at(MethodId.CONNECTION_OPEN, ReplyCode.NOT_ALLOWED, fault.text());
    }

    /** An answer that reading waits for, of interest while the handshake stands where it stood, else {@code late}. */
    private <T> Reply<T> answer(Step standing, Consumer<T> done, Consumer<T> late, Consumer<BrokerError> failed) {
        return new Reply<>() {
            @Override
            public void done(T result) {
                (step == standing ? done : late).accept(result);
                pauses.remove(Reason.ANSWER);
            }

            @Override
            public void failed(BrokerError error) {
                if (step == standing) {
                    failed.accept(error);
                }
                pauses.remove(Reason.ANSWER);
            }
        };
    }

    // ---- later

    /** A new secret for the same user (RabbitMQ, connection.update-secret). */
    void renew(ConnectionMethod.UpdateSecret method) {
        authenticator.renew(
                user,
                method.newSecret(),
                wire.peer(),
                wire.loop(),
                new Reply<>() {
                    @Override
                    public void done(Principal renewed) {
                        if (connection.running()) {
                            user = renewed;
                            FrameEncoder.connectionUpdateSecretOk(connection.out());
                        }
                    }

                    @Override
                    public void failed(BrokerError error) {
                        if (connection.running()) {
                            connection.fail(
                                    ProtocolFault.at(method.id(), ReplyCode.NOT_ALLOWED, "New secret was refused"));
                        }
                    }
                });
    }
}
