package io.sluicemq.security;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.EnumMap;
import java.util.Map;

/**
 * A password that stands in the configuration as it is: here it can be compared and not read, by a salted digest, so that it is in no
 * dump of the memory. To check it takes no time, as whoever could steal the digest could read the configuration. Immutable.
 *
 * <p>What is compared are the bytes of the UTF-8 form, without the preparation of RFC 4013; for SCRAM it is prepared.
 */
final class Password {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int SALT_BYTES = 16;
    /** Salts for SCRAM come from names, so that they are the same after the configuration was read again. */
    private static final Decoys SALTS = new Decoys(null, false);

    private final byte[] salt = new byte[SALT_BYTES];
    private final byte[] digest;
    /** Without entries if it can't be prepared for SCRAM. */
    private final Map<ScramHash, ScramKeys> scramKeys = new EnumMap<>(ScramHash.class);

    /**
     * Takes some milliseconds, for what SCRAM needs: not for loops.
     *
     * @param preparedName whose it is; null if that can't be prepared for SCRAM
     */
    Password(String preparedName, String text) {
        RANDOM.nextBytes(salt);
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        digest = digest(bytes, 0, bytes.length);
        String prepared = Preparation.prepared(text);
        if (preparedName != null && prepared != null) {
            for (ScramHash hash : ScramHash.values()) {
                scramKeys.put(hash, ScramKeys.of(
                        hash, prepared, ScramKeys.LEAST_ITERATIONS, SALTS.keys(hash, preparedName).salt()));
            }
        }
    }

    /** One that nobody knows. */
    static Password ofNobody() {
        byte[] text = Decoys.random();
        return new Password(null, new String(text, StandardCharsets.ISO_8859_1));
    }

    /** What SCRAM needs; null if the password can't be prepared for it. */
    ScramKeys keys(ScramHash hash) {
        return scramKeys.get(hash);
    }

    /** Salts for those that are not there, of the same kind. */
    static Decoys decoys() {
        return SALTS;
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
