package io.sluicemq.selector;

import io.sluicemq.api.Message;

/** A value that is written in the selector: a String, a Boolean, a Long or a Double. */
record Literal(Object constant) implements Expression {

    @Override
    public Object value(Message message) {
        return constant;
    }

    @Override
    public Type type() {
        return switch (constant) {
            case String _ -> Type.STRING;
            case Boolean _ -> Type.BOOLEAN;
            default -> Type.NUMBER;
        };
    }
}
