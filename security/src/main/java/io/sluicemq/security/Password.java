package io.sluicemq.security;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;

/**
 * A password that can be compared and not read: a salted digest, so that it is in no dump of the memory. Immutable.
 *
 * <p>What is compared are the bytes of the UTF-8 form, without the preparation of RFC 4013.
 */
final class Password {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int SALT_BYTES = 16;

    private final byte[] salt = new byte[SALT_BYTES];
    private final byte[] digest;

    Password(String text) {
        RANDOM.nextBytes(salt);
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        digest = digest(bytes, 0, bytes.length);
    }

    /** Whether these bytes are the password; takes equally long whatever they are, but for their number. */
    boolean matches(byte[] bytes, int from, int length) {
        return MessageDigest.isEqual(digest, digest(bytes, from, length));
    }

    private byte[] digest(byte[] bytes, int from, int length) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            sha.update(salt);
            sha.update(bytes, from, length);
            return sha.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return "a password";
    }
}
