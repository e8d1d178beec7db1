package io.sluicemq.api;

/**
 * Why the broker refuses a request, as data. Each protocol turns it into its own code and words by an exhaustive switch, so
 * a new error does not compile until every protocol answers it.
 */
public sealed interface BrokerError {

    /** What kind of thing an error is about. */
    enum Kind {
        VIRTUAL_HOST("vhost"),
        EXCHANGE("exchange"),
        QUEUE("queue");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        /** The word that the field uses for it in messages. */
        public String word() {
            return word;
        }
    }

    /** There is no such thing. */
    record NotFound(Kind kind, String name, String virtualHost) implements BrokerError {}

    /**
     * It exists with another property: {@code received} and {@code current} are phrases for people, such as {@code 'true'},
     * {@code the value '5' of type 'long'} or {@code none}.
     */
    record Inequivalent(
            Kind kind, String name, String virtualHost, String property, String received, String current)
            implements BrokerError {}

    /** The queue is exclusive to another connection. */
    record Locked(String queue, String virtualHost) implements BrokerError {}

    /** Consuming was refused since a consumer has, or wants, the queue for itself. */
    record ExclusiveUse(String queue, String virtualHost) implements BrokerError {}

    /** Deletion was asked for only if unused, and it is in use. */
    record InUse(Kind kind, String name, String virtualHost) implements BrokerError {}

    /** Deletion was asked for only if empty, and it is not. */
    record NotEmpty(String queue, String virtualHost) implements BrokerError {}

    /** An argument of a declaration, binding or subscription is not valid. */
    record InvalidArgument(Kind kind, String name, String virtualHost, String argument, String reason)
            implements BrokerError {}

    /** There is no exchange type of that name. */
    record UnknownExchangeType(String exchange, String type) implements BrokerError {}

    /** The request is not allowed for anybody, such as deleting a predeclared exchange. */
    record NotAllowed(Kind kind, String name, String virtualHost, String reason) implements BrokerError {}

    /** This user may not. */
    record AccessRefused(String user, Kind kind, String name, String virtualHost, String reason)
            implements BrokerError {}

    /** Who they are is not proved. The reason says nothing that a guesser could use; the log says more. */
    record LoginRefused(String reason) implements BrokerError {}

    /** Another connection of the virtual host has this identity, and one of the two wants it for itself. */
    record IdentityInUse(String identity, String virtualHost) implements BrokerError {}

    /** A limit of the broker, virtual host or queue is reached. */
    record LimitReached(String what, String name, String virtualHost, long limit) implements BrokerError {}

    /** An address has no room for a message; the reason says which limit of it, and the policy that refused. */
    record AddressFull(String address, String virtualHost, String reason) implements BrokerError {}

    /** The broker is going down, or the thing asked for was removed while the request was under way. */
    record Unavailable(String reason) implements BrokerError {}
}
