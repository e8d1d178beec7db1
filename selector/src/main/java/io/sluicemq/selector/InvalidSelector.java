package io.sluicemq.selector;

/** A text that is no selector. Its message is for whoever wrote it, and says where. */
public final class InvalidSelector extends Exception {

    private static final long serialVersionUID = 1;

    private final int position;

    InvalidSelector(String what, int position) {
        super("invalid selector, at character " + (position + 1) + ": " + what);
        this.position = position;
    }

    /** Where in the text, in {@code char}s from 0; the text's length if it ends too early. */
    public int position() {
        return position;
    }
}
