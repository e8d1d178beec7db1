package io.sluicemq.broker.queue;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.BrokerError.Kind;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.Client.QueueStatus;
import io.sluicemq.api.ConsumerSink;
import io.sluicemq.api.Death;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Message;
import io.sluicemq.api.Producer;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * An ordered store of messages with consumers. It decides who gets what and when a message must leave; what follows from
 * that outside the queue is done by its {@link QueueEffects}.
 *
 * <p>Owned by its loop: every method but the plain facts (name, spec, options, owner, loop) is called there.
 *
 * <p>Invariants: a message is ready, or unsettled with one consumer, or gone; while a message is ready, no consumer that may
 * have it has room (but for shared credit that was asked for); after {@link #remove} it holds nothing.
 */
@LoopOwned
public final class Queue {

    private final String name;
    private final String virtualHost;
    private final QueueSpec spec;
    private final QueueOptions options;
    private final Object owner;
    private final Loop loop;
    private final QueueEffects effects;

    private final PriorityMessages ready;
    private final Expiry expiry;
    private final Consumers consumers;
    private final Pace pace;
    private final LengthLimit limit;
    private long nextSequence;
    private long readyBodyBytes;
    private int unsettled;
    private boolean removed;
    private boolean hadConsumers;
    private boolean dispatching;
    private boolean dispatchAgain;

    private Loop.Timer expiryTimer;
    private long expiryTimerMillis = QueueEntry.NEVER;
    private long expiringEntries;
    private Loop.Timer unusedTimer;

    /**
     * @param owner the identity of the only connection that may use it, or whose end it shares; null for none
     */
    public Queue(
            QueueSpec spec, QueueOptions options, String virtualHost, Object owner, Loop loop, QueueEffects effects) {
        this.name = spec.name();
        this.virtualHost = virtualHost;
        this.spec = spec;
        this.options = options;
        this.owner = owner;
        this.loop = loop;
        this.effects = effects;
        this.ready = new PriorityMessages(options.maxPriority());
        this.expiry = new Expiry(ready);
        this.consumers = new Consumers(options.singleActiveConsumer());
        this.pace = new Pace(loop);
        this.limit = new LengthLimit(name, virtualHost, options);
    }

    // ---- plain facts, for any loop

    public String name() {
        return name;
    }

    public QueueSpec spec() {
        return spec;
    }

    public QueueOptions options() {
        return options;
    }

    /** The connection it belongs to, or null. */
    public Object owner() {
        return owner;
    }

    public Loop loop() {
        return loop;
    }

    /** Whether {@code client} is shut out since the queue is exclusive to another. */
    public boolean lockedFor(Object client) {
        return options.exclusive() && owner != client;
    }

    @Override
    public String toString() {
        return "queue '" + name + "' in vhost '" + virtualHost + "'";
    }

    // ---- what it is asked

    /** Starts its life: from now on it may expire unused. */
    public void start() {
        loop.assertCurrent();
        used();
    }

    public boolean isRemoved() {
        return removed;
    }

    public QueueStatus status() {
        loop.assertCurrent();
        return new QueueStatus(name, ready.size(), consumers.size());
    }

    public int unsettled() {
        return unsettled;
    }

    public int ready() {
        return ready.size();
    }

    /** Bytes of the bodies of ready messages. */
    public long readyBodyBytes() {
        return readyBodyBytes;
    }

    /** It was declared again, or read: an unused queue's time starts anew. */
    public void used() {
        if (options.expiresMillis() != QueueOptions.NONE && !removed) {
            if (unusedTimer != null) {
                unusedTimer.cancel();
                unusedTimer = null;
            }
            if (consumers.isEmpty()) {
                unusedTimer =
                        loop.schedule(TimeUnit.MILLISECONDS.toNanos(options.expiresMillis()), this::remove);
            }
        }
    }

    /**
     * Takes a message.
     *
     * @param producer where it comes from, to be held if consumers are a little behind; null for none to hold
     * @return null if it is taken care of (also if the queue is gone), or why it is refused
     */
    public BrokerError enqueue(Message message, Producer producer) {
        assert loop.isCurrent();
        if (removed || isOwnersOwn(message)) {
            effects.notStored(message);
            return null;
        }
        if (limit.refuses() && limit.isExceededBy(ready.size() + 1L, readyBodyBytes + message.body().length)) {
            if (options.overflow() == QueueOptions.Overflow.REJECT_PUBLISH_DLX) {
                deadLetter(message, Death.Reason.MAX_LENGTH);
            } else {
                effects.dropped(Death.Reason.MAX_LENGTH);
            }
            effects.notStored(message);
            return limit.error();
        }
        append(message);
        if (producer != null && !consumers.isEmpty() && ready.size() > 0) {
            pace.waits(producer, ready.size(), readyBodyBytes);
        }
        return null;
    }

    private void append(Message message) {
        QueueEntry entry = new QueueEntry(this, message, nextSequence++, expiresAt(message));
        effects.stored(message);
        addReady(entry, true);
        dispatch();
        if (entry.isReady()) {
            entry.waited = true;
            if (entry.expiresAtMillis != QueueEntry.NEVER) {
                watchExpiry(entry);
            }
            if (!limit.refuses()) {
                dropOverflow();
            }
        }
    }

    private void dropOverflow() {
        while (ready.size() > 0 && limit.isExceededBy(ready.size(), readyBodyBytes)) {
            QueueEntry entry = ready.leastWanted();
            leave(entry, Death.Reason.MAX_LENGTH);
        }
    }

    /** Promises room for a transaction's messages; {@link #enqueuePromised} or {@link #withdraw} must follow. */
    public BrokerError promise(List<Message> messages) {
        loop.assertCurrent();
        if (!limit.refuses() || removed) {
            return null;
        }
        if (limit.isExceededBy(
                ready.size() + (long) messages.size(), readyBodyBytes + LengthLimit.bodyBytes(messages))) {
            return limit.error();
        }
        limit.promise(messages);
        return null;
    }

    /** Gives a promise back. */
    public void withdraw(List<Message> messages) {
        loop.assertCurrent();
        if (limit.refuses() && !removed) {
            limit.withdraw(messages);
        }
    }

    /** Takes messages that it has promised room for. */
    public void enqueuePromised(List<Message> messages) {
        withdraw(messages);
        for (int i = 0; i < messages.size(); i++) {
            Message message = messages.get(i);
            if (removed || isOwnersOwn(message)) {
                effects.notStored(message);
            } else {
                append(message);
            }
        }
    }

    private boolean isOwnersOwn(Message message) {
        return options.noLocal() && owner != null && message.publisher() == owner;
    }

    /** Adds a consumer; returns why not, or null. */
    public BrokerError subscribe(QueueConsumer consumer) {
        loop.assertCurrent();
        if (removed) {
            return new BrokerError.NotFound(Kind.QUEUE, name, virtualHost);
        }
        boolean notAlone = !consumers.isEmpty() || options.singleActiveConsumer();
        if (consumers.hasExclusive() || consumer.spec().exclusive() && notAlone) {
            return new BrokerError.ExclusiveUse(name, virtualHost);
        }
        hadConsumers = true;
        consumers.add(consumer);
        effects.changed(1, 0, 0);
        if (unusedTimer != null) {
            unusedTimer.cancel();
            unusedTimer = null;
        }
        return null;
    }

    /** Starts deliveries to a consumer that was added; apart from {@link #subscribe} so that its answer leaves first. */
    public void startDeliveries(QueueConsumer consumer) {
        loop.assertCurrent();
        if (!consumer.hasEnded()) {
            consumers.offer(consumer);
            dispatch();
        }
    }

    /** Takes a consumer away; what it holds stays unsettled. */
    public void cancel(QueueConsumer consumer) {
        loop.assertCurrent();
        if (!consumers.remove(consumer)) {
            consumer.end();
            return;
        }
        end(consumer);
        effects.changed(-1, 0, 0);
        if (consumers.isEmpty()) {
            pace.release();
        }
        if (consumers.isEmpty() && options.autoDelete() && hadConsumers) {
            remove();
            return;
        }
        used();
        dispatch();
    }

    private void end(QueueConsumer consumer) {
        if (consumer.settles()) {
            effects.underWay(-consumer.unwrittenBytes());
        }
        consumer.end();
        consumer.returnUnused(loop);
    }

    /** A consumer was granted shared credit. */
    public void grant(QueueConsumer consumer, int messages) {
        loop.assertCurrent();
        consumer.grant(messages);
        if (removed || consumer.hasEnded()) {
            consumer.returnUnused(loop);
            return;
        }
        consumers.offer(consumer);
        dispatch();
        // What could not be used at once goes back: another consumer of that client may have messages waiting.
        consumer.returnUnused(loop);
    }

    /** Bytes of a consumer's deliveries have left for the socket. */
    public void written(QueueConsumer consumer, long bytes) {
        assert loop.isCurrent();
        if (consumer.hasEnded()) {
            return;
        }
        consumer.written(bytes);
        if (consumer.settles()) {
            effects.underWay(-bytes);
        }
        reoffer(consumer);
    }

    /** A client stops or resumes a consumer. */
    public void pause(QueueConsumer consumer, boolean paused) {
        loop.assertCurrent();
        consumer.pause(paused);
        reoffer(consumer);
    }

    private void reoffer(QueueConsumer consumer) {
        if (!consumer.hasEnded() && !removed) {
            consumers.offer(consumer);
            dispatch();
        }
    }

    /** Delivers the first ready message to {@code taker}, who takes part once and not in turn; returns whether there was one. */
    public boolean get(QueueConsumer taker) {
        loop.assertCurrent();
        taker.end();
        used();
        QueueEntry entry = removed ? null : nextUnexpired();
        if (entry == null) {
            return false;
        }
        take(entry, taker);
        entry.remaining = ready.size();
        entry.deliver(loop);
        return true;
    }

    /** Drops the ready messages; returns how many. */
    public long purge() {
        loop.assertCurrent();
        long count = 0;
        for (QueueEntry entry = ready.first(); entry != null; entry = ready.first()) {
            removeReady(entry);
            entry.gone();
            effects.released(entry.message);
            count++;
        }
        return count;
    }

    /** Removes the queue if the conditions hold; returns why not, or null. */
    public BrokerError removeIf(boolean ifUnused, boolean ifEmpty) {
        loop.assertCurrent();
        if (removed) {
            return new BrokerError.NotFound(Kind.QUEUE, name, virtualHost);
        }
        if (ifUnused && !consumers.isEmpty()) {
            return new BrokerError.InUse(Kind.QUEUE, name, virtualHost);
        }
        if (ifEmpty && ready.size() > 0) {
            return new BrokerError.NotEmpty(name, virtualHost);
        }
        remove();
        return null;
    }

    /** Ends the queue: its messages are dropped, its consumers told. */
    public void remove() {
        loop.assertCurrent();
        if (removed) {
            return;
        }
        purge();
        pace.release();
        removed = true;
        if (expiryTimer != null) {
            expiryTimer.cancel();
        }
        if (unusedTimer != null) {
            unusedTimer.cancel();
        }
        effects.removed(this);
        for (QueueConsumer consumer : new ArrayList<>(consumers.all())) {
            consumers.remove(consumer);
            end(consumer);
            effects.changed(-1, 0, 0);
            ConsumerSink sink = consumer.sink();
            loop.send(consumer.clientLoop(), () -> sink.cancelled("queue '" + name + "' was deleted"));
        }
    }

    /** A delivery has ended. */
    void settled(QueueEntry entry, Outcome outcome) {
        assert loop.isCurrent();
        QueueConsumer consumer = entry.consumer;
        consumer.settledOne();
        unsettled--;
        effects.changed(0, 0, -1);
        if (removed) {
            entry.gone();
            effects.released(entry.message);
            return;
        }
        switch (outcome) {
            case ACCEPTED -> {
                entry.gone();
                effects.released(entry.message);
            }
            case REJECTED -> bury(entry, Death.Reason.REJECTED);
            case UNDELIVERABLE -> bury(entry, Death.Reason.DELIVERY_LIMIT);
            case REQUEUED -> {
                entry.redelivered = true;
                entry.deliveryCount++;
                if (options.countsDeliveries() && entry.deliveryCount > options.deliveryLimit()) {
                    bury(entry, Death.Reason.DELIVERY_LIMIT);
                } else {
                    giveBack(entry);
                }
            }
            case RELEASED -> giveBack(entry);
        }
        if (!consumer.hasEnded()) {
            consumers.offer(consumer);
        }
        dispatch();
        if (!limit.refuses()) {
            dropOverflow();
        }
    }

    private void giveBack(QueueEntry entry) {
        entry.returned();
        addReady(entry, false);
        if (entry.expiresAtMillis != QueueEntry.NEVER) {
            watchExpiry(entry);
        }
    }

    // ---- ready messages

    private void addReady(QueueEntry entry, boolean isNew) {
        if (isNew) {
            ready.append(entry);
        } else {
            ready.restore(entry);
        }
        readyBodyBytes += entry.message.body().length;
        if (entry.expiresAtMillis != QueueEntry.NEVER) {
            expiringEntries++;
        }
        effects.changed(0, 1, 0);
        consumers.offerFiltering(entry.sequence);
    }

    private void removeReady(QueueEntry entry) {
        ready.remove(entry);
        readyBodyBytes -= entry.message.body().length;
        if (entry.expiresAtMillis != QueueEntry.NEVER) {
            expiringEntries--;
        }
        effects.changed(0, -1, 0);
        if (pace.isHolding()) {
            pace.left(ready.size(), readyBodyBytes);
        }
    }

    /** Takes a ready entry out for a consumer. */
    private void take(QueueEntry entry, QueueConsumer consumer) {
        removeReady(entry);
        entry.taken(consumer);
        consumer.taken(entry.windowBytes());
        if (consumer.settles()) {
            effects.released(entry.message);
            if (!consumer.hasEnded()) {
                effects.underWay(entry.windowBytes());
            }
        } else {
            unsettled++;
            effects.changed(0, 0, 1);
        }
        expiry.left(entry);
        effects.delivered();
    }

    /** A ready entry leaves for another reason than a consumer. */
    private void leave(QueueEntry entry, Death.Reason reason) {
        removeReady(entry);
        bury(entry, reason);
        expiry.left(entry);
    }

    private void bury(QueueEntry entry, Death.Reason reason) {
        entry.gone();
        effects.released(entry.message);
        deadLetter(entry.message, reason);
    }

    private void deadLetter(Message message, Death.Reason reason) {
        if (options.deadLetterExchange() == null) {
            effects.dropped(reason);
        } else {
            effects.deadLetter(this, message, reason);
        }
    }

    // ---- delivery

    /** Gives ready messages to consumers with room until one or the other runs out. */
    private void dispatch() {
        if (dispatching) {
            // A sink on this loop has settled at once: the loop below goes on.
            dispatchAgain = true;
            return;
        }
        dispatching = true;
        try {
            do {
                dispatchAgain = false;
                while (ready.size() > 0 && dispatchOne()) {}
            } while (dispatchAgain);
        } finally {
            dispatching = false;
        }
        if (ready.size() > 0) {
            askForCredit();
        }
    }

    private boolean dispatchOne() {
        QueueConsumer consumer = consumers.next();
        if (consumer == null) {
            return false;
        }
        QueueEntry entry = consumer.filters() ? nextFor(consumer) : nextUnexpired();
        if (entry == null) {
            // Nothing here is for it; it comes back into the line when something new arrives.
            return true;
        }
        take(entry, consumer);
        consumers.offer(consumer);
        entry.deliver(loop);
        return true;
    }

    private QueueEntry nextUnexpired() {
        QueueEntry entry = ready.first();
        if (expiringEntries > 0) {
            long now = loop.currentTimeMillis();
            while (entry != null && isExpired(entry, now)) {
                leave(entry, Death.Reason.EXPIRED);
                entry = ready.first();
            }
        }
        return entry;
    }

    private QueueEntry nextFor(QueueConsumer consumer) {
        QueueEntry entry = ready.firstFor(consumer);
        if (expiringEntries > 0) {
            long now = loop.currentTimeMillis();
            while (entry != null && isExpired(entry, now)) {
                leave(entry, Death.Reason.EXPIRED);
                entry = ready.firstFor(consumer);
            }
        }
        consumer.passed(entry == null ? nextSequence : entry.sequence);
        return entry;
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
            active.askForCredit(loop);
            return;
        }
        List<QueueConsumer> all = consumers.all();
        for (int i = 0; i < all.size(); i++) {
            all.get(i).askForCredit(loop);
        }
    }

    // ---- expiry

    private long expiresAt(Message message) {
        long ttl = options.messageTtlMillis();
        if (message.ttlMillis() != Message.NO_TTL && (ttl == QueueOptions.NONE || message.ttlMillis() < ttl)) {
            ttl = message.ttlMillis();
        }
        return ttl == QueueOptions.NONE ? QueueEntry.NEVER : loop.currentTimeMillis() + ttl;
    }

    private void watchExpiry(QueueEntry entry) {
        long ownTtl = entry.message.ttlMillis();
        if (ownTtl != Message.NO_TTL
                && (options.messageTtlMillis() == QueueOptions.NONE || ownTtl < options.messageTtlMillis())) {
            expiry.watch(entry);
        }
        long now = loop.currentTimeMillis();
        if (entry.expiresAtMillis <= now) {
            leave(entry, Death.Reason.EXPIRED);
        } else if (entry.expiresAtMillis < expiryTimerMillis) {
            armExpiryTimer(entry.expiresAtMillis, now);
        }
    }

    private void armExpiryTimer(long atMillis, long nowMillis) {
        if (expiryTimer != null) {
            expiryTimer.cancel();
        }
        expiryTimerMillis = atMillis;
        expiryTimer = loop.schedule(
                TimeUnit.MILLISECONDS.toNanos(Math.max(0, atMillis - nowMillis)), this::expireDue);
    }

    private void expireDue() {
        expiryTimer = null;
        expiryTimerMillis = QueueEntry.NEVER;
        if (removed) {
            return;
        }
        long now = loop.currentTimeMillis();
        QueueEntry entry = expiry.first();
        while (entry != null && entry.expiresAtMillis <= now) {
            leave(entry, Death.Reason.EXPIRED);
            entry = expiry.first();
        }
        if (entry != null) {
            armExpiryTimer(entry.expiresAtMillis, now);
        }
    }
}
