package io.sluicemq.transport;

import io.netty.buffer.ByteBuf;
import io.sluicemq.api.Protocol;
import io.sluicemq.api.ProtocolSession;
import io.sluicemq.api.Wire;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/** A protocol for tests: begins with a magic word of four letters; what its sessions do is the test's choice. */
record FrameProtocol(String magic, Function<Wire, ProtocolSession> sessions) implements Protocol {

    /** Sends every frame (four bytes of length, then as many bytes) back as it came. */
    static FrameProtocol echo() {
        return new FrameProtocol("ECHO", EchoSession::new);
    }

    @Override
    public String name() {
        return magic;
    }

    @Override
    public Match match(ByteBuf firstBytes) {
        byte[] expected = magic.getBytes(StandardCharsets.US_ASCII);
        int known = Math.min(expected.length, firstBytes.readableBytes());
        for (int i = 0; i < known; i++) {
            if (firstBytes.getByte(firstBytes.readerIndex() + i) != expected[i]) {
                return Match.NO;
            }
        }
        return known == expected.length ? Match.YES : Match.NEED_MORE;
    }

    @Override
    public ProtocolSession open(Wire wire) {
        return sessions.apply(wire);
    }

    @Override
    public byte[] invitation() {
        return ("speak " + magic).getBytes(StandardCharsets.US_ASCII);
    }

    /** Whether {@code in} begins with a whole frame. */
    static boolean hasFrame(ByteBuf in) {
        return in.readableBytes() >= 4 && in.readableBytes() - 4 >= in.getInt(in.readerIndex());
    }

    /** Consumes the magic word, then whole frames; calls that a test has no interest in do nothing. */
    abstract static class FrameSession implements ProtocolSession {

        protected final Wire wire;
        private boolean magicSeen;

        FrameSession(Wire wire) {
            this.wire = wire;
        }

        @Override
        public void input(ByteBuf in) {
            if (!magicSeen) {
                in.skipBytes(4);
                magicSeen = true;
            }
            while (mayRead() && hasFrame(in)) {
                frame(in.readRetainedSlice(4 + in.getInt(in.readerIndex())));
            }
        }

        protected boolean mayRead() {
            return true;
        }

        /** Takes over {@code frame}, with its length in front. */
        protected abstract void frame(ByteBuf frame);

        @Override
        public void writabilityChanged() {}

        @Override
        public void flushed() {}

        @Override
        public void closed() {}

        @Override
        public void shutdown(String reason) {
            wire.out().writeBytes(reason.getBytes(StandardCharsets.UTF_8));
            wire.close();
        }
    }

    private static final class EchoSession extends FrameSession {

        EchoSession(Wire wire) {
            super(wire);
            wire.authenticated();
        }

        @Override
        protected void frame(ByteBuf frame) {
            wire.out().writeBytes(frame);
            frame.release();
        }
    }
}
