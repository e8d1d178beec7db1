package io.sluicemq.selector;

import io.sluicemq.api.Message;
import java.util.Set;

/** [NOT] IN (§3.8.1.2): whether a property is one of some strings; unknown if it isn't there. */
record In(Identifier identifier, boolean negated, Set<String> strings) implements Expression {

    @Override
    public Object value(Message message) {
        Object value = identifier.value(message);
        if (value == null) {
            return null;
        }
        return (value instanceof String string && strings.contains(string)) != negated;
    }

    @Override
    public Type type() {
        return Type.BOOLEAN;
    }
}
