package io.sluicemq.protocol.amqp10;

import io.netty.buffer.ByteBuf;
import io.sluicemq.api.Authenticator;
import io.sluicemq.api.Broker;
import io.sluicemq.api.Protocol;
import io.sluicemq.api.ProtocolSession;
import io.sluicemq.api.Wire;
import io.sluicemq.base.LogLimit;
import java.util.concurrent.TimeUnit;

/** AMQP 1.0 for one broker. Any loop may call it: what its connections share is on the loop of its {@link LinkRegistry}. */
public final class Amqp10Protocol implements Protocol {

    /** What the protocol is called, in the API and in logs. */
    public static final String NAME = "AMQP 1.0";

    private final Broker broker;
    private final Authenticator authenticator;
    private final Amqp10Options options;
    private final LinkRegistry links;
    /** What peers that are in no virtual host can make the broker log. */
    private final LogLimit strangers = new LogLimit(TimeUnit.SECONDS.toNanos(10), 10);

    public Amqp10Protocol(Broker broker, Authenticator authenticator, Amqp10Options options) {
        this(broker, authenticator, options, new LinkRegistry(broker));
    }

    Amqp10Protocol(Broker broker, Authenticator authenticator, Amqp10Options options, LinkRegistry links) {
        this.broker = broker;
        this.authenticator = authenticator;
        this.options = options;
        this.links = links;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Match match(ByteBuf firstBytes) {
        return switch (Header.examine(firstBytes)) {
            case SASL, AMQP, TLS -> Match.YES;
            case NEED_MORE -> Match.NEED_MORE;
            case OTHER -> Match.NO;
        };
    }

    @Override
    public ProtocolSession open(Wire wire) {
        return new ConnectionSession(wire, broker, authenticator, options, links, strangers);
    }

    @Override
    public byte[] invitation() {
        return Header.SASL_BYTES.clone();
    }
}
