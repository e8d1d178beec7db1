package io.sluicemq.api.value;

/**
 * An unsigned integer of 64 bits.
 *
 * @param bits the value; a negative number stands for one from 2^63 on
 */
public record UnsignedLong(long bits) {

    /** In decimal. */
    @Override
    public String toString() {
        return Long.toUnsignedString(bits);
    }
}
