package io.sluicemq.selector;

import io.sluicemq.api.Message;

/** IS [NOT] NULL (§3.8.1.2): never unknown. */
record IsNull(Identifier identifier, boolean negated) implements Expression {

    @Override
    public Object value(Message message) {
        return (identifier.value(message) == null) != negated;
    }

    @Override
    public Type type() {
        return Type.BOOLEAN;
    }
}
