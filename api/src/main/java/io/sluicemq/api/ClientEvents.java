package io.sluicemq.api;

/** What the broker tells a client without being asked. Called on the client's loop. */
public interface ClientEvents {

    /** The broker wants this connection closed, for a reason to pass on to the peer. */
    void closeRequested(String reason);

    /**
     * The broker is short of a resource (memory): a client that publishes is held back from now on. Called once until
     * {@link #resourcesRecovered}.
     */
    void resourcesLow(String reason);

    /** Publishing may go on. */
    void resourcesRecovered();

    /** What the protocol knows of the connection at this moment. */
    default ClientDetails details() {
        return ClientDetails.UNKNOWN;
    }
}
