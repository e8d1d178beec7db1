package io.sluicemq.security;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A client of SCRAM, written after RFC 5802 alone, with every part open to a test that wants to spoil it. */
final class ScramClient {

    private final String hash;
    private final String password;
    String gs2Header = "n,,";
    String bare;
    String serverFirst;
    String withoutProof;
    byte[] serverSignature;

    ScramClient(String hash, String name, String password, String nonce) {
        this.hash = hash;
        this.password = password;
        this.bare = "n=" + name.replace("=", "=3D").replace(",", "=2C") + ",r=" + nonce;
    }

    byte[] first() {
        return (gs2Header + bare).getBytes(UTF_8);
    }

    /** The final message, in answer to the server's first. */
    byte[] last(byte[] challenge) {
        serverFirst = new String(challenge, UTF_8);
        String[] parts = serverFirst.split(",");
        String nonce = parts[0].substring(2);
        byte[] salt = Base64.getDecoder().decode(parts[1].substring(2));
        int iterations = Integer.parseInt(parts[2].substring(2));
        withoutProof = "c=" + base64(gs2Header.getBytes(UTF_8)) + ",r=" + nonce;
        byte[] all = (bare + "," + serverFirst + "," + withoutProof).getBytes(UTF_8);
        byte[] salted = salted(salt, iterations);
        byte[] clientKey = mac(salted, "Client Key".getBytes(UTF_8));
        byte[] proof = mac(digest(clientKey), all);
        xor(proof, clientKey);
        serverSignature = mac(mac(salted, "Server Key".getBytes(UTF_8)), all);
        return (withoutProof + ",p=" + base64(proof)).getBytes(UTF_8);
    }

    private byte[] salted(byte[] salt, int iterations) {
        byte[] first = java.util.Arrays.copyOf(salt, salt.length + 4);
        first[first.length - 1] = 1;
        byte[] key = password.getBytes(UTF_8);
        byte[] last = mac(key, first);
        byte[] sum = last.clone();
        for (int i = 1; i < iterations; i++) {
            last = mac(key, last);
            xor(sum, last);
        }
        return sum;
    }

    private byte[] mac(byte[] key, byte[] input) {
        try {
            String algorithm = "Hmac" + hash.replace("-", "");
            Mac mac = Mac.getInstance(algorithm);
            mac.init(new SecretKeySpec(key, algorithm));
            return mac.doFinal(input);
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private byte[] digest(byte[] input) {
        try {
            return MessageDigest.getInstance(hash).digest(input);
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static void xor(byte[] into, byte[] from) {
        for (int i = 0; i < into.length; i++) {
            into[i] ^= from[i];
        }
    }

    static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }
}
