package io.sluicemq.selector;

/** Which values are numbers: exact ones are Java's integers, approximate ones its floating-point types. Stateless. */
final class Numbers {

    private Numbers() {}

    static boolean isNumber(Object value) {
        return isExact(value) || value instanceof Double || value instanceof Float;
    }

    static boolean isExact(Object value) {
        return value instanceof Integer || value instanceof Long || value instanceof Short || value instanceof Byte;
    }
}
