package io.sluicemq.protocol.amqp10.terminus;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * An address, read. Its forms:
 *
 * <pre>
 * name                                what the capability says; without one a queue, an exchange, or a queue to be made
 * queue://name, topic://name          the same as with a capability
 * /queues/:queue                      RabbitMQ 4: a queue that exists
 * /exchanges/:exchange[/:key]         RabbitMQ 4: an exchange with a fixed key, empty if not given
 * /queue/name                         RabbitMQ before 4: a queue
 * /amq/queue/name                     RabbitMQ before 4: a queue that exists
 * /topic/key                          RabbitMQ before 4: a key of amq.topic
 * /exchange/name[/key]                RabbitMQ before 4: an exchange with a key, the message's subject if not given
 * </pre>
 *
 * <p>The parts of {@code /queues/} and {@code /exchanges/} are percent-encoded UTF-8.
 */
sealed interface Address {

    String DEFAULT_TOPICS = "amq.topic";

    /** A name that may be a queue or an exchange. */
    record Name(String name) implements Address {}

    /** @param create whether it may be made if it isn't there */
    record Queue(String name, boolean create) implements Address {}

    /**
     * A topic: the exchange of that name or else a key of {@value #DEFAULT_TOPICS}.
     *
     * @param exchangeOnly whether it is nothing if there is no such exchange
     */
    record Topic(String name, boolean exchangeOnly) implements Address {}

    /**
     * An exchange.
     *
     * @param key the routing or binding key; null if each message has its own, or for all
     * @param rabbit whether it is named in RabbitMQ 4's form
     */
    record Exchange(String name, String key, boolean rabbit) implements Address {}

    /** None of these. */
    record Invalid(String reason) implements Address {}

    static Address parse(String text, NodeKind kind) {
        Address address = read(text, kind);
        return switch (address) {
            case Name name -> checked(address, name.name());
            case Queue queue -> checked(address, queue.name());
            case Topic topic -> checked(address, topic.name());
            case Exchange exchange -> exchange.key() != null && !Destination.fits(exchange.key())
                    ? new Invalid("the routing key is longer than " + Destination.MAX_KEY_BYTES + " bytes")
                    : checked(address, exchange.name());
            case Invalid invalid -> invalid;
        };
    }

    private static Address checked(Address address, String name) {
        if (name.isEmpty()) {
            return new Invalid("the address names nothing");
        }
        if (!Destination.fits(name)) {
            return new Invalid("the name is longer than " + Destination.MAX_KEY_BYTES + " bytes");
        }
        return address;
    }

    private static Address read(String text, NodeKind kind) {
        if (text.startsWith("/")) {
            Address form = path(text);
            if (form != null) {
                return form;
            }
        }
        if (text.startsWith("queue://")) {
            return new Queue(text.substring(8), true);
        }
        if (text.startsWith("topic://")) {
            return new Topic(text.substring(8), false);
        }
        return switch (kind) {
            case ANY -> new Name(text);
            case QUEUE -> new Queue(text, true);
            case TEMPORARY_QUEUE -> new Queue(text, false);
            case TOPIC -> new Topic(text, false);
            case TEMPORARY_TOPIC -> new Topic(text, true);
        };
    }

    /** One of RabbitMQ's forms, or null. */
    private static Address path(String text) {
        if (text.startsWith("/queues/")) {
            String queue = text.substring(8);
            String name = decoded(queue);
            return queue.indexOf('/') >= 0 || name == null ? malformed(text) : new Queue(name, false);
        }
        if (text.startsWith("/exchanges/")) {
            String rest = text.substring(11);
            int slash = rest.indexOf('/');
            String name = decoded(slash < 0 ? rest : rest.substring(0, slash));
            String key = slash < 0 ? "" : decoded(rest.substring(slash + 1));
            return name == null || key == null || slash != rest.lastIndexOf('/')
                    ? malformed(text)
                    : new Exchange(name, key, true);
        }
        if (text.startsWith("/queue/")) {
            return new Queue(text.substring(7), true);
        }
        if (text.startsWith("/amq/queue/")) {
            return new Queue(text.substring(11), false);
        }
        if (text.startsWith("/topic/")) {
            return new Exchange(DEFAULT_TOPICS, text.substring(7), false);
        }
        if (text.startsWith("/exchange/")) {
            String rest = text.substring(10);
            int slash = rest.indexOf('/');
            return slash < 0
                    ? new Exchange(rest, null, false)
                    : new Exchange(rest.substring(0, slash), rest.substring(slash + 1), false);
        }
        return null;
    }

    private static Invalid malformed(String text) {
        return new Invalid("'" + text + "' is not of the form /queues/:queue, /exchanges/:exchange or"
                + " /exchanges/:exchange/:routing-key with percent-encoded parts");
    }

    /** Undoes percent-encoding; null if it is none. */
    private static String decoded(String text) {
        if (text.indexOf('%') < 0) {
            return text;
        }
        byte[] in = text.getBytes(StandardCharsets.UTF_8);
        ByteBuffer out = ByteBuffer.allocate(in.length);
        for (int i = 0; i < in.length; i++) {
            if (in[i] != '%') {
                out.put(in[i]);
                continue;
            }
            int high = i + 2 < in.length ? Character.digit(in[i + 1], 16) : -1;
            int low = i + 2 < in.length ? Character.digit(in[i + 2], 16) : -1;
            if (high < 0 || low < 0) {
                return null;
            }
            out.put((byte) (high << 4 | low));
            i += 2;
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(out.flip()).toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
