package io.sluicemq.hostile.large;

import io.sluicemq.hostile.Amqp10Peer;
import io.sluicemq.protocol.amqp10.codec.Frames;
import io.sluicemq.protocol.amqp10.codec.Frames.Frame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Begin;
import org.apache.qpid.protonj2.types.transport.Close;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.End;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.Transfer;

/** By AMQP 1.0: a session for small messages, one for large ones. */
final class Amqp10Conversation implements Conversation {

    private static final int SMALL = 0;
    private static final int LARGE = 1;
    private static final int SMALL_SENDER = 0;
    private static final int SMALL_RECEIVER = 1;
    private static final int LARGE_SENDER = 2;
    private static final int LARGE_RECEIVER = 3;
    private static final int SMALL_BYTES = 100;
    private static final int PART_BYTES = 60_000;
    private static final int CREDIT = 1_000_000_000;
    private static final int LIMIT_SECONDS = 60;

    private final Amqp10Peer peer;
    private final Object writing = new Object();
    private final Inbox<Frame> large = new Inbox<>();
    private final Semaphore credit = new Semaphore(0);
    private LongConsumer arrived;
    /** The broker's number of the session for large messages. */
    private int largeChannel = -1;
    /** The broker's number of the link that small messages are sent on. */
    private long smallHandle = -1;
    /** Up to which delivery of that link there was credit. */
    private long limit;

    private long smallSent;
    private long largeSent;
    private long largeReceived;

    Amqp10Conversation(int port) throws IOException {
        peer = Amqp10Peer.open(port, 0);
    }

    private void send(byte[]... frames) throws IOException {
        synchronized (writing) {
            peer.send(frames);
        }
    }

    private Frame handleUpTo(Class<?> type) throws IOException {
        for (Frame frame = peer.read(); frame != null; frame = peer.read()) {
            if (type.isInstance(frame.performative())) {
                return frame;
            }
            handle(frame);
        }
        throw new IOException("the connection ended before a " + type.getSimpleName());
    }

    @Override
    public void openSmall(LongConsumer listener) throws IOException {
        arrived = listener;
        send(Frames.frame(SMALL, Amqp10Peer.sender(SMALL_SENDER, "small")));
        smallHandle = ((Attach) handleUpTo(Attach.class).performative()).getHandle();
        send(Frames.frame(SMALL, Amqp10Peer.receiver(SMALL_RECEIVER, "small")));
        handleUpTo(Attach.class);
        send(Frames.frame(SMALL, Amqp10Peer.credit(SMALL_RECEIVER, CREDIT)));
    }

    @Override
    public void openLarge() throws IOException {
        send(Frames.frame(LARGE, Amqp10Peer.begin()));
        largeChannel = handleUpTo(Begin.class).channel();
        send(Frames.frame(LARGE, Amqp10Peer.sender(LARGE_SENDER, "large")));
        handleUpTo(Attach.class);
        send(Frames.frame(LARGE, Amqp10Peer.receiver(LARGE_RECEIVER, "large")));
        handleUpTo(Attach.class);
    }

    @Override
    public void begin() {
        Thread.ofPlatform().daemon().name("reader").start(() -> {
            try {
                for (Frame frame = peer.read(); frame != null; frame = peer.read()) {
                    handle(frame);
                }
            } catch (IOException e) {
                // Who waits for something will not get it, and says so.
            }
        });
    }

    private void handle(Frame frame) throws IOException {
        switch (frame.performative()) {
            case Detach detach -> throw new IOException("a link has ended: " + detach.getError());
            case End end -> throw new IOException("a session has ended: " + end.getError());
            case Close close -> throw new IOException("the connection has ended: " + close.getError());
            case null -> {
                // a sign of life
            }
            default -> {
                if (frame.channel() == largeChannel) {
                    large.add(frame);
                } else {
                    handleSmall(frame);
                }
            }
        }
    }

    private void handleSmall(Frame frame) throws IOException {
        if (frame.performative() instanceof Flow flow && flow.hasHandle() && flow.getHandle() == smallHandle) {
            // None is on its way unseen: the limit is what the broker says last.
            long told = flow.getDeliveryCount() + flow.getLinkCredit();
            if (told > limit) {
                credit.release(Math.toIntExact(told - limit));
                limit = told;
            }
        } else if (frame.performative() instanceof Transfer transfer) {
            byte[] payload = frame.payload();
            arrived.accept(ByteBuffer.wrap(payload).getLong(payload.length - Long.BYTES));
            send(Frames.frame(SMALL, accepted(transfer.getDeliveryId())));
        }
    }

    private static Disposition accepted(long id) {
        return new Disposition()
                .setRole(Role.RECEIVER).setFirst(id).setSettled(true).setState(Accepted.getInstance());
    }

    @Override
    public void sendSmall(long number) throws IOException, InterruptedException {
        if (!credit.tryAcquire(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("no credit for small messages for " + LIMIT_SECONDS + " s");
        }
        byte[] body = ByteBuffer.allocate(SMALL_BYTES).putLong(SMALL_BYTES - Long.BYTES, number).array();
        send(Frames.frame(
                SMALL, Amqp10Peer.transfer(SMALL_SENDER, smallSent++).setSettled(true), Frames.encode(new Data(body))));
    }

    @Override
    public void sendLarge(int bytes, boolean durable) throws IOException, InterruptedException {
        byte[] head = Frames.join(
                Frames.encode(new Header().setDurable(durable)),
                ByteBuffer.allocate(8).putInt(0x005375B0).putInt(bytes).array());
        send(Frames.frame(LARGE, Amqp10Peer.transfer(LARGE_SENDER, largeSent++).setMore(true), head));
        byte[] part = new byte[PART_BYTES];
        byte[] frame = Frames.frame(LARGE, new Transfer().setHandle(LARGE_SENDER).setMore(true), part);
        int at = 0;
        for (; at + PART_BYTES < bytes; at += PART_BYTES) {
            send(frame);
        }
        send(Frames.frame(LARGE, new Transfer().setHandle(LARGE_SENDER), Arrays.copyOf(part, bytes - at)));
        Disposition answer = next(Disposition.class);
        if (answer.getState() != Accepted.getInstance()) {
            throw new IOException("a large message was not accepted: " + answer);
        }
    }

    private <T> T next(Class<T> type) throws IOException, InterruptedException {
        while (true) {
            Object next = large.take().performative();
            if (type.isInstance(next)) {
                return type.cast(next);
            }
        }
    }

    @Override
    public void receiveLarge(int bytes) throws IOException, InterruptedException {
        send(Frames.frame(LARGE, Amqp10Peer.credit(LARGE_RECEIVER, 1).setDeliveryCount(largeReceived++)));
        long arrivedBytes = 0;
        long id = -1;
        boolean more = true;
        while (more) {
            Frame frame = large.take();
            if (frame.performative() instanceof Transfer transfer) {
                if (id < 0) {
                    id = transfer.getDeliveryId();
                }
                arrivedBytes += frame.payload().length;
                more = transfer.getMore();
            }
        }
        if (arrivedBytes < bytes) {
            throw new IOException("a large message came with no more than " + arrivedBytes + " bytes");
        }
        send(Frames.frame(LARGE, accepted(id)));
    }

    @Override
    public void close() throws IOException {
        peer.close();
    }
}
