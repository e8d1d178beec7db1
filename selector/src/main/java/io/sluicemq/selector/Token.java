package io.sluicemq.selector;

/**
 * A word of a selector.
 *
 * @param text an identifier's name, a keyword in capitals, a symbol, a string's characters without quotes, or a number as
 *     written
 * @param position where it begins
 */
record Token(Kind kind, String text, int position) {

    /** What it is. */
    enum Kind {
        IDENTIFIER, KEYWORD, STRING, NUMBER, SYMBOL, END
    }

    boolean is(Kind other, String otherText) {
        return kind == other && text.equals(otherText);
    }

    /** How an error names it. */
    String words() {
        return switch (kind) {
            case END -> "the end";
            case STRING -> "the string '" + (text.length() > 40 ? text.substring(0, 40) + "…" : text) + "'";
            case IDENTIFIER, KEYWORD, NUMBER, SYMBOL -> text.length() > 40 ? text.substring(0, 40) + "…" : text;
        };
    }
}
