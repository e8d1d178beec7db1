package io.sluicemq.broker.routing;

/** Why a table stays as it is although a change was asked for. Each protocol has its own words and codes for these. */
public sealed interface Refusal {

    /** The exchange that a binding names, as source or destination, is not there. */
    record NoSuchExchange(String name) implements Refusal {}

    /** The queue that a binding names is not there. */
    record NoSuchQueue(String name) implements Refusal {}

    /** The default exchange reaches every queue by its name; it can't be declared, bound, unbound or deleted. */
    record DefaultExchange() implements Refusal {}

    /** The exchange is one that every virtual host has, and can't be deleted. */
    record Predeclared(String name) implements Refusal {}

    /** The exchange was to be deleted only if unused, but messages are bound to go somewhere from it. */
    record InUse(String name) implements Refusal {}

    /**
     * The exchange exists, but is not what the declaration says.
     *
     * @param property what differs: {@code type}, {@code durable}, {@code auto_delete}, {@code internal} or
     *     {@code alternate-exchange}
     * @param current its value now; null if there is none
     * @param requested the value in the declaration; null if there is none
     */
    record Inequivalent(String name, String property, Object current, Object requested) implements Refusal {}

    /**
     * The exchange's type can't work with an argument of the binding.
     *
     * @param value what was given
     * @param expected what would have been accepted, as a phrase
     */
    record InvalidArgument(String argument, Object value, String expected) implements Refusal {}

    /** Another queue has this name. */
    record QueueNameTaken(String name) implements Refusal {}
}
