package io.sluicemq.broker.routing;

/**
 * A word of a topic: a part of a string, compared by its content. The words of a trie are made once and kept; those of a
 * published key are set anew on every route, so that looking them up takes no substring.
 */
final class Word {

    private String text = "";
    private int start;
    private int length;
    private int hash;

    /** A word to keep. */
    static Word of(String text) {
        Word word = new Word();
        word.set(text, 0, text.length());
        return word;
    }

    /** Makes this the word of {@code text} from {@code start} to {@code end} excluded. */
    void set(String text, int start, int end) {
        int h = 0;
        for (int i = start; i < end; i++) {
            h = 31 * h + text.charAt(i);
        }
        this.text = text;
        this.start = start;
        this.length = end - start;
        this.hash = h;
    }

    /** Lets go of the string. */
    void clear() {
        set("", 0, 0);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Word that
                && hash == that.hash
                && length == that.length
                && text.regionMatches(start, that.text, that.start, length);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return text.substring(start, start + length);
    }
}
