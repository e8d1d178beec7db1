package io.sluicemq.security;

import io.sluicemq.api.Authenticator.Peer;
import io.sluicemq.base.Published;
import java.util.ArrayList;
import java.util.List;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;

/**
 * EXTERNAL (RFC 4422 appendix A): the peer is whom its certificate, which TLS has verified, is for. Its user is the one that is
 * named like the common name (CN) of the certificate's subject, of which there must be one and no more.
 */
final class ExternalMechanism implements Mechanism {

    private final Published<Users> users;
    private final Peer peer;

    /** @param peer one with a certificate */
    ExternalMechanism(Published<Users> users, Peer peer) {
        this.users = users;
        this.peer = peer;
    }

    @Override
    public Judgement next(byte[] response) {
        if (response == null) {
            return Mechanism.yourTurn();
        }
        String name = commonName(peer.certificate());
        String actsAs = Credentials.text(response, 0, response.length);
        if (!actsAs.isEmpty() && !actsAs.equals(name)) {
            throw new Refusal(name, "it asks to act as another user");
        }
        User user = users.get().find(name);
        if (user == null) {
            throw new Refusal(name, "there is no such user");
        }
        return Judgement.success(user.admit(peer));
    }

    private static String commonName(X500Principal subject) {
        List<String> names = new ArrayList<>();
        try {
            for (Rdn part : new LdapName(subject.getName(X500Principal.RFC2253)).getRdns()) {
                if (part.size() == 1 && part.getType().equalsIgnoreCase("CN")
                        && part.getValue() instanceof String name) {
                    names.add(name);
                }
            }
        } catch (InvalidNameException e) {
            throw new Refusal(null, "the certificate's subject can't be read");
        }
        if (names.size() != 1) {
            throw new Refusal(null, "the certificate's subject does not have one common name, but " + names.size());
        }
        return names.getFirst();
    }
}
