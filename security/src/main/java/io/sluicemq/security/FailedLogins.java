package io.sluicemq.security;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluicemq.api.Authenticator.Peer;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How many logins have failed lately, by where they came from and by whom they claimed to be; and what that means for the next one:
 *
 * <ul>
 * <li>From an address (IPv6: its first 64 bits) from which too many have failed, nobody is let in: not even with the right password, so that
 *     a guesser doesn't learn which that is. Loopback is an address like others.
 * <li>A name with which too many have failed, wherever from, has to wait before it is judged: it takes guessers long, and locks nobody out.
 * <li>Neither is so for who has logged in with that name from that address before, unless too many of just those have failed: one guesser
 *     behind a gateway, or one program with a wrong password, keeps nobody else out who was there before.
 * </ul>
 *
 * <p>Each is a leaky bucket: it takes so many failures at once, and gives a minute's part back in a minute. Buckets are slots of tables of a
 * fixed size, found by a hash with a key that this process alone has, so no peer can choose whose slot it shares. Any thread, no lock.
 */
final class FailedLogins {

    /** What is to be done about a login. */
    enum Verdict {
        JUDGED, WAITS, REFUSED
    }

    private static final int SLOTS = 1 << 14;
    private static final byte[] KEY = Decoys.random();
    private static final String PAIR = "pair\0";
    private static final int IPV6_PREFIX_BYTES = 8;

    /** Until when a bucket leaks, in nanoseconds; 0 for one that is empty. */
    private final AtomicLongArray sources = new AtomicLongArray(SLOTS);

    private final AtomicLongArray names = new AtomicLongArray(SLOTS);
    private final AtomicLongArray pairs = new AtomicLongArray(SLOTS);
    /** Hashes of addresses with names that have logged in. */
    private final AtomicLongArray known = new AtomicLongArray(SLOTS);

    private final long leakNanos;
    private final long fullNanos;

    /** @param aMinute how many may fail at once, and how many a minute after that; for a name ten times as many */
    FailedLogins(int aMinute) {
        this.leakNanos = TimeUnit.MINUTES.toNanos(1) / aMinute;
        this.fullNanos = TimeUnit.MINUTES.toNanos(1);
    }

    /** @param user who the peer claims to be */
    Verdict verdict(Peer peer, String user, long nowNanos) {
        long source = hash("source\0" + source(peer));
        long pair = hash(PAIR + source(peer) + '\0' + user);
        if (known.get(slot(pair)) == pair) {
            return isFull(pairs, pair, leakNanos, nowNanos) ? Verdict.REFUSED : Verdict.JUDGED;
        }
        if (isFull(sources, source, leakNanos, nowNanos)) {
            return Verdict.REFUSED;
        }
        return isFull(names, hash("name\0" + user), leakNanos / 10, nowNanos) ? Verdict.WAITS : Verdict.JUDGED;
    }

    /** @param user null if the peer has not said who it is */
    void failed(Peer peer, String user, long nowNanos) {
        add(sources, hash("source\0" + source(peer)), leakNanos, nowNanos);
        if (user != null) {
            add(names, hash("name\0" + user), leakNanos / 10, nowNanos);
            add(pairs, hash(PAIR + source(peer) + '\0' + user), leakNanos, nowNanos);
        }
    }

    void succeeded(Peer peer, String user) {
        long pair = hash(PAIR + source(peer) + '\0' + user);
        known.set(slot(pair), pair);
    }

    /** Whether it takes no other failure that leaks in that time. */
    private boolean isFull(AtomicLongArray buckets, long hash, long leak, long nowNanos) {
        long until = buckets.get(slot(hash));
        return until != 0 && until - nowNanos > fullNanos - leak;
    }

    private void add(AtomicLongArray buckets, long hash, long leak, long nowNanos) {
        buckets.updateAndGet(slot(hash), until -> {
            long from = until == 0 || until - nowNanos < 0 ? nowNanos : until;
            long next = Math.min(from - nowNanos + leak, 2 * fullNanos) + nowNanos;
            return next == 0 ? 1 : next;
        });
    }

    private static int slot(long hash) {
        return (int) (hash >>> 32) & SLOTS - 1;
    }

    private static long hash(String text) {
        return ByteBuffer.wrap(ScramHash.SHA_256.hmac(KEY, text.getBytes(UTF_8))).getLong();
    }

    /** Where a peer comes from, without its port. */
    private static String source(Peer peer) {
        String address = peer.address();
        int port = address.lastIndexOf(':');
        String host = port < 0 ? address : address.substring(0, port);
        if (!host.startsWith("[")) {
            return host;
        }
        try {
            byte[] bytes = InetAddress.ofLiteral(host.substring(1, host.length() - 1)).getAddress();
            return bytes.length == 4 ? host : new String(bytes, 0, IPV6_PREFIX_BYTES, ISO_8859_1);
        } catch (IllegalArgumentException e) {
            return host; // it is what a test says
        }
    }
}
