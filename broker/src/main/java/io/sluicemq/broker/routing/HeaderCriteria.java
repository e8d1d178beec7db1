package io.sluicemq.broker.routing;

import java.util.Map;
import java.util.Set;

/**
 * What a binding of a headers exchange asks of a message: that all of some headers be there with certain values, or any of them.
 * Immutable.
 *
 * <p>Which arguments are criteria is said by {@code x-match}: {@code all} (also without it) and {@code any} leave out those
 * whose names start with {@code x-}; {@code all-with-x} and {@code any-with-x} count them, but for {@code x-match} itself. A
 * criterion without a value asks only that the header be there. Without any criteria, {@code all} matches every message and
 * {@code any} none (0-9-1 §3.1.3.4, and what RabbitMQ makes of it).
 */
final class HeaderCriteria {

    private static final String MATCH = "x-match";

    private static final Set<String> MATCHES = Set.of("all", "any", "all-with-x", "any-with-x");

    private final boolean all;
    private final String[] names;

    /** In the form of {@link Arguments#comparable(Object)}; null where presence is enough. */
    private final Object[] values;

    private HeaderCriteria(boolean all, String[] names, Object[] values) {
        this.all = all;
        this.names = names;
        this.values = values;
    }

    /** Why arguments can't be criteria, or null if they can. */
    static Refusal refusalOf(Arguments arguments) {
        Map<String, Object> map = arguments.comparableMap();
        if (!map.containsKey(MATCH)) {
            return null;
        }
        return map.get(MATCH) instanceof String match && MATCHES.contains(match)
                ? null
                : new Refusal.InvalidArgument(
                        MATCH, arguments.asMap().get(MATCH), "all, any, all-with-x or any-with-x");
    }

    /** The criteria in arguments that can be. */
    static HeaderCriteria of(Arguments arguments) {
        Map<String, Object> map = arguments.comparableMap();
        Object match = map.getOrDefault(MATCH, "all");
        boolean withX = match.equals("all-with-x") || match.equals("any-with-x");
        String[] names = map.keySet().stream()
                .filter(name -> withX ? !name.equals(MATCH) : !name.startsWith("x-"))
                .sorted()
                .toArray(String[]::new);
        Object[] values = new Object[names.length];
        for (int i = 0; i < names.length; i++) {
            values[i] = map.get(names[i]);
        }
        return new HeaderCriteria(match.equals("all") || match.equals("all-with-x"), names, values);
    }

    /** Whether a message must meet every criterion, and not only one. */
    boolean all() {
        return all;
    }

    /** How many criteria there are. */
    int size() {
        return names.length;
    }

    String name(int index) {
        return names[index];
    }

    /** The value that the header must have, comparable; null if any will do. */
    Object value(int index) {
        return values[index];
    }

    /** Whether a message with these headers meets every criterion. */
    boolean allMetBy(Map<String, Object> headers) {
        for (int i = 0; i < names.length; i++) {
            if (values[i] == null) {
                if (!headers.containsKey(names[i])) {
                    return false;
                }
            } else if (!values[i].equals(Arguments.comparable(headers.get(names[i])))) {
                return false;
            }
        }
        return true;
    }
}
