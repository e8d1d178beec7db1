package io.sluicemq.cli.http;

/** What was said about where a broker is and who asks makes no sense; the message says what. */
public final class WrongAccess extends Exception {

    private static final long serialVersionUID = 1L;

    WrongAccess(String message) {
        super(message, null, false, false);
    }
}
