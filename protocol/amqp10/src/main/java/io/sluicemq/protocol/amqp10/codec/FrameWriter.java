package io.sluicemq.protocol.amqp10.codec;

import io.netty.buffer.ByteBuf;

/**
 * Writes what is sent with each message: transfers, dispositions, flows and empty frames, field by field (§2.7). Stateless.
 */
public final class FrameWriter {

    private static final int LIST8 = 0xC0;
    private static final int NULL = 0x40;
    private static final int TRUE = 0x41;
    private static final int FALSE = 0x42;
    private static final int UINT_0 = 0x43;
    private static final int UINT_SMALL = 0x52;
    private static final int UINT = 0x70;
    private static final int BINARY_8 = 0xA0;
    private static final int DESCRIBED = 0x00;
    private static final int ULONG_SMALL = 0x53;
    private static final int LIST_0 = 0x45;

    private static final int FLOW = 0x13;
    private static final int TRANSFER = 0x14;
    private static final int DISPOSITION = 0x15;

    /** The most bytes of a transfer's frame that are not payload, with a tag of 8 bytes. */
    public static final int TRANSFER_BYTES = 48;

    /** An outcome without fields, by its descriptor (§3.4). */
    public static final int ACCEPTED = 0x24;

    /** The outcome released, which has no fields. */
    public static final int RELEASED = 0x26;

    private FrameWriter() {}

    /** An empty frame: a sign of life (§2.4.5). */
    public static void empty(ByteBuf out) {
        out.writeInt(FrameReader.HEAD_BYTES);
        out.writeByte(2);
        out.writeByte(FrameReader.TYPE_AMQP);
        out.writeShort(0);
    }

    private static int begin(ByteBuf out, int channel, int descriptor) {
        int start = out.writerIndex();
        out.writeInt(0);
        out.writeByte(2);
        out.writeByte(FrameReader.TYPE_AMQP);
        out.writeShort(channel);
        out.writeByte(DESCRIBED);
        out.writeByte(ULONG_SMALL);
        out.writeByte(descriptor);
        return start;
    }

    private static int list(ByteBuf out, int fields) {
        out.writeByte(LIST8);
        int at = out.writerIndex();
        out.writeByte(0);
        out.writeByte(fields);
        return at;
    }

    private static void endList(ByteBuf out, int at) {
        out.setByte(at, out.writerIndex() - at - 1);
    }

    private static void uint(ByteBuf out, int value) {
        if (value == 0) {
            out.writeByte(UINT_0);
        } else if ((value & ~0xFF) == 0) {
            out.writeByte(UINT_SMALL);
            out.writeByte(value);
        } else {
            out.writeByte(UINT);
            out.writeInt(value);
        }
    }

    private static void bool(ByteBuf out, boolean value) {
        out.writeByte(value ? TRUE : FALSE);
    }

    /**
     * Begins a transfer (§2.7.5), behind which the payload is to be written, and then {@link #endTransfer}.
     *
     * @param first whether it is the delivery's first, which tells its tag (8 bytes: {@code deliveryTag}) and format 0
     * @param resume whether it was sent on the link before, as the first transfer says
     * @return what {@link #endTransfer} has to be given
     */
    public static int beginTransfer(
            ByteBuf out, int channel, int handle, int deliveryId, long deliveryTag, boolean first, boolean resume,
            boolean settled, boolean more) {
        boolean resumes = first && resume;
        int start = begin(out, channel, TRANSFER);
        int list = list(out, resumes ? 9 : more ? 6 : 5);
        uint(out, handle);
        uint(out, deliveryId);
        if (first) {
            out.writeByte(BINARY_8);
            out.writeByte(Long.BYTES);
            out.writeLong(deliveryTag);
            out.writeByte(UINT_0);
        } else {
            out.writeByte(NULL);
            out.writeByte(NULL);
        }
        bool(out, settled);
        if (resumes) {
            bool(out, more);
            out.writeByte(NULL);
            out.writeByte(NULL);
            bool(out, true);
        } else if (more) {
            bool(out, true);
        }
        endList(out, list);
        return start;
    }

    /** Ends a transfer. */
    public static void endTransfer(ByteBuf out, int start) {
        out.setInt(start, out.writerIndex() - start);
    }

    /** Says that a delivery of which something was sent is not to be taken (§2.7.5, aborted). */
    public static void abortTransfer(ByteBuf out, int channel, int handle, int deliveryId) {
        int start = begin(out, channel, TRANSFER);
        int list = list(out, 10);
        uint(out, handle);
        uint(out, deliveryId);
        out.writeByte(NULL);
        out.writeByte(NULL);
        bool(out, true);
        bool(out, false);
        out.writeByte(NULL);
        out.writeByte(NULL);
        bool(out, false);
        bool(out, true);
        endList(out, list);
        endTransfer(out, start);
    }

    /**
     * Writes a disposition (§2.7.6) with an outcome that has no fields.
     *
     * @param receiver whether we are the receiver of the deliveries
     * @param outcome {@link #ACCEPTED} or {@link #RELEASED}
     */
    public static void disposition(
            ByteBuf out, int channel, boolean receiver, int first, int last, boolean settled, int outcome) {
        int start = begin(out, channel, DISPOSITION);
        int list = list(out, 5);
        bool(out, receiver);
        uint(out, first);
        if (last == first) {
            out.writeByte(NULL);
        } else {
            uint(out, last);
        }
        bool(out, settled);
        out.writeByte(DESCRIBED);
        out.writeByte(ULONG_SMALL);
        out.writeByte(outcome);
        out.writeByte(LIST_0);
        endList(out, list);
        endTransfer(out, start);
    }

    /** Writes a flow (§2.7.4) of a session. */
    public static void sessionFlow(
            ByteBuf out, int channel, int nextIncomingId, int incomingWindow, int nextOutgoingId, int outgoingWindow) {
        int start = begin(out, channel, FLOW);
        int list = list(out, 4);
        uint(out, nextIncomingId);
        uint(out, incomingWindow);
        uint(out, nextOutgoingId);
        uint(out, outgoingWindow);
        endList(out, list);
        endTransfer(out, start);
    }

    /** Writes a flow (§2.7.4) of a link. */
    public static void linkFlow(
            ByteBuf out, int channel, int nextIncomingId, int incomingWindow, int nextOutgoingId, int outgoingWindow,
            int handle, int deliveryCount, int linkCredit, boolean drain) {
        int start = begin(out, channel, FLOW);
        int list = list(out, 9);
        uint(out, nextIncomingId);
        uint(out, incomingWindow);
        uint(out, nextOutgoingId);
        uint(out, outgoingWindow);
        uint(out, handle);
        uint(out, deliveryCount);
        uint(out, linkCredit);
        out.writeByte(NULL);
        bool(out, drain);
        endList(out, list);
        endTransfer(out, start);
    }
}
