package io.sluicemq.security;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;

/**
 * What SCRAM keeps of a password (RFC 5802 §3): enough to tell whether a client knows it and to prove that we do, and from which it
 * can't be read. Immutable.
 *
 * @param iterations how often the password was hashed
 * @param storedKey what the client's key must hash to
 * @param serverKey what signs our answer
 */
record ScramKeys(int iterations, byte[] salt, byte[] storedKey, byte[] serverKey) {

    /** What RFC 7677 §4 asks for at least. */
    static final int LEAST_ITERATIONS = 4096;

    /** More would take a client, and this broker, longer than a login may take. */
    static final int MOST_ITERATIONS = 10_000_000;

    private static final int SALT_BYTES = 16;
    private static final int MOST_SALT_BYTES = 64;
    private static final String SEPARATOR = ":";
    private static final int PARTS = 4;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** The keys of a password with a salt of their own. Takes as long as that many iterations: not for loops. */
    static ScramKeys of(ScramHash hash, String preparedPassword, int iterations) {
        byte[] salt = new byte[SALT_BYTES];
        RANDOM.nextBytes(salt);
        return of(hash, preparedPassword, iterations, salt);
    }

    /** As {@link #of(ScramHash, String, int)} with a salt that is given. */
    static ScramKeys of(ScramHash hash, String preparedPassword, int iterations, byte[] salt) {
        byte[] salted = hash.salted(preparedPassword, salt, iterations);
        byte[] clientKey = hash.hmac(salted, "Client Key".getBytes(UTF_8));
        return new ScramKeys(
                iterations, salt, hash.digest(clientKey), hash.hmac(salted, "Server Key".getBytes(UTF_8)));
    }

    /** Whether they are of that password. Takes as long as the iterations: not for loops. */
    boolean areOf(ScramHash hash, String preparedPassword) {
        return MessageDigest.isEqual(storedKey, of(hash, preparedPassword, iterations, salt).storedKey);
    }

    /** As a file has it: {@code iterations:salt:storedKey:serverKey}, the bytes in base 64. */
    String text() {
        return String.join(SEPARATOR, Integer.toString(iterations), base64(salt), base64(storedKey), base64(serverKey));
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    /** @throws IllegalArgumentException if the text is not what {@link #text} makes; its message does not repeat it */
    static ScramKeys parse(ScramHash hash, String text) {
        String[] parts = text.split(SEPARATOR, -1);
        if (parts.length != PARTS || !parts[0].matches("\\d{1,8}")) {
            throw new IllegalArgumentException("expected iterations:salt:storedKey:serverKey");
        }
        int iterations = Integer.parseInt(parts[0]);
        if (iterations < LEAST_ITERATIONS || iterations > MOST_ITERATIONS) {
            throw new IllegalArgumentException(
                    "expected " + LEAST_ITERATIONS + " to " + MOST_ITERATIONS + " iterations");
        }
        byte[][] bytes = new byte[PARTS][];
        for (int i = 1; i < PARTS; i++) {
            try {
                bytes[i] = Base64.getDecoder().decode(parts[i]);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("expected base 64", e);
            }
        }
        if (bytes[1].length == 0 || bytes[1].length > MOST_SALT_BYTES || bytes[2].length != hash.bytes()
                || bytes[3].length != hash.bytes()) {
            throw new IllegalArgumentException(
                    "expected a salt of 1 to " + MOST_SALT_BYTES + " bytes and keys of " + hash.bytes());
        }
        return new ScramKeys(iterations, bytes[1], bytes[2], bytes[3]);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ScramKeys keys && iterations == keys.iterations && Arrays.equals(salt, keys.salt)
                && MessageDigest.isEqual(storedKey, keys.storedKey) && MessageDigest.isEqual(serverKey, keys.serverKey);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(salt);
    }

    @Override
    public String toString() {
        return "keys";
    }
}
