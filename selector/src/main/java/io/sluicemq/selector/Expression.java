package io.sluicemq.selector;

import io.sluicemq.api.Message;

/**
 * A part of a selector, ready to be evaluated. Immutable, and evaluated without allocation, but for the result of a
 * computation with numbers and for what a message's format returns.
 */
sealed interface Expression permits
        Literal, Identifier, AllOf, AnyOf, Not, Comparison, Between, In, Like, IsNull, Computation, Negation {

    /** What can be said of a value before there is a message. */
    enum Type {
        /** It depends on the message. */
        ANY("a property"),
        BOOLEAN("a condition"),
        NUMBER("a number"),
        STRING("a string");

        /** How an error names it. */
        final String words;

        Type(String words) {
            this.words = words;
        }

        boolean mayBe(Type other) {
            return this == ANY || this == other;
        }
    }

    /**
     * Its value for a message: a String, a Boolean, a number, or something else that compares with nothing; null for SQL's NULL,
     * which as a truth is 'unknown'. Never throws.
     */
    Object value(Message message);

    /** What kind of value it has, other than null. */
    Type type();

    /** A value as a truth: null, for unknown, if it is none. */
    static Boolean truth(Object value) {
        return value instanceof Boolean truth ? truth : null;
    }
}
