package io.sluicemq.base.option;

/** That a value is not one its option takes. Its message says what was expected, such as {@code true or false}. */
public final class InvalidValue extends Exception {

    private static final long serialVersionUID = 1L;

    public InvalidValue(String expected) {
        super(expected, null, false, false);
    }

    /** What would have been a valid value, to follow the words "expected". */
    public String expected() {
        return getMessage();
    }
}
