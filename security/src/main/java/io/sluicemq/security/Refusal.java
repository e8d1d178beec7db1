package io.sluicemq.security;

/** Why a peer is not let in. The message is for the log and repeats nothing secret. */
final class Refusal extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String user;

    /** @param user who the peer said it is; null if it has not said so */
    Refusal(String user, String reason) {
        super(reason, null, false, false);
        this.user = user;
    }

    /** A response that is not what its mechanism prescribes. */
    static Refusal malformed(String reason) {
        return new Refusal(null, reason);
    }

    String user() {
        return user;
    }
}
