package io.sluicemq.protocol.amqp091.codec;

import java.util.Arrays;

/**
 * Turns the bytes of short strings into {@link ShortString}s, and Strings into ShortStrings to be sent, mostly without
 * allocating: two direct-mapped tables remember the last string seen in each slot. Used by one loop only; one for each
 * connection, or one for all connections of a loop. It never holds more than its slots, whatever a peer sends; a
 * collision costs one decode.
 */
public final class ShortStringCache {

    private static final int SLOT_BITS = 7;
    private static final int SLOTS = 1 << SLOT_BITS;
    private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

    private ShortString[] received;
    private ShortString[] sent;

    /**
     * The short string whose UTF-8 is {@code bytes[from, from + length)}.
     *
     * @throws ProtocolFaultException 502 if that is not UTF-8
     */
    ShortString decode(byte[] bytes, int from, int length) {
        if (length == 0) {
            return ShortString.EMPTY;
        }
        if (received == null) {
            received = new ShortString[SLOTS];
        }
        int slot = slot(bytes, from, length);
        ShortString known = received[slot];
        if (known != null && Arrays.equals(known.wire(), 1, known.wire().length, bytes, from, from + length)) {
            return known;
        }
        String text = Utf8.decode(bytes, from, from + length);
        if (text == null) {
            throw ProtocolFaultException.syntax("a short string is not UTF-8");
        }
        ShortString fresh = new ShortString(text, ShortString.prefixed(bytes, from, length));
        received[slot] = fresh;
        return fresh;
    }

    /**
     * {@code value} ready to be sent.
     *
     * @throws IllegalArgumentException if {@code value} has more than 255 bytes of UTF-8
     */
    public ShortString of(String value) {
        if (value.isEmpty()) {
            return ShortString.EMPTY;
        }
        if (sent == null) {
            sent = new ShortString[SLOTS];
        }
        int hash = value.hashCode();
        int slot = (hash ^ hash >>> 16 ^ hash >>> 8) & SLOTS - 1;
        ShortString known = sent[slot];
        if (known != null && known.value().equals(value)) {
            return known;
        }
        ShortString fresh = ShortString.of(value);
        sent[slot] = fresh;
        return fresh;
    }

    private static int slot(byte[] bytes, int from, int length) {
        long hash = length;
        int i = from;
        int end = from + length;
        for (; i <= end - Long.BYTES; i += Long.BYTES) {
            hash = (hash ^ (long) Utf8.LONGS.get(bytes, i)) * MIX;
            hash ^= hash >>> 32;
        }
        if (i < end) {
            long tail = 0;
            for (; i < end; i++) {
                tail = tail << 8 | bytes[i] & 0xFF;
            }
            hash = (hash ^ tail) * MIX;
        }
        return (int) (hash >>> Long.SIZE - SLOT_BITS);
    }
}
