package io.sluicemq.hostile.large;

import io.sluicemq.hostile.RawPeer;
import io.sluicemq.protocol.amqp091.codec.RawFrame;
import io.sluicemq.protocol.amqp091.codec.RawFrames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.LongConsumer;

/** By AMQP 0-9-1: a channel for small messages, one for large ones. */
final class Amqp091Conversation implements Conversation {

    private static final int SMALL = 1;
    private static final int LARGE = 2;
    private static final int SMALL_BYTES = 100;
    private static final int PART_BYTES = 120_000;
    private static final byte[] TRANSIENT = {0x10, 0x00, 1};
    private static final int HEADER = 2;
    private static final int BODY = 3;

    private final RawPeer peer;
    private final Object writing = new Object();
    private final Inbox<RawFrame> large = new Inbox<>();
    private LongConsumer arrived;
    private long smallTag;

    Amqp091Conversation(int port) throws IOException {
        peer = RawPeer.open(port);
    }

    private void send(byte[]... frames) throws IOException {
        synchronized (writing) {
            peer.send(frames);
        }
    }

    @Override
    public void openSmall(LongConsumer listener) throws IOException {
        arrived = listener;
        peer.channel(SMALL).queue(SMALL, "small");
        peer.send(RawFrames.consume(SMALL, "small", "small", none -> {}, false, false, false, false));
        peer.expect(SMALL, 60, 21);
    }

    @Override
    public void openLarge() throws IOException {
        peer.channel(LARGE);
        peer.send(RawFrames.queueDeclare(LARGE, "large", none -> {}, false, true, false, false, false));
        peer.expect(LARGE, 50, 11);
        peer.send(RawFrames.confirmSelect(LARGE, false));
        peer.expect(LARGE, 85, 11);
    }

    @Override
    public void begin() {
        Thread.ofPlatform().daemon().name("reader").start(() -> {
            try {
                for (RawFrame frame = peer.read(); frame != null; frame = peer.read()) {
                    handle(frame);
                }
            } catch (IOException e) {
                // Who waits for something will not get it, and says so.
            }
        });
    }

    private void handle(RawFrame frame) throws IOException {
        if (frame.closeCode() > 0) {
            throw new IOException("the broker closes with " + frame.closeCode());
        }
        if (frame.channel() == LARGE) {
            large.add(frame);
        } else if (frame.type() == BODY) {
            arrived.accept(ByteBuffer.wrap(frame.payload()).getLong());
            send(RawFrames.ack(SMALL, ++smallTag, false));
        }
    }

    @Override
    public void sendSmall(long number) throws IOException {
        send(
                RawFrames.publish(SMALL, "", "small", false, false),
                RawFrames.header(SMALL, SMALL_BYTES, TRANSIENT),
                RawFrames.body(SMALL, ByteBuffer.allocate(SMALL_BYTES).putLong(number).array()));
    }

    @Override
    public void sendLarge(int bytes, boolean durable) throws IOException, InterruptedException {
        send(
                RawFrames.publish(LARGE, "", "large", false, false),
                RawFrames.header(LARGE, bytes, durable ? RawFrames.persistent() : TRANSIENT));
        byte[] part = new byte[PART_BYTES];
        byte[] frame = RawFrames.body(LARGE, part);
        int at = 0;
        for (; at + PART_BYTES <= bytes; at += PART_BYTES) {
            send(frame);
        }
        if (at < bytes) {
            send(RawFrames.body(LARGE, Arrays.copyOf(part, bytes - at)));
        }
        next(60, 80);
    }

    private RawFrame next(int classId, int methodId) throws IOException, InterruptedException {
        RawFrame frame = large.take();
        while (!frame.isMethod(classId, methodId)) {
            frame = large.take();
        }
        return frame;
    }

    @Override
    public void receiveLarge(int bytes) throws IOException, InterruptedException {
        send(RawFrames.consume(LARGE, "large", "large", none -> {}, false, false, false, false));
        ByteBuffer delivery = next(60, 60).arguments();
        RawFrame.shortString(delivery);
        long tag = delivery.getLong();
        long arrivedBytes = 0;
        while (arrivedBytes < bytes) {
            RawFrame frame = large.take();
            if (frame.type() == BODY) {
                arrivedBytes += frame.payload().length;
            } else if (frame.type() != HEADER) {
                throw new IOException("a method within a message: " + frame);
            }
        }
        send(RawFrames.ack(LARGE, tag, false), RawFrames.cancel(LARGE, "large", false));
        next(60, 31);
    }

    @Override
    public void close() throws IOException {
        peer.close();
    }
}
