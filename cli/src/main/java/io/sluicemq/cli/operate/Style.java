package io.sluicemq.cli.operate;

/**
 * Emphasis on a terminal, and nothing elsewhere or where {@code NO_COLOR} is set. Immutable.
 *
 * @param on whether there is any
 */
record Style(boolean on) {

    static Style ofTerminal() {
        String no = System.getenv("NO_COLOR");
        return new Style(Terminal.isThere() && (no == null || no.isEmpty()) && !"dumb".equals(System.getenv("TERM")));
    }

    String bold(String text) {
        return escaped("1", text);
    }

    String warning(String text) {
        return escaped("33", text);
    }

    String reversed(String text) {
        return escaped("7", text);
    }

    private String escaped(String code, String text) {
        return on ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }
}
