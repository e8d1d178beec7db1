package io.sluicemq.selector;

import java.util.Arrays;

/**
 * The pattern of a LIKE: characters, and wildcards for one character or for any number of them. Matching goes back to the last
 * wildcard only, so its time is at most the product of both lengths. Immutable.
 */
final class LikePattern {

    private static final int ONE = -1;
    private static final int MANY = -2;

    /** Code points and wildcards; no two MANY in a row. */
    private final int[] parts;

    private LikePattern(int[] parts) {
        this.parts = parts;
    }

    /**
     * @param escape the character before one that means itself, or a negative number for none
     * @return null if the text ends with the escape character, which then stands before nothing
     */
    static LikePattern of(String text, int escape) {
        int[] parts = new int[text.length()];
        int count = 0;
        for (int i = 0; i < text.length();) {
            int character = text.codePointAt(i);
            i += Character.charCount(character);
            if (character == escape) {
                if (i == text.length()) {
                    return null;
                }
                character = text.codePointAt(i);
                i += Character.charCount(character);
                parts[count++] = character;
            } else if (character == '_') {
                parts[count++] = ONE;
            } else if (character != '%') {
                parts[count++] = character;
            } else if (count == 0 || parts[count - 1] != MANY) {
                parts[count++] = MANY;
            }
        }
        return new LikePattern(Arrays.copyOf(parts, count));
    }

    boolean matches(String text) {
        int part = 0;
        int at = 0;
        int partAfterMany = -1;
        int retryAt = 0;
        while (at < text.length()) {
            int character = text.codePointAt(at);
            if (part < parts.length && parts[part] == MANY) {
                partAfterMany = ++part;
                retryAt = at;
            } else if (part < parts.length && (parts[part] == ONE || parts[part] == character)) {
                part++;
                at += Character.charCount(character);
            } else if (partAfterMany >= 0) {
                if (partAfterMany == parts.length) {
                    return true;
                }
                part = partAfterMany;
                retryAt += Character.charCount(text.codePointAt(retryAt));
                at = retryAt;
            } else {
                return false;
            }
        }
        while (part < parts.length && parts[part] == MANY) {
            part++;
        }
        return part == parts.length;
    }
}
