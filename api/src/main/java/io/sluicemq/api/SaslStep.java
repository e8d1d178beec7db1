package io.sluicemq.api;

/** What a {@link SaslExchange} answers to a response that it does not refuse. Its bytes are not copied, and never null but where it says so. */
public sealed interface SaslStep {

    /** The peer has to answer this; it may be empty. */
    record Challenge(byte[] data) implements SaslStep {}

    /**
     * The peer is {@code user}, and the exchange is over.
     *
     * @param additionalData what the peer is to get with the outcome, or null. A protocol whose outcome has no place for it sends it
     *     as a challenge, takes an empty response, and then tells the outcome (RFC 4422 §3.6).
     */
    record Success(Principal user, byte[] additionalData) implements SaslStep {}
}
