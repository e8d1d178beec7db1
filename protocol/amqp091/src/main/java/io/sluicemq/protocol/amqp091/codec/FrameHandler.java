package io.sluicemq.protocol.amqp091.codec;

import io.netty.buffer.ByteBuf;

/**
 * What a {@link FrameDecoder} calls, in the order of the frames and on the thread that calls
 * {@link FrameDecoder#decode}. What has been checked: the layout of every frame, that connection methods come on
 * channel 0 and all else on another (1 to 65 535), and that content headers are of class basic. What is the handler's
 * business: whether the channel is open, and whether the frame may come now (a header after a publish, body frames
 * after it until exactly the body size has come, nothing else on that channel in between: else
 * {@link ReplyCode#UNEXPECTED_FRAME}). A {@link ProtocolFaultException} thrown from a callback passes through
 * {@code decode} as it is.
 */
public interface FrameHandler {

    /** A method of class connection, on channel 0. */
    void onConnectionMethod(ConnectionMethod method);

    /** Any method on a channel that has no callback of its own. */
    void onChannelMethod(int channel, ChannelMethod method);

    /**
     * basic.publish.
     *
     * @param exchange   the exchange; empty for the default one. May be kept
     * @param routingKey the routing key. May be kept
     * @param mandatory  return the message if no queue gets it
     * @param immediate  the bit that RabbitMQ refuses with {@link ReplyCode#NOT_IMPLEMENTED}
     */
    void onPublish(int channel, ShortString exchange, ShortString routingKey, boolean mandatory, boolean immediate);

    /** basic.ack; tag 0 with {@code multiple} means all. Tags are unsigned 64 bit. */
    void onAck(int channel, long deliveryTag, boolean multiple);

    /** basic.nack, RabbitMQ's. */
    void onNack(int channel, long deliveryTag, boolean multiple, boolean requeue);

    /** basic.reject. */
    void onReject(int channel, long deliveryTag, boolean requeue);

    /**
     * A content header.
     *
     * @param bodySize   bytes of body that will follow, 0 to {@code Long.MAX_VALUE}; with 0 no body frame follows
     * @param properties the properties, immutable; may be kept. The same instance comes again if the same bytes do
     */
    void onContentHeader(int channel, long bodySize, BasicProperties properties);

    /**
     * A piece of content body: {@code length} bytes (0 is possible) of {@code buffer} from {@code index} on. They are
     * valid during the call; to keep them, copy them or {@link ByteBuf#retainedSlice(int, int)} them. The buffer's own
     * indexes are the decoder's.
     */
    void onContentBody(int channel, ByteBuf buffer, int index, int length);

    /** A heartbeat. (Any other frame counts as one too; that is for the caller of {@code decode} to see.) */
    void onHeartbeat();
}
