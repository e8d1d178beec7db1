package io.sluicemq.api;

import io.sluicemq.base.Loop;
import java.util.List;

/** Tells who a peer is, by a SASL mechanism (RFC 4422). Called on the peer's loop; never blocks it. */
public interface Authenticator {

    /** The mechanisms to offer to this peer, the preferred first. */
    List<String> mechanisms(Peer peer);

    /**
     * Judges a mechanism's initial response.
     *
     * @param mechanism the name the peer chose, perhaps one never offered
     * @param response the response's bytes as the mechanism defines them
     */
    void authenticate(String mechanism, byte[] response, Peer peer, Loop loop, Reply<Principal> reply);

    /** Judges a new secret for a user who is already authenticated. */
    void renew(Principal user, byte[] secret, Peer peer, Loop loop, Reply<Principal> reply);

    /**
     * Where a peer comes from.
     *
     * @param address the remote address and port, for people
     * @param loopback whether it is on this machine's loopback interface
     */
    record Peer(String address, boolean loopback) {}
}
