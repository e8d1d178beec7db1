package io.sluicemq.security;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.SecureRandom;
import java.util.Arrays;

/**
 * What peers get that log in with a name that nobody has, so that they can't tell: keys as a user's, with the same salt whenever they
 * ask. Immutable.
 */
final class Decoys {

    private static final int SALT_BYTES = 16;

    private final byte[] secret;
    private final boolean slow;

    /**
     * @param secret that nobody else knows, the same as long as the users' file; null for one of this process
     * @param slow whether users' passwords are hashed slowly
     */
    Decoys(byte[] secret, boolean slow) {
        this.secret = secret == null ? random() : secret.clone();
        this.slow = slow;
    }

    /** A new secret. */
    static byte[] random() {
        byte[] bytes = new byte[32];
        new SecureRandom().nextBytes(bytes);
        return bytes;
    }

    /** Whether a wrong password takes long. */
    boolean areSlow() {
        return slow;
    }

    /** Keys that no password has. */
    ScramKeys keys(ScramHash hash, String preparedName) {
        byte[] name = (hash.mechanism() + '\0' + preparedName).getBytes(UTF_8);
        byte[] all = hash.hmac(secret, name);
        int iterations = slow ? hash.iterations() : ScramKeys.LEAST_ITERATIONS;
        byte[] none = hash.hmac(all, secret);
        return new ScramKeys(iterations, Arrays.copyOf(all, SALT_BYTES), none, none);
    }
}
