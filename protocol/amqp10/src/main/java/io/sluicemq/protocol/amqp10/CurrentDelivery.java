package io.sluicemq.protocol.amqp10;

import io.netty.buffer.ByteBuf;
import io.sluicemq.api.Delivery;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp10.codec.FrameWriter;
import io.sluicemq.protocol.amqp10.message.OutgoingMessage;

/**
 * The delivery of a receiving link that is being written, in as many frames as the peer's frame size makes it (part 2, §2.6.14). Owned by
 * the connection's loop.
 *
 * <p>Invariant: while one is under way some of it was written, and not all.
 */
@LoopOwned
final class CurrentDelivery {

    private final ConsumerLink link;
    private final OutgoingMessage message = new OutgoingMessage();

    private boolean underWay;
    private boolean first;
    private boolean resumed;
    private int id;
    private long tag;
    /** What it says of itself; once the receiver has settled it, it is not to be asked any more. */
    private boolean settled;
    private int windowBytes;
    private long position;
    private long sentBytes;

    CurrentDelivery(ConsumerLink link) {
        this.link = link;
    }

    boolean isUnderWay() {
        return underWay;
    }

    /** Whether one is under way that the link before had sent already. */
    boolean isResumed() {
        return underWay && resumed;
    }

    /** Whether the receiver has nothing to settle of it. */
    boolean isSettled() {
        return settled;
    }

    int id() {
        return id;
    }

    /** Bytes that it takes of the consumer's window. */
    int windowBytes() {
        return windowBytes;
    }

    /** Bytes of all messages that were written. */
    long sentBytes() {
        return sentBytes;
    }

    /** How long a delivery's message is when it is sent, in bytes; while none is under way. */
    long lengthOf(Delivery delivery) {
        long length = message.of(delivery, nowMillis()).length();
        message.clear();
        return length;
    }

    private long nowMillis() {
        return link.connection().loop().currentTimeMillis();
    }

    /** The next one, of which frames are to be written now. */
    void begin(Delivery delivery, int deliveryId, long deliveryTag, boolean resumes, boolean sentSettled) {
        message.of(delivery, nowMillis());
        underWay = true;
        first = true;
        resumed = resumes;
        id = deliveryId;
        tag = deliveryTag;
        settled = sentSettled;
        windowBytes = delivery.windowBytes();
        position = 0;
    }

    /** Writes a frame of it, after the last of which it is under way no more; returns the bytes of the message in that frame. */
    int writeFrame() {
        ConnectionSession connection = link.connection();
        long left = message.length() - position;
        int most = connection.peerFrameMax() - FrameWriter.TRANSFER_BYTES;
        int length = (int) Math.min(left, most);
        boolean more = length < left;
        ByteBuf out = connection.out();
        int start = FrameWriter.beginTransfer(
                out, link.session().channel(), link.handle(), id, tag, first, resumed, settled, more);
        message.write(position, length, out);
        FrameWriter.endTransfer(out, start);
        link.session().frameSent();
        first = false;
        position += length;
        sentBytes += length;
        if (!more) {
            stop();
        }
        return length;
    }

    /** Tells the receiver that the rest will not come (§2.7.5, aborted). */
    void abort() {
        FrameWriter.abortTransfer(link.connection().out(), link.session().channel(), link.handle(), id);
    }

    /** None is under way. */
    void stop() {
        message.clear();
        underWay = false;
    }
}
