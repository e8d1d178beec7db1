package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.Consumer;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.base.LoopOwned;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Iterator;

/**
 * What lets deliveries of one channel through to the client: the limit of unsettled ones that its consumers share
 * (basic.qos with the global bit, as RabbitMQ reads it) and the client's channel.flow. Owned by the connection's loop.
 *
 * <p>Consumers that subscribed while there was a limit ask for credit, and share it in turn. What arrives nevertheless
 * without being let through (from consumers of before the limit, or granted before it was lowered, or under way when the
 * flow stopped, or faster than the client reads) is held here, unsent, in its order.
 *
 * <p>Invariant: with a limit, {@code unacked} only grows while it is below the limit; nothing is held that may pass, unless
 * the client takes no more bytes.
 */
@LoopOwned
final class DeliveryGate {

    /** How many deliveries are granted at a time while there is no limit. */
    private static final int UNLIMITED_GRANT = 1000;

    /** Where deliveries go that are let through. */
    interface Output {
        void write(ChannelConsumer consumer, Delivery delivery);

        /** Whether the client takes what is written. */
        boolean hasRoom();

        /** Runs {@code resume}, once, when the client takes more. */
        void whenRoom(Runnable resume);
    }

    private record Held(ChannelConsumer consumer, Delivery delivery) {}

    private final Collection<ChannelConsumer> consumers;
    private final Output output;
    private final Runnable resume = this::resume;
    private final ArrayDeque<ChannelConsumer> wanting = new ArrayDeque<>(0);
    private final ArrayDeque<Held> held = new ArrayDeque<>(0);
    private final ArrayDeque<Held> heldSettled = new ArrayDeque<>(0);
    private int limit;
    private boolean flowing = true;
    private boolean roomAsked;
    private int unacked;
    private int granted;

    /** @param consumers the channel's consumers, seen as they come and go */
    DeliveryGate(Collection<ChannelConsumer> consumers, Output output) {
        this.consumers = consumers;
        this.output = output;
    }

    /** Whether there is a shared limit. */
    boolean limited() {
        return limit > 0;
    }

    /** The shared limit; 0 for none. */
    int limit() {
        return limit;
    }

    /** Sets the shared limit; 0 for none. */
    void limit(int messages) {
        limit = messages;
        regulate();
    }

    /** The client wants deliveries, or none for now. */
    void flow(boolean active) {
        flowing = active;
        regulate();
    }

    // ---- deliveries

    /** A delivery has come from the broker. */
    void offer(ChannelConsumer consumer, Delivery delivery) {
        if (consumer.sharedCredit()) {
            granted -= consumer.takeGranted(1);
        }
        offerAgain(consumer, delivery);
    }

    /** A delivery that was here before is to be sent once more. */
    void offerAgain(ChannelConsumer consumer, Delivery delivery) {
        boolean settled = delivery.settled();
        boolean passes = flowing
                && (settled ? heldSettled.isEmpty() : held.isEmpty() && roomForOne())
                && output.hasRoom();
        if (passes) {
            pass(consumer, delivery);
        } else {
            (settled ? heldSettled : held).add(new Held(consumer, delivery));
            if (flowing) {
                askForRoom();
            }
        }
        if (limit > 0 && !settled) {
            pauseConsumers();
        }
    }

    /** What may pass but for the client, which does not take it, passes when it does. */
    private void askForRoom() {
        if (!roomAsked && !output.hasRoom()) {
            roomAsked = true;
            output.whenRoom(resume);
        }
    }

    private void resume() {
        roomAsked = false;
        regulate();
    }

    private boolean roomForOne() {
        return limit == 0 || unacked < limit;
    }

    private void pass(ChannelConsumer consumer, Delivery delivery) {
        output.write(consumer, delivery);
    }

    /** One more delivery of a consumer waits for the client to settle it. */
    void sent() {
        unacked++;
    }

    /** The client has settled one; {@link #regulate} is due after the last of them. */
    void settled() {
        unacked--;
    }

    /** Lets through, grants and pauses as things stand. */
    void regulate() {
        while (flowing && !heldSettled.isEmpty() && output.hasRoom()) {
            Held next = heldSettled.poll();
            pass(next.consumer, next.delivery);
        }
        while (flowing && !held.isEmpty() && roomForOne() && output.hasRoom()) {
            Held next = held.poll();
            pass(next.consumer, next.delivery);
        }
        if (flowing && (!heldSettled.isEmpty() || !held.isEmpty() && roomForOne())) {
            askForRoom();
        }
        grant();
        pauseConsumers();
    }

    /** {@link #regulate}, for the hot path: nothing to do if nothing is limited, held or waiting. */
    void regulateAfterSettling() {
        if (limit > 0 || !held.isEmpty() || !wanting.isEmpty()) {
            regulate();
        }
    }

    private void pauseConsumers() {
        boolean full = limit > 0 && unacked + held.size() >= limit;
        for (ChannelConsumer consumer : consumers) {
            consumer.pause(!flowing
                    ? Consumer.Pause.WISHED
                    : full && !consumer.sharedCredit() ? Consumer.Pause.FULL : Consumer.Pause.NONE);
        }
    }

    // ---- credit

    void creditWanted(ChannelConsumer consumer) {
        wanting.add(consumer);
        grant();
    }

    void creditReturned(ChannelConsumer consumer, int messages) {
        granted -= consumer.takeGranted(messages);
        grant();
    }

    private void grant() {
        while (flowing && !wanting.isEmpty()) {
            int messages = UNLIMITED_GRANT;
            if (limit > 0) {
                int free = limit - unacked - held.size() - granted;
                if (free <= 0) {
                    return;
                }
                messages = Math.max(1, free / wanting.size());
            }
            granted += messages;
            wanting.poll().grant(messages);
        }
    }

    // ---- ends

    /** Nothing goes to this consumer any more: what is held for it returns, and its credit goes to the others. */
    void ended(ChannelConsumer consumer, ConnectionSession connection) {
        granted -= consumer.takeGranted(Integer.MAX_VALUE);
        wanting.remove(consumer);
        heldSettled.removeIf(each -> each.consumer == consumer);
        for (Iterator<Held> each = held.iterator(); each.hasNext();) {
            Held next = each.next();
            if (next.consumer == consumer) {
                each.remove();
                connection.settleLater(next.delivery, Outcome.RELEASED);
            }
        }
        regulate();
    }

    /** The channel closes: all that is held returns. */
    void release(ConnectionSession connection) {
        wanting.clear();
        heldSettled.clear();
        while (!held.isEmpty()) {
            connection.settleLater(held.poll().delivery, Outcome.RELEASED);
        }
    }
}
