package io.sluicemq.testkit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluicemq.api.Authenticator;
import io.sluicemq.api.ProtocolSession;
import io.sluicemq.api.Wire;

/** A socket for tests: what the session writes is read as bytes, what a test sends arrives at once. */
public final class FakeWire implements Wire {

    private final ManualLoop loop;
    private final ByteBuf out = Unpooled.buffer();
    private final ByteBuf kept = Unpooled.buffer();
    private ProtocolSession session;
    public boolean writable = true;
    public boolean paused;
    public boolean closed;
    public boolean aborted;

    public FakeWire(ManualLoop loop) {
        this.loop = loop;
    }

    public void session(ProtocolSession opened) {
        session = opened;
    }

    /** Bytes arrive. */
    public void arrive(byte[] bytes) {
        kept.writeBytes(bytes);
        if (!paused && !ended()) {
            loop.run(() -> session.input(kept));
        }
    }

    /** What was written since the last call. */
    public byte[] writtenBytes() {
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        out.clear();
        return bytes;
    }

    /** Bytes that arrived and that the session has left. */
    public int keptBytes() {
        return kept.readableBytes();
    }

    public boolean ended() {
        return closed || aborted;
    }

    @Override
    public ManualLoop loop() {
        return loop;
    }

    @Override
    public ByteBuf out() {
        loop.assertCurrent();
        if (ended()) {
            throw new IllegalStateException("written after the end");
        }
        return out;
    }

    @Override
    public boolean isWritable() {
        return writable;
    }

    @Override
    public boolean isReading() {
        return !paused;
    }

    @Override
    public void pauseReading() {
        paused = true;
    }

    @Override
    public void resumeReading() {
        if (ended()) {
            throw new IllegalStateException("resumed after the end");
        }
        paused = false;
        loop.execute(() -> {
            if (!paused && !ended() && kept.isReadable()) {
                session.input(kept);
            }
        });
    }

    @Override
    public void close() {
        closed = true;
    }

    @Override
    public void abort() {
        aborted = true;
    }

    @Override
    public String name() {
        return "127.0.0.1:50123 -> 127.0.0.1:5672";
    }

    @Override
    public Authenticator.Peer peer() {
        return new Authenticator.Peer("127.0.0.1:50123", true);
    }
}
