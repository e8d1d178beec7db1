package io.sluicemq.security;

import io.sluicemq.api.SaslStep;

/** The server's part of a SASL mechanism in one exchange. Run by the exchange's loop; it never blocks. */
interface Mechanism {

    /**
     * Judges the next response.
     *
     * @param response null if the peer has sent no initial response
     * @throws Refusal if the peer is not let in; the exchange is over then
     */
    Judgement next(byte[] response);

    /** What a peer gets that begins without an initial response, in a mechanism in which it has the first word (RFC 4422 §5). */
    static Judgement yourTurn() {
        return Judgement.now(new SaslStep.Challenge(new byte[0]));
    }
}
