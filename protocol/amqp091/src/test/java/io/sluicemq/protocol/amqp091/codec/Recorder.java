package io.sluicemq.protocol.amqp091.codec;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Writes down what a decoder calls, as values that can be compared. Used by one thread. */
final class Recorder implements FrameHandler {

    record Publish(int channel, String exchange, String routingKey, boolean mandatory, boolean immediate) {}

    record Ack(int channel, long tag, boolean multiple) {}

    record Nack(int channel, long tag, boolean multiple, boolean requeue) {}

    record Reject(int channel, long tag, boolean requeue) {}

    record Header(int channel, long bodySize, BasicProperties properties) {}

    record Body(int channel, String hex) {}

    record Heartbeat() {}

    record OnChannel(int channel, ChannelMethod method) {}

    /** All calls, in their order; connection methods are in it as they are. */
    final List<Object> calls = new ArrayList<>();

    @Override
    public void onConnectionMethod(ConnectionMethod method) {
        calls.add(method);
    }

    @Override
    public void onChannelMethod(int channel, ChannelMethod method) {
        calls.add(new OnChannel(channel, method));
    }

    @Override
    public void onPublish(
            int channel, ShortString exchange, ShortString routingKey, boolean mandatory, boolean immediate) {
        calls.add(new Publish(channel, exchange.value(), routingKey.value(), mandatory, immediate));
    }

    @Override
    public void onAck(int channel, long deliveryTag, boolean multiple) {
        calls.add(new Ack(channel, deliveryTag, multiple));
    }

    @Override
    public void onNack(int channel, long deliveryTag, boolean multiple, boolean requeue) {
        calls.add(new Nack(channel, deliveryTag, multiple, requeue));
    }

    @Override
    public void onReject(int channel, long deliveryTag, boolean requeue) {
        calls.add(new Reject(channel, deliveryTag, requeue));
    }

    @Override
    public void onContentHeader(int channel, long bodySize, BasicProperties properties) {
        calls.add(new Header(channel, bodySize, properties));
    }

    @Override
    public void onContentBody(int channel, ByteBuf buffer, int index, int length) {
        byte[] bytes = new byte[length];
        buffer.getBytes(index, bytes);
        calls.add(new Body(channel, HexFormat.of().formatHex(bytes)));
    }

    @Override
    public void onHeartbeat() {
        calls.add(new Heartbeat());
    }
}
