package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.BrokerError.Kind;
import io.sluicemq.protocol.amqp091.codec.ProtocolFault;
import io.sluicemq.protocol.amqp091.codec.ReplyCode;

/** The broker's refusals in the codes and words that users of AMQP 0-9-1 know. Stateless. */
final class BrokerFaults {

    private BrokerFaults() {}

    /** What to close a channel with, for a refusal of {@code method}. */
    static ProtocolFault of(BrokerError error, int method) {
        return switch (error) {
            case BrokerError.NotFound e when e.kind() == Kind.VIRTUAL_HOST ->
                ProtocolFault.at(method, ReplyCode.NOT_ALLOWED, "vhost " + e.name() + " not found");
            case BrokerError.NotFound e ->
                ProtocolFault.at(method, ReplyCode.NOT_FOUND, "no " + named(e.kind(), e.name(), e.virtualHost()));
            case BrokerError.Inequivalent e -> precondition(
                    method,
                    "inequivalent arg '" + e.property() + "' for " + named(e.kind(), e.name(), e.virtualHost())
                            + ": received " + e.received() + " but current is " + e.current());
            case BrokerError.Locked e -> ProtocolFault.at(
                    method,
                    ReplyCode.RESOURCE_LOCKED,
                    "cannot obtain exclusive access to locked " + named(Kind.QUEUE, e.queue(), e.virtualHost())
                            + ". It could be originally declared on another connection or the exclusive property"
                            + " value does not match that of the original declaration.");
            case BrokerError.UnknownExchangeType e ->
                ProtocolFault.at(method, ReplyCode.COMMAND_INVALID, "unknown exchange type '" + e.type() + "'");
            case BrokerError.ExclusiveUse e ->
                refused(method, named(Kind.QUEUE, e.queue(), e.virtualHost()) + " in exclusive use");
            case BrokerError.InUse e ->
                precondition(method, named(e.kind(), e.name(), e.virtualHost()) + " in use");
            case BrokerError.NotEmpty e ->
                precondition(method, named(Kind.QUEUE, e.queue(), e.virtualHost()) + " not empty");
            case BrokerError.InvalidArgument e -> precondition(
                    method,
                    "invalid arg '" + e.argument() + "' for " + named(e.kind(), e.name(), e.virtualHost()) + ": "
                            + e.reason());
            case BrokerError.NotAllowed e ->
                refused(method, named(e.kind(), e.name(), e.virtualHost()) + ": " + e.reason());
            case BrokerError.AccessRefused e when e.kind() == Kind.VIRTUAL_HOST -> ProtocolFault.at(
                    method,
                    ReplyCode.NOT_ALLOWED,
                    e.reason().isEmpty()
                            ? "access to vhost '" + e.name() + "' refused for user '" + e.user() + "'"
                            : e.reason());
            case BrokerError.AccessRefused e -> refused(
                    method,
                    e.reason().isEmpty()
                            ? "access to " + named(e.kind(), e.name(), e.virtualHost()) + " refused for user '"
                                    + e.user() + "'"
                            : e.reason());
            case BrokerError.LoginRefused e -> refused(method, e.reason());
            case BrokerError.IdentityInUse e ->
                precondition(method, "'" + e.identity() + "' is in use in vhost '" + e.virtualHost() + "'");
            case BrokerError.LimitReached e -> precondition(
                    method,
                    e.what() + " limit (" + e.limit() + ") is reached: '" + e.name() + "' in vhost '"
                            + e.virtualHost() + "'");
            case BrokerError.AddressFull e -> ProtocolFault.at(
                    method,
                    ReplyCode.RESOURCE_ERROR,
                    "address '" + e.address() + "' in vhost '" + e.virtualHost() + "' is full: " + e.reason());
            case BrokerError.Unavailable e -> ProtocolFault.at(method, ReplyCode.RESOURCE_ERROR, e.reason());
        };
    }

    /** Whether a refusal ends the connection and not only the channel (spec, exchange.declare, rule "support"). */
    static boolean closesConnection(BrokerError error) {
        return error instanceof BrokerError.UnknownExchangeType;
    }

    private static ProtocolFault precondition(int method, String text) {
        return ProtocolFault.at(method, ReplyCode.PRECONDITION_FAILED, text);
    }

    private static ProtocolFault refused(int method, String text) {
        return ProtocolFault.at(method, ReplyCode.ACCESS_REFUSED, text);
    }

    /** A thing as the field names it: {@code queue 'q' in vhost '/'}. */
    static String named(Kind kind, String name, String virtualHost) {
        return kind.word() + " '" + name + "' in vhost '" + virtualHost + "'";
    }

    /** The reply text of a fault: {@code NOT_FOUND - no queue 'q' in vhost '/'}. */
    static String replyText(ProtocolFault fault) {
        return fault.code().name() + " - " + fault.text();
    }
}
