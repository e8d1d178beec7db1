package io.sluicemq.protocol.amqp10;

import io.sluicemq.base.LoopOwned;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.qpid.protonj2.types.transport.DeliveryState;

/** A delivery that is arriving in several transfers (part 2, §2.6.14). Owned by the connection's loop. */
@LoopOwned
final class Partial {

    private static final int LEAST = 4096;

    final int id;
    final ByteBuffer tag;
    boolean settled;
    boolean second;
    /** It is one that the peer resumes: its bytes are here, or not wanted. */
    boolean resumes;
    DeliveryState state;
    private byte[] bytes = {};
    private int length;

    Partial(int id, ByteBuffer tag) {
        this.id = id;
        this.tag = tag;
    }

    int length() {
        return length;
    }

    byte[] bytes() {
        return bytes;
    }

    /** Adds what came; returns by how many bytes it takes more memory. */
    int add(byte[] from, int offset, int count, long most) {
        int before = bytes.length;
        if (length + count > bytes.length) {
            long larger = Math.max(length + count, Math.max(LEAST, bytes.length * 2L));
            bytes = Arrays.copyOf(bytes, (int) Math.min(larger, Math.max(most, length + count)));
        }
        System.arraycopy(from, offset, bytes, length, count);
        length += count;
        return bytes.length - before;
    }
}
