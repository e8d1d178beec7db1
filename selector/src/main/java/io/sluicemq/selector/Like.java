package io.sluicemq.selector;

import io.sluicemq.api.Message;

/** [NOT] LIKE (§3.8.1.2): whether a property is a string of that pattern; unknown if it isn't there. */
record Like(Identifier identifier, boolean negated, LikePattern pattern) implements Expression {

    @Override
    public Object value(Message message) {
        Object value = identifier.value(message);
        if (value == null) {
            return null;
        }
        return (value instanceof String string && pattern.matches(string)) != negated;
    }

    @Override
    public Type type() {
        return Type.BOOLEAN;
    }
}
