package io.sluicemq.broker.queue;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.BrokerError.Kind;
import io.sluicemq.api.Charge;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.Client.QueueStatus;
import io.sluicemq.api.Completion;
import io.sluicemq.api.ConsumerSink;
import io.sluicemq.api.Death;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Message;
import io.sluicemq.api.Producer;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.flow.Account;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.FullPolicy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;

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

    /** So many dead letters that wait for room stop deliveries, so that rejections can't fill the memory with them. */
    static final int MOST_LETTERS = 1024;

    private final String name;
    private final String virtualHost;
    private final QueueSpec spec;
    private final QueueOptions options;
    private final Object owner;
    private final Loop loop;
    private final QueueEffects effects;
    private final Account account;

    private final PriorityMessages ready;
    private final Expirations expirations;
    private final Consumers consumers;
    private final Pace pace;
    private final LengthLimit limit;
    private final Stock stock;
    private final Departures departures;
    private int unsettled;
    private long unsettledBytes;
    private boolean removed;
    private boolean hadConsumers;
    private boolean dispatching;
    private boolean dispatchAgain;

    /** Its number; 0 if there is no log. Set before it starts. */
    private long id;
    /** Whether it outlives the broker. Set before it starts. */
    private boolean survives;
    /** Where its messages go when memory has enough of them; null if there is no log. */
    private Paging paging;
    /** Finds messages for those who don't take all. */
    private Scans scans;
    /** What the log has of it. */
    private final LoggedMessages logged;
    /** Who asked for a message while the next ones are being read. */
    private final ArrayDeque<WaitingGet> gets = new ArrayDeque<>(0);
    private final Drains drains = new Drains(this);
    private final Refusals refusals;
    private final Groups groups;
    private final Delays delays;
    private Loop.Timer unusedTimer;

    /**
     * @param owner the identity of the only connection that may use it, or whose end it shares; null for none
     * @param account what its messages are counted in
     */
    public Queue(
            QueueSpec spec, QueueOptions options, String virtualHost, Object owner, Loop loop, QueueEffects effects,
            Account account) {
        this.name = spec.name();
        this.virtualHost = virtualHost;
        this.spec = spec;
        this.options = options;
        this.owner = owner;
        this.loop = loop;
        this.effects = effects;
        this.account = account;
        this.ready = new PriorityMessages(options.maxPriority());
        this.logged = new LoggedMessages(ready);
        this.scans = new Scans(this, ready, effects, loop, null);
        this.expirations = new Expirations(this, ready, loop);
        this.consumers = new Consumers(options.singleActiveConsumer());
        this.refusals = new Refusals(consumers);
        this.groups = new Groups(consumers);
        this.delays = new Delays(this, effects, loop);
        this.pace = new Pace(loop);
        this.limit = new LengthLimit(name, virtualHost, options);
        this.stock = new Stock(ready, groups, pace, effects, account);
        this.departures = new Departures(this, ready, logged, effects, loop, account);
        account.gate().makesRoom(bytes -> effects.lettersLetGo(this, bytes));
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

    /** What its messages are counted in: they are reserved there before they come. */
    public Account account() {
        return account;
    }

    /** Whether {@code client} is shut out since the queue is exclusive to another. */
    public boolean lockedFor(Object client) {
        return options.exclusive() && owner != client;
    }

    @Override
    public String toString() {
        return "queue '" + name + "' in vhost '" + virtualHost + "'";
    }

    /** Its number, which no other queue of this process has and no queue in the log ever had; 0 if there is no log. */
    public long id() {
        return id;
    }

    /** Whether it is in the log, and its persistent messages with it; they outlive the broker. */
    public boolean isLogged() {
        return survives;
    }

    // ---- what it is asked

    /** Makes it one whose persistent messages are in the log. Before it {@link #start}s. */
    public void logged(long number) {
        numbered(number);
        survives = true;
    }

    /** Gives it its number, by which the log can have messages that memory has no room for. Before it {@link #start}s. */
    public void numbered(long number) {
        id = number;
        paging = new Paging(this, ready, effects, loop);
        scans = new Scans(this, ready, effects, loop, paging);
        expirations.include(paging);
    }

    /** Takes what was recovered of it from the log, before it {@link #start}s. */
    public void restore(RecoveredMessages messages) {
        loop.assertCurrent();
        logged.restore(messages);
        for (int level = 0; level < ready.levels(); level++) {
            Backlog backlog = messages.level(level);
            if (backlog != null) {
                stock.restored(backlog, messages.expiring(level));
                account.stored(backlog.sizeBytes(), backlog.size());
                paging.restore(level, backlog);
            }
        }
        for (Delayed entry : messages.delayed()) {
            account.stored(entry.sizeBytes(), 1);
        }
        delays.restore(messages.delayed());
        effects.delayed(delays.size());
        effects.changed(0, ready.size(), 0);
    }

    /** Its address's limits are others now; with effect on what is there and on whoever waits. */
    public void limits(AddressLimits limits) {
        loop.assertCurrent();
        if (!removed) {
            account.limits(limits);
            makeRoom(0, 0);
            limitMemory(limits);
        }
    }

    private void limitMemory(AddressLimits limits) {
        boolean pages = limits.policy() == FullPolicy.PAGE;
        pageLimits(pages ? limits.maxBytes() : AddressLimits.NONE, pages ? limits.maxMessages() : AddressLimits.NONE);
    }

    /** Starts its life: from now on it may expire unused. */
    public void start() {
        loop.assertCurrent();
        used();
        expirations.watchBacklog();
        delays.arm();
        limitMemory(account.limits());
    }

    public boolean isRemoved() {
        return removed;
    }

    public QueueStatus status() {
        loop.assertCurrent();
        return new QueueStatus(name, ready.size(), consumers.size());
    }

    /** What its consumers have done, for people; in no order that means anything. */
    public List<ConsumerSample> consumers() {
        loop.assertCurrent();
        return consumers.all().stream().map(ConsumerSample::of).toList();
    }

    /**
     * A consumer at a moment.
     *
     * @param connection the name of its connection
     * @param settledMessages how many it has settled since it began
     */
    public record ConsumerSample(
            Object identity, String connection, String tag, int unsettledMessages, long settledMessages) {

        static ConsumerSample of(QueueConsumer consumer) {
            return new ConsumerSample(
                    consumer, consumer.client().toString(), consumer.spec().tag(), consumer.unsettled(),
                    consumer.settledMessages());
        }
    }

    public int unsettled() {
        return unsettled;
    }

    public int ready() {
        return ready.size();
    }

    /** Messages that are not to be delivered yet. */
    public int delayed() {
        return delays.size();
    }

    /** Bytes of these, in memory or not, as {@link #readyBytes} counts. */
    public long delayedBytes() {
        return delays.sizeBytes();
    }

    /** Bytes of messages that consumers hold. */
    long unsettledBytes() {
        return unsettledBytes;
    }

    /** Ready messages that are in memory; the others wait in the log. */
    public int residentMessages() {
        return paging == null ? ready.resident() : paging.resident();
    }

    /** Bytes of ready messages in memory. */
    public long residentBytes() {
        return paging == null ? ready.residentBytes() : paging.residentBytes();
    }

    /** Bytes of ready messages, in memory or not: header, body and {@link Message#OVERHEAD_BYTES} of each. */
    public long readyBytes() {
        return ready.sizeBytes();
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
     * @param position where it is in the log, or a negative number
     * @param share the bytes of its record that this queue accounts for
     * @param reserved whether room was reserved for it in the queue's account
     * @return null if it is taken care of (also if the queue is gone), or why it is refused
     */
    public BrokerError enqueue(Message message, long position, int share, boolean reserved, Producer producer) {
        assert loop.isCurrent();
        if (!isCounted(message, reserved)) {
            departures.unlog(position, share);
            return null;
        }
        if (removed || isOwnersOwn(message)) {
            departures.left(message);
            effects.notStored(message);
            departures.unlog(position, share);
            return null;
        }
        if (limit.refuses()
                && limit.isExceededBy(
                        ready.size() + delays.size() + 1L,
                        stock.bodyBytes() + delays.bodyBytes() + message.body().length)) {
            if (options.overflow() == QueueOptions.Overflow.REJECT_PUBLISH_DLX) {
                departures.deadLetter(
                        message, Death.Reason.MAX_LENGTH, position, share, QueueEntry.NEVER, null);
            } else {
                departures.left(message);
                effects.dropped(Death.Reason.MAX_LENGTH);
                departures.unlog(position, share);
            }
            effects.notStored(message);
            return limit.error();
        }
        append(message, position, share);
        if (producer != null && consumers.take() && ready.size() > 0) {
            pace.waits(producer, ready.size(), stock.bodyBytes());
        }
        return null;
    }

    /** Counts a message that has come, if it was not reserved; false if it is dropped, as others can't make room for it. */
    private boolean isCounted(Message message, boolean reserved) {
        int bytes = reserved ? 0 : message.sizeBytes();
        int messages = reserved ? 0 : 1;
        if (!account.overflowsWith(bytes, messages)
                || !account.overflowsWith(bytes - ready.sizeBytes(), messages - ready.size())
                        && makeRoom(bytes, messages)) {
            if (!reserved) {
                account.stored(bytes, messages);
            }
            return true;
        }
        if (reserved) {
            departures.left(message);
        } else {
            departures.uncharge(message);
        }
        effects.droppedByPolicy();
        account.droppedByPolicy();
        effects.notStored(message);
        return false;
    }

    private void append(Message message, long position, int share) {
        long expiresAt = expirations.expiresAt(message);
        if (message.notBeforeMillis() != 0 && message.notBeforeMillis() > loop.currentTimeMillis()) {
            delays.add(ready.level(message.priority()), message, position, share, expiresAt);
            effects.delayed(1);
        } else {
            append(message, position, share, expiresAt, false);
        }
    }

    /** @param waited whether it has waited until now, so that it may have expired */
    private void append(Message message, long position, int share, long expiresAt, boolean waited) {
        int level = ready.level(message.priority());
        if (wasTakenBeforeOthers(message, level, position, share, expiresAt, waited)) {
            return;
        }
        if (paging != null && paging.takes(level, position, share, message, expiresAt)) {
            stock.came(message.body().length, expiresAt);
            if (expiresAt != QueueEntry.NEVER) {
                expirations.watchBacklog();
            }
            if (!limit.refuses()) {
                dropOverflow();
            }
            if (consumers.filter()) {
                consumers.offerFiltering(false, scans.isReading());
                dispatch();
            }
            return;
        }
        QueueEntry entry = new QueueEntry(this, message, ready.takeSequence(level), expiresAt);
        entry.position = position;
        entry.share = share;
        entry.waited = waited;
        effects.stored(message);
        stock.append(entry);
        consumers.offerFiltering(groups.anyReady(), scans.isReading());
        dispatch();
        if (entry.isReady()) {
            entry.waited = true;
            if (entry.expiresAtMillis != QueueEntry.NEVER) {
                expirations.watch(entry);
            }
            if (!limit.refuses()) {
                dropOverflow();
            }
            if (paging != null) {
                paging.trim();
            }
        }
    }

    /** Gives a message to one who doesn't take all and has looked at all before it, if it would wait in the log otherwise. */
    private boolean wasTakenBeforeOthers(Message message, int level, long position, int share, long expiresAt,
            boolean waited) {
        if (!consumers.filter() || groups.anyReady() && consumers.takeAll()
                || waited && expiresAt <= loop.currentTimeMillis()
                || dispatching || paging == null || departures.tooManyLettersWait()
                || ready.resident() == 0 && !ready.waitsInLog(level)) {
            return false;
        }
        QueueEntry entry = new QueueEntry(this, message, ready.nextSequence(level), expiresAt);
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

    /** A message is delayed no more. */
    void due(Delayed entry) {
        effects.delayed(-1);
        if (entry.message != null) {
            append(entry.message, QueueEntry.NOT_LOGGED, 0, entry.expiresAtMillis, true);
            return;
        }
        paging.due(entry);
        stock.came(entry.bodyBytes, entry.expiresAtMillis);
    }

    /** Those that were due are delayed no more. */
    void dueEnded() {
        if (!removed) {
            expirations.watchBacklog();
            consumers.offerFiltering(groups.anyReady(), scans.isReading());
            dispatch();
            if (!limit.refuses()) {
                dropOverflow();
            }
        }
    }

    /** The dead letter of a message that has left is where it belongs, or there is none: it counts here no more. */
    public void departed(Message message) {
        departures.left(message);
    }

    /** With the policy ring: drops the oldest ready messages to make room for so much; returns whether there is room. */
    private boolean makeRoom(int bytes, int messages) {
        boolean stopped = false;
        while (ready.size() > 0 && account.overflowsWith(bytes, messages)) {
            int level = ready.lowest();
            QueueEntry entry = ready.first(level);
            if (entry == null) {
                paging.stopLoading(level);
                stopped = true;
                paging.dropFirst(level, effects::droppedByPolicy);
            } else {
                stock.remove(entry);
                departures.ended(entry, false, null);
                expirations.left(entry);
                effects.droppedByPolicy();
            }
            account.droppedByPolicy();
        }
        if (stopped) {
            // What was being read is not: whoever waits for it has what is left, or nothing.
            serveGets();
            readAhead();
            drains.check();
        }
        return !account.overflowsWith(bytes, messages);
    }

    private void dropOverflow() {
        while (ready.size() > 0 && limit.isExceededBy(ready.size(), stock.bodyBytes())) {
            // The first to go is the oldest of the lowest priority.
            int level = ready.lowest();
            QueueEntry entry = ready.first(level);
            if (entry != null) {
                leave(entry, Death.Reason.MAX_LENGTH);
            } else if (paging.isLoading(level) || options.hasLetters(Death.Reason.MAX_LENGTH)) {
                // It goes when it has been read.
                paging.load(level);
                return;
            } else {
                paging.dropFirst(level, () -> effects.dropped(Death.Reason.MAX_LENGTH));
            }
        }
    }

    // ---- what waits in the log

    /**
     * A message was read back from its {@linkplain Backlog#PAGED place}, or {@linkplain Backlog#heldKey what stands for it}: it is
     * ready in memory now.
     */
    void loaded(Message message, long sequence, long place, int share, long expiresAtMillis) {
        QueueEntry entry = entryOf(message, sequence, place, share, expiresAtMillis);
        ready.append(entry);
        groups.ready(entry);
        if (expiresAtMillis != QueueEntry.NEVER) {
            expirations.loaded(entry);
        }
    }

    /** A message is no longer among those that wait in the log, at this place or {@linkplain Backlog#heldKey held}. */
    QueueEntry entryOf(Message message, long sequence, long place, int share, long expiresAtMillis) {
        QueueEntry entry = new QueueEntry(this, message, sequence, expiresAtMillis);
        if (place >= 0 && !Backlog.isPaged(place)) {
            entry.position = place;
            entry.share = share;
        }
        entry.waited = true;
        logged.loaded(entry, place);
        refusals.loaded(entry, place);
        return entry;
    }

    /** What {@link #entryOf} would be, of a message that stays where it is. */
    QueueEntry probe(Message message, long sequence, long place, long expiresAtMillis) {
        QueueEntry entry = new QueueEntry(this, message, sequence, expiresAtMillis);
        entry.waited = true;
        logged.describe(entry, place);
        entry.refusers = refusals.of(place);
        return entry;
    }

    /** A ready message was let go of in memory. */
    void pagedOut(QueueEntry entry, long place) {
        groups.left(entry);
        keptInLog(entry, place);
    }

    /** A message is among those that wait in the log, at a place or {@linkplain Backlog#heldKey held}. */
    void keptInLog(QueueEntry entry, long place) {
        logged.pagedOut(entry, place);
        refusals.pagedOut(entry, place);
        entry.gone();
        expirations.left(entry);
    }

    /** A message that is held in memory, known by {@code heldKey}, was written to a place. */
    void heldPaged(long heldKey, long place) {
        logged.heldPaged(heldKey, place);
        refusals.moved(heldKey, Backlog.position(place));
    }

    /** A message has left from among those that wait in the log. */
    void leftBacklog(long position, int headerBytes, int bodyBytes, long expiresAtMillis) {
        logged.left(position);
        refusals.left(position);
        stock.left(bodyBytes, expiresAtMillis);
    }

    /** A read has ended: those who wait for messages may have them. */
    void loadEnded() {
        if (removed) {
            return;
        }
        serveGets();
        // Who found nothing for it in memory may have waited for this.
        consumers.offerFiltering(groups.anyReady(), scans.isReading());
        dispatch();
        if (!limit.refuses()) {
            dropOverflow();
        }
        expirations.watchBacklog();
    }

    /** Dead letters have found room: what has expired meanwhile may follow. */
    public void deadLettersGoOn() {
        loop.assertCurrent();
        if (!removed) {
            expirations.watchBacklog();
            serveGets();
            dispatch();
        }
    }

    /** Memory is no longer short. */
    public void memoryRecovered() {
        loop.assertCurrent();
        if (!removed) {
            readAhead();
            dispatch();
        }
    }

    /**
     * Limits what it keeps in memory of its ready messages and of those that consumers hold; the other ready ones wait in the
     * log, if there is one. What is there by now follows.
     *
     * @param maxResidentBytes header, body and {@link Message#OVERHEAD_BYTES} of each; -1 for no limit
     * @param maxResidentMessages how many; -1 for no limit
     */
    public void pageLimits(long maxResidentBytes, long maxResidentMessages) {
        loop.assertCurrent();
        if (paging != null && !removed) {
            paging.limits(maxResidentBytes, maxResidentMessages);
            readAhead();
        }
    }

    /** Whether it has more in memory than it should, and the log could take some of that. */
    public boolean hasTooMuch() {
        return paging != null && !removed && paging.hasTooMuch();
    }

    /** Lets go of what it has too much in memory, as far as the slice allows; returns whether that was all. */
    public boolean pageOut(PageSlice slice) {
        loop.assertCurrent();
        if (paging == null || removed) {
            return true;
        }
        boolean all = paging.pageOut(slice);
        expirations.watchBacklog();
        return all;
    }

    /** Whether somebody wants its messages as they come. */
    boolean hasTakers() {
        return consumers.takeAll() || !gets.isEmpty();
    }

    /** Whether what is read back from the log will do for all who take part: it has lost who had published it. */
    boolean pagesTransient() {
        return !consumers.needPublisher();
    }

    private void readAhead() {
        if (paging != null && hasTakers()) {
            paging.readAhead();
        }
    }

    /** Up to which position messages may have been delivered. */
    public long takeDelivered() {
        return logged.takeDelivered();
    }

    /** Promises room for a transaction's messages; {@link #enqueuePromised} or {@link #withdraw} must follow. */
    public BrokerError promise(List<Message> messages) {
        loop.assertCurrent();
        if (!limit.refuses() || removed) {
            return null;
        }
        if (limit.isExceededBy(
                ready.size() + delays.size() + (long) messages.size(),
                stock.bodyBytes() + delays.bodyBytes() + LengthLimit.bodyBytes(messages))) {
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

    /**
     * Takes messages that it has promised room for.
     *
     * @param positions where each is in the log, or a negative number
     * @param shares the bytes of each record that this queue accounts for
     * @param reserved whether room was reserved for them in the queue's account
     */
    public void enqueuePromised(List<Message> messages, long[] positions, int[] shares, boolean reserved) {
        withdraw(messages);
        for (int i = 0; i < messages.size(); i++) {
            Message message = messages.get(i);
            if (!isCounted(message, reserved)) {
                departures.unlog(positions[i], shares[i]);
                continue;
            }
            if (removed || isOwnersOwn(message)) {
                departures.left(message);
                effects.notStored(message);
                departures.unlog(positions[i], shares[i]);
            } else {
                append(message, positions[i], shares[i]);
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
        boolean notAlone = consumers.take() || options.singleActiveConsumer();
        if (!consumer.browses() && (consumers.hasExclusive() || consumer.spec().exclusive() && notAlone)) {
            return new BrokerError.ExclusiveUse(name, virtualHost);
        }
        hadConsumers |= !consumer.browses();
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
        if (!consumers.take()) {
            pace.release();
        }
        if (!consumers.take() && !consumer.browses() && options.autoDelete() && hadConsumers) {
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
        refusals.ended(consumer, ready);
        groups.ended(consumer);
        consumer.returnUnused(loop);
    }

    /** Which groups of messages go to which consumers. */
    Groups groups() {
        return groups;
    }

    /** Which consumers are not to have which messages again. */
    Refusals refusals() {
        return refusals;
    }

    /** A consumer may have had so many deliveries since it began. */
    public void limit(QueueConsumer consumer, long deliveries) {
        loop.assertCurrent();
        consumer.limit(deliveries);
        reoffer(consumer);
    }

    /**
     * Gives a consumer what there is for it, up to its limit, and then limits it to what it has had, unless its limit is set
     * meanwhile.
     *
     * @param answer run after that; on this loop, and always
     */
    public void drain(QueueConsumer consumer, Runnable answer) {
        loop.assertCurrent();
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
        if (removed) {
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
        if (!consumer.waits()) {
            consumer.returnUnused(loop);
        }
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

    /** Who waits for a message that is being read. */
    private record WaitingGet(QueueConsumer taker, Runnable ifEmpty) {}

    /**
     * Delivers the first ready message to {@code taker}, who takes part once and not in turn; or runs {@code ifEmpty}. If it has
     * to be read first, that happens later.
     */
    public void get(QueueConsumer taker, Runnable ifEmpty) {
        loop.assertCurrent();
        taker.end();
        used();
        gets.add(new WaitingGet(taker, ifEmpty));
        serveGets();
    }

    private void serveGets() {
        while (!gets.isEmpty()) {
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

    /** Drops the ready messages; returns how many. */
    public long purge() {
        loop.assertCurrent();
        return purge(false);
    }

    private long purge(boolean gone) {
        long count = delays.discard(gone);
        effects.delayed((int) -count);
        if (paging != null) {
            long bytes = paging.waitingBytes();
            int waiting = paging.discard(gone);
            account.left(loop, bytes, waiting);
            effects.changed(0, -waiting, 0);
            count += waiting;
        }
        for (QueueEntry entry = ready.first(); entry != null; entry = ready.first()) {
            stock.remove(entry);
            departures.ended(entry, gone, null);
            count++;
        }
        stock.cleared();
        logged.cleared();
        scans.cleared();
        refusals.cleared();
        serveGets();
        drains.check();
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
        if (ifEmpty && ready.size() + delays.size() > 0) {
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
        pace.release();
        effects.removed(this);
        removed = true;
        account.end();
        purge(true);
        expirations.stop();
        if (unusedTimer != null) {
            unusedTimer.cancel();
        }
        for (QueueConsumer consumer : new ArrayList<>(consumers.all())) {
            consumers.remove(consumer);
            end(consumer);
            effects.changed(-1, 0, 0);
            ConsumerSink sink = consumer.sink();
            loop.send(consumer.clientLoop(), () -> sink.cancelled("queue '" + name + "' was deleted"));
        }
    }

    /** On the client's loop: somebody waits for the end of a delivery. */
    void settling(Completion completion) {
        effects.settling(completion);
    }

    /**
     * A delivery has ended.
     *
     * @param completion has an obligation met when that is final; may be null
     * @param committed whether the log has its end already
     */
    void settled(QueueEntry entry, Outcome outcome, Completion completion, boolean committed) {
        assert loop.isCurrent();
        QueueConsumer consumer = entry.consumer;
        consumer.settledOne();
        unsettled--;
        unsettledBytes -= entry.message.sizeBytes();
        effects.changed(0, 0, -1);
        if (entry.isLogged()) {
            logged.settled(entry);
        }
        if (removed) {
            // The record of the queue's end may still be on its way to the disk.
            departures.ended(entry, true, completion);
            return;
        }
        boolean stays = false;
        switch (outcome) {
            case ACCEPTED -> departures.ended(entry, committed, completion);
            case REJECTED -> departures.bury(entry, Death.Reason.REJECTED, completion);
            case UNDELIVERABLE -> departures.bury(entry, Death.Reason.DELIVERY_LIMIT, completion);
            case REQUEUED, REQUEUED_ELSEWHERE -> {
                entry.redelivered = true;
                entry.deliveryCount++;
                if (options.countsDeliveries() && entry.deliveryCount > options.deliveryLimit()) {
                    departures.bury(entry, Death.Reason.DELIVERY_LIMIT, completion);
                } else {
                    if (options.countsDeliveries() && entry.isLogged()) {
                        effects.deliveryFailed(this, entry.position, entry.deliveryCount);
                    }
                    stays = true;
                }
            }
            case RELEASED, RELEASED_ELSEWHERE -> stays = true;
        }
        if (stays) {
            if (outcome == Outcome.REQUEUED_ELSEWHERE || outcome == Outcome.RELEASED_ELSEWHERE) {
                refusals.refused(entry, consumer);
            }
            giveBack(entry);
            if (completion != null) {
                completion.met(loop);
            }
        }
        if (entry.inGroup) {
            groups.settled(entry, consumer);
        }
        if (!consumer.hasEnded()) {
            consumers.offer(consumer);
        }
        dispatch();
        if (!limit.refuses()) {
            dropOverflow();
        }
        if (stays && paging != null) {
            paging.trim();
        }
    }

    private void giveBack(QueueEntry entry) {
        entry.returned();
        if (ready.belongsInLog(entry)) {
            giveBackToLog(entry);
            return;
        }
        stock.restore(entry);
        consumers.cameBack(entry, ready.level(entry), groups.anyReady());
        if (entry.expiresAtMillis != QueueEntry.NEVER) {
            expirations.watch(entry);
        }
    }

    /** One that a consumer who doesn't take all has had, from behind others that wait in the log, returns to its place. */
    private void giveBackToLog(QueueEntry entry) {
        int level = ready.level(entry);
        stock.came(entry);
        consumers.cameBack(entry, level, groups.anyReady());
        scans.cameBack(level, entry.sequence);
        paging.takeBack(entry);
        expirations.watchBacklog();
    }

    // ---- leaving

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
            departures.left(entry.message);
            effects.released(entry.message);
            departures.unlog(entry, false, null);
            if (!consumer.hasEnded()) {
                effects.underWay(entry.windowBytes());
            }
        } else {
            unsettled++;
            unsettledBytes += entry.message.sizeBytes();
            effects.changed(0, 0, 1);
            if (entry.isLogged() && logged.delivered(entry)) {
                effects.deliveredFirst(this);
            }
        }
        expirations.left(entry);
        effects.delivered();
    }

    /** A ready entry leaves for another reason than a consumer. */
    private void leave(QueueEntry entry, Death.Reason reason) {
        stock.remove(entry);
        departures.bury(entry, reason, null);
        expirations.left(entry);
    }

    /** By which way its messages leave for good. */
    Departures departures() {
        return departures;
    }

    /** What the log has of it. */
    LoggedMessages logged() {
        return logged;
    }

    /**
     * The dead letter of the message that was at this position when it left is in the log, or there is none.
     *
     * @return where the message is by now
     */
    public long buried(long position) {
        return logged.buried(position);
    }

    // ---- delivery

    /** Gives ready messages to consumers with room until one or the other runs out. */
    private void dispatch() {
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
                leave(entry, Death.Reason.EXPIRED);
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
                leave(entry, Death.Reason.EXPIRED);
                entry = scans.next(consumer);
            }
        }
        if (entry != null) {
            consumer.outlook().passed(ready.level(entry), entry.sequence);
        }
        return entry;
    }

    // ---- what its scans ask

    boolean isExpired(QueueEntry entry) {
        return isExpired(entry, loop.currentTimeMillis());
    }

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
        if (!removed) {
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
        effects.underWay(copy.windowBytes());
        effects.delivered();
        copy.deliver(loop);
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

    /** A ready entry in memory has expired. */
    void expired(QueueEntry entry) {
        leave(entry, Death.Reason.EXPIRED);
    }

    /** Whether any of its ready messages expires. */
    boolean hasExpiring() {
        return stock.expires();
    }

    // ---- what the log asks

    /** What is in the log of it, to be written into a checkpoint; null for a queue that isn't there. */
    public QueueSnapshot snapshot() {
        loop.assertCurrent();
        return survives && !removed ? QueueSnapshot.of(id, logged, delays.logged()) : null;
    }

    /** Finds those of its messages that are at a position between two, both included, which {@code candidate} accepts. */
    public void findPositions(long lowest, long highest, LongPredicate candidate, LongConsumer found) {
        loop.assertCurrent();
        logged.findPositions(lowest, highest, candidate, found);
        delays.findPositions(lowest, highest, candidate, found);
    }

    /** Messages were copied: {@code where} tells the new position of an old one, or a negative number. */
    public void move(long lowest, long highest, LongUnaryOperator where, Backlog.Moved moved) {
        loop.assertCurrent();
        logged.move(lowest, highest, where, (from, to, share) -> {
            if (paging != null) {
                paging.moved(from, to);
            }
            refusals.moved(from, to);
            moved.moved(from, to, share);
        });
        delays.move(lowest, highest, where, moved);
    }
}
