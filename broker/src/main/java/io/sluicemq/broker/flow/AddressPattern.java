package io.sluicemq.broker.flow;

import java.util.Optional;

/**
 * A pattern of names of addresses: words between dots, where {@code *} stands for exactly one word and {@code #} for any number
 * of words, none included. Immutable.
 *
 * <p>Of two patterns the more specific one is found word by word from the left. Where they differ in kind for the first time, a
 * word that is written out beats {@code *}, which beats the pattern's end, which beats {@code #}. So a name without {@code *} and
 * {@code #} beats all else that matches it, and {@code a.b} beats {@code a.*}, that {@code a.*.#}, and that {@code a.#}. Two that
 * do not differ in kind anywhere, such as {@code #.a.#} and {@code #.b.#}, are equally specific.
 */
public final class AddressPattern implements Comparable<AddressPattern> {

    static final String ANY_WORD = "*";
    static final String ANY_WORDS = "#";

    private final String[] words;
    /** A letter for each word and the end, in the order of how specific they are. */
    private final String kinds;

    private AddressPattern(String[] words) {
        this.words = words;
        StringBuilder letters = new StringBuilder();
        for (String word : words) {
            letters.append(switch (word) {
                case ANY_WORD -> 'b';
                case ANY_WORDS -> 'd';
                default -> 'a';
            });
        }
        this.kinds = letters.append('c').toString();
    }

    /** @throws IllegalArgumentException if it is no pattern; the message says why */
    public static AddressPattern of(String text) {
        Optional<String> mistake = mistakeIn(text);
        if (mistake.isPresent()) {
            throw new IllegalArgumentException("'" + text + "' " + mistake.get());
        }
        return new AddressPattern(wordsOf(text));
    }

    /** Why a text is no pattern, to follow the text: {@code has an empty word: …}. Empty if it is one. */
    public static Optional<String> mistakeIn(String text) {
        String before = "";
        for (String word : wordsOf(text)) {
            if (word.isEmpty()) {
                return Optional.of("has an empty word: expected words with a dot between them, such as orders.*");
            }
            if (word.length() > 1 && (word.contains(ANY_WORD) || word.contains(ANY_WORDS))) {
                return Optional.of("has a wildcard inside the word '" + word
                        + "': expected '*' (one word) or '#' (any number of words) between dots");
            }
            if (word.equals(ANY_WORDS) && before.equals(ANY_WORDS)) {
                return Optional.of("has '#' twice in a row: expected one, which means the same");
            }
            before = word;
        }
        return Optional.empty();
    }

    static String[] wordsOf(String text) {
        return text.split("\\.", -1);
    }

    /** Its words, not to be changed. */
    String[] words() {
        return words;
    }

    /** Whether there is a name that this pattern and the other match. */
    public boolean overlaps(AddressPattern other) {
        return overlap(words, 0, other.words, 0, new boolean[words.length + 1][other.words.length + 1]);
    }

    /** @param failed what was looked at already, in vain */
    private static boolean overlap(String[] one, int i, String[] two, int j, boolean[][] failed) {
        if (failed[i][j]) {
            return false;
        }
        failed[i][j] = true;
        boolean oneAny = i < one.length && one[i].equals(ANY_WORDS);
        boolean twoAny = j < two.length && two[j].equals(ANY_WORDS);
        if (i == one.length && j == two.length) {
            return true;
        }
        if (oneAny && overlap(one, i + 1, two, j, failed) || twoAny && overlap(one, i, two, j + 1, failed)) {
            return true;
        }
        if (i == one.length || j == two.length) {
            return false;
        }
        if (oneAny || twoAny) {
            return overlap(one, oneAny ? i : i + 1, two, twoAny ? j : j + 1, failed);
        }
        boolean same = one[i].equals(two[j]) || one[i].equals(ANY_WORD) || two[j].equals(ANY_WORD);
        return same && overlap(one, i + 1, two, j + 1, failed);
    }

    /** The more specific one comes first. Equally specific ones are 0 apart, though not equal. */
    @Override
    public int compareTo(AddressPattern other) {
        return kinds.compareTo(other.kinds);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AddressPattern pattern && toString().equals(pattern.toString());
    }

    @Override
    public int hashCode() {
        return toString().hashCode();
    }

    @Override
    public String toString() {
        return String.join(".", words);
    }
}
