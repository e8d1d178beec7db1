package io.sluicemq.security;

import io.sluicemq.api.Principal;
import io.sluicemq.api.SaslStep;
import java.util.function.Supplier;

/** What comes of a peer's response that is not refused at once. */
sealed interface Judgement {

    /** This does. */
    record Now(SaslStep step) implements Judgement {}

    /**
     * It takes a slow hash to tell, on a thread that may be slow.
     *
     * @param user who the peer claims to be
     * @param finding returns what comes of it, or throws a {@link Refusal}
     */
    record Slowly(String user, Supplier<SaslStep> finding) implements Judgement {}

    static Judgement now(SaslStep step) {
        return new Now(step);
    }

    /** A user is let in. */
    static Judgement success(Principal principal) {
        return new Now(new SaslStep.Success(principal, null));
    }
}
