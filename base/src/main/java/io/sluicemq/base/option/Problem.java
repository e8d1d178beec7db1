package io.sluicemq.base.option;

import java.util.List;

/**
 * What is wrong with one value or key, as data.
 *
 * @param key the full key, such as {@code listeners.amqp.port}; empty if no key is to blame
 * @param value what was written, or null if it is secret or there is nothing to show
 * @param expected what would have been valid, or null if the message alone says it
 * @param nearest the key that was probably meant, or null
 * @param message all of it in one line, without the place
 */
public record Problem(Place place, String key, String value, String expected, String nearest, String message) {

    /** So much of a wrong value is shown. */
    private static final int MAX_SHOWN = 60;

    /** A value that its option does not take. */
    public static Problem invalidValue(Place place, String key, Option<?> option, String value, String expected) {
        String shown = option.isSecret() ? null : shorten(value);
        String subject = shown == null ? key + " is not valid" : key + " is '" + shown + "'";
        return new Problem(place, key, shown, expected, null, subject + ": expected " + expected);
    }

    /** A key with a value of the wrong shape, or with none. */
    public static Problem wrongShape(Place place, String key, String found, String expected) {
        return new Problem(place, key, null, expected, null, key + " is " + found + ": expected " + expected);
    }

    /** A key that its section does not have. */
    public static Problem unknownKey(Place place, String prefix, String key, List<String> known) {
        String shown = shorten(key);
        String nearest = Nearest.of(key, known).orElse(null);
        String where = prefix.isEmpty() ? "" : " in " + prefix;
        String expected = "one of " + String.join(", ", known);
        String hint = nearest == null ? "expected " + expected : "did you mean '" + nearest + "'?";
        String full = prefix.isEmpty() ? shown : prefix + "." + shown;
        return new Problem(place, full, null, expected, nearest, "unknown key '" + shown + "'" + where + ": " + hint);
    }

    /** Anything else that is wrong about a key. */
    public static Problem of(Place place, String key, String message) {
        return new Problem(place, key, null, null, null, message);
    }

    private static String shorten(String text) {
        String line = text.replaceAll("\\p{Cntrl}+", " ");
        return line.length() <= MAX_SHOWN ? line : line.substring(0, MAX_SHOWN) + "…";
    }

    /** {@code sluicemq.yaml:7:11: listeners.amqp.port is '70000': expected a whole number from 0 to 65535}. */
    @Override
    public String toString() {
        return place + ": " + message;
    }
}
