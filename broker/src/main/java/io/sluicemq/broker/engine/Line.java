package io.sluicemq.broker.engine;

import io.sluicemq.api.Producer;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.flow.Account;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.Ticket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What waits of one producer, in its order: the first waits at the gate of an account, the others behind it since they share
 * queues. Owned by the loop of the producer.
 *
 * <p>Invariant: while something waits there is exactly one {@link Ticket} for it, at a gate or on its way back, or it steps
 * aside for a moment; the line ends with the last of what waits.
 */
@LoopOwned
final class Line implements Ticket.Holder {

    /** How many of those who wait ask for room together. */
    private static final int MOST_AT_ONCE = 256;
    private static final int MOST_ROUNDS = 64;
    private static final long ASIDE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** So that those who step aside together come back one after the other. */
    private static final int ASIDE_SPREAD = 7;

    private final Entrance entrance;
    private final LoopContext context;
    private final Object key;
    private final Producer producer;
    private final ArrayDeque<Arrival> waiting = new ArrayDeque<>();
    /** The queues that it is for, and how many each. */
    private final Map<QueueProxy, Integer> covered = new IdentityHashMap<>();
    private Ticket ticket;
    private Loop.Timer limitTimer;
    private long limitNanos;
    private long parkedBytes;
    /** Where it waits, or did last. */
    private Account account;
    /** How often the first was granted room that was of no use. */
    private int rounds;

    private Loop.Timer aside;
    private boolean over;

    Line(Entrance entrance, Object key, Producer producer) {
        this.entrance = entrance;
        this.context = entrance.context();
        this.key = key;
        this.producer = producer;
    }

    /** Begins with what lacks room in {@code where}. */
    void begin(Arrival arrival, Account where) {
        account = where;
        add(arrival);
        wait(where, arrival);
    }

    /** Adds what must wait behind others. */
    void add(Arrival arrival) {
        waiting.addLast(arrival);
        cover(arrival);
        long bytes = arrival.memoryBytes();
        parkedBytes += bytes;
        context.messageBytes(bytes);
        context.tally.parkedMessages++;
        context.tally.parkedBytes += bytes;
        arrival.waits(account);
        if (arrival.producer() != null) {
            arrival.producer().parked(account.hold(), Math.toIntExact(bytes));
        }
    }

    private void cover(Arrival arrival) {
        for (QueueProxy target : arrival.targets()) {
            if (covered.merge(target, 1, Integer::sum) == 1) {
                entrance.covers(this, key, target);
            }
        }
    }

    private void uncover(QueueProxy[] targets) {
        for (QueueProxy target : targets) {
            if (covered.computeIfPresent(target, (queue, count) -> count == 1 ? null : count - 1) == null) {
                entrance.coversNoMore(this, key, target);
            }
        }
    }

    /** An arrival waits no more. */
    void unparked(Arrival arrival) {
        long bytes = arrival.memoryBytes();
        parkedBytes -= bytes;
        context.messageBytes(-bytes);
        context.tally.parkedMessages--;
        context.tally.parkedBytes -= bytes;
        if (arrival.producer() != null) {
            arrival.producer().unparked(Math.toIntExact(bytes));
        }
    }

    private void wait(Account where, Arrival first) {
        if (over) {
            return;
        }
        account = where;
        long bytes = 0;
        long messages = 0;
        int asked = 0;
        for (Arrival each : waiting) {
            if (asked++ == MOST_AT_ONCE) {
                break;
            }
            bytes += each.bytesIn(where);
            messages += each.messagesIn(where);
        }
        Ticket next = new Ticket(
                where, this, context.loop, entrance.isInternal(), first.bytesIn(where), first.messagesIn(where),
                bytes, messages, first.sinceNanos(), where.limits());
        ticket = next;
        watchLimit(first);
        context.loop.send(where.home(), () -> where.gate().enter(next));
    }

    // ---- grants

    @Override
    public void granted(Ticket granted, long bytes, long messages) {
        Account.Pool pool = new Account.Pool(granted.account(), bytes, messages);
        if (granted == ticket) {
            ticket = null;
            waiting.peekFirst().hadTurn(granted.account());
            advance(pool);
        } else {
            pool.close(context.loop);
        }
    }

    @Override
    public void reconsider(Ticket ended) {
        if (ended == ticket) {
            ticket = null;
            advance(null);
        }
    }

    private void advance(Account.Pool pool) {
        int before = waiting.size();
        Account lacking = null;
        while (lacking == null && !waiting.isEmpty() && ticket == null) {
            Arrival next = waiting.pollFirst();
            QueueProxy[] targets = next.targets();
            // Its queues stay covered until it is let in: what comes meanwhile stands behind it.
            lacking = entrance.settle(next, pool);
            if (!over) {
                uncover(targets);
            }
            if (lacking == null) {
                unparked(next);
            } else {
                waiting.addFirst(next);
                cover(next);
            }
        }
        if (pool != null) {
            pool.close(context.loop);
        }
        if (lacking == null || over) {
            endIfEmpty();
            return;
        }
        rounds = pool == null || waiting.size() < before ? 0 : rounds + 1;
        if (rounds < MOST_ROUNDS) {
            wait(lacking, waiting.peekFirst());
        } else {
            rounds = 0;
            stepAside(lacking);
        }
    }

    /**
     * The first needs room in several accounts and has been granted it in one, again and again, while others had been granted that of
     * another. With more who wait at each of these gates that can go on for ever, with room for one of them in all: so it leaves
     * the gates to the others for a moment.
     */
    private void stepAside(Account lacking) {
        account = lacking;
        long nanos = ASIDE_NANOS * (1 + waiting.peekFirst().sequence() % ASIDE_SPREAD);
        aside = context.loop.schedule(nanos, () -> {
            aside = null;
            if (ticket == null && !over) {
                advance(null);
            }
        });
    }

    private void endIfEmpty() {
        if (waiting.isEmpty() && !over) {
            over = true;
            stopTimer();
            entrance.ended(this, key);
        }
    }

    // ---- the time that publishes may wait

    private void watchLimit(Arrival first) {
        stopTimer();
        if (entrance.isInternal()) {
            return;
        }
        limitNanos = account.limits().holdLimitNanos();
        if (limitNanos != AddressLimits.NONE) {
            long waited = context.loop.nanoTime() - first.sinceNanos();
            limitTimer = context.loop.schedule(Math.max(0, limitNanos - waited), this::tooLong);
        }
    }

    private void stopTimer() {
        if (limitTimer != null) {
            limitTimer.cancel();
            limitTimer = null;
        }
    }

    /**
     * The first has waited as long as it may: it is refused, and those behind it that have waited so long for the same account.
     * One that stands here only to keep its order may go on.
     */
    private void tooLong() {
        limitTimer = null;
        if (ticket == null) {
            return;
        }
        long now = context.loop.nanoTime();
        leaveGate();
        boolean first = true;
        while (!waiting.isEmpty() && now - waiting.peekFirst().sinceNanos() >= limitNanos
                && (first || waiting.peekFirst().messagesIn(account) > 0)) {
            first = false;
            Arrival late = waiting.pollFirst();
            uncover(late.targets());
            unparked(late);
            context.tally.refusedByPolicy++;
            account.refusedByPolicy();
            late.refused(account.heldTooLong());
        }
        if (!over && ticket == null) {
            advance(null);
        }
    }

    // ---- the end

    private void leaveGate() {
        Ticket left = ticket;
        ticket = null;
        if (left != null) {
            context.loop.send(left.account().home(), () -> left.account().gate().leave(left));
        }
    }

    /** Ends the line, and returns what waits in it. */
    List<Arrival> giveUp() {
        over = true;
        leaveGate();
        stopTimer();
        if (aside != null) {
            aside.cancel();
        }
        List<Arrival> all = new ArrayList<>(waiting);
        waiting.clear();
        covered.keySet().forEach(target -> entrance.coversNoMore(this, key, target));
        covered.clear();
        return all;
    }

    /** Begins with what waited in other lines, in its order. */
    void takeOver(List<Arrival> all, Account where) {
        account = where;
        for (Arrival arrival : all) {
            waiting.addLast(arrival);
            cover(arrival);
            parkedBytes += arrival.memoryBytes();
        }
        // One of the others may be in the middle of letting in what comes before these.
        context.loop.atTurnEnd(() -> {
            if (ticket == null && !over) {
                advance(null);
            }
        });
    }

    // ---- for people

    Account account() {
        return account;
    }

    /** What waits, the first first. */
    Iterable<Arrival> waiting() {
        return waiting;
    }

    @Override
    public String connection() {
        return entrance.name();
    }

    @Override
    public String producer() {
        if (producer != null) {
            return producer.description();
        }
        return entrance.isInternal() ? "dead letters of " + key : String.valueOf(key);
    }

    @Override
    public int parkedMessages() {
        return waiting.size();
    }

    @Override
    public long parkedBytes() {
        return parkedBytes;
    }
}
