package io.sluicemq.cli.http;

import java.net.URI;

/**
 * Where a broker's HTTP API is, and as whom it is asked. Immutable.
 *
 * @param url without a slash at its end
 * @param virtualHost where things are looked for, unless a command says otherwise
 */
public record Access(URI url, String user, String password, String virtualHost) {

    /** A password is nobody's business. */
    @Override
    public String toString() {
        return user + " at " + url;
    }
}
