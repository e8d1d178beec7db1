package io.sluicemq.management;

/** That a broker has answered with an error. Its message is the broker's. */
public final class AdminRefused extends Exception {

    private static final long serialVersionUID = 1L;

    AdminRefused(String message) {
        super(message);
    }
}
