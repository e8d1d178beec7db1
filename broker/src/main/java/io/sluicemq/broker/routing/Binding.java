package io.sluicemq.broker.routing;

import java.util.Objects;

/**
 * A rule that leads messages from an exchange to a queue or to another exchange. All of it together is its identity: the same
 * source and destination may be bound by many keys, and by one key with different arguments.
 *
 * @param source the exchange that messages come from
 * @param kind what {@code destination} names
 * @param destination the queue or exchange that messages go to
 * @param routingKey what it means is up to the exchange's type; never null, often empty
 * @param arguments criteria of a headers exchange, and whatever else a client wants to tell bindings apart by
 */
public record Binding(String source, Kind kind, String destination, String routingKey, Arguments arguments) {

    /** What a binding leads to. */
    public enum Kind {
        QUEUE,
        EXCHANGE
    }

    public Binding {
        Objects.requireNonNull(source);
        Objects.requireNonNull(kind);
        Objects.requireNonNull(destination);
        Objects.requireNonNull(routingKey);
        Objects.requireNonNull(arguments);
    }

    public static Binding toQueue(String exchange, String queue, String routingKey, Arguments arguments) {
        return new Binding(exchange, Kind.QUEUE, queue, routingKey, arguments);
    }

    public static Binding toQueue(String exchange, String queue, String routingKey) {
        return toQueue(exchange, queue, routingKey, Arguments.NONE);
    }

    public static Binding toExchange(String source, String destination, String routingKey, Arguments arguments) {
        return new Binding(source, Kind.EXCHANGE, destination, routingKey, arguments);
    }

    public static Binding toExchange(String source, String destination, String routingKey) {
        return toExchange(source, destination, routingKey, Arguments.NONE);
    }
}
