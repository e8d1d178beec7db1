package io.sluicemq.selector;

import java.util.regex.Pattern;

/** The value of a number in a selector, written as in Java (§3.8.1.1). Stateless. */
final class NumberLiteral {

    private static final Pattern DECIMAL = Pattern.compile("(0|[1-9][0-9]*)[lL]?");
    private static final Pattern HEXADECIMAL = Pattern.compile("0[xX][0-9a-fA-F]+[lL]?");
    private static final Pattern OCTAL = Pattern.compile("0[0-7]+[lL]?");
    private static final Pattern APPROXIMATE =
            Pattern.compile("([0-9]+\\.[0-9]*|\\.[0-9]+|[0-9]+(?=[eEfFdD]))([eE][+-]?[0-9]+)?[fFdD]?");
    private static final int HEX = 16;
    private static final int OCT = 8;

    private NumberLiteral() {}

    /**
     * Its value: a Long, or a Double, which with the suffix f is one of the values of a float.
     *
     * @param negated whether a minus sign stands before it: the least long has no positive counterpart
     */
    static Object of(Token token, boolean negated) throws InvalidSelector {
        String text = token.text();
        try {
            if (DECIMAL.matcher(text).matches()) {
                return Long.parseLong((negated ? "-" : "") + withoutSuffix(text));
            }
            if (HEXADECIMAL.matcher(text).matches()) {
                return signed(Long.parseUnsignedLong(withoutSuffix(text.substring(2)), HEX), negated);
            }
            if (OCTAL.matcher(text).matches()) {
                return signed(Long.parseUnsignedLong(withoutSuffix(text), OCT), negated);
            }
        } catch (NumberFormatException _) {
            throw new InvalidSelector("the number " + token.words() + " does not fit into 64 bits", token.position());
        }
        if (!APPROXIMATE.matcher(text).matches()) {
            throw new InvalidSelector(token.words() + " is not a number", token.position());
        }
        char last = text.charAt(text.length() - 1);
        double value;
        if (last == 'f' || last == 'F') {
            value = Float.parseFloat(text);
        } else {
            value = Double.parseDouble(text);
        }
        if (Double.isInfinite(value)) {
            throw new InvalidSelector("the number " + token.words() + " is too large", token.position());
        }
        return negated ? -value : value;
    }

    private static long signed(long value, boolean negated) {
        return negated ? -value : value;
    }

    private static String withoutSuffix(String text) {
        char last = text.charAt(text.length() - 1);
        return last == 'l' || last == 'L' ? text.substring(0, text.length() - 1) : text;
    }
}
