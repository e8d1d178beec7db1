package io.sluicemq.selector;

import io.sluicemq.selector.Token.Kind;
import java.util.Locale;
import java.util.Set;

/** Cuts a selector into its words, one at a time (§3.8.1.1). Used by one thread. */
final class Tokens {

    private static final Set<String> KEYWORDS =
            Set.of("NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE");

    private final String text;
    private int at;

    Tokens(String text) {
        this.text = text;
    }

    /** The next word; after the last one, the end, as often as asked. */
    Token next() throws InvalidSelector {
        while (at < text.length() && isWhitespace(text.charAt(at))) {
            at++;
        }
        if (at == text.length()) {
            return new Token(Kind.END, "", at);
        }
        char first = text.charAt(at);
        if (first == '\'') {
            return string();
        }
        if (isDigit(first) || first == '.' && at + 1 < text.length() && isDigit(text.charAt(at + 1))) {
            return number();
        }
        if (Character.isJavaIdentifierStart(text.codePointAt(at))) {
            return word();
        }
        return symbol(first);
    }

    /** Space, tab, form feed and the ends of lines. */
    private static boolean isWhitespace(char c) {
        return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private Token string() throws InvalidSelector {
        int begin = at;
        StringBuilder characters = new StringBuilder();
        for (at++; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '\'') {
                if (at + 1 == text.length() || text.charAt(at + 1) != '\'') {
                    at++;
                    return new Token(Kind.STRING, characters.toString(), begin);
                }
                at++;
            }
            characters.append(c);
        }
        throw new InvalidSelector("a string that begins here has no end", begin);
    }

    /** Digits with all that is a number's in Java; what isn't well formed is found when its value is asked for. */
    private Token number() {
        int begin = at;
        boolean hexadecimal = text.startsWith("0x", begin) || text.startsWith("0X", begin);
        while (at < text.length()) {
            char c = text.charAt(at);
            boolean sign = (c == '+' || c == '-') && !hexadecimal && isExponent(text.charAt(at - 1)) && at > begin;
            if (c != '.' && !sign && !Character.isLetterOrDigit(c) && c != '_' && c != '$') {
                break;
            }
            at++;
        }
        return new Token(Kind.NUMBER, text.substring(begin, at), begin);
    }

    private static boolean isExponent(char c) {
        return c == 'e' || c == 'E';
    }

    private Token word() {
        int begin = at;
        while (at < text.length()) {
            int c = text.codePointAt(at);
            if (!Character.isJavaIdentifierPart(c) || Character.isIdentifierIgnorable(c)) {
                break;
            }
            at += Character.charCount(c);
        }
        String word = text.substring(begin, at);
        String capitals = word.toUpperCase(Locale.ROOT);
        return KEYWORDS.contains(capitals) && isAscii(word)
                ? new Token(Kind.KEYWORD, capitals, begin)
                : new Token(Kind.IDENTIFIER, word, begin);
    }

    /** Some letters of other alphabets have capitals that are of this one. */
    private static boolean isAscii(String word) {
        return word.chars().allMatch(c -> c < 128);
    }

    private Token symbol(char first) throws InvalidSelector {
        String symbol = String.valueOf(first);
        if (text.startsWith("<>", at) || text.startsWith("<=", at) || text.startsWith(">=", at)) {
            symbol = text.substring(at, at + 2);
        } else if ("=<>+-*/(),".indexOf(first) < 0) {
            throw new InvalidSelector(
                    text.startsWith("!=", at)
                            ? "!= is written <> in a selector"
                            : first == '"'
                                    ? "a string is quoted like 'this', and a name is not quoted"
                                    : "the character " + shown(text.codePointAt(at)) + " has no meaning here",
                    at);
        }
        Token token = new Token(Kind.SYMBOL, symbol, at);
        at += symbol.length();
        return token;
    }

    private static String shown(int character) {
        return Character.isISOControl(character) || Character.isIdentifierIgnorable(character)
                || Character.getType(character) == Character.SURROGATE
                        ? "U+%04X".formatted(character)
                        : Character.toString(character);
    }
}
