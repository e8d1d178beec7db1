package io.sluicemq.protocol.amqp091;

import io.sluicemq.protocol.amqp091.codec.BasicProperties;
import io.sluicemq.protocol.amqp091.codec.ChannelMethod;
import io.sluicemq.protocol.amqp091.codec.ShortString;

/** A decoded frame that waits for its turn on its channel. Immutable. */
sealed interface ParkedFrame {

    /** What an object of this kind takes beside the bytes it came with. */
    int OVERHEAD_BYTES = 64;

    /** Bytes of memory it takes, about. */
    int sizeBytes();

    /**
     * Any method that is not one of the following.
     *
     * @param wireBytes the length of its frame; a table of many small fields takes far more memory than that
     */
    record Method(ChannelMethod method, int wireBytes) implements ParkedFrame {

        private static final int TABLE_GROWTH = 16;

        @Override
        public int sizeBytes() {
            return 4 * OVERHEAD_BYTES + wireBytes * TABLE_GROWTH;
        }
    }

    /** basic.publish. */
    record Publish(ShortString exchange, ShortString routingKey, boolean mandatory, boolean immediate)
            implements ParkedFrame {
        @Override
        public int sizeBytes() {
            return OVERHEAD_BYTES + exchange.wire().length + routingKey.wire().length;
        }
    }

    /** A content header. */
    record Header(long bodySize, BasicProperties properties) implements ParkedFrame {
        @Override
        public int sizeBytes() {
            return OVERHEAD_BYTES + properties.length();
        }
    }

    /** A piece of content body. */
    record Body(byte[] bytes) implements ParkedFrame {
        @Override
        public int sizeBytes() {
            return OVERHEAD_BYTES + bytes.length;
        }
    }

    /** basic.ack, basic.nack and basic.reject. */
    record Settle(SettleKind kind, long deliveryTag, boolean multiple, boolean requeue) implements ParkedFrame {
        @Override
        public int sizeBytes() {
            return OVERHEAD_BYTES;
        }
    }

    /** Which method settles. */
    enum SettleKind {
        ACK,
        NACK,
        REJECT
    }
}
