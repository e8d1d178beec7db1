package io.sluicemq.selector;

import io.sluicemq.api.Message;

/** NOT (§3.8.1.2): unknown stays unknown. */
record Not(Expression condition) implements Expression {

    @Override
    public Object value(Message message) {
        return of(condition.value(message));
    }

    static Boolean of(Object value) {
        Boolean truth = Expression.truth(value);
        return truth == null ? null : truth ? Boolean.FALSE : Boolean.TRUE;
    }

    @Override
    public Type type() {
        return Type.BOOLEAN;
    }
}
