package io.sluicemq.selector;

import io.sluicemq.api.Message;

/** AND (§3.8.1.2): false if one is false, else unknown if one is unknown. Two or more, so that a long row of them isn't a deep tree. */
record AllOf(Expression[] conditions) implements Expression {

    @Override
    public Object value(Message message) {
        Boolean result = Boolean.TRUE;
        for (Expression condition : conditions) {
            Boolean truth = Expression.truth(condition.value(message));
            if (truth == null) {
                result = null;
            } else if (!truth) {
                return Boolean.FALSE;
            }
        }
        return result;
    }

    @Override
    public Type type() {
        return Type.BOOLEAN;
    }
}
