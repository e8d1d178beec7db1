package io.sluicemq.selector;

import io.sluicemq.api.MessageFilter;

/**
 * Reads selectors: the whole language of Jakarta Messaging §3.8.1, and no more. What the specification leaves open is decided
 * here so:
 *
 * <ul>
 * <li>Values of unlike types are neither equal nor unequal, as it says; nor does one of them come before the other. Strings and
 * booleans have no order: to ask for one is an error where the text shows it, and false where the message does.
 * <li>Exact numbers are computed as Java's {@code long}, which goes round at its ends; with an approximate one among them, as
 * {@code double}. A division of exact numbers by zero is unknown.
 * <li>What should be a number or a truth and is something else is unknown.
 * <li>{@code _} stands for one character, even for one that Java stores as two. An escape character before anything else than
 * {@code %}, {@code _} or itself means that character.
 * </ul>
 *
 * <p>Stateless; called on any thread.
 */
public final class Selectors {

    /** The longest text, in {@code char}s. */
    public static final int MAX_LENGTH = 16 * 1024;

    /** How deep parentheses, NOT and signs may be nested, so that no thread's stack can overflow. */
    public static final int MAX_DEPTH = 100;

    private Selectors() {}

    /**
     * Reads a selector.
     *
     * @param text may be null
     * @return null if there is none, that is, if the text is null or blank (§3.8.1: an empty string is treated as null)
     * @throws InvalidSelector if it isn't one, or if it is beyond {@link #MAX_LENGTH} or {@link #MAX_DEPTH}
     */
    public static MessageFilter parse(String text) throws InvalidSelector {
        if (text == null || text.isBlank()) {
            return null;
        }
        if (text.length() > MAX_LENGTH) {
            throw new InvalidSelector("it has " + text.length() + " characters, more than " + MAX_LENGTH, MAX_LENGTH);
        }
        return new Selector(text, new SelectorParser(text).parse());
    }
}
