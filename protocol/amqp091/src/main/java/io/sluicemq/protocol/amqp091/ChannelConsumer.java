package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.Consumer;
import io.sluicemq.api.ConsumerSink;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.connection.WindowOwner;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp091.codec.ShortString;

/** A consumer of a channel: what its client calls it, and what it owes and is owed. Owned by the connection's loop. */
@LoopOwned
final class ChannelConsumer implements ConsumerSink, WindowOwner {

    private final Consuming consuming;
    private final ShortString tag;
    private final boolean sharedCredit;
    private Consumer handle;
    private boolean ended;
    private Consumer.Pause paused = Consumer.Pause.NONE;
    private int granted;
    private long owedBytes;

    /** @param sharedCredit whether each delivery needs a grant from the channel's allowance */
    ChannelConsumer(Consuming consuming, ShortString tag, boolean sharedCredit) {
        this.consuming = consuming;
        this.tag = tag;
        this.sharedCredit = sharedCredit;
    }

    ShortString tag() {
        return tag;
    }

    boolean sharedCredit() {
        return sharedCredit;
    }

    /** The broker has accepted it. */
    void started(Consumer accepted) {
        handle = accepted;
    }

    /** What the broker gave for it; null until it has accepted it. */
    Consumer handle() {
        return handle;
    }

    /** Nothing is written to the client for it any more. */
    void end() {
        ended = true;
    }

    boolean ended() {
        return ended;
    }

    // ---- credit

    int granted() {
        return granted;
    }

    void grant(int messages) {
        granted += messages;
        handle.grant(messages);
    }

    /** That much of what was granted is used or has come back; returns how much of it was outstanding. */
    int takeGranted(int messages) {
        int taken = Math.min(messages, granted);
        granted -= taken;
        return taken;
    }

    void pause(Consumer.Pause wanted) {
        if (paused != wanted && handle != null) {
            paused = wanted;
            handle.pause(wanted);
        }
    }

    // ---- window

    /** Notes that bytes of its window are in the connection's buffer; returns whether they are the first. */
    boolean owe(int bytes) {
        boolean first = owedBytes == 0;
        owedBytes += bytes;
        return first && bytes > 0;
    }

    @Override
    public void giveBack() {
        long bytes = owedBytes;
        owedBytes = 0;
        if (!ended && bytes > 0) {
            handle.written(bytes);
        }
    }

    // ---- from the broker

    @Override
    public void deliver(Delivery delivery) {
        consuming.deliver(this, delivery);
    }

    @Override
    public void cancelled(String reason) {
        consuming.cancelled(this, reason);
    }

    @Override
    public void tooSlow(Cut cut) {
        consuming.tooSlow(this, cut);
    }

    @Override
    public long sentBytes() {
        return consuming.sentBytes();
    }

    @Override
    public void creditWanted() {
        consuming.creditWanted(this);
    }

    @Override
    public void creditReturned(int messages) {
        consuming.creditReturned(this, messages);
    }
}
