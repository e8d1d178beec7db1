package io.sluicemq.broker.engine;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.BrokerError.Kind;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.broker.routing.Arguments;
import java.util.Map;
import java.util.TreeSet;

/**
 * Whether a queue is what a second declaration asks for. All properties and arguments count; an integer is its value, however
 * wide the client wrote it. Of a queue that nobody has declared, as it was made by being used, only those arguments count that the
 * declaration has: the others were not chosen by anybody. And whoever is about to make one so takes any that has come meanwhile.
 */
final class QueueEquivalence {

    private QueueEquivalence() {}

    /** What differs, or null if nothing does. */
    static BrokerError difference(QueueSpec current, QueueSpec received, String virtualHost) {
        if (isMadeByUse(received)) {
            return null;
        }
        if (current.durable() != received.durable()) {
            return unlike(current, virtualHost, "durable", received.durable(), current.durable());
        }
        if (current.autoDelete() != received.autoDelete()) {
            return unlike(current, virtualHost, "auto_delete", received.autoDelete(), current.autoDelete());
        }
        if (Arguments.of(current.arguments()).equals(Arguments.of(received.arguments()))) {
            return null;
        }
        TreeSet<String> names = new TreeSet<>(received.arguments().keySet());
        if (!isMadeByUse(current)) {
            names.addAll(current.arguments().keySet());
        }
        for (String name : names) {
            Object now = current.arguments().get(name);
            Object asked = received.arguments().get(name);
            if (!Arguments.of(entry(name, now)).equals(Arguments.of(entry(name, asked)))) {
                return new BrokerError.Inequivalent(
                        Kind.QUEUE, current.name(), virtualHost, name, phrase(asked, now), phrase(now, asked));
            }
        }
        return null;
    }

    private static boolean isMadeByUse(QueueSpec queue) {
        return Boolean.TRUE.equals(queue.arguments().get(QueueSpec.MADE_BY_USE));
    }

    private static Map<String, Object> entry(String name, Object value) {
        return value == null ? Map.of() : Map.of(name, value);
    }

    private static BrokerError unlike(
            QueueSpec current, String virtualHost, String property, boolean received, boolean now) {
        return new BrokerError.Inequivalent(
                Kind.QUEUE, current.name(), virtualHost, property, "'" + received + "'", "'" + now + "'");
    }

    /** An argument's value in words, with its type unless the values already tell them apart. */
    static String phrase(Object value, Object other) {
        if (value != null && other != null && !value.toString().equals(other.toString())) {
            return "'" + value + "'";
        }
        return value == null ? "none" : "the value '" + value + "' of type '" + type(value) + "'";
    }

    private static String type(Object value) {
        return switch (value) {
            case CharSequence text -> "longstr";
            case Boolean flag -> "bool";
            case Byte number -> "byte";
            case Short number -> "short";
            case Integer number -> "signedint";
            case Long number -> "long";
            case Float number -> "float";
            case Double number -> "double";
            case Map<?, ?> map -> "table";
            case Iterable<?> list -> "array";
            case byte[] bytes -> "binary";
            default -> value.getClass().getSimpleName().toLowerCase(java.util.Locale.ROOT);
        };
    }
}
