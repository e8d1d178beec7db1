package io.sluicemq.selector;

import io.sluicemq.api.Message;

/** A minus sign before a number; null if it is none. */
record Negation(Expression operand) implements Expression {

    @Override
    public Object value(Message message) {
        Object value = operand.value(message);
        if (!Numbers.isNumber(value)) {
            return null;
        }
        Number number = (Number) value;
        if (Numbers.isExact(value)) {
            return -number.longValue();
        }
        return -number.doubleValue();
    }

    @Override
    public Type type() {
        return Type.NUMBER;
    }
}
