package io.sluicemq.protocol.amqp10;

import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp10.codec.AmqpFault;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.Transfer;

/** A delivery that is arriving in several transfers (part 2, §2.6.14). Owned by the connection's loop. */
@LoopOwned
final class Partial {

    /** The message-format of part 3, §3.2, in its only version. */
    static final int AMQP_MESSAGE = 0;

    private static final int LEAST = 4096;

    /** The longest delivery-tag, in bytes (§2.8.7). */
    private static final int MOST_TAG_BYTES = 32;

    final int id;
    final ByteBuffer tag;
    boolean settled;
    /** What is owed for it; null if it is settled, or to a coordinator. */
    Received received;
    /** It is one that the peer resumes: its bytes are here, or not wanted. */
    boolean resumes;
    DeliveryState state;
    /** Its message-format (§2.8.11). */
    final int format;
    private byte[] bytes = {};
    private int length;

    /** @param first its first transfer, whose tag is {@code tag} */
    Partial(Transfer first, ByteBuffer tag) {
        this.id = (int) first.getDeliveryId();
        this.tag = tag;
        this.format = (int) first.getMessageFormat();
    }

    /** The tag that the first transfer of a delivery must have. */
    static ByteBuffer tag(Transfer first) throws AmqpFault {
        if (first.getDeliveryTag() == null) {
            throw AmqpFault.link(AmqpError.INVALID_FIELD, "a delivery without delivery-tag");
        }
        ByteBuffer tag = ByteBuffer.wrap(first.getDeliveryTag().tagBytes());
        if (tag.remaining() > MOST_TAG_BYTES) {
            throw AmqpFault.link(
                    AmqpError.INVALID_FIELD, "a delivery-tag of more than " + MOST_TAG_BYTES + " bytes");
        }
        return tag;
    }

    static String unknown(int format) {
        return "message-format " + Integer.toUnsignedString(format)
                + " is not supported: only 0, that of AMQP messages, is";
    }

    /** A transfer that goes on with a delivery may leave out what its first one has said, and must not say otherwise (§2.7.5). */
    void checkContinuation(Transfer next) throws AmqpFault {
        if (next.hasDeliveryId() && (int) next.getDeliveryId() != id) {
            throw AmqpFault.session(
                    AmqpError.INVALID_FIELD, "a transfer of another delivery than the one that has not ended");
        }
        if (next.getDeliveryTag() != null && !ByteBuffer.wrap(next.getDeliveryTag().tagBytes()).equals(tag)) {
            throw AmqpFault.link(AmqpError.INVALID_FIELD, "a transfer with another tag than its delivery's first");
        }
        if (next.hasMessageFormat() && (int) next.getMessageFormat() != format) {
            throw AmqpFault.link(AmqpError.INVALID_FIELD, "a transfer of another format than its delivery's first");
        }
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
