package io.sluicemq.protocol.amqp091.codec;

import java.util.Arrays;

/**
 * A field value of type {@code x}: bytes. Equal by content.
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
