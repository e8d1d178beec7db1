package io.sluicemq.protocol.amqp091.codec;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.function.IntConsumer;

/**
 * Measures the hot paths of the codec on one thread: CPU time in nanoseconds and allocated bytes for one message. A
 * program, not a test: {@code CodecStopwatch [seconds for each line [heap|pooled|default]]}; one kind of buffer a
 * run, as in a broker that has only one. The least of ten rounds is printed, since noise only adds.
 */
public final class CodecStopwatch {

    private static final int MESSAGES = 100;

    private CodecStopwatch() {}

    /** Prints a table. */
    public static void main(String[] args) {
        double seconds = args.length > 0 ? Double.parseDouble(args[0]) : 1;
        String kind = args.length > 1 ? args[1] : "default";
        ByteBuf buffer = switch (kind) {
            case "heap" -> Unpooled.buffer(1 << 17);
            case "pooled" -> PooledByteBufAllocator.DEFAULT.directBuffer(1 << 17);
            case "default" -> ByteBufAllocator.DEFAULT.directBuffer(1 << 17);
            default -> throw new IllegalArgumentException(kind);
        };
        System.out.printf("%-50s ns/message  bytes/message%n", buffer.getClass().getSimpleName());
        decode("decode, same properties", buffer, i -> RawFrames.persistent(), seconds);
        decode("decode, new message-id and timestamp each", buffer, CodecStopwatch::varying, seconds);
        decode("decode, three headers, new id each", buffer, CodecStopwatch::headers, seconds);
        encode("encode delivery of 100 bytes", buffer, seconds);
        acks("encode acks (one for a message)", buffer, seconds);
        buffer.release();
    }

    private static byte[] varying(int i) {
        return new RawArguments().shortInt(0x10C0).octet(2).shortString("message-" + i).longLong(i).toBytes();
    }

    private static byte[] headers(int i) {
        return new RawArguments().shortInt(0x3080)
                .table(t -> t.field("tenant", "acme").field("attempt", 3).field("urgent", true))
                .octet(2).shortString("message-" + i).toBytes();
    }

    private interface Properties {
        byte[] of(int i);
    }

    private static void decode(String name, ByteBuf buffer, Properties properties, double seconds) {
        buffer.clear();
        for (int i = 0; i < MESSAGES; i++) {
            buffer.writeBytes(RawFrames.publish(1, "orders", "orders.eu.created", true, false));
            buffer.writeBytes(RawFrames.header(1, 100, properties.of(i)));
            buffer.writeBytes(RawFrames.body(1, new byte[100]));
        }
        FrameDecoder decoder = new FrameDecoder(new ShortStringCache());
        decoder.frameMax(131_072);
        Counter counter = new Counter();
        measure(name, seconds, round -> {
            buffer.readerIndex(0);
            decoder.decode(buffer, counter);
        });
        if (counter.bodyBytes == 0) {
            throw new AssertionError("nothing was decoded");
        }
    }

    private static void encode(String name, ByteBuf buffer, double seconds) {
        ShortString tag = ShortString.of("amq.ctag-AbCdEfGhIjKlMnOp");
        ShortString exchange = ShortString.of("orders");
        ShortString key = ShortString.of("orders.eu.created");
        BasicProperties properties = BasicProperties.of(RawFrames.persistent());
        byte[] body = "x".repeat(100).getBytes(StandardCharsets.US_ASCII);
        measure(name, seconds, round -> {
            buffer.clear();
            for (int i = 0; i < MESSAGES; i++) {
                FrameEncoder.delivery(
                        buffer, 1, 131_072, tag, i, false, exchange, key, properties, body, 0, body.length);
            }
        });
    }

    private static void acks(String name, ByteBuf buffer, double seconds) {
        measure(name, seconds, round -> {
            buffer.clear();
            for (int i = 0; i < MESSAGES; i++) {
                FrameEncoder.basicAck(buffer, 1, i, false);
            }
        });
    }

    private static void measure(String name, double seconds, IntConsumer hundredMessages) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        double leastNanos = Double.MAX_VALUE;
        double leastBytes = Double.MAX_VALUE;
        for (int round = 0; round < 10; round++) {
            long bytesBefore = threads.getCurrentThreadAllocatedBytes();
            long start = threads.getCurrentThreadCpuTime();
            long end = start + (long) (seconds * 1e8);
            long now;
            int count = 0;
            do {
                for (int i = 0; i < 100; i++) {
                    hundredMessages.accept(count++);
                }
                now = threads.getCurrentThreadCpuTime();
            } while (now < end);
            double messages = (double) count * MESSAGES;
            leastNanos = Math.min(leastNanos, (now - start) / messages);
            leastBytes = Math.min(leastBytes, (threads.getCurrentThreadAllocatedBytes() - bytesBefore) / messages);
        }
        System.out.printf("  %-48s %10.1f %14.1f%n", name, leastNanos, leastBytes);
    }

    private static final class Counter extends IgnoringHandler {

        private long bodyBytes;

        @Override
        public void onContentBody(int channel, ByteBuf buffer, int index, int length) {
            bodyBytes += length;
        }
    }
}
