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

/**
 * What waits of one producer, in its order: the first waits at the gate of an account, the others behind it since they share
 * queues. Owned by the loop of the producer.
 *
 * <p>Invariant: while something waits there is exactly one {@link Ticket} for it, at a gate or on its way back; the line ends
 * with the last of what waits.
 */
@LoopOwned
final class Line implements Ticket.Holder {

    /** How many of those who wait ask for room together. */
    private static final int MOST_AT_ONCE = 256;

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
    private boolean over;

    Line(Entrance entrance, Object key, Producer producer) {
        this.entrance = entrance;
        this.context = entrance.context();
        this.key = key;
        this.producer = producer;
    }

    /** Whether something to one of these queues waits here. */
    boolean covers(QueueProxy[] targets) {
        for (QueueProxy target : targets) {
            if (covered.containsKey(target)) {
                return true;
            }
        }
        return false;
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
            covered.merge(target, 1, Integer::sum);
        }
    }

    private void uncover(QueueProxy[] targets) {
        for (QueueProxy target : targets) {
            covered.computeIfPresent(target, (queue, count) -> count == 1 ? null : count - 1);
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
        if (lacking != null && !over) {
            wait(lacking, waiting.peekFirst());
        } else {
            endIfEmpty();
        }
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
        List<Arrival> all = new ArrayList<>(waiting);
        waiting.clear();
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
