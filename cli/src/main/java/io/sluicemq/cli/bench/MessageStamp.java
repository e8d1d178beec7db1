package io.sluicemq.cli.bench;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The first 16 bytes of every body the load tool publishes. Stateless.
 *
 * <pre>
 *  0        8         10                    16
 *  +--------+---------+----------------------+
 *  | nanos  | producer| sequence in the queue|  big-endian
 *  +--------+---------+----------------------+
 * </pre>
 *
 * The time is {@link System#nanoTime()} of the publishing process, so only that process can measure a latency with it.
 */
final class MessageStamp {

    static final int BYTES = 16;

    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int SEQUENCE_BITS = 48;
    private static final long SEQUENCE_MASK = (1L << SEQUENCE_BITS) - 1;

    private MessageStamp() {}

    static void write(byte[] body, long nanos, int producer, long sequence) {
        LONGS.set(body, 0, nanos);
        LONGS.set(body, Long.BYTES, ((long) producer << SEQUENCE_BITS) | (sequence & SEQUENCE_MASK));
    }

    static long nanos(byte[] body) {
        return (long) LONGS.get(body, 0);
    }

    static int producer(byte[] body) {
        return (int) ((long) LONGS.get(body, Long.BYTES) >>> SEQUENCE_BITS);
    }

    static long sequence(byte[] body) {
        return (long) LONGS.get(body, Long.BYTES) & SEQUENCE_MASK;
    }
}
