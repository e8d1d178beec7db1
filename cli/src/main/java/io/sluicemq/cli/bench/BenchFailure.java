package io.sluicemq.cli.bench;

/** A run that could not be carried out or finished; the message is one line for the person at the terminal. */
public final class BenchFailure extends Exception {

    private static final long serialVersionUID = 1L;

    public BenchFailure(String message) {
        super(message);
    }

    public BenchFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
