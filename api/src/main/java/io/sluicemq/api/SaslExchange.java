package io.sluicemq.api;

import io.sluicemq.base.LoopOwned;

/**
 * A peer that is proving who it is (RFC 4422 §3): its responses go in, one after the other, and each is answered by a challenge
 * or an outcome. It takes only so many responses and bytes. Owned by the loop it was begun on; one that is given up needs no
 * farewell.
 */
@LoopOwned
public interface SaslExchange {

    /**
     * Judges the next response; not to be called while a reply is outstanding, or after an outcome.
     *
     * @param response the response's bytes as the mechanism defines them; null, and that only at first, if the peer sent no initial
     *     response, which is not the same as an empty one
     * @param reply gets what is next; fails with {@link BrokerError.LoginRefused}, and then the exchange is over
     */
    void respond(byte[] response, Reply<SaslStep> reply);
}
