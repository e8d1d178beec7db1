package io.sluicemq.bench;

/** A broker that could not be fetched, started or measured; the message is one line for the person at the terminal. */
final class PeerFailure extends Exception {

    private static final long serialVersionUID = 1L;

    PeerFailure(String message) {
        super(message);
    }

    PeerFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
