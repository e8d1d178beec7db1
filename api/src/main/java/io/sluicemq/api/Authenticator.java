package io.sluicemq.api;

import io.sluicemq.base.Loop;
import java.util.List;
import javax.security.auth.x500.X500Principal;

/** Tells who a peer is, by a SASL mechanism (RFC 4422). Called on the peer's loop; never blocks it. */
public interface Authenticator {

    /**
     * The mechanisms by which this peer may prove who it is, the preferred first. A protocol offers those that are defined for it:
     * all but AMQPLAIN, which is AMQP 0-x's alone.
     */
    List<String> mechanisms(Peer peer);

    /**
     * Begins an exchange.
     *
     * @param mechanism the name the peer chose, perhaps one never offered: then its first response is refused
     */
    SaslExchange begin(String mechanism, Peer peer, Loop loop);

    /** Judges a new secret for a user who is already authenticated. */
    void renew(Principal user, byte[] secret, Peer peer, Loop loop, Reply<Principal> reply);

    /**
     * Where a peer comes from.
     *
     * @param address the remote address and port, for people
     * @param loopback whether it is on this machine's loopback interface
     * @param certificate the subject of the certificate by which it has proved itself to the transport (TLS), or null
     */
    record Peer(String address, boolean loopback, X500Principal certificate) {

        /** A peer without a certificate. */
        public Peer(String address, boolean loopback) {
            this(address, loopback, null);
        }
    }
}
