package io.sluicemq.selector;

import io.sluicemq.api.Message;

/** One of the comparison operators of §3.8.1.2. */
record Comparison(Expression left, Operator operator, Expression right) implements Expression {

    /** How two values are compared. */
    enum Operator {
        EQUAL("="),
        UNEQUAL("<>"),
        LESS("<"),
        LESS_OR_EQUAL("<="),
        GREATER(">"),
        GREATER_OR_EQUAL(">=");

        final String text;

        Operator(String text) {
            this.text = text;
        }

        /** Whether it asks for an order, which only numbers have. */
        boolean orders() {
            return this != EQUAL && this != UNEQUAL;
        }

        private boolean holds(long left, long right) {
            return switch (this) {
                case EQUAL -> left == right;
                case UNEQUAL -> left != right;
                case LESS -> left < right;
                case LESS_OR_EQUAL -> left <= right;
                case GREATER -> left > right;
                case GREATER_OR_EQUAL -> left >= right;
            };
        }

        private boolean holds(double left, double right) {
            return switch (this) {
                case EQUAL -> left == right;
                case UNEQUAL -> left != right;
                case LESS -> left < right;
                case LESS_OR_EQUAL -> left <= right;
                case GREATER -> left > right;
                case GREATER_OR_EQUAL -> left >= right;
            };
        }

        /** The result for two values; null, for unknown, if one of them is null. */
        Boolean compare(Object left, Object right) {
            if (left == null || right == null) {
                return null;
            }
            if (Numbers.isNumber(left) && Numbers.isNumber(right)) {
                return Numbers.isExact(left) && Numbers.isExact(right)
                        ? holds(((Number) left).longValue(), ((Number) right).longValue())
                        : holds(((Number) left).doubleValue(), ((Number) right).doubleValue());
            }
            boolean alike = left instanceof String && right instanceof String
                    || left instanceof Boolean && right instanceof Boolean;
            return alike && !orders() && left.equals(right) == (this == EQUAL);
        }
    }

    @Override
    public Object value(Message message) {
        return operator.compare(left.value(message), right.value(message));
    }

    @Override
    public Type type() {
        return Type.BOOLEAN;
    }
}
