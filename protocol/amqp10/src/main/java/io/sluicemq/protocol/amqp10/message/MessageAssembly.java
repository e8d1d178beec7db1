package io.sluicemq.protocol.amqp10.message;

import java.util.Arrays;

/**
 * A message that arrives piece by piece (part 2 §2.6.14), put together so that a large body needs no second array: the bytes
 * from the first body section on lie in one of their own, which becomes the message's. Owned by the loop of its connection.
 *
 * <p>A data section says how large it is (§3.2.6), but nobody has to keep such a word: memory grows with the bytes that have
 * arrived, and only when more than one in {@link #MEANT} of those announced is there do they get all they need.
 */
public final class MessageAssembly {

    private static final int LEAST = 4096;
    private static final int MEANT = 4;
    private static final byte[] NO_BYTES = {};

    private byte[] head = NO_BYTES;
    private int headLength;
    private byte[] body = NO_BYTES;
    private int bodyLength;
    /** Up to where the head consists of whole sections. */
    private int scanned;
    private boolean inBody;
    /** How long the body will be at least; 0 if it doesn't say. */
    private long announced;

    /** Bytes that have arrived. */
    public int length() {
        return headLength + bodyLength;
    }

    /** How many bytes the body says that it has; 0 if it doesn't say, or has not begun to arrive. */
    public long announcedBytes() {
        return announced;
    }

    /** Bytes of memory that it takes. */
    public int heldBytes() {
        return head.length + body.length;
    }

    /**
     * Adds what came.
     *
     * @param most bytes that the whole message may have
     * @return by how many bytes it takes more memory
     */
    public int add(byte[] from, int offset, int count, long most) {
        int before = heldBytes();
        if (inBody) {
            addToBody(from, offset, count, most);
            return heldBytes() - before;
        }
        if (headLength + count > head.length) {
            head = Arrays.copyOf(head, grown(head.length, headLength + count, most));
        }
        System.arraycopy(from, offset, head, headLength, count);
        headLength += count;
        if (findBody()) {
            inBody = true;
            announced = announced(scanned);
            int end = headLength;
            headLength = scanned;
            addToBody(head, scanned, end - scanned, most);
            head = Arrays.copyOf(head, headLength);
        }
        return heldBytes() - before;
    }

    private void addToBody(byte[] from, int offset, int count, long most) {
        int needed = bodyLength + count;
        if (needed > body.length) {
            boolean meant = announced >= needed && announced <= most && needed > announced / MEANT;
            body = Arrays.copyOf(body, meant ? (int) announced : grown(body.length, needed, most));
        }
        System.arraycopy(from, offset, body, bodyLength, count);
        bodyLength = needed;
    }

    private static int grown(int length, int needed, long most) {
        long doubled = Math.max(LEAST, length * 2L);
        return (int) Math.max(needed, Math.min(doubled, Math.min(most, Integer.MAX_VALUE - 8L)));
    }

    /** Looks on for the first body section; what is no section is left for the reading to refuse. */
    private boolean findBody() {
        while (headLength - scanned > 2 && head[scanned] == TypeCode.DESCRIBED) {
            int descriptor = scanned + 1;
            int value = shallowEnd(descriptor);
            if (value < 0) {
                return false;
            }
            int code = Encoded.code(head, descriptor);
            if (!TypeCode.isUlong(code) && !TypeCode.isSymbol(code)) {
                return false;
            }
            int section = Encoded.section(head, scanned);
            if (section >= Section.DATA && section <= Section.FOOTER) {
                return true;
            }
            int end = shallowEnd(value);
            if (end < 0) {
                return false;
            }
            scanned = end;
        }
        return false;
    }

    /** Where the value at {@code at} ends by its own account; -1 if that has not arrived, or is none. */
    private int shallowEnd(int at) {
        int width = at < headLength ? TypeCode.width(Encoded.code(head, at)) : TypeCode.UNKNOWN;
        if (width == TypeCode.UNKNOWN) {
            return -1;
        }
        if (width >= 0) {
            return at + 1 + width <= headLength ? at + 1 + width : -1;
        }
        int from = at + 1 - width;
        if (from > headLength) {
            return -1;
        }
        int size = width == TypeCode.SIZE_8 ? Encoded.code(head, at + 1) : Encoded.intAt(head, at + 1);
        return size < 0 || size > headLength - from ? -1 : from + size;
    }

    /** How long the body that begins at {@code at} of the head is, if it is one value and its size has arrived. */
    private long announced(int at) {
        int value = Encoded.end(head, at + 1);
        int section = Encoded.section(head, at);
        if (section != Section.DATA && section != Section.AMQP_VALUE || headLength - value < 1 + Integer.BYTES) {
            return 0;
        }
        int code = Encoded.code(head, value);
        if (code != TypeCode.BINARY_32 && code != TypeCode.STRING_32) {
            return 0;
        }
        return value - at + 1L + Integer.BYTES + Integer.toUnsignedLong(Encoded.intAt(head, value + 1));
    }

    /**
     * Lets {@code reader} read the whole message; nothing may be added afterwards.
     *
     * @throws MessageFault if it is none
     */
    public IncomingMessage read(IncomingMessage reader) throws MessageFault {
        return reader.read(head, headLength, body, bodyLength);
    }
}
