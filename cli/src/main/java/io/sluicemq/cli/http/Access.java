package io.sluicemq.cli.http;

import java.net.URI;
import java.util.List;
import javax.net.ssl.SSLContext;

/**
 * Where a broker's HTTP API is, and as whom it is asked. Immutable.
 *
 * @param url without a slash at its end
 * @param virtualHost where things are looked for, unless a command says otherwise
 * @param trust what TLS is spoken with; null for what Java trusts
 */
public record Access(URI url, String user, String password, String virtualHost, SSLContext trust) {

    /** A password is nobody's business. */
    @Override
    public String toString() {
        return user + " at " + url;
    }

    /** What to check if the broker's certificate isn't trusted. */
    public List<String> untrusted() {
        return trust == null
                ? List.of(
                        "if the broker's certificate is signed by itself, or by an issuer of your own: --ca FILE names the file"
                                + " with that certificate (PEM), also SLUICEMQ_CA, and ca in the context file",
                        "get it from who runs the broker: whoever believes what the connection shows believes anybody")
                : List.of(
                        "the file of --ca (SLUICEMQ_CA, ca in the context file) has not who issued it: is it the one of this"
                                + " broker, and as new as its certificate?");
    }
}
