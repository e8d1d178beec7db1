package io.sluicemq.security;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Which names a permission is about. Immutable. Written in one of two ways:
 *
 * <ul>
 * <li>words between dots, where {@code *} stands for one word and {@code #} for any number of words, none included: it matches a name
 *     as a whole, as the patterns of address settings do;
 * <li>{@value #REGEX} and a regular expression (RE2), which matches a name if it is found somewhere in it, unless it says {@code ^}
 *     and {@code $}: as RabbitMQ's do.
 * </ul>
 *
 * <p>Either takes a time that is bounded by the length of the pattern times that of the name: there is no backtracking without end.
 */
public final class NamePattern {

    /** What a regular expression is told by. */
    public static final String REGEX = "regex:";

    /** As long a pattern may be, in characters. */
    public static final int MAX_LENGTH = 1_000;

    private static final String ANY_WORD = "*";
    private static final String ANY_WORDS = "#";

    private final String text;
    /** Null for a regular expression. */
    private final String[] words;
    /** Null for words. */
    private final Pattern regex;
    private final boolean everything;

    private NamePattern(String text, String[] words, Pattern regex) {
        this.text = text;
        this.words = words;
        this.regex = regex;
        this.everything =
                words == null ? isEverything(regex.pattern()) : Arrays.equals(words, new String[] {ANY_WORDS});
    }

    private static boolean isEverything(String regex) {
        return regex.equals(".*") || regex.equals("^.*$") || regex.equals("^.*");
    }

    /** @throws IllegalArgumentException if it is no pattern; the message says why, and begins with the pattern */
    public static NamePattern of(String text) {
        if (text.isEmpty() || text.length() > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "a pattern of " + text.length() + " characters: expected 1 to " + MAX_LENGTH);
        }
        if (text.startsWith(REGEX)) {
            try {
                return new NamePattern(text, null, Pattern.compile(text.substring(REGEX.length()), Pattern.DOTALL));
            } catch (PatternSyntaxException e) {
                throw new IllegalArgumentException("'" + text + "' is no regular expression as RE2 knows them (without"
                        + " look-around and back references): " + e.getDescription(), e);
            }
        }
        String[] words = text.split("\\.", -1);
        for (int i = 0; i < words.length; i++) {
            String mistake = mistake(words[i], i == 0 ? "" : words[i - 1]);
            if (mistake != null) {
                throw new IllegalArgumentException("'" + text + "' " + mistake);
            }
        }
        return new NamePattern(text, words, null);
    }

    private static String mistake(String word, String before) {
        if (word.isEmpty()) {
            return "has an empty word: expected words with a dot between them, such as orders.*";
        }
        if (word.length() > 1 && (word.contains(ANY_WORD) || word.contains(ANY_WORDS))) {
            return "has a wildcard inside the word '" + word
                    + "': expected '*' (one word) or '#' (any number of words) between dots, or a regular expression after '"
                    + REGEX + "'";
        }
        if (word.equals(ANY_WORDS) && before.equals(ANY_WORDS)) {
            return "has '#' twice in a row: expected one, which means the same";
        }
        return null;
    }

    /** Whether a name is one of those that this is about. */
    public boolean matches(String name) {
        if (everything) {
            return true;
        }
        return regex == null ? match(name, false) : regex.matcher(name).find();
    }

    /** Whether all names are that a topic's binding key matches. A regular expression is not asked that: false if in doubt. */
    boolean matchesAllOf(String bindingKey) {
        return everything || regex == null && match(bindingKey, true);
    }

    /** @param asKey whether wildcards of what is matched stand for many names, all of which must match */
    private boolean match(String other, boolean asKey) {
        String[] others = other.split("\\.", -1);
        int word = 0;
        int otherWord = 0;
        int lastAny = -1;
        int resumeAt = 0;
        while (otherWord < others.length) {
            if (word < words.length && words[word].equals(ANY_WORDS)) {
                lastAny = word++;
                resumeAt = otherWord;
            } else if (word < words.length && matchesWord(words[word], others[otherWord], asKey)) {
                word++;
                otherWord++;
            } else if (lastAny >= 0) {
                word = lastAny + 1;
                otherWord = ++resumeAt;
            } else {
                return false;
            }
        }
        while (word < words.length && words[word].equals(ANY_WORDS)) {
            word++;
        }
        return word == words.length;
    }

    private static boolean matchesWord(String word, String other, boolean asKey) {
        if (asKey && other.equals(ANY_WORDS)) {
            return false;
        }
        return word.equals(ANY_WORD) || word.equals(other) && !(asKey && other.equals(ANY_WORD));
    }

    /** The same as a regular expression that is found in just the names that match, as RabbitMQ's HTTP API has them. */
    String regex() {
        if (regex != null) {
            return regex.pattern();
        }
        if (everything) {
            return ".*";
        }
        StringBuilder all = new StringBuilder("^");
        boolean dotDue = false;
        for (int i = 0; i < words.length; i++) {
            if (words[i].equals(ANY_WORDS)) {
                // What precedes it has no dot yet; what follows brings none of its own if this is the first.
                all.append(dotDue ? "(\\.[^.]*)*" : "([^.]*\\.)*");
            } else {
                all.append(dotDue ? "\\." : "").append(words[i].equals(ANY_WORD) ? "[^.]*" : quoted(words[i]));
                dotDue = true;
            }
        }
        return all.append('$').toString();
    }

    /**
     * Patterns as one regular expression, which is found in just the names that one of them matches; without any, in none.
     *
     * @throws IllegalArgumentException if one is no pattern
     */
    public static String regexOf(List<String> patterns) {
        List<String> each = patterns.stream().map(text -> of(text).regex()).toList();
        return switch (each.size()) {
            case 0 -> "^$";
            case 1 -> each.getFirst();
            default -> each.stream().map(regex -> "(" + regex + ")").collect(Collectors.joining("|"));
        };
    }

    private static String quoted(String word) {
        StringBuilder quoted = new StringBuilder();
        for (char c : word.toCharArray()) {
            if ("\\^$|?*+()[]{}".indexOf(c) >= 0) {
                quoted.append('\\');
            }
            quoted.append(c);
        }
        return quoted.toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NamePattern pattern && text.equals(pattern.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** As it is written. */
    @Override
    public String toString() {
        return text;
    }
}
