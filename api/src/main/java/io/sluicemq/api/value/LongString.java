package io.sluicemq.api.value;

import java.util.Arrays;

/**
 * A text whose bytes are not UTF-8, which some protocols allow; all others are Strings. Equal by content.
 *
 * @param bytes the bytes; shared, not to be changed
 */
public record LongString(byte[] bytes) {

    @Override
    public boolean equals(Object other) {
        return other instanceof LongString that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "LongString[" + bytes.length + " bytes]";
    }
}
