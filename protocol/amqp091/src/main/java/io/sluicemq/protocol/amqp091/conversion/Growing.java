package io.sluicemq.protocol.amqp091.conversion;

import java.io.ByteArrayOutputStream;

/** Bytes that are put one behind the other, numbers with the highest octet first. Used by one thread. */
final class Growing {

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    Growing octet(int value) {
        bytes.write(value);
        return this;
    }

    /** The lowest {@code octets} octets of a number. */
    Growing number(long value, int octets) {
        for (int i = octets - 1; i >= 0; i--) {
            bytes.write((int) (value >> Byte.SIZE * i));
        }
        return this;
    }

    Growing octets(byte[] more) {
        bytes.writeBytes(more);
        return this;
    }

    int length() {
        return bytes.size();
    }

    byte[] toByteArray() {
        return bytes.toByteArray();
    }
}
