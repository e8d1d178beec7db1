package io.sluicemq.base.option;

import java.util.function.Supplier;

/**
 * One option as data. Immutable: each {@code with}-like method returns a new option, so a declaration reads as one sentence.
 * An option is its own key in {@link Settings}: two options are the same only if they are one object.
 */
public final class Option<T> implements Entry {

    private final String key;
    private final OptionType<T> type;
    private final String doc;
    private final String unit;
    private final T min;
    private final T max;
    private final Supplier<T> defaultValue;
    private final String defaultText;
    private final boolean required;
    private final boolean secret;
    private final String example;

    private Option(
            String key,
            OptionType<T> type,
            String doc,
            String unit,
            T min,
            T max,
            Supplier<T> defaultValue,
            String defaultText,
            boolean required,
            boolean secret,
            String example) {
        this.key = key;
        this.type = type;
        this.doc = doc;
        this.unit = unit;
        this.min = min;
        this.max = max;
        this.defaultValue = defaultValue;
        this.defaultText = defaultText;
        this.required = required;
        this.secret = secret;
        this.example = example;
    }

    /** An option that may be left out, and then has no value, until it is given a default. */
    public static <T> Option<T> of(String key, OptionType<T> type, String doc) {
        return new Option<>(key, type, doc, "", null, null, null, null, false, false, null);
    }

    /** What its number counts, such as {@code connections}. Sizes and durations carry their unit themselves. */
    public Option<T> counting(String unit) {
        return new Option<>(key, type, doc, unit, min, max, defaultValue, defaultText, required, secret, example);
    }

    public Option<T> atLeast(T min) {
        return bounded(min, max);
    }

    /** Both bounds are valid values themselves. */
    public Option<T> between(T min, T max) {
        return bounded(min, max);
    }

    private Option<T> bounded(T min, T max) {
        if (type.order() == null) {
            throw new IllegalArgumentException(key + " has bounds, but its values have no order");
        }
        return new Option<>(key, type, doc, unit, min, max, defaultValue, defaultText, required, secret, example);
    }

    public Option<T> defaultsTo(T value) {
        return defaultsTo(() -> value, type.format(value));
    }

    /** A default that depends on the machine; {@code words} tell it in the documentation. */
    public Option<T> defaultsTo(Supplier<T> value, String words) {
        return new Option<>(key, type, doc, unit, min, max, value, words, required, secret, example);
    }

    /** Whoever gives the section must give this option. */
    public Option<T> required() {
        return new Option<>(key, type, doc, unit, min, max, defaultValue, defaultText, true, secret, example);
    }

    /** Its value never shows in an error, a log or a listing. */
    public Option<T> secret() {
        return new Option<>(key, type, doc, unit, min, max, defaultValue, defaultText, required, true, example);
    }

    /** A value, as it is written, for the file that shows all options: of one that has no default. */
    public Option<T> example(String text) {
        try {
            parse(text);
        } catch (InvalidValue e) {
            throw new IllegalArgumentException(
                    "the example of " + key + " is '" + text + "': expected " + e.expected(), e);
        }
        return new Option<>(key, type, doc, unit, min, max, defaultValue, defaultText, required, secret, text);
    }

    @Override
    public String key() {
        return key;
    }

    @Override
    public String doc() {
        return doc;
    }

    public OptionType<T> type() {
        return type;
    }

    public String unit() {
        return unit;
    }

    /** The default; null if there is none. */
    public T defaultValue() {
        return defaultValue == null ? null : defaultValue.get();
    }

    /** The default as people read it; null if there is none. */
    public String defaultText() {
        return defaultText;
    }

    /** A value as it is written in a file, to show how: the example, else the default; null if there is neither. */
    public String sample() {
        return example != null ? example : defaultText;
    }

    /** The least valid value; null if there is none. */
    public T min() {
        return min;
    }

    /** The greatest valid value; null if there is none. */
    public T max() {
        return max;
    }

    public boolean isRequired() {
        return required;
    }

    public boolean isSecret() {
        return secret;
    }

    /** What is valid, to follow the word "expected": {@code a whole number of connections from 1 to 65535}. */
    public String expected() {
        StringBuilder words = new StringBuilder(type.description());
        if (!unit.isEmpty()) {
            words.append(" of ").append(unit);
        }
        String bounds = bounds();
        if (!bounds.isEmpty()) {
            boolean runsOn = bounds.startsWith("from") && words.indexOf(" or ") < 0;
            words.append(runsOn ? " " : ", ").append(bounds);
        }
        return words.toString();
    }

    /** Reads a value and checks it. The exception says all that is expected of this option. */
    public T parse(String text) throws InvalidValue {
        try {
            return checkBounds(type.parse(text));
        } catch (InvalidValue e) {
            throw e.expected().equals(type.description()) ? new InvalidValue(expected()) : e;
        }
    }

    /** Checks a value that was not read from text, and returns it. */
    public T check(T value) throws InvalidValue {
        try {
            return checkBounds(type.check(value));
        } catch (InvalidValue e) {
            throw e.expected().equals(type.description()) ? new InvalidValue(expected()) : e;
        }
    }

    private T checkBounds(T value) throws InvalidValue {
        boolean low = min != null && type.order().compare(value, min) < 0;
        boolean high = max != null && type.order().compare(value, max) > 0;
        if (low || high) {
            throw new InvalidValue(expected());
        }
        return value;
    }

    /** The bounds as people read them, such as {@code from 1 to 65535}; empty if there are none. */
    public String bounds() {
        if (min != null && max != null) {
            return "from " + type.format(min) + " to " + type.format(max);
        }
        if (min != null) {
            return "at least " + type.format(min);
        }
        return max != null ? "at most " + type.format(max) : "";
    }

    @Override
    public String toString() {
        return key;
    }
}
