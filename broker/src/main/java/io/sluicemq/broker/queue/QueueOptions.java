package io.sluicemq.broker.queue;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.BrokerError.Kind;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.Death;
import io.sluicemq.api.Message;
import io.sluicemq.api.MessageFilter;
import java.util.Map;
import java.util.function.Function;

/**
 * What a queue's declaration asks for, checked. The arguments it accepts:
 *
 * <pre>
 * x-message-ttl              milliseconds, 0 or more     messages that wait longer expire
 * x-expires                  milliseconds, 1 or more     the queue goes when unused for so long
 * x-max-length               messages, 0 or more         more ready ones than that overflow
 * x-max-length-bytes         bytes of body, 0 or more    likewise
 * x-overflow                 drop-head (default), reject-publish, reject-publish-dlx
 * x-dead-letter-exchange     name                        where expired, rejected and overflowing messages go
 * x-dead-letter-routing-key  key                         with this key instead of their own; needs the exchange
 * x-expiry-address           a queue's name              where expired messages go instead
 * x-max-priority             0 to 255                    priorities told apart
 * x-single-active-consumer   boolean                     one consumer gets all until it ends
 * x-delivery-limit           0 or more                   a message that comes back more often is dead-lettered
 * x-queue-type               classic, quorum             a queue; quorum asks for a durable one
 * x-queue-mode               default, lazy               accepted: where messages are kept is the broker's decision
 * x-queue-master-locator, x-queue-leader-locator, x-queue-version, x-ha-policy    accepted: they choose among nodes or
 *                            formats of another broker
 * qpid.lifetime_policy       PERMANENT, DELETE_ON_CONNECTION_CLOSE, DELETE_ON_NO_OUTBOUND_LINKS, DELETE_ON_NO_LINKS,
 *                            DELETE_ON_NO_INBOUND_LINKS (refused)
 * qpid.exclusivity_policy    NONE, CONNECTION; others are refused
 * qpid.priorities, x-qpid-priorities           levels, 1 to 256
 * qpid.max_count, qpid.max_size                as x-max-length, x-max-length-bytes
 * qpid.policy_type           ring (drop-head), reject (reject-publish)
 * x-qpid-maximum-delivery-count                as x-delivery-limit, counting the last delivery; 0 for none
 * no-local                   boolean                     drops what its owner's connection publishes
 * x-filter                   selector                    other messages are not routed to it
 * x-no-local                 a client's identity         what clients of that identity publish is not routed to it
 * </pre>
 *
 * Other arguments are kept, compared at a redeclaration, and have no effect, as clients of the field expect; those of
 * {@code qpid.} and {@code x-qpid-} that would change what the queue does are refused.
 */
public record QueueOptions(
        boolean durable,
        boolean exclusive,
        boolean autoDelete,
        boolean deletedWithConnection,
        long messageTtlMillis,
        long expiresMillis,
        long maxMessages,
        long maxBodyBytes,
        Overflow overflow,
        String deadLetterExchange,
        String deadLetterRoutingKey,
        String expiryAddress,
        int maxPriority,
        boolean singleActiveConsumer,
        long deliveryLimit,
        boolean noLocal,
        MessageFilter filter,
        String noLocalIdentity) {

    /** {@link #messageTtlMillis}, {@link #expiresMillis}, {@link #maxMessages}, {@link #deliveryLimit}: not set. */
    public static final long NONE = -1;

    private static final String DEFAULT_EXCHANGE = "";

    /** What happens to a message too many. */
    public enum Overflow {
        /** The oldest of the lowest priority makes room. */
        DROP_HEAD,
        /** The new one is refused. */
        REJECT_PUBLISH,
        /** The new one is refused and dead-lettered. */
        REJECT_PUBLISH_DLX
    }

    /** Whether some messages are not routed to the queue, whatever its bindings say. */
    public boolean isSelective() {
        return filter != null || noLocalIdentity != null;
    }

    /**
     * Whether a message may be routed to the queue. Called on any loop.
     *
     * @param publisher the identity of the client that publishes it; null for a dead letter
     */
    public boolean takes(Message message, String publisher) {
        return (noLocalIdentity == null || !noLocalIdentity.equals(publisher))
                && (filter == null || filter.matches(message));
    }

    /** Whether failed deliveries count against a limit. */
    public boolean countsDeliveries() {
        return deliveryLimit != NONE;
    }

    /** Whether any messages that leave it go elsewhere. */
    public boolean hasLetters() {
        return deadLetterExchange != null || expiryAddress != null;
    }

    /** Whether messages that leave it for that reason go elsewhere. */
    public boolean hasLetters(Death.Reason reason) {
        return deadLetterExchange != null || goesToExpiryAddress(reason);
    }

    /** The exchange that messages go to which leave it for that reason; null if they are dropped. */
    public String letterExchange(Death.Reason reason) {
        return goesToExpiryAddress(reason) ? DEFAULT_EXCHANGE : deadLetterExchange;
    }

    /** The routing key that they go by; null for their own. */
    public String letterRoutingKey(Death.Reason reason) {
        return goesToExpiryAddress(reason) ? expiryAddress : deadLetterRoutingKey;
    }

    private boolean goesToExpiryAddress(Death.Reason reason) {
        return expiryAddress != null && reason == Death.Reason.EXPIRED;
    }

    public boolean rejectsOverflow() {
        return overflow != Overflow.DROP_HEAD && (maxMessages != NONE || maxBodyBytes != NONE);
    }

    /** Thrown by {@link #parse}. */
    public static final class Invalid extends Exception {
        private static final long serialVersionUID = 1L;

        private final transient BrokerError error;

        Invalid(BrokerError error) {
            super(error.toString(), null, false, false);
            this.error = error;
        }

        public BrokerError error() {
            return error;
        }
    }

    /** Reads a declaration where nobody reads filters: one that has a filter is refused. */
    public static QueueOptions parse(QueueSpec spec, String virtualHost) throws Invalid {
        return parse(spec, virtualHost, null);
    }

    /**
     * Reads a declaration.
     *
     * @param filters reads a filter's text; null for a broker that has none. It returns null for one that takes all, and throws an
     *     IllegalArgumentException whose message says what is wrong
     * @throws Invalid if an argument has the wrong type or a value out of bounds, or two contradict each other
     */
    public static QueueOptions parse(QueueSpec spec, String virtualHost, Function<String, MessageFilter> filters)
            throws Invalid {
        Arguments in = new Arguments(spec.name(), virtualHost, spec.arguments());
        String type = in.text("x-queue-type", "classic");
        switch (type) {
            case "classic" -> {}
            case "quorum" -> {
                if (!spec.durable() || spec.exclusive() || spec.autoDelete()) {
                    throw in.invalid("x-queue-type", "a quorum queue must be durable, not exclusive, not auto-delete");
                }
            }
            case "stream" -> throw in.invalid("x-queue-type", "streams are not supported; use classic or quorum");
            default -> throw in.invalid("x-queue-type", "unknown queue type '" + type + "'");
        }
        in.oneOf("x-queue-mode", "default", "default", "lazy");

        long maxMessages = in.first("x-max-length", "qpid.max_count");
        long maxBytes = in.first("x-max-length-bytes", "qpid.max_size");
        Overflow overflow =
                switch (in.oneOf(
                        "x-overflow", "drop-head", "drop-head", "reject-publish", "reject-publish-dlx")) {
                    case "reject-publish" -> Overflow.REJECT_PUBLISH;
                    case "reject-publish-dlx" -> Overflow.REJECT_PUBLISH_DLX;
                    default -> Overflow.DROP_HEAD;
                };
        if (in.has("qpid.policy_type") && in.oneOf("qpid.policy_type", "ring", "ring", "reject").equals("reject")) {
            overflow = Overflow.REJECT_PUBLISH;
        }

        String deadLetterExchange = in.text("x-dead-letter-exchange", null);
        String deadLetterRoutingKey = in.text("x-dead-letter-routing-key", null);
        if (deadLetterRoutingKey != null && deadLetterExchange == null) {
            throw in.invalid("x-dead-letter-routing-key", "routing_key_but_no_dlx_defined");
        }

        int maxPriority = (int) in.number("x-max-priority", 0, 0, 255);
        long levels = Math.max(in.number("qpid.priorities", 0, 1, 256), in.number("x-qpid-priorities", 0, 1, 256));
        if (levels > 0) {
            maxPriority = (int) levels - 1;
        }

        long deliveryLimit = in.number("x-delivery-limit", NONE, 0, Long.MAX_VALUE);
        long qpidDeliveries = in.number("x-qpid-maximum-delivery-count", 0, 0, Integer.MAX_VALUE);
        if (qpidDeliveries > 0) {
            deliveryLimit = qpidDeliveries - 1;
        }

        String lifetime = in.oneOf(
                "qpid.lifetime_policy",
                "PERMANENT",
                "PERMANENT",
                "DELETE_ON_CONNECTION_CLOSE",
                "DELETE_ON_NO_OUTBOUND_LINKS",
                "DELETE_ON_NO_LINKS");
        String exclusivity = in.oneOf("qpid.exclusivity_policy", "NONE", "NONE", "CONNECTION");
        boolean exclusive = spec.exclusive() || exclusivity.equals("CONNECTION");
        boolean autoDelete = spec.autoDelete() || lifetime.startsWith("DELETE_ON_NO_");
        in.refuseUnsupported();

        return new QueueOptions(
                spec.durable(),
                exclusive,
                autoDelete,
                spec.exclusive() || lifetime.equals("DELETE_ON_CONNECTION_CLOSE"),
                in.number("x-message-ttl", NONE, 0, Arguments.LONGEST_MILLIS),
                in.number("x-expires", NONE, 1, Arguments.LONGEST_MILLIS),
                maxMessages,
                maxBytes,
                overflow,
                deadLetterExchange,
                deadLetterRoutingKey,
                in.text("x-expiry-address", null),
                maxPriority,
                in.flag("x-single-active-consumer"),
                deliveryLimit,
                in.flag("no-local"),
                in.filter("x-filter", filters),
                in.identity("x-no-local"));
    }

    /** A declaration's arguments, read with their types and bounds. */
    private record Arguments(String queue, String virtualHost, Map<String, Object> values) {

        /** About a hundred years: what timers can count. */
        static final long LONGEST_MILLIS = 3_155_760_000_000L;

        boolean has(String name) {
            return values.get(name) != null;
        }

        Invalid invalid(String name, String reason) {
            return new Invalid(new BrokerError.InvalidArgument(Kind.QUEUE, queue, virtualHost, name, reason));
        }

        String text(String name, String otherwise) throws Invalid {
            Object value = values.get(name);
            if (value == null) {
                return otherwise;
            }
            if (value instanceof CharSequence text) {
                return text.toString();
            }
            throw invalid(name, "expected a string, got '" + value + "'");
        }

        String oneOf(String name, String otherwise, String... allowed) throws Invalid {
            String text = text(name, otherwise);
            for (String each : allowed) {
                if (each.equals(text)) {
                    return text;
                }
            }
            throw invalid(name, "expected one of " + String.join(", ", allowed) + ", got '" + text + "'");
        }

        MessageFilter filter(String name, Function<String, MessageFilter> filters) throws Invalid {
            String text = text(name, null);
            if (text == null) {
                return null;
            }
            if (filters == null) {
                throw invalid(name, "this broker has no filters");
            }
            try {
                return filters.apply(text);
            } catch (IllegalArgumentException e) {
                throw invalid(name, e.getMessage());
            }
        }

        String identity(String name) throws Invalid {
            String identity = text(name, null);
            if (identity != null && identity.isEmpty()) {
                throw invalid(name, "expected the identity of a client, got ''");
            }
            return identity;
        }

        boolean flag(String name) throws Invalid {
            Object value = values.get(name);
            if (value == null) {
                return false;
            }
            if (value instanceof Boolean flag) {
                return flag;
            }
            throw invalid(name, "expected a boolean, got '" + value + "'");
        }

        long number(String name, long otherwise, long least, long most) throws Invalid {
            Object value = values.get(name);
            if (value == null) {
                return otherwise;
            }
            if (!(value instanceof Number number) || value instanceof Double || value instanceof Float) {
                throw invalid(name, "expected an integer, got '" + value + "'");
            }
            long given = number.longValue();
            if (given < least || given > most) {
                throw invalid(
                        name,
                        "expected " + least + (most == Long.MAX_VALUE ? " or more" : " to " + most) + ", got " + given);
            }
            return given;
        }

        long first(String name, String otherName) throws Invalid {
            long value = number(name, NONE, 0, Long.MAX_VALUE);
            return value != NONE ? value : number(otherName, NONE, 0, Long.MAX_VALUE);
        }

        void refuseUnsupported() throws Invalid {
            for (String name : values.keySet()) {
                boolean known =
                        switch (name) {
                            case "qpid.lifetime_policy",
                                    "qpid.exclusivity_policy",
                                    "qpid.priorities",
                                    "x-qpid-priorities",
                                    "qpid.max_count",
                                    "qpid.max_size",
                                    "qpid.policy_type",
                                    "x-qpid-maximum-delivery-count",
                                    "x-qpid-description",
                                    "qpid.description" ->
                                true;
                            default -> !name.startsWith("qpid.") && !name.startsWith("x-qpid-");
                        };
                if (!known) {
                    throw invalid(name, "this argument is not supported");
                }
            }
        }
    }
}
