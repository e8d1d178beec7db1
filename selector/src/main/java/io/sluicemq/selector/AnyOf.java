package io.sluicemq.selector;

import io.sluicemq.api.Message;

/** OR (§3.8.1.2): true if one is true, else unknown if one is unknown. Two or more, so that a long row of them isn't a deep tree. */
record AnyOf(Expression[] conditions) implements Expression {

    @Override
    public Object value(Message message) {
        Boolean result = Boolean.FALSE;
        for (Expression condition : conditions) {
            Boolean truth = Expression.truth(condition.value(message));
            if (truth == null) {
                result = null;
            } else if (truth) {
                return Boolean.TRUE;
            }
        }
        return result;
    }

    @Override
    public Type type() {
        return Type.BOOLEAN;
    }
}
