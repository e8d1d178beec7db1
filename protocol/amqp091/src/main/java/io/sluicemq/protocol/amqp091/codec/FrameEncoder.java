package io.sluicemq.protocol.amqp091.codec;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Writes the frames a broker sends, straight into the caller's buffer, which grows as needed. Stateless; whoever owns
 * the buffer may call. Each method appends whole frames, or throws {@link IllegalArgumentException} for an argument
 * that has no form on the wire (a short string above 255 bytes, a field value of an unknown type) and may then leave a
 * part of a frame behind. Reply texts are cut to 255 bytes instead.
 *
 * <p>Nothing here looks at frame-max but {@link #bodyFrames} and what calls it: no method needs 4096 bytes, except
 * connection.start, whose tables are the broker's own, and a content header can't be split
 * ({@link BasicProperties#headerFrameLength()}).
 */
public final class FrameEncoder {

    private static final int METHOD_ID_LENGTH = 4;
    private static final int BASIC = MethodId.classOf(MethodId.BASIC_DELIVER);

    private FrameEncoder() {}

    // ---- connection --------------------------------------------------------------------------------------------

    /** connection.start for 0-9-1; mechanisms and locales are space-separated lists. */
    public static void connectionStart(ByteBuf out, Map<String, ?> serverProperties, String mechanisms,
            String locales) {
        int frame = begin(out, 0, MethodId.CONNECTION_START);
        out.writeByte(0).writeByte(9);
        FieldTable.write(out, serverProperties);
        longString(out, mechanisms.getBytes(StandardCharsets.UTF_8));
        longString(out, locales.getBytes(StandardCharsets.UTF_8));
        end(out, frame);
    }

    /** connection.secure: a SASL challenge. */
    public static void connectionSecure(ByteBuf out, byte[] challenge) {
        int frame = begin(out, 0, MethodId.CONNECTION_SECURE);
        longString(out, challenge);
        end(out, frame);
    }

    /** connection.tune: the broker's limits; frame-max in bytes, heartbeat in seconds, 0 for none. */
    public static void connectionTune(ByteBuf out, int channelMax, int frameMax, int heartbeat) {
        int frame = begin(out, 0, MethodId.CONNECTION_TUNE);
        out.writeShort(channelMax).writeInt(frameMax).writeShort(heartbeat);
        end(out, frame);
    }

    /** connection.open-ok. */
    public static void connectionOpenOk(ByteBuf out) {
        int frame = begin(out, 0, MethodId.CONNECTION_OPEN_OK);
        out.writeByte(0);
        end(out, frame);
    }

    /** connection.close; {@code method} is the one that failed ({@link MethodId}), 0 for none. */
    public static void connectionClose(ByteBuf out, int replyCode, String replyText, int method) {
        close(out, 0, MethodId.CONNECTION_CLOSE, replyCode, replyText, method);
    }

    /** connection.close for a fault. */
    public static void connectionClose(ByteBuf out, ProtocolFault fault) {
        connectionClose(out, fault.code().code(), fault.text(), fault.classId() << 16 | fault.methodId());
    }

    /** connection.close-ok. */
    public static void connectionCloseOk(ByteBuf out) {
        empty(out, 0, MethodId.CONNECTION_CLOSE_OK);
    }

    /** connection.blocked, RabbitMQ's; only for clients that have the capability. */
    public static void connectionBlocked(ByteBuf out, String reason) {
        int frame = begin(out, 0, MethodId.CONNECTION_BLOCKED);
        text(out, reason);
        end(out, frame);
    }

    /** connection.unblocked, RabbitMQ's. */
    public static void connectionUnblocked(ByteBuf out) {
        empty(out, 0, MethodId.CONNECTION_UNBLOCKED);
    }

    /** connection.update-secret-ok, RabbitMQ's. */
    public static void connectionUpdateSecretOk(ByteBuf out) {
        empty(out, 0, MethodId.CONNECTION_UPDATE_SECRET_OK);
    }

    // ---- channel -----------------------------------------------------------------------------------------------

    /** channel.open-ok. */
    public static void channelOpenOk(ByteBuf out, int channel) {
        int frame = begin(out, channel, MethodId.CHANNEL_OPEN_OK);
        out.writeInt(0);
        end(out, frame);
    }

    /** channel.flow: whether the client may publish. */
    public static void channelFlow(ByteBuf out, int channel, boolean active) {
        bits(out, channel, MethodId.CHANNEL_FLOW, active);
    }

    /** channel.flow-ok: the answer to the client's flow. */
    public static void channelFlowOk(ByteBuf out, int channel, boolean active) {
        bits(out, channel, MethodId.CHANNEL_FLOW_OK, active);
    }

    /** channel.close; {@code method} is the one that failed ({@link MethodId}), 0 for none. */
    public static void channelClose(ByteBuf out, int channel, int replyCode, String replyText, int method) {
        close(out, channel, MethodId.CHANNEL_CLOSE, replyCode, replyText, method);
    }

    /** channel.close-ok. */
    public static void channelCloseOk(ByteBuf out, int channel) {
        empty(out, channel, MethodId.CHANNEL_CLOSE_OK);
    }

    /** access.request-ok with a ticket that means nothing. */
    public static void accessRequestOk(ByteBuf out, int channel, int ticket) {
        int frame = begin(out, channel, MethodId.ACCESS_REQUEST_OK);
        out.writeShort(ticket);
        end(out, frame);
    }

    // ---- exchange and queue ------------------------------------------------------------------------------------

    /** exchange.declare-ok. */
    public static void exchangeDeclareOk(ByteBuf out, int channel) {
        empty(out, channel, MethodId.EXCHANGE_DECLARE_OK);
    }

    /** exchange.delete-ok. */
    public static void exchangeDeleteOk(ByteBuf out, int channel) {
        empty(out, channel, MethodId.EXCHANGE_DELETE_OK);
    }

    /**
     * exchange.bound-ok, Qpid's.
     *
     * @param replyCode 0 bound, 1 no such exchange, 2 no such queue, 3 no bindings, 4 queue not bound, 5 no binding
     *     with that key, 6 the queue not bound with that key
     */
    public static void exchangeBoundOk(ByteBuf out, int channel, int replyCode, String replyText) {
        int frame = begin(out, channel, MethodId.EXCHANGE_BOUND_OK);
        out.writeShort(replyCode);
        text(out, replyText);
        end(out, frame);
    }

    /** exchange.bind-ok, RabbitMQ's. */
    public static void exchangeBindOk(ByteBuf out, int channel) {
        empty(out, channel, MethodId.EXCHANGE_BIND_OK);
    }

    /** exchange.unbind-ok, RabbitMQ's. */
    public static void exchangeUnbindOk(ByteBuf out, int channel) {
        empty(out, channel, MethodId.EXCHANGE_UNBIND_OK);
    }

    /** queue.declare-ok; the counts are unsigned 32 bit, larger ones are sent as the largest. */
    public static void queueDeclareOk(ByteBuf out, int channel, String queue, long messageCount, long consumerCount) {
        int frame = begin(out, channel, MethodId.QUEUE_DECLARE_OK);
        shortString(out, queue);
        count(out, messageCount);
        count(out, consumerCount);
        end(out, frame);
    }

    /** queue.bind-ok. */
    public static void queueBindOk(ByteBuf out, int channel) {
        empty(out, channel, MethodId.QUEUE_BIND_OK);
    }

    /** queue.unbind-ok. */
    public static void queueUnbindOk(ByteBuf out, int channel) {
        empty(out, channel, MethodId.QUEUE_UNBIND_OK);
    }

    /** queue.purge-ok. */
    public static void queuePurgeOk(ByteBuf out, int channel, long messageCount) {
        int frame = begin(out, channel, MethodId.QUEUE_PURGE_OK);
        count(out, messageCount);
        end(out, frame);
    }

    /** queue.delete-ok. */
    public static void queueDeleteOk(ByteBuf out, int channel, long messageCount) {
        int frame = begin(out, channel, MethodId.QUEUE_DELETE_OK);
        count(out, messageCount);
        end(out, frame);
    }

    // ---- basic, control ----------------------------------------------------------------------------------------

    /** basic.qos-ok. */
    public static void basicQosOk(ByteBuf out, int channel) {
        empty(out, channel, MethodId.BASIC_QOS_OK);
    }

    /** basic.consume-ok. */
    public static void basicConsumeOk(ByteBuf out, int channel, String consumerTag) {
        int frame = begin(out, channel, MethodId.BASIC_CONSUME_OK);
        shortString(out, consumerTag);
        end(out, frame);
    }

    /** basic.cancel by the broker, with no-wait: no answer is expected. RabbitMQ's; for clients with the capability. */
    public static void basicCancel(ByteBuf out, int channel, String consumerTag) {
        int frame = begin(out, channel, MethodId.BASIC_CANCEL);
        shortString(out, consumerTag);
        out.writeByte(1);
        end(out, frame);
    }

    /** basic.cancel-ok. */
    public static void basicCancelOk(ByteBuf out, int channel, String consumerTag) {
        int frame = begin(out, channel, MethodId.BASIC_CANCEL_OK);
        shortString(out, consumerTag);
        end(out, frame);
    }

    /** basic.recover-ok. */
    public static void basicRecoverOk(ByteBuf out, int channel) {
        empty(out, channel, MethodId.BASIC_RECOVER_OK);
    }

    /** basic.get-empty. */
    public static void basicGetEmpty(ByteBuf out, int channel) {
        int frame = begin(out, channel, MethodId.BASIC_GET_EMPTY);
        out.writeByte(0);
        end(out, frame);
    }

    /** confirm.select-ok, RabbitMQ's. */
    public static void confirmSelectOk(ByteBuf out, int channel) {
        empty(out, channel, MethodId.CONFIRM_SELECT_OK);
    }

    /** tx.select-ok. */
    public static void txSelectOk(ByteBuf out, int channel) {
        empty(out, channel, MethodId.TX_SELECT_OK);
    }

    /** tx.commit-ok. */
    public static void txCommitOk(ByteBuf out, int channel) {
        empty(out, channel, MethodId.TX_COMMIT_OK);
    }

    /** tx.rollback-ok. */
    public static void txRollbackOk(ByteBuf out, int channel) {
        empty(out, channel, MethodId.TX_ROLLBACK_OK);
    }

    /** A heartbeat. */
    public static void heartbeat(ByteBuf out) {
        prefix(out, FrameFormat.HEARTBEAT, 0, 0);
        out.writeByte(FrameFormat.END);
    }

    // ---- basic, messages and confirms --------------------------------------------------------------------------

    /** basic.ack: a confirm. */
    public static void basicAck(ByteBuf out, int channel, long deliveryTag, boolean multiple) {
        confirm(out, channel, MethodId.BASIC_ACK, deliveryTag, multiple);
    }

    /** basic.nack: a negative confirm, RabbitMQ's; the requeue bit means nothing in it and is 0. */
    public static void basicNack(ByteBuf out, int channel, long deliveryTag, boolean multiple) {
        confirm(out, channel, MethodId.BASIC_NACK, deliveryTag, multiple);
    }

    /**
     * A delivery: basic.deliver, the content header and the body frames.
     *
     * @param frameMax the frame-max agreed on, in bytes; 0 for no limit
     * @param body     the body is {@code body[bodyIndex, bodyIndex + bodyLength)}
     */
    public static void delivery(
            ByteBuf out, int channel, int frameMax, ShortString consumerTag, long deliveryTag, boolean redelivered,
            ShortString exchange, ShortString routingKey, BasicProperties properties,
            byte[] body, int bodyIndex, int bodyLength) {
        deliverAndHeader(out, channel, frameMax, consumerTag, deliveryTag, redelivered, exchange, routingKey,
                properties, bodyLength);
        bodyFrames(out, channel, frameMax, body, bodyIndex, bodyLength);
    }

    /** As above, with {@code bodyLength} bytes of {@code body} from {@code bodyIndex}; its indexes stay. */
    public static void delivery(
            ByteBuf out, int channel, int frameMax, ShortString consumerTag, long deliveryTag, boolean redelivered,
            ShortString exchange, ShortString routingKey, BasicProperties properties,
            ByteBuf body, int bodyIndex, int bodyLength) {
        deliverAndHeader(out, channel, frameMax, consumerTag, deliveryTag, redelivered, exchange, routingKey,
                properties, bodyLength);
        bodyFrames(out, channel, frameMax, body, bodyIndex, bodyLength);
    }

    private static void deliverAndHeader(
            ByteBuf out, int channel, int frameMax, ShortString consumerTag, long deliveryTag, boolean redelivered,
            ShortString exchange, ShortString routingKey, BasicProperties properties, int bodyLength) {
        out.ensureWritable(deliveryLength(frameMax, consumerTag, exchange, routingKey, properties, bodyLength));
        basicDeliver(out, channel, consumerTag, deliveryTag, redelivered, exchange, routingKey);
        contentHeader(out, channel, bodyLength, properties);
    }

    /** Bytes that {@link #delivery} writes. */
    public static int deliveryLength(
            int frameMax, ShortString consumerTag, ShortString exchange, ShortString routingKey,
            BasicProperties properties, int bodyLength) {
        return FrameFormat.OVERHEAD + METHOD_ID_LENGTH + Long.BYTES + 1
                + consumerTag.wire().length + exchange.wire().length + routingKey.wire().length
                + properties.headerFrameLength() + bodyFramesLength(frameMax, bodyLength);
    }

    /** basic.deliver alone; a {@link #contentHeader} and the body frames have to follow. */
    public static void basicDeliver(
            ByteBuf out, int channel, ShortString consumerTag, long deliveryTag, boolean redelivered,
            ShortString exchange, ShortString routingKey) {
        byte[] tag = consumerTag.wire();
        byte[] exchangeName = exchange.wire();
        byte[] key = routingKey.wire();
        int size = METHOD_ID_LENGTH + tag.length + Long.BYTES + 1 + exchangeName.length + key.length;
        out.ensureWritable(size + FrameFormat.OVERHEAD);
        prefix(out, FrameFormat.METHOD, channel, size);
        out.writeInt(MethodId.BASIC_DELIVER);
        out.writeBytes(tag);
        out.writeLong(deliveryTag);
        out.writeByte(redelivered ? 1 : 0);
        out.writeBytes(exchangeName);
        out.writeBytes(key);
        out.writeByte(FrameFormat.END);
    }

    /** basic.get-ok alone; a {@link #contentHeader} and the body frames have to follow. */
    public static void basicGetOk(
            ByteBuf out, int channel, long deliveryTag, boolean redelivered, ShortString exchange,
            ShortString routingKey, long messageCount) {
        int frame = begin(out, channel, MethodId.BASIC_GET_OK);
        out.writeLong(deliveryTag).writeByte(redelivered ? 1 : 0);
        out.writeBytes(exchange.wire()).writeBytes(routingKey.wire());
        count(out, messageCount);
        end(out, frame);
    }

    /** basic.return alone; a {@link #contentHeader} and the body frames have to follow. */
    public static void basicReturn(
            ByteBuf out, int channel, int replyCode, String replyText, ShortString exchange, ShortString routingKey) {
        int frame = begin(out, channel, MethodId.BASIC_RETURN);
        out.writeShort(replyCode);
        text(out, replyText);
        out.writeBytes(exchange.wire()).writeBytes(routingKey.wire());
        end(out, frame);
    }

    /** A content header for a body of {@code bodySize} bytes. */
    public static void contentHeader(ByteBuf out, int channel, long bodySize, BasicProperties properties) {
        byte[] bytes = properties.bytes();
        out.ensureWritable(properties.headerFrameLength());
        prefix(out, FrameFormat.HEADER, channel, FrameFormat.CONTENT_HEADER_FIXED + bytes.length);
        out.writeInt(BASIC << 16);
        out.writeLong(bodySize);
        out.writeBytes(bytes);
        out.writeByte(FrameFormat.END);
    }

    /** Bytes of the body frames of a body; an empty body has none. */
    public static int bodyFramesLength(int frameMax, int bodyLength) {
        int chunk = bodyChunk(frameMax);
        return bodyLength + (int) (((long) bodyLength + chunk - 1) / chunk) * FrameFormat.OVERHEAD;
    }

    /** The body in as many frames as frame-max asks for (0: one), none if it is empty. */
    public static void bodyFrames(ByteBuf out, int channel, int frameMax, byte[] body, int index, int length) {
        int chunk = bodyChunk(frameMax);
        int at = index;
        int left = length;
        while (left > 0) {
            int size = Math.min(left, chunk);
            bodyFrameStart(out, channel, size);
            out.writeBytes(body, at, size);
            out.writeByte(FrameFormat.END);
            at += size;
            left -= size;
        }
    }

    /** As above; the indexes of {@code body} stay. */
    public static void bodyFrames(ByteBuf out, int channel, int frameMax, ByteBuf body, int index, int length) {
        int chunk = bodyChunk(frameMax);
        int at = index;
        int left = length;
        while (left > 0) {
            int size = Math.min(left, chunk);
            bodyFrameStart(out, channel, size);
            out.writeBytes(body, at, size);
            out.writeByte(FrameFormat.END);
            at += size;
            left -= size;
        }
    }

    /**
     * The seven bytes before a piece of body that the caller sends from its own buffer, followed by {@link
     * FrameFormat#END}: for bodies too large to be copied.
     */
    public static void bodyFrameStart(ByteBuf out, int channel, int length) {
        prefix(out, FrameFormat.BODY, channel, length);
    }

    /** The most bytes of body in one frame. */
    public static int bodyChunk(int frameMax) {
        return frameMax == 0 ? Integer.MAX_VALUE - FrameFormat.OVERHEAD : frameMax - FrameFormat.OVERHEAD;
    }

    // ---- pieces ------------------------------------------------------------------------------------------------

    private static void prefix(ByteBuf out, int type, int channel, int size) {
        out.writeByte(type).writeShort(channel).writeInt(size);
    }

    /** Begins a method frame whose size is not known yet. */
    private static int begin(ByteBuf out, int channel, int method) {
        int frame = out.writerIndex();
        prefix(out, FrameFormat.METHOD, channel, 0);
        out.writeInt(method);
        return frame;
    }

    private static void end(ByteBuf out, int frame) {
        out.setInt(frame + FrameFormat.PREFIX - Integer.BYTES, out.writerIndex() - frame - FrameFormat.PREFIX);
        out.writeByte(FrameFormat.END);
    }

    private static void empty(ByteBuf out, int channel, int method) {
        prefix(out, FrameFormat.METHOD, channel, METHOD_ID_LENGTH);
        out.writeInt(method).writeByte(FrameFormat.END);
    }

    private static void bits(ByteBuf out, int channel, int method, boolean bit) {
        prefix(out, FrameFormat.METHOD, channel, METHOD_ID_LENGTH + 1);
        out.writeInt(method).writeByte(bit ? 1 : 0).writeByte(FrameFormat.END);
    }

    private static void confirm(ByteBuf out, int channel, int method, long deliveryTag, boolean multiple) {
        out.ensureWritable(FrameFormat.OVERHEAD + METHOD_ID_LENGTH + Long.BYTES + 1);
        prefix(out, FrameFormat.METHOD, channel, METHOD_ID_LENGTH + Long.BYTES + 1);
        out.writeInt(method).writeLong(deliveryTag).writeByte(multiple ? 1 : 0).writeByte(FrameFormat.END);
    }

    private static void close(ByteBuf out, int channel, int close, int replyCode, String replyText, int method) {
        int frame = begin(out, channel, close);
        out.writeShort(replyCode);
        text(out, replyText);
        out.writeInt(method);
        end(out, frame);
    }

    private static void shortString(ByteBuf out, String value) {
        out.writeBytes(ShortString.encode(value));
    }

    /** A short string for people: cut to what fits. */
    private static void text(ByteBuf out, String value) {
        byte[] bytes = Utf8.encodeAtMost(value, ShortString.MAX_BYTES);
        out.writeByte(bytes.length).writeBytes(bytes);
    }

    private static void longString(ByteBuf out, byte[] bytes) {
        out.writeInt(bytes.length).writeBytes(bytes);
    }

    private static void count(ByteBuf out, long count) {
        out.writeInt((int) Math.min(count, 0xFFFF_FFFFL));
    }
}
