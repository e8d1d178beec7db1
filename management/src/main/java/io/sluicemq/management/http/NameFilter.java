package io.sluicemq.management.http;

import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Chooses things by their names: by a part of it, or by a regular expression, which gets so many looks at characters and no more, since
 * there are expressions that would look for ever. Used by one thread.
 */
final class NameFilter implements Predicate<String> {

    private static final int LONGEST_EXPRESSION = 200;
    private static final int MOST_LOOKS = 20_000_000;

    private final String part;
    private final Matcher matcher;
    private final Counted counted = new Counted();

    private NameFilter(String part, Pattern pattern) {
        this.part = part;
        this.matcher = pattern == null ? null : pattern.matcher(counted);
    }

    /** @param name null for any */
    static NameFilter of(String name, boolean regex) {
        if (!regex || name == null) {
            return new NameFilter(name == null ? null : name.toLowerCase(Locale.ROOT), null);
        }
        if (name.length() > LONGEST_EXPRESSION) {
            throw ApiError.badRequest("name is longer than an expression may be, " + LONGEST_EXPRESSION
                    + " characters");
        }
        try {
            return new NameFilter(null, Pattern.compile(name));
        } catch (PatternSyntaxException e) {
            throw ApiError.badRequest("name is no regular expression: " + e.getDescription());
        }
    }

    @Override
    public boolean test(String name) {
        if (matcher != null) {
            try {
                counted.text = name;
                return matcher.reset().find();
            } catch (StackOverflowError e) {
                throw tooMuch();
            }
        }
        return part == null || name.toLowerCase(Locale.ROOT).contains(part);
    }

    private static ApiError tooMuch() {
        return ApiError.badRequest("the regular expression takes too much work");
    }

    /** The text at hand, which counts the looks at it, of all texts together. */
    private static final class Counted implements CharSequence {

        private String text = "";
        private int looks;

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public char charAt(int index) {
            if (++looks > MOST_LOOKS) {
                throw tooMuch();
            }
            return text.charAt(index);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return text.subSequence(start, end);
        }

        @Override
        public String toString() {
            return text;
        }
    }
}
