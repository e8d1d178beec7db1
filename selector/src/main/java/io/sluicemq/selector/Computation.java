package io.sluicemq.selector;

import io.sluicemq.api.Message;

/**
 * A row of additions and subtractions, or of multiplications and divisions, from the left to the right; Java's numeric promotion
 * applies (§3.8.1.2). Null if something in it is no number, or where an exact number is divided by zero.
 *
 * @param operators before each operand but the first: {@code + - * /}
 */
record Computation(Expression[] operands, char[] operators) implements Expression {

    @Override
    public Object value(Message message) {
        Object first = operands[0].value(message);
        if (!Numbers.isNumber(first)) {
            return null;
        }
        boolean exact = Numbers.isExact(first);
        long exactly = ((Number) first).longValue();
        double approximately = ((Number) first).doubleValue();
        for (int i = 0; i < operators.length; i++) {
            Object operand = operands[i + 1].value(message);
            if (!Numbers.isNumber(operand)) {
                return null;
            }
            Number number = (Number) operand;
            if (exact && Numbers.isExact(number)) {
                if (operators[i] == '/' && number.longValue() == 0) {
                    return null;
                }
                exactly = compute(exactly, operators[i], number.longValue());
                approximately = exactly;
            } else {
                exact = false;
                approximately = compute(approximately, operators[i], number.doubleValue());
            }
        }
        if (exact) {
            return exactly;
        }
        return approximately;
    }

    private static long compute(long left, char operator, long right) {
        return switch (operator) {
            case '+' -> left + right;
            case '-' -> left - right;
            case '*' -> left * right;
            default -> left / right;
        };
    }

    private static double compute(double left, char operator, double right) {
        return switch (operator) {
            case '+' -> left + right;
            case '-' -> left - right;
            case '*' -> left * right;
            default -> left / right;
        };
    }

    @Override
    public Type type() {
        return Type.NUMBER;
    }
}
