package io.sluicemq.broker.queue;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.BrokerError.Kind;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.Client.QueueStatus;
import io.sluicemq.api.Completion;
import io.sluicemq.api.Consumer;
import io.sluicemq.api.ConsumerSink;
import io.sluicemq.api.Death;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Message;
import io.sluicemq.api.Producer;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.flow.Account;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.ConsumerRule;
import io.sluicemq.broker.flow.FullPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;

/**
 * An ordered store of messages with consumers. It decides who gets what and when a message must leave; what follows from
 * that outside the queue is done by its {@link QueueEffects}. This is what others ask of it, and its life from its start to its
 * removal. A message goes through its parts: {@link Arrivals} within {@link Capacity}, the {@link Stock} of ready ones with {@link
 * Transits} to the log and back, {@link Deliveries}, {@link Settlements}, {@link Departures}.
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
    private final Traffic traffic;
    private final Stock stock;
    private final Departures departures;
    private final Settlements settlements;
    private final Deliveries deliveries;
    private final Capacity capacity;
    private final Arrivals arrivals;
    private final Transits transits;
    private final Disuse disuse;
    private final SlowConsumers slowConsumers;
    private boolean removed;
    /** Whether an operator has stopped its deliveries. */
    private boolean paused;
    private boolean hadConsumers;

    /** Its number; 0 if there is no log. Set before it starts. */
    private long id;
    /** Whether it outlives the broker. Set before it starts. */
    private boolean survives;
    /** Where its messages go when memory has enough of them; null if there is no log. */
    private Paging paging;
    /** What the log has of it. */
    private final LoggedMessages logged;
    private final Refusals refusals;
    private final Groups groups;
    private final Delays delays;

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
        Unsettled unsettled = new Unsettled();
        this.logged = new LoggedMessages(ready, unsettled);
        this.expirations = new Expirations(this, ready, loop);
        this.consumers = new Consumers(options.singleActiveConsumer());
        this.refusals = new Refusals(consumers);
        this.groups = new Groups(consumers);
        this.delays = new Delays(this, effects, loop);
        this.pace = new Pace(loop);
        this.traffic = new Traffic(loop.nanoTime());
        this.stock = new Stock(ready, groups, pace, effects, account);
        this.departures = new Departures(this, ready, stock, expirations, logged, effects, loop, account);
        this.settlements = new Settlements(
                this, ready, stock, departures, expirations, consumers, groups, refusals, logged, traffic, effects,
                loop);
        this.deliveries = new Deliveries(
                this, ready, stock, departures, settlements, expirations, consumers, groups, refusals,
                traffic, effects, loop);
        this.capacity = new Capacity(
                options, new LengthLimit(name, virtualHost, options), ready, stock, delays, departures, expirations,
                deliveries, effects, account, loop);
        this.arrivals = new Arrivals(
                this, ready, stock, delays, capacity, departures, deliveries, expirations, consumers, pace, traffic,
                effects, loop);
        this.transits = new Transits(this, ready, stock, logged, refusals, groups, expirations);
        this.disuse = new Disuse(this, consumers, loop);
        this.slowConsumers = new SlowConsumers(
                this, ready, settlements, departures, consumers, groups, unsettled, account, effects, loop);
        capacity.tell(slowConsumers);
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
        expirations.include(paging);
        settlements.include(paging);
        deliveries.include(paging);
        capacity.include(paging);
        arrivals.include(paging);
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
            slowConsumers.limits().own(limits);
            capacity.makeRoom(0, 0);
            limitMemory(limits);
        }
    }

    /**
     * Another rule holds for its consumers, with effect on those there are.
     *
     * @param rule null for none: {@link #checkConsumers} is to be called no more
     * @param kind which subscription it is
     */
    public void consumerRule(ConsumerRule rule, SubscriptionKind kind) {
        loop.assertCurrent();
        if (!removed) {
            slowConsumers.rule(rule, kind);
            capacity.makeRoom(0, 0);
        }
    }

    /** Looks for consumers that are too slow by its rule; to be called once a period of that. */
    public void checkConsumers() {
        loop.assertCurrent();
        slowConsumers.check();
    }

    /** What holds for its consumers; null for nothing. */
    public ConsumerRule consumerRule() {
        loop.assertCurrent();
        return slowConsumers.rule();
    }

    private void limitMemory(AddressLimits limits) {
        boolean pages = limits.policy() == FullPolicy.PAGE;
        pageLimits(pages ? limits.maxBytes() : AddressLimits.NONE, pages ? limits.maxMessages() : AddressLimits.NONE);
    }

    /** Starts its life: from now on it may expire unused. */
    public void start() {
        loop.assertCurrent();
        used();
        // As when limits change: those it starts with may be lower than when it ended, what it had dropped may be back if the log has
        // not come to know of it, and what consumers held is ready. Now, before there are clients: what a start finds goes by the
        // log alone.
        capacity.fit();
        expirations.watchBacklog();
        delays.arm();
        limitMemory(slowConsumers.limits().own());
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
        slowConsumers.prepareMeasures();
        return consumers.all().stream().map(this::sample).toList();
    }

    /**
     * A consumer at a moment.
     *
     * @param connection the name of its connection
     * @param settledMessages how many it has settled since it began
     * @param measure how much it has to do; null if there is no rule about that
     * @param slowMillis for how long it has been too slow; negative if it isn't
     */
    public record ConsumerSample(
            Object identity, String connection, String tag, int unsettledMessages, long settledMessages,
            SlowConsumer.Measure measure, long slowMillis) {}

    private ConsumerSample sample(QueueConsumer consumer) {
        return new ConsumerSample(
                consumer, consumer.client().toString(), consumer.spec().tag(), consumer.unsettled(),
                consumer.settledMessages(), slowConsumers.measureNow(consumer), slowConsumers.slowMillis(consumer));
    }

    public int unsettled() {
        return settlements.unsettled();
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
        return settlements.unsettledBytes();
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
        disuse.begins();
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
        return arrivals.enqueue(message, position, share, reserved, producer);
    }

    /** The dead letter of a message that has left is where it belongs, or there is none: it counts here no more. */
    public void departed(Message message) {
        departures.left(message);
    }

    // ---- what waits in the log

    /** A read has ended: those who wait for messages may have them. */
    void loadEnded() {
        if (removed) {
            return;
        }
        deliveries.loadEnded();
        capacity.dropOverflow();
        expirations.watchBacklog();
    }

    /** Dead letters have found room: what has expired meanwhile may follow. */
    public void deadLettersGoOn() {
        loop.assertCurrent();
        if (!removed) {
            expirations.watchBacklog();
            deliveries.serveGets();
            deliveries.dispatch();
        }
    }

    /** Memory is no longer short. */
    public void memoryRecovered() {
        loop.assertCurrent();
        if (!removed) {
            deliveries.readAhead();
            deliveries.dispatch();
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
            deliveries.readAhead();
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

    /** Whether what is read back from the log will do for all who take part: it has lost who had published it. */
    boolean pagesTransient() {
        return !consumers.needPublisher();
    }

    /** Up to which position messages may have been delivered. */
    public long takeDelivered() {
        return logged.takeDelivered();
    }

    /** Promises room for a transaction's messages; {@link #enqueuePromised} or {@link #withdraw} must follow. */
    public BrokerError promise(List<Message> messages) {
        loop.assertCurrent();
        return removed ? null : capacity.promise(messages);
    }

    /** Gives a promise back. */
    public void withdraw(List<Message> messages) {
        loop.assertCurrent();
        capacity.withdraw(messages);
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
        arrivals.enqueuePromised(messages, positions, shares, reserved);
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
        if (!consumer.browses()) {
            consumer.queuePaused(paused);
        }
        consumers.add(consumer);
        slowConsumers.added(consumer);
        effects.changed(1, 0, 0);
        disuse.stop();
        return null;
    }

    /** Starts deliveries to a consumer that was added; apart from {@link #subscribe} so that its answer leaves first. */
    public void startDeliveries(QueueConsumer consumer) {
        loop.assertCurrent();
        deliveries.reoffer(consumer);
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
        boolean goes = slowConsumers.removed(consumer);
        if (!consumers.take()) {
            pace.release();
        }
        if (goes || !consumers.take() && !consumer.browses() && options.autoDelete() && hadConsumers) {
            remove();
            return;
        }
        used();
        deliveries.dispatch();
    }

    /** As {@link #cancel}, but not at its client's wish; false if it had ended already. */
    public boolean revoke(QueueConsumer consumer) {
        boolean there = !consumer.hasEnded();
        cancel(consumer);
        return there;
    }

    private void end(QueueConsumer consumer) {
        if (consumer.settles()) {
            effects.underWay(consumer.unwrittenBytes(), 0);
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
        this.deliveries.reoffer(consumer);
    }

    /**
     * Gives a consumer what there is for it, up to its limit, and then limits it to what it has had, unless its limit is set
     * meanwhile.
     *
     * @param answer run after that; on this loop, and always
     */
    public void drain(QueueConsumer consumer, Runnable answer) {
        loop.assertCurrent();
        deliveries.drain(consumer, answer);
    }

    /** A consumer was granted shared credit. */
    public void grant(QueueConsumer consumer, int messages) {
        loop.assertCurrent();
        deliveries.grant(consumer, messages);
    }

    /** Bytes of a consumer's deliveries have left for the socket. */
    public void written(QueueConsumer consumer, long bytes) {
        assert loop.isCurrent();
        deliveries.written(consumer, bytes);
        slowConsumers.looked(consumer);
    }

    /** A consumer is not to have a message that was delivered to another and is not settled. */
    public void refuse(QueueConsumer consumer, QueueEntry entry) {
        loop.assertCurrent();
        if (entry.queue == this && !removed) {
            refusals.refused(entry, consumer);
        }
    }

    /** A client stops or resumes a consumer. */
    public void pause(QueueConsumer consumer, Consumer.Pause pause) {
        loop.assertCurrent();
        consumer.pause(pause);
        deliveries.reoffer(consumer);
    }

    /** An operator stops its deliveries, or has them go on; those who only look go on looking. */
    public void pauseDeliveries(boolean pauses) {
        loop.assertCurrent();
        if (removed || paused == pauses) {
            return;
        }
        paused = pauses;
        if (pauses) {
            pace.release(); // producers would wait for consumers that get nothing
        }
        for (QueueConsumer consumer : List.copyOf(consumers.all())) {
            if (!consumer.browses()) {
                consumer.queuePaused(pauses);
                deliveries.reoffer(consumer);
            }
        }
    }

    /** Whether an operator has stopped its deliveries. */
    public boolean isPaused() {
        return paused;
    }

    /** What an operator wants to know of it. */
    public QueueFigures figures() {
        loop.assertCurrent();
        long oldest = Ages.oldestKnownMillis(ready);
        return new QueueFigures(
                ready.size(), ready.sizeBytes(), unsettled(), unsettledBytes(), delayed(), delayedBytes(),
                residentMessages(), residentBytes(), consumers.size(),
                oldest == Long.MAX_VALUE ? -1 : Math.max(0, loop.currentTimeMillis() - oldest), paused,
                traffic.look(loop.nanoTime()));
    }

    /**
     * Delivers the first ready message to {@code taker}, who takes part once and not in turn; or runs {@code ifEmpty}. If it has
     * to be read first, that happens later.
     */
    public void get(QueueConsumer taker, Runnable ifEmpty) {
        loop.assertCurrent();
        taker.end();
        used();
        if (paused && !taker.operates()) {
            ifEmpty.run();
            return;
        }
        deliveries.get(taker, ifEmpty);
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
        refusals.cleared();
        deliveries.cleared();
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
        slowConsumers.stop(SlowConsumer.End.GONE);
        effects.removed(this);
        removed = true;
        account.end();
        purge(true);
        expirations.stop();
        disuse.stop();
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
        boolean stays = settlements.settled(entry, outcome, completion, committed);
        if (removed) {
            return;
        }
        deliveries.dispatch();
        slowConsumers.looked(consumer);
        capacity.dropOverflow();
        if (stays && paging != null) {
            paging.trim();
        }
    }

    // ---- its parts

    /** By which way messages come. */
    Arrivals arrivals() {
        return arrivals;
    }

    /** How messages are given to consumers. */
    Deliveries deliveries() {
        return deliveries;
    }

    /** By which way they go from memory to the log and back. */
    Transits transits() {
        return transits;
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

    // ---- expiry

    /** A ready entry in memory has expired. */
    void expired(QueueEntry entry) {
        departures.leave(entry, Death.Reason.EXPIRED);
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
