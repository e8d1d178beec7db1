package io.sluicemq.protocol.amqp091;

import io.netty.buffer.ByteBuf;
import io.sluicemq.api.Authenticator;
import io.sluicemq.api.Broker;
import io.sluicemq.api.Protocol;
import io.sluicemq.api.ProtocolSession;
import io.sluicemq.api.Wire;
import io.sluicemq.base.LogLimit;
import io.sluicemq.protocol.amqp091.codec.ProtocolHeader;
import java.util.concurrent.TimeUnit;

/** AMQP 0-9-1 with RabbitMQ's extensions, for one broker. Stateless: any loop may call it. */
public final class Amqp091Protocol implements Protocol {

    /** What the protocol is called, in the API and in logs. */
    public static final String NAME = "AMQP 0-9-1";

    private final Broker broker;
    private final Authenticator authenticator;
    private final Amqp091Options options;
    /** What peers that are in no virtual host can make the broker log. */
    private final LogLimit strangers = new LogLimit(TimeUnit.SECONDS.toNanos(10), 10);
    /** What clients can make the broker log that go on publishing to full addresses. */
    private final LogLimit fullAddresses = new LogLimit(TimeUnit.SECONDS.toNanos(10));

    public Amqp091Protocol(Broker broker, Authenticator authenticator, Amqp091Options options) {
        this.broker = broker;
        this.authenticator = authenticator;
        this.options = options;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Match match(ByteBuf firstBytes) {
        return switch (ProtocolHeader.examine(firstBytes)) {
            case AMQP_0_9_1 -> Match.YES;
            case NEED_MORE -> Match.NEED_MORE;
            case OTHER_VERSION, NOT_AMQP -> Match.NO;
        };
    }

    @Override
    public ProtocolSession open(Wire wire) {
        return new ConnectionSession(wire, broker, authenticator, options, strangers, fullAddresses);
    }

    @Override
    public byte[] invitation() {
        return new byte[] {'A', 'M', 'Q', 'P', 0, 0, 9, 1};
    }
}
