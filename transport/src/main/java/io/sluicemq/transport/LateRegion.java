package io.sluicemq.transport;

import io.netty.channel.DefaultMessageSizeEstimator;
import io.netty.channel.FileRegion;
import io.netty.channel.MessageSizeEstimator;
import io.netty.util.AbstractReferenceCounted;
import io.netty.util.concurrent.FastThreadLocal;
import io.sluicemq.api.LateBytes;
import io.sluicemq.base.LoopOwned;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** {@link LateBytes} in a channel's outbound buffer, made piece by piece when the socket takes them. Owned by its loop. */
@LoopOwned
final class LateRegion extends AbstractReferenceCounted implements FileRegion {

    /** Counts it at its full length, which Netty does not do for a region. */
    static final MessageSizeEstimator SIZES = new Sizes();

    /** Where a piece is made, one for each loop; nothing stays in it between calls. */
    private static final FastThreadLocal<ByteBuffer> PIECE = new FastThreadLocal<>() {
        @Override
        protected ByteBuffer initialValue() {
            return ByteBuffer.allocateDirect(PIECE_BYTES);
        }
    };

    private static final int PIECE_BYTES = 64 * 1024;

    private final LateBytes bytes;
    private long transferred;

    LateRegion(LateBytes bytes) {
        this.bytes = bytes;
    }

    @Override
    public long position() {
        return 0;
    }

    @Override
    @Deprecated
    public long transfered() {
        return transferred;
    }

    @Override
    public long transferred() {
        return transferred;
    }

    @Override
    public long count() {
        return bytes.length();
    }

    @Override
    public long transferTo(WritableByteChannel target, long position) throws IOException {
        ByteBuffer piece = PIECE.get().clear();
        bytes.copy(position, piece);
        int written = target.write(piece.flip());
        if (written > 0) {
            transferred += written;
        }
        return written;
    }

    @Override
    public FileRegion retain() {
        super.retain();
        return this;
    }

    @Override
    public FileRegion retain(int increment) {
        super.retain(increment);
        return this;
    }

    @Override
    public FileRegion touch() {
        return this;
    }

    @Override
    public FileRegion touch(Object hint) {
        return this;
    }

    @Override
    protected void deallocate() {}

    private static final class Sizes implements MessageSizeEstimator {

        @Override
        public Handle newHandle() {
            Handle others = DefaultMessageSizeEstimator.DEFAULT.newHandle();
            return message -> message instanceof LateRegion region
                    ? (int) Math.min(Integer.MAX_VALUE, region.count())
                    : others.size(message);
        }
    }
}
