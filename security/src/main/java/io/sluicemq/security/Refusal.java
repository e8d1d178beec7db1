package io.sluicemq.security;

/** Why a peer is not let in. The message is for the log and repeats nothing secret. */
final class Refusal extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String user;
    private final boolean judged;

    /** @param user who the peer said it is; null if it has not said so */
    Refusal(String user, String reason) {
        this(user, reason, true);
    }

    private Refusal(String user, String reason, boolean judged) {
        super(reason, null, false, false);
        this.user = user;
        this.judged = judged;
    }

    /** One that says nothing about what the peer has proved. */
    static Refusal unjudged(String user, String reason) {
        return new Refusal(user, reason, false);
    }

    /** Whether the peer has failed, and not we. */
    boolean isJudged() {
        return judged;
    }

    /** A response that is not what its mechanism prescribes. */
    static Refusal malformed(String reason) {
        return new Refusal(null, reason);
    }

    String user() {
        return user;
    }
}
