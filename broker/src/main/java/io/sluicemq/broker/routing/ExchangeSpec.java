package io.sluicemq.broker.routing;

import java.util.Objects;

/**
 * What a client declares an exchange to be.
 *
 * @param alternate the exchange that gets what no binding here matches, or null; it need not exist
 * @param autoDelete whether the exchange goes when the last binding from it is removed
 * @param internal whether clients may not publish to it, only bindings lead there; left to the caller to enforce
 * @param arguments kept to be listed; they take no part in routing
 */
public record ExchangeSpec(
        String name,
        ExchangeType type,
        boolean durable,
        boolean autoDelete,
        boolean internal,
        String alternate,
        Arguments arguments) {

    public ExchangeSpec {
        Objects.requireNonNull(name);
        Objects.requireNonNull(type);
        Objects.requireNonNull(arguments);
    }

    /** A durable exchange with nothing else asked for. */
    public static ExchangeSpec durable(String name, ExchangeType type) {
        return new ExchangeSpec(name, type, true, false, false, null, Arguments.NONE);
    }

    /**
     * Why a declaration of {@code requested} cannot be answered with this exchange, or null if it can. Arguments other than the
     * alternate exchange are not compared, as clients of RabbitMQ expect.
     */
    Refusal.Inequivalent differenceTo(ExchangeSpec requested) {
        if (type != requested.type) {
            return new Refusal.Inequivalent(name, "type", type.label(), requested.type.label());
        }
        if (durable != requested.durable) {
            return new Refusal.Inequivalent(name, "durable", durable, requested.durable);
        }
        if (autoDelete != requested.autoDelete) {
            return new Refusal.Inequivalent(name, "auto_delete", autoDelete, requested.autoDelete);
        }
        if (internal != requested.internal) {
            return new Refusal.Inequivalent(name, "internal", internal, requested.internal);
        }
        if (!Objects.equals(alternate, requested.alternate)) {
            return new Refusal.Inequivalent(name, "alternate-exchange", alternate, requested.alternate);
        }
        return null;
    }
}
