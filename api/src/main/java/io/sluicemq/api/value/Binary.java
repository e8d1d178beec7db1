package io.sluicemq.api.value;

import java.util.Arrays;

/**
 * Bytes that are no text. Equal by content.
 *
 * @param bytes the bytes; shared, not to be changed
 */
public record Binary(byte[] bytes) {

    @Override
    public boolean equals(Object other) {
        return other instanceof Binary that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "Binary[" + bytes.length + " bytes]";
    }
}
