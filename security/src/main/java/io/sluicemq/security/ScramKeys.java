package io.sluicemq.security;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.SecureRandom;
import java.util.Arrays;

/**
 * What SCRAM keeps of a password (RFC 5802 §3): enough to tell whether a client knows it and to prove that we do, and from which it
 * can't be read. Immutable.
 *
 * @param storedKey what the client's key must hash to
 * @param serverKey what signs our answer
 */
record ScramKeys(byte[] salt, byte[] storedKey, byte[] serverKey) {

    /**
     * How often a password is hashed; what RFC 7677 §4 asks for at least. More would cost each client as much more at each login,
     * and protect a dump of keys whose passwords stand in the configuration.
     */
    static final int ITERATIONS = 4096;

    private static final int SALT_BYTES = 16;
    private static final byte[] SECRET = new byte[32];

    static {
        new SecureRandom().nextBytes(SECRET);
    }

    /** The keys of a user. Takes milliseconds. */
    static ScramKeys of(ScramHash hash, String preparedName, String preparedPassword) {
        byte[] salt = salt(hash, preparedName);
        byte[] salted = hash.salted(preparedPassword, salt, ITERATIONS);
        byte[] clientKey = hash.hmac(salted, "Client Key".getBytes(UTF_8));
        return new ScramKeys(salt, hash.digest(clientKey), hash.hmac(salted, "Server Key".getBytes(UTF_8)));
    }

    /** Keys, of no password, for a name that no user has. */
    static ScramKeys ofNobody(ScramHash hash, String preparedName) {
        byte[] salt = salt(hash, preparedName);
        return new ScramKeys(salt, hash.hmac(SECRET, salt), hash.hmac(SECRET, salt));
    }

    /**
     * The salt of a name, be there such a user or not: the same whenever it is asked for while this process lives, so that it does
     * not tell which names are users', and not to be guessed before it is told.
     */
    private static byte[] salt(ScramHash hash, String preparedName) {
        byte[] all = hash.hmac(SECRET, (hash.mechanism() + '\0' + preparedName).getBytes(UTF_8));
        return Arrays.copyOf(all, SALT_BYTES);
    }

    @Override
    public String toString() {
        return "keys";
    }
}
