/**
 * The wire codec of AMQP 0-9-1 for a broker: bytes to decoded frames and back, and nothing else. No channel, thread,
 * clock or log.
 *
 * <h2>In</h2>
 *
 * {@link io.sluicemq.protocol.amqp091.codec.ProtocolHeader#examine} looks at the first eight bytes. From then on one
 * {@link io.sluicemq.protocol.amqp091.codec.FrameDecoder} per connection consumes whole frames from a cumulating buffer
 * and calls a {@link io.sluicemq.protocol.amqp091.codec.FrameHandler}: publish, ack, nack, reject, header and body by
 * callbacks of primitives and shared strings, all other methods as records
 * ({@link io.sluicemq.protocol.amqp091.codec.ConnectionMethod},
 * {@link io.sluicemq.protocol.amqp091.codec.ChannelMethod}; both sealed, so a switch over them is exhaustive). What a
 * peer does wrong is a {@link io.sluicemq.protocol.amqp091.codec.ProtocolFault}, thrown without a stack trace.
 *
 * <p>The decoder judges single frames: layout, size, frame end, channel 0 or not, class of content. It does not know
 * what a channel expects next; that is the session's.
 *
 * <h2>Out</h2>
 *
 * {@link io.sluicemq.protocol.amqp091.codec.FrameEncoder}: one static method for each method a broker sends, straight
 * into a buffer. Names that are sent with every message are
 * {@link io.sluicemq.protocol.amqp091.codec.ShortString}s, which hold their wire form; those of a publish come as such,
 * and {@link io.sluicemq.protocol.amqp091.codec.ShortStringCache#of} makes others.
 *
 * <h2>Content</h2>
 *
 * {@link io.sluicemq.protocol.amqp091.codec.BasicProperties} keeps the property bytes of a message as they came:
 * checked once, decoded only where asked, sent again unchanged.
 * {@link io.sluicemq.protocol.amqp091.codec.BasicPropertiesEditor} makes changed copies that keep the bytes of
 * everything not named.
 *
 * <h2>Field tables</h2>
 *
 * {@link io.sluicemq.protocol.amqp091.codec.FieldTable} holds the types, which are RabbitMQ's and not the
 * specification's: {@code s} is a signed short, {@code l} and {@code L} are both signed 64 bit, {@code b B s u I i}
 * differ in sign and width and stay different values in Java.
 */
package io.sluicemq.protocol.amqp091.codec;
