package io.sluicemq.selector;

import io.sluicemq.api.Message;

/** A property of the message, or a field of its header. */
record Identifier(String name) implements Expression {

    @Override
    public Object value(Message message) {
        return message.format().selectable(message, name);
    }

    @Override
    public Type type() {
        return Type.ANY;
    }
}
