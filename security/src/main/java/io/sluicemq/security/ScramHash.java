package io.sluicemq.security;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.spec.KeySpec;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/** The hash functions that SCRAM is offered with (RFC 5802 §4; RFC 7677), the preferred first. */
enum ScramHash {
    SHA_512("SHA-512", 64, 210_000),
    SHA_256("SHA-256", 32, 600_000);

    private final String algorithm;
    private final String mac;
    private final int bytes;
    private final int iterations;

    ScramHash(String algorithm, int bytes, int iterations) {
        this.algorithm = algorithm;
        this.mac = "Hmac" + algorithm.replace("-", "");
        this.bytes = bytes;
        this.iterations = iterations;
    }

    /** How often a password is hashed that is to be stored. */
    int iterations() {
        return iterations;
    }

    /** The name of SCRAM's variant with this hash. */
    String mechanism() {
        return "SCRAM-" + algorithm;
    }

    /** How many bytes it results in. */
    int bytes() {
        return bytes;
    }

    /** RFC 5802 §2.2: {@code H(bytes)}. */
    byte[] digest(byte[] input) {
        try {
            return MessageDigest.getInstance(algorithm).digest(input);
        } catch (GeneralSecurityException e) {
            throw missing(e);
        }
    }

    /** RFC 5802 §2.2: {@code HMAC(key, bytes)}. */
    byte[] hmac(byte[] key, byte[] input) {
        try {
            Mac keyed = Mac.getInstance(mac);
            keyed.init(new SecretKeySpec(key, mac));
            return keyed.doFinal(input);
        } catch (GeneralSecurityException e) {
            throw missing(e);
        }
    }

    /** RFC 5802 §2.2: {@code Hi(password, salt, iterations)}. Takes milliseconds by design: not for loops. */
    byte[] salted(String preparedPassword, byte[] salt, int iterations) {
        try {
            KeySpec key = new PBEKeySpec(preparedPassword.toCharArray(), salt, iterations, bytes * Byte.SIZE);
            return SecretKeyFactory.getInstance("PBKDF2With" + mac).generateSecret(key).getEncoded();
        } catch (GeneralSecurityException e) {
            throw missing(e);
        }
    }

    private static IllegalStateException missing(GeneralSecurityException e) {
        return new IllegalStateException("every Java platform that runs this has it", e);
    }
}
