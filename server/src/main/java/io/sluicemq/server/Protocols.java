package io.sluicemq.server;

import io.sluicemq.api.Authenticator;
import io.sluicemq.api.Broker;
import io.sluicemq.api.Message;
import io.sluicemq.api.MessageFilter;
import io.sluicemq.api.MessageFormat;
import io.sluicemq.api.Protocol;
import io.sluicemq.api.operate.Publication;
import io.sluicemq.protocol.amqp091.Amqp091Format;
import io.sluicemq.protocol.amqp091.Amqp091Options;
import io.sluicemq.protocol.amqp091.Amqp091Protocol;
import io.sluicemq.protocol.amqp10.Amqp10Options;
import io.sluicemq.protocol.amqp10.Amqp10Protocol;
import io.sluicemq.protocol.amqp10.message.Amqp10Format;
import io.sluicemq.protocol.amqp10.terminus.TerminusOptions;
import io.sluicemq.selector.InvalidSelector;
import io.sluicemq.selector.Selectors;
import io.sluicemq.server.config.LimitsConfig;
import io.sluicemq.server.config.ServerConfig;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** The protocols that are spoken on each port, and how the configuration bounds them. */
final class Protocols {

    private Protocols() {}

    /** The formats of messages that the log may hold. */
    static List<MessageFormat> formats() {
        return List.of(Amqp091Format.INSTANCE, Amqp10Format.INSTANCE);
    }

    /** All of them; the first is offered to a peer that speaks something else. */
    static List<Protocol> of(Broker broker, Authenticator authenticator, ServerConfig config) {
        return List.of(
                new Amqp091Protocol(broker, authenticator, amqp091(config.limits())),
                new Amqp10Protocol(broker, authenticator, amqp10(config)));
    }

    /** A message of AMQP 0-9-1, as an operator publishes it. */
    static Message published(Publication publication) {
        return Amqp091Format.message(publication);
    }

    private static Amqp091Options amqp091(LimitsConfig limits) {
        Amqp091Options defaults = Amqp091Options.defaults(Version.ofProduct());
        return new Amqp091Options(
                defaults.version(),
                limits.channelMax(),
                limits.frameMax(),
                Math.toIntExact(limits.heartbeat().toSeconds()),
                limits.handshakeTimeLimit(),
                defaults.closeLimit(),
                limits.maxMessageSize(),
                defaults.maxConsumersPerChannel(),
                defaults.maxParkedBytes(),
                defaults.handshakeFrameMax());
    }

    private static Amqp10Options amqp10(ServerConfig config) {
        LimitsConfig limits = config.limits();
        TerminusOptions termini = new TerminusOptions(
                config.amqp10().autoCreateQueues(), Protocols::selector, () -> UUID.randomUUID().toString());
        Amqp10Options defaults =
                Amqp10Options.defaults(Version.ofProduct(), Set.copyOf(config.virtualHosts()), termini);
        return new Amqp10Options(
                defaults.version(),
                defaults.containerId(),
                defaults.virtualHosts(),
                limits.channelMax(),
                limits.frameMax(),
                defaults.handleMax(),
                limits.heartbeat(),
                limits.handshakeTimeLimit(),
                defaults.closeLimit(),
                limits.maxMessageSize(),
                config.amqp10().windowBytes(),
                config.amqp10().windowMessages(),
                termini);
    }

    /**
     * What a selector's text asks for; null for a blank one.
     *
     * @throws IllegalArgumentException if the text is no selector
     */
    static MessageFilter selector(String text) {
        try {
            return Selectors.parse(text);
        } catch (InvalidSelector e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }
}
