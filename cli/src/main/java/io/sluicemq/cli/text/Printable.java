package io.sluicemq.cli.text;

/**
 * Text with names and messages in it that clients chose. What a terminal would obey, or what would hide or turn around what stands beside it
 * (controls, marks of direction, lone surrogates), is written as its code: {@code \}{@code u001b}. Stateless.
 */
public final class Printable {

    private Printable() {}

    /** A line that shows {@code text} and does nothing else. */
    public static String text(String text) {
        return escaped(text, false);
    }

    /** A document whose line breaks are its own, such as JSON, in which nothing else is left that a terminal would obey. */
    static String document(String text) {
        return escaped(text, true);
    }

    private static String escaped(String text, boolean keepsLines) {
        StringBuilder escaped = null;
        for (int i = 0; i < text.length();) {
            int point = text.codePointAt(i);
            int length = Character.charCount(point);
            if (isPlain(point) || keepsLines && point == '\n') {
                if (escaped != null) {
                    escaped.appendCodePoint(point);
                }
            } else {
                if (escaped == null) {
                    escaped = new StringBuilder(text.length() + 16).append(text, 0, i);
                }
                for (int k = i; k < i + length; k++) {
                    escaped.append(String.format("\\u%04x", (int) text.charAt(k)));
                }
            }
            i += length;
        }
        return escaped == null ? text : escaped.toString();
    }

    private static boolean isPlain(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR, Character.UNASSIGNED ->
                false;
            default -> true;
        };
    }
}
