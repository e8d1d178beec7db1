package io.sluicemq.simulation;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Consumer;
import io.sluicemq.api.ConsumerSink;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Reply;
import io.sluicemq.broker.queue.QueueConsumer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Something of a {@link Peer} that takes deliveries, and checks each. On its peer's peer.loop. */
final class Tap implements ConsumerSink {
    private final Peer peer;
    private final Ledger ledger;
    final QueueModel queue;
    final boolean settles;
    final boolean shared;
    final int prefetch;
    Consumer consumer;
    boolean cancelling;
    boolean ended;
    private boolean counted;
    private long unwritten;
    private int unsettled;
    /** Whether it has a limit; not of one that was given. */
    boolean limited;
    /** What it wants; null for all. */
    Some filter;
    /** Whether it only looks. */
    boolean browses;
    /** Whether it keeps what it has, for a while. */
    boolean dawdles;
    /** Which messages it must not have again. */
    final Set<Long> refused = new HashSet<>();

    private int given;
    private int limit;
    private int highestLimit;
    private int limits;
    private final Map<String, Long> last = new HashMap<>();

    Tap(Peer peer, QueueModel queue, boolean settles, boolean shared, int prefetch) {
        this.peer = peer;
        this.ledger = peer.ledger;
        this.queue = queue;
        this.settles = settles;
        this.shared = shared;
        this.prefetch = prefetch;
    }

    void begins() {
        if (settles) {
            queue.takerBegins();
            counted = true;
        }
    }

    void ends() {
        if (counted) {
            counted = false;
            queue.takers--;
        }
        ended = true;
        peer.taps.remove(this);
    }

    void settled() {
        unsettled--;
    }

    @Override
    public void deliver(Delivery delivery) {
        Broken.unless(peer.loop.isCurrent(), "a delivery on another peer.loop than the client's");
        long id = Payload.id(delivery.message());
        Broken.unless(filter == null || filter.wants(id), "message %d is not for %s", id, filter);
        Copy copy = browses
                ? ledger.shown(delivery.queue(), id)
                : ledger.delivered(delivery.queue(), id, peer, settles);
        Broken.unless(!refused.contains(id) || queue.isForDeadLetters, "%s was delivered to one who had refused it",
                copy);
        Broken.unless(copy.queue == queue, "%s was delivered to a consumer of %s", copy, queue);
        Broken.unless(!ended, "%s was delivered after the end of its consumer", copy);
        given++;
        Broken.unless(!limited || given <= highestLimit, "%s was delivered beyond the limit %d", copy,
                highestLimit);
        Broken.unless(peer.loop.currentTimeMillis() >= copy.sent.notBeforeMillis || queue.isForDeadLetters,
                "%s was delivered before its time", copy);
        if (!delivery.redelivered() && !queue.isForDeadLetters && copy.sent.notBeforeMillis == 0) {
            // What was for the consumer of a group may come when that has gone; others may have had the rest.
            String group = copy.sent.group < 0 ? "" : "/" + copy.sent.group + '/' + id % Some.OF;
            Long before = last.put(copy.sent.producer + '/' + queue.level(copy.sent) + group, id);
            Broken.unless(before == null || before < id, "%s was delivered behind message %d to %s", copy, before,
                    this);
        }
        if (consumer != null) {
            if (peer.random.nextInt(3) > 0) {
                consumer.written(delivery.windowBytes());
            } else {
                unwritten += delivery.windowBytes();
            }
        }
        if (!settles && !browses) {
            unsettled++;
            if (peer.closing || peer.stopped) {
                ledger.returns(copy);
                settled();
                delivery.settle(Outcome.REQUEUED);
            } else {
                peer.held.add(new Peer.Held(delivery, copy, this));
            }
        }
    }

    void write() {
        if (unwritten > 0 && consumer != null) {
            long bytes = unwritten;
            unwritten = 0;
            consumer.written(bytes);
        }
    }

    @Override
    public void cancelled(String reason) {
        ends();
    }

    @Override
    public void tooSlow(Cut cut) {
        Broken.unless(peer.loop.isCurrent(), "%s was cut on another loop", this);
        if (peer.closing || cancelling || ended) {
            return;
        }
        peer.simulation.statistics.cut();
        peer.cancel(this);
        List<Peer.Held> own = peer.held.stream().filter(each -> each.tap() == this).toList();
        peer.held.removeAll(own);
        own.forEach(peer::giveBack);
    }

    @Override
    public long sentBytes() {
        return 0;
    }

    @Override
    public void creditWanted() {
        int messages = 1 + peer.random.nextInt(3);
        peer.loop.execute(() -> {
            if (!peer.closing && !ended && !cancelling) {
                consumer.grant(messages);
            }
        });
    }

    @Override
    public void creditReturned(int messages) {
        // Each wish is granted anew.
    }

    /** Whether nothing on the client's side keeps a message from it. */
    boolean isHungry() {
        return consumer != null && !shared && !cancelling && !ended && unwritten == 0
                && (settles || prefetch == 0 || unsettled < prefetch) && (!limited || given < limit);
    }

    /** Whether a message that is ready is for it and for anybody else. */
    boolean wants(Copy copy) {
        return !browses && copy.sent.group < 0 && (filter == null || filter.wants(copy.sent.id))
                && !refused.contains(copy.sent.id);
    }

    @Override
    public String toString() {
        return (browses ? "a browser" : "a consumer") + " of " + peer.name
                + (filter == null ? "" : " that wants " + filter);
    }

    /** It may have so many more than it has had. */
    void limit(int more) {
        limits++;
        limit = Math.max(0, given + more);
        highestLimit = Math.max(highestLimit, limit);
        consumer.limit(limit);
    }

    void drain() {
        int drainedLimits = limits;
        Command command = peer.simulation.command(
                "a drain of a consumer of " + peer.name + " of " + queue,
                () -> unwritten >= QueueConsumer.WINDOW_BYTES);
        consumer.drain(new Reply<>() {
            @Override
            public void done(Void result) {
                Broken.unless(peer.loop.isCurrent(), "%s was answered on another loop", command);
                command.answered();
                if (limits == drainedLimits) {
                    limit = given;
                    highestLimit = given;
                }
            }

            @Override
            public void failed(BrokerError error) {
                throw new Broken(command + " was refused: " + error);
            }
        });
    }
}
