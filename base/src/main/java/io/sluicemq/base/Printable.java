package io.sluicemq.base;

/** Makes what peers have sent fit for a line of the log: short, and without characters that would act there. Stateless. */
public final class Printable {

    private static final int MAX_CHARACTERS = 64;

    private Printable() {}

    /** At most 64 characters of a text; {@code ?} stands for each that can't be shown. */
    public static String of(String text) {
        return of(text, MAX_CHARACTERS);
    }

    /** As {@link #of(String)} with another length. */
    public static String of(String text, int most) {
        var shown = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            if (i == most) {
                return shown.append('…').toString();
            }
            char c = text.charAt(i);
            shown.append(Character.isISOControl(c) || Character.getType(c) == Character.FORMAT
                    || c == '\u2028' || c == '\u2029' ? '?' : c);
        }
        return shown.toString();
    }
}
