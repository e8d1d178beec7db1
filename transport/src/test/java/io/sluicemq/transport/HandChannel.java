package io.sluicemq.transport;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;

/** A channel without a socket: the test reads and writes the far end, and may have the far end take nothing. */
final class HandChannel extends EmbeddedChannel implements DuplexChannel {

    private boolean full;
    private boolean inputShutdown;
    private boolean outputShutdown;

    /** Whether the imagined socket takes nothing more. */
    void setFull(boolean isFull) {
        full = isFull;
        if (!full) {
            flush();
        }
    }

    /** The far end says that it sends no more. */
    void endInput() {
        inputShutdown = true;
        pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) throws Exception {
        if (!full) {
            super.doWrite(in);
        }
    }

    @Override
    public boolean isInputShutdown() {
        return inputShutdown;
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        inputShutdown = true;
        return promise.setSuccess();
    }

    @Override
    public boolean isOutputShutdown() {
        return outputShutdown;
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        outputShutdown = true;
        return promise.setSuccess();
    }

    @Override
    public boolean isShutdown() {
        return inputShutdown && outputShutdown;
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        inputShutdown = true;
        return shutdownOutput(promise);
    }
}
