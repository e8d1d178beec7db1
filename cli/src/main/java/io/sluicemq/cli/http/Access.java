package io.sluicemq.cli.http;

import java.net.URI;
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
}
