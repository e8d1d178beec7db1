package io.sluicemq.protocol.amqp091.codec;

import java.nio.charset.StandardCharsets;

/**
 * A shortstr (spec §4.2.5.3) in both its forms: the String, and the bytes on the wire with their length octet, so
 * that a name that arrives again and again is decoded once and is never encoded. Immutable; equal by its text.
 */
public final class ShortString {

    /** The most bytes of UTF-8 a shortstr can have. */
    public static final int MAX_BYTES = 255;

    /** The empty string. */
    public static final ShortString EMPTY = new ShortString("", new byte[1]);

    private final String value;
    private final byte[] wire;

    /** Takes {@code wire}, the length octet and exactly the UTF-8 bytes of {@code value}. */
    ShortString(String value, byte[] wire) {
        this.value = value;
        this.wire = wire;
    }

    /** @throws IllegalArgumentException if {@code value} has more than {@link #MAX_BYTES} bytes of UTF-8 */
    public static ShortString of(String value) {
        return value.isEmpty() ? EMPTY : new ShortString(value, encode(value));
    }

    /**
     * The length octet and the UTF-8 bytes of {@code value}.
     *
     * @throws IllegalArgumentException if {@code value} has more than {@link #MAX_BYTES} bytes of UTF-8
     */
    static byte[] encode(String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        if (utf8.length > MAX_BYTES) {
            throw new IllegalArgumentException("a short string has at most 255 bytes, not " + utf8.length);
        }
        return prefixed(utf8, 0, utf8.length);
    }

    static byte[] prefixed(byte[] utf8, int from, int length) {
        byte[] wire = new byte[1 + length];
        wire[0] = (byte) length;
        System.arraycopy(utf8, from, wire, 1, length);
        return wire;
    }

    /** The text. */
    public String value() {
        return value;
    }

    /** The length octet and the UTF-8 bytes. Shared: not to be changed. */
    public byte[] wire() {
        return wire;
    }

    @Override
    public boolean equals(Object other) {
        return other == this || other instanceof ShortString that && value.equals(that.value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    /** The text. */
    @Override
    public String toString() {
        return value;
    }
}
