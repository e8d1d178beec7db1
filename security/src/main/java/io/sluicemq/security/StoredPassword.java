package io.sluicemq.security;

import java.security.MessageDigest;
import java.util.Objects;

/**
 * A password of which only salted slow hashes are kept, those of SCRAM (RFC 5802, RFC 7677): they serve clients that say the password
 * as well. Immutable but for what it remembers; any thread.
 *
 * <p>To check a password takes as long as an attacker with the file needs for a guess, so the last one that was right is remembered: a
 * hash of it by a key that this process alone has. A password that was changed is another object, which remembers nothing.
 */
public final class StoredPassword {

    /**
     * Which of the hashes tells whether a password that was said is right: the one that takes less time where the processor has
     * instructions for it, as most have.
     */
    private static final ScramHash CHECKED = ScramHash.SHA_256;

    private static final byte[] PROCESS_KEY = Decoys.random();

    private final ScramKeys sha256;
    private final ScramKeys sha512;
    private volatile byte[] remembered;

    private StoredPassword(ScramKeys sha256, ScramKeys sha512) {
        this.sha256 = sha256;
        this.sha512 = sha512;
    }

    /**
     * Hashes a password. Takes most of a second: not for loops.
     *
     * @throws IllegalArgumentException if it can't be prepared for SCRAM: it is empty, or holds control characters and the like
     */
    public static StoredPassword of(String password) {
        return of(password, ScramHash.SHA_256.iterations(), ScramHash.SHA_512.iterations());
    }

    /** As {@link #of(String)} with other numbers of iterations. */
    static StoredPassword of(String password, int iterations256, int iterations512) {
        String prepared = Preparation.prepared(password);
        if (prepared == null) {
            throw new IllegalArgumentException("the password can't be used: expected at least one character, no control"
                    + " characters, and none else that SASLprep (RFC 4013) refuses");
        }
        return new StoredPassword(
                ScramKeys.of(ScramHash.SHA_256, prepared, iterations256),
                ScramKeys.of(ScramHash.SHA_512, prepared, iterations512));
    }

    /**
     * Reads what {@link #sha256} and {@link #sha512} have written.
     *
     * @throws IllegalArgumentException if it is anything else; its message repeats none of it
     */
    public static StoredPassword parse(String sha256, String sha512) {
        return new StoredPassword(
                ScramKeys.parse(ScramHash.SHA_256, sha256), ScramKeys.parse(ScramHash.SHA_512, sha512));
    }

    /** What SCRAM-SHA-256 needs, as text for a file. */
    public String sha256() {
        return sha256.text();
    }

    /** What SCRAM-SHA-512 needs, as text for a file. */
    public String sha512() {
        return sha512.text();
    }

    ScramKeys keys(ScramHash hash) {
        return switch (hash) {
            case SHA_256 -> sha256;
            case SHA_512 -> sha512;
        };
    }

    /** Whether this is what was right before; takes no time. */
    boolean isRemembered(byte[] password) {
        byte[] last = remembered;
        return last != null && MessageDigest.isEqual(last, ScramHash.SHA_256.hmac(PROCESS_KEY, password));
    }

    /**
     * Whether this is the password, in UTF-8; if so it is remembered. Takes long: not for loops.
     *
     * @param prepared the same as SASLprep has it; null if it can't be prepared, and then it is wrong
     */
    boolean matches(byte[] password, String prepared) {
        ScramKeys keys = keys(CHECKED);
        // What can't be right takes as long.
        boolean right = keys.areOf(CHECKED, prepared == null ? "\0" : prepared) && prepared != null;
        if (right) {
            remembered = ScramHash.SHA_256.hmac(PROCESS_KEY, password);
        }
        return right;
    }

    /** Takes as long as {@link #matches}, for a user who isn't there. */
    static void matchesNobody(Decoys decoys, String name) {
        decoys.keys(CHECKED, name).areOf(CHECKED, "\0");
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof StoredPassword password && sha256.equals(password.sha256)
                && sha512.equals(password.sha512);
    }

    @Override
    public int hashCode() {
        return Objects.hash(sha256, sha512);
    }

    @Override
    public String toString() {
        return "a stored password";
    }
}
