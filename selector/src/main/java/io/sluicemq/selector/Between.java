package io.sluicemq.selector;

import io.sluicemq.api.Message;
import io.sluicemq.selector.Comparison.Operator;

/**
 * [NOT] BETWEEN (§3.8.1.2), which means {@code low <= v AND v <= high}, or {@code v < low OR v > high}: so both are false of
 * what is no number.
 */
record Between(Expression operand, boolean negated, Expression low, Expression high) implements Expression {

    @Override
    public Object value(Message message) {
        Object value = operand.value(message);
        if (value == null) {
            return null;
        }
        // Both are asked, since what decides may be either while the other is unknown.
        Boolean first = (negated ? Operator.LESS : Operator.GREATER_OR_EQUAL).compare(value, low.value(message));
        if (first != null && first == negated) {
            return first;
        }
        Boolean second = (negated ? Operator.GREATER : Operator.LESS_OR_EQUAL).compare(value, high.value(message));
        if (second != null && second == negated) {
            return second;
        }
        return first == null || second == null ? null : second;
    }

    @Override
    public Type type() {
        return Type.BOOLEAN;
    }
}
