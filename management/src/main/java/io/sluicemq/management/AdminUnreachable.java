package io.sluicemq.management;

/** That a broker could not be asked, or has not answered. Its message is one line for people. */
public final class AdminUnreachable extends Exception {

    private static final long serialVersionUID = 1L;

    AdminUnreachable(String message, Throwable cause) {
        super(message, cause);
    }
}
