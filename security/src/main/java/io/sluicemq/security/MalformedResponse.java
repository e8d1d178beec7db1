package io.sluicemq.security;

/** A response that is not what its mechanism prescribes. The message is for the log and repeats nothing secret. */
final class MalformedResponse extends RuntimeException {

    private static final long serialVersionUID = 1L;

    MalformedResponse(String message) {
        super(message, null, false, false);
    }
}
