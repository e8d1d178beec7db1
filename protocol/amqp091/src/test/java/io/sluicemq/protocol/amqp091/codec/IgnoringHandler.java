package io.sluicemq.protocol.amqp091.codec;

import io.netty.buffer.ByteBuf;

/** Does nothing: for tests that care for one kind of call, or for none. */
class IgnoringHandler implements FrameHandler {

    @Override
    public void onConnectionMethod(ConnectionMethod method) {}

    @Override
    public void onChannelMethod(int channel, ChannelMethod method) {}

    @Override
    public void onPublish(
            int channel, ShortString exchange, ShortString routingKey, boolean mandatory, boolean immediate) {}

    @Override
    public void onAck(int channel, long deliveryTag, boolean multiple) {}

    @Override
    public void onNack(int channel, long deliveryTag, boolean multiple, boolean requeue) {}

    @Override
    public void onReject(int channel, long deliveryTag, boolean requeue) {}

    @Override
    public void onContentHeader(int channel, long bodySize, BasicProperties properties) {}

    @Override
    public void onContentBody(int channel, ByteBuf buffer, int index, int length) {}

    @Override
    public void onHeartbeat() {}
}
