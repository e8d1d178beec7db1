package io.sluicemq.protocol.amqp10.terminus;

import io.sluicemq.api.BrokerError;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.AmqpError;

/**
 * Why a source, a target or an address is refused, as a detach or a rejected outcome says it (part 2, §2.8.14).
 *
 * @param condition one of {@link AmqpError}
 * @param description for people
 */
public record TerminusError(Symbol condition, String description) {

    static TerminusError notFound(String what, String name) {
        return new TerminusError(AmqpError.NOT_FOUND, "no " + what + " '" + name + "'");
    }

    static TerminusError invalid(String description) {
        return new TerminusError(AmqpError.INVALID_FIELD, description);
    }

    /** A message on the anonymous relay that says not where to. */
    static TerminusError withoutTo() {
        return new TerminusError(
                AmqpError.PRECONDITION_FAILED, "a message on a link without an address needs one of its own in 'to'");
    }

    /** The broker's refusal in the words of AMQP 1.0. */
    public static TerminusError of(BrokerError error) {
        return switch (error) {
            case BrokerError.NotFound e -> notFound(e.kind().word(), e.name());
            case BrokerError.Inequivalent e -> new TerminusError(
                    AmqpError.PRECONDITION_FAILED,
                    e.kind().word() + " '" + e.name() + "' exists with another " + e.property() + ": asked for "
                            + e.received() + ", it has " + e.current());
            case BrokerError.Locked e -> new TerminusError(
                    AmqpError.RESOURCE_LOCKED, "queue '" + e.queue() + "' belongs to another connection alone");
            case BrokerError.ExclusiveUse e -> new TerminusError(
                    AmqpError.RESOURCE_LOCKED,
                    "queue '" + e.queue() + "' is used by a consumer that has it for itself");
            case BrokerError.InUse e -> new TerminusError(
                    AmqpError.RESOURCE_LOCKED, e.kind().word() + " '" + e.name() + "' is in use");
            case BrokerError.NotEmpty e -> new TerminusError(
                    AmqpError.PRECONDITION_FAILED, "queue '" + e.queue() + "' is not empty");
            case BrokerError.InvalidArgument e -> invalid(
                    "invalid " + e.argument() + " for " + e.kind().word() + " '" + e.name() + "': " + e.reason());
            case BrokerError.UnknownExchangeType e -> invalid("unknown exchange type '" + e.type() + "'");
            case BrokerError.NotAllowed e -> new TerminusError(AmqpError.NOT_ALLOWED, e.reason());
            case BrokerError.AccessRefused e -> new TerminusError(AmqpError.UNAUTHORIZED_ACCESS, e.reason());
            case BrokerError.LoginRefused e -> new TerminusError(AmqpError.UNAUTHORIZED_ACCESS, e.reason());
            case BrokerError.IdentityInUse e -> new TerminusError(
                    AmqpError.RESOURCE_LOCKED, "'" + e.identity() + "' is connected already");
            case BrokerError.LimitReached e -> new TerminusError(
                    AmqpError.RESOURCE_LIMIT_EXCEEDED,
                    "the limit of " + e.limit() + " " + e.what() + " of '" + e.name() + "' is reached");
            case BrokerError.AddressFull e -> new TerminusError(
                    AmqpError.RESOURCE_LIMIT_EXCEEDED, "'" + e.address() + "' is full: " + e.reason());
            case BrokerError.Unavailable e -> new TerminusError(AmqpError.INTERNAL_ERROR, e.reason());
        };
    }
}
