package io.sluicemq.crash;

import java.nio.ByteBuffer;

/**
 * The body of a message: its id (8 bytes), its length (4), and bytes that follow from both, so that a body of which a
 * part is missing, changed or of another message is told from a whole one. Stateless.
 */
final class Body {

    static final int MIN_BYTES = 12;
    private static final int SEQUENCE_BITS = 40;

    private Body() {}

    /** The id of a producer's message. */
    static long id(int producer, long sequence) {
        return (long) producer << SEQUENCE_BITS | sequence;
    }

    static int producer(long id) {
        return (int) (id >>> SEQUENCE_BITS);
    }

    static long sequence(long id) {
        return id & (1L << SEQUENCE_BITS) - 1;
    }

    /** An id for people. */
    static String name(long id) {
        return producer(id) + "/" + sequence(id);
    }

    /** @param bytes at least {@link #MIN_BYTES} */
    static byte[] of(long id, int bytes) {
        byte[] body = new byte[bytes];
        ByteBuffer.wrap(body).putLong(id).putInt(bytes);
        for (int i = MIN_BYTES; i < bytes; i++) {
            body[i] = filler(id, i);
        }
        return body;
    }

    private static byte filler(long id, int at) {
        return (byte) ((id + at) * 0x9E3779B97F4A7C15L >>> 56);
    }

    /** The id of the message whose body this is; -1 if it is not as it was sent. */
    static long read(byte[] body) {
        if (body.length < MIN_BYTES) {
            return -1;
        }
        ByteBuffer in = ByteBuffer.wrap(body);
        long id = in.getLong();
        if (in.getInt() != body.length) {
            return -1;
        }
        for (int i = MIN_BYTES; i < body.length; i++) {
            if (body[i] != filler(id, i)) {
                return -1;
            }
        }
        return id;
    }
}
