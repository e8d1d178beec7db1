package io.sluicemq.broker.queue;

import io.sluicemq.api.Death;
import io.sluicemq.api.Message;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.util.ArrayDeque;
import java.util.List;

/**
 * Gives a queue's ready messages to whoever may have them: to consumers in turn, to each that doesn't take all what its {@link Scans}
 * find, to those who look only, and to those who ask for one; and knows when one that is to have all there is has had it. Nobody
 * gets any while too many dead letters wait.
 *
 * <p>Owned by the queue's loop. Invariant: while a message is ready, no consumer that may have it has room, but for shared credit that
 * was asked for, and for what is being read. A consumer on the same loop may settle at once, and whatever else it does
 * then comes back here: it is seen to before {@link #dispatch} ends.
 */
@LoopOwned
final class Deliveries {

    /** Who waits for a message that is being read. */
    private record WaitingGet(QueueConsumer taker, Runnable ifEmpty) {}

    private final Queue queue;
    private final PriorityMessages ready;
    private final Stock stock;
    private final Departures departures;
    private final Settlements settlements;
    private final Expirations expirations;
    private final Consumers consumers;
    private final Groups groups;
    private final Refusals refusals;
    private final Traffic traffic;
    private final QueueEffects effects;
    private final Loop loop;
    /** Who asked for a message while the next ones are being read. */
    private final ArrayDeque<WaitingGet> gets = new ArrayDeque<>(0);
    private final Drains drains = new Drains(this);
    /** Finds messages for those who don't take all. */
    private Scans scans;
    private Paging paging;
    private boolean dispatching;
    private boolean dispatchAgain;

    Deliveries(
            Queue queue, PriorityMessages ready, Stock stock, Departures departures, Settlements settlements,
            Expirations expirations, Consumers consumers, Groups groups, Refusals refusals, Traffic traffic,
            QueueEffects effects, Loop loop) {
        this.queue = queue;
        this.ready = ready;
        this.stock = stock;
        this.departures = departures;
        this.settlements = settlements;
        this.expirations = expirations;
        this.consumers = consumers;
        this.groups = groups;
        this.refusals = refusals;
        this.traffic = traffic;
        this.effects = effects;
        this.loop = loop;
        include(null);
    }

    /** From now on messages may wait in the log. */
    void include(Paging messages) {
        paging = messages;
        scans = new Scans(queue, this, ready, effects, loop, messages);
    }

    // ---- in turn

    /** Gives ready messages to consumers with room until one or the other runs out. */
    void dispatch() {
        if (dispatching) {
            // A sink on this loop has settled at once: the loop below goes on.
            dispatchAgain = true;
            return;
        }
        if (departures.tooManyLettersWait()) {
            drains.check();
            return; // goes on when there are fewer
        }
        dispatching = true;
        scans.begin();
        try {
            do {
                dispatchAgain = false;
                while (dispatchOne()) {}
            } while (dispatchAgain || scans.read());
        } finally {
            dispatching = false;
        }
        if (ready.size() > 0) {
            readAhead();
            askForCredit();
        } else if (!gets.isEmpty()) {
            serveGets(); // what they waited for has left otherwise
        }
        drains.check();
    }

    /** The same after something new is ready. */
    void dispatchNew() {
        consumers.offerFiltering(groups.anyReady(), scans.isReading());
        dispatch();
    }

    /** The same after something new is ready that waits in the log: those who take all have to wait for more than that. */
    void dispatchNewInLog() {
        if (consumers.filter()) {
            consumers.offerFiltering(false, scans.isReading());
            dispatch();
        }
    }

    private boolean dispatchOne() {
        boolean nextIsHere = ready.first() != null;
        boolean allFilter = groups.anyReady();
        if (!nextIsHere && (ready.size() == 0 || !allFilter && !consumers.filter())) {
            return false;
        }
        QueueConsumer consumer = consumers.next(!nextIsHere && !allFilter);
        if (consumer == null) {
            return false;
        }
        boolean filters = consumer.filters() || allFilter;
        QueueEntry entry = filters ? nextFor(consumer) : nextUnexpired();
        if (entry == null) {
            if (!filters) {
                // All that were in memory had expired: it is the first for what is read next.
                consumers.offer(consumer);
            }
            // Nothing here is for one that filters; it comes back into the line when something new arrives or was read.
            consumer.mayFind &= !filters || consumer.waits();
            return true;
        }
        if (consumer.browses()) {
            show(entry, consumer);
            consumers.offer(consumer);
            return true;
        }
        QueueConsumer taker = groups.chosen(entry, consumer);
        take(entry, taker);
        consumers.offer(taker);
        consumers.offer(consumer);
        entry.deliver(loop);
        return true;
    }

    private QueueEntry nextUnexpired() {
        QueueEntry entry = ready.first();
        if (stock.expires()) {
            long now = loop.currentTimeMillis();
            while (entry != null && isExpired(entry, now)) {
                departures.leave(entry, Death.Reason.EXPIRED);
                entry = ready.first();
            }
        }
        return entry;
    }

    private QueueEntry nextFor(QueueConsumer consumer) {
        QueueEntry entry = scans.next(consumer);
        if (stock.expires()) {
            long now = loop.currentTimeMillis();
            while (entry != null && isExpired(entry, now)) {
                departures.leave(entry, Death.Reason.EXPIRED);
                entry = scans.next(consumer);
            }
        }
        if (entry != null) {
            consumer.outlook().passed(ready.level(entry), entry.sequence);
        }
        return entry;
    }

    boolean isExpired(QueueEntry entry) {
        return isExpired(entry, loop.currentTimeMillis());
    }

    private static boolean isExpired(QueueEntry entry, long nowMillis) {
        return entry.waited && entry.expiresAtMillis <= nowMillis;
    }

    private void askForCredit() {
        if (!consumers.shareCredit()) {
            return;
        }
        QueueConsumer active = consumers.active();
        if (active != null) {
            askForCredit(active);
            return;
        }
        List<QueueConsumer> all = consumers.all();
        for (int i = 0; i < all.size(); i++) {
            askForCredit(all.get(i));
        }
    }

    /** Not for one that has found nothing: two such would be granted credit, and give it back, in turn and without end. */
    private void askForCredit(QueueConsumer consumer) {
        boolean looks = consumer.filters() || groups.anyReady();
        if (looks ? consumer.mayFind : ready.first() != null) {
            consumer.askForCredit(loop);
        }
    }

    /** Has more messages read back from the log, if somebody wants them. */
    void readAhead() {
        if (paging != null && hasTakers()) {
            paging.readAhead();
        }
    }

    /** Whether somebody wants messages as they come. */
    boolean hasTakers() {
        return consumers.takeAll() || !gets.isEmpty();
    }

    // ---- handing over

    /** Takes a ready entry out for a consumer. */
    private void take(QueueEntry entry, QueueConsumer consumer) {
        stock.remove(entry);
        handOver(entry, consumer);
    }

    /** Gives a consumer an entry that is not among the ready ones. */
    private void handOver(QueueEntry entry, QueueConsumer consumer) {
        entry.taken(consumer);
        consumer.taken(entry.windowBytes());
        consumers.served(consumer, groups.anyReady());
        groups.taken(entry, consumer);
        if (consumer.settles()) {
            if (entry.refusers != null) {
                refusals.gone(entry);
            }
            departures.endedAsDelivered(entry);
            if (!consumer.hasEnded()) {
                effects.underWay(consumer.unwrittenBytes() - entry.windowBytes(), consumer.unwrittenBytes());
            }
        } else {
            settlements.awaits(entry);
        }
        expirations.left(entry);
        traffic.out();
        effects.delivered(entry.redelivered);
    }

    /** Gives a message to one who doesn't take all and has looked at all before it, if it would wait in the log otherwise. */
    boolean giveBeforeOthers(
            Message message, int level, long position, int share, long expiresAt, boolean waited) {
        if (!consumers.filter() || groups.anyReady() && consumers.takeAll()
                || waited && expiresAt <= loop.currentTimeMillis()
                || dispatching || paging == null || departures.tooManyLettersWait()
                || ready.resident() == 0 && !ready.waitsInLog(level)) {
            return false;
        }
        QueueEntry entry = new QueueEntry(queue, message, ready.nextSequence(level), expiresAt);
        entry.waited = waited;
        dispatching = true;
        QueueConsumer taker = scans.takerOf(entry, level, consumers);
        dispatching = false;
        if (taker != null) {
            ready.takeSequence(level);
            entry.position = position;
            entry.share = share;
            effects.stored(message);
            handOver(entry, taker);
            entry.deliver(loop);
        }
        if (dispatchAgain) {
            dispatch();
        }
        return taker != null;
    }

    /** A message has come back among those that wait in the log: what is being read of those behind it is not to be given before it. */
    void cameBackInLog(int level, long sequence) {
        scans.cameBack(level, sequence);
    }

    /** There is nothing ready any more. */
    void cleared() {
        scans.cleared();
        serveGets();
        drains.check();
    }

    /** What was being read of a level is not: whoever waits for it has what is left, or nothing. */
    void readingStopped() {
        serveGets();
        readAhead();
        drains.check();
    }

    /** A read has ended: those who wait for messages may have them. */
    void loadEnded() {
        serveGets();
        // Who found nothing for it in memory may have waited for this.
        dispatchNew();
    }

    // ---- what the scans ask

    /** Whether a consumer may be given a message now. */
    boolean canTake(QueueConsumer consumer) {
        return consumer.canTake() && consumers.takesPart(consumer) && !departures.tooManyLettersWait();
    }

    /** A consumer may look for messages again. */
    void offer(QueueConsumer consumer) {
        if (!consumer.hasEnded()) {
            consumers.offer(consumer);
        }
    }

    /** Runs something that gives messages to consumers, who may settle them meanwhile. */
    void present(Runnable presentation) {
        dispatching = true;
        try {
            presentation.run();
        } finally {
            dispatching = false;
        }
    }

    /** Messages were read for those who don't take all, or are in memory by now. */
    void scanned() {
        if (!queue.isRemoved()) {
            dispatch();
        }
    }

    /** Gives a message to a consumer that was taken out of those that wait in the log. */
    void giveFromLog(QueueEntry entry, QueueConsumer consumer) {
        stock.left(entry);
        handOver(entry, consumer);
        entry.deliver(loop);
    }

    /** Has a consumer who only looks at messages see one. */
    void show(QueueEntry entry, QueueConsumer consumer) {
        QueueEntry copy = entry.copy();
        copy.taken(consumer);
        consumer.taken(copy.windowBytes());
        effects.underWay(consumer.unwrittenBytes() - copy.windowBytes(), consumer.unwrittenBytes());
        effects.delivered(false);
        copy.deliver(loop);
    }

    // ---- what consumers do

    /** A consumer may have room. */
    void reoffer(QueueConsumer consumer) {
        if (!consumer.hasEnded() && !queue.isRemoved()) {
            consumers.offer(consumer);
            dispatch();
        }
    }

    void grant(QueueConsumer consumer, int messages) {
        consumer.grant(messages);
        if (queue.isRemoved() || consumer.hasEnded()) {
            consumer.returnUnused(loop);
            return;
        }
        reoffer(consumer);
        // What could not be used at once goes back: another consumer of that client may have messages waiting.
        if (!consumer.waits()) {
            consumer.returnUnused(loop);
        }
    }

    void written(QueueConsumer consumer, long bytes) {
        if (consumer.hasEnded()) {
            return;
        }
        consumer.written(bytes);
        if (consumer.settles()) {
            effects.underWay(consumer.unwrittenBytes() + bytes, consumer.unwrittenBytes());
        }
        reoffer(consumer);
    }

    // ---- draining

    void drain(QueueConsumer consumer, Runnable answer) {
        drains.add(
                consumer, paging == null ? 0 : paging.loaded() + ready.size() - ready.resident(),
                consumer.filters() ? ready.nextSequences() : null, answer);
        reoffer(consumer);
        drains.check();
    }

    /**
     * Whether nothing more is to come for a consumer that drains, as things are.
     *
     * @param enoughLoaded how many messages must have been read back to have seen all that were there when it began
     * @param ends the numbers behind those, by level, for one that doesn't take all; otherwise null
     */
    boolean isDrained(QueueConsumer consumer, long enoughLoaded, long[] ends) {
        if (queue.isRemoved()) {
            return true;
        }
        if (dispatching) {
            return false; // asked again at the end of that
        }
        if (ready.size() == 0 || !consumer.wantsMore() || !consumers.takesPart(consumer)
                || departures.tooManyLettersWait()) {
            return true;
        }
        // With room it has had all that is for it in memory.
        if (consumer.waits() && consumer.isWindowOpen()) {
            return !consumer.outlook().pauses && !paging.mayScan() || ends != null && consumer.outlook().isBehind(ends);
        }
        return consumer.isWindowOpen()
                && (paging == null || !paging.isLoading() || paging.loaded() >= enoughLoaded);
    }

    // ---- one message

    /** Delivers the first ready message to {@code taker}, or runs {@code ifEmpty}: later if it has to be read first. */
    void get(QueueConsumer taker, Runnable ifEmpty) {
        gets.add(new WaitingGet(taker, ifEmpty));
        serveGets();
    }

    /** Those who asked for a message have it, or learn that there is none, if that is known now. */
    void serveGets() {
        while (!gets.isEmpty()) {
            boolean removed = queue.isRemoved();
            if (!removed && departures.tooManyLettersWait()) {
                return; // goes on when there are fewer
            }
            QueueEntry entry = removed ? null : nextUnexpired();
            if (entry == null && !removed && ready.size() > 0) {
                paging.readAhead();
                return;
            }
            WaitingGet next = gets.poll();
            if (entry == null) {
                next.ifEmpty.run();
            } else {
                take(entry, next.taker);
                entry.remaining = ready.size();
                entry.deliver(loop);
            }
        }
    }
}
