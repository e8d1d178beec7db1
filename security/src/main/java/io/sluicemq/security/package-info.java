/**
 * Who a peer is: {@link io.sluicemq.security.Users the users} and their passwords, and {@link
 * io.sluicemq.security.SaslAuthenticator the SASL mechanisms} by which a peer proves that it is one of them.
 */
package io.sluicemq.security;
