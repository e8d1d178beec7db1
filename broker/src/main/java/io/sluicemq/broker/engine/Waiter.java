package io.sluicemq.broker.engine;

import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.flow.Account;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.Ticket;
import java.util.concurrent.TimeUnit;

/**
 * Something that waits to be let in. Owned by the loop that it comes from.
 *
 * <p>Invariant: while it stands behind nobody it has one {@link Ticket}, at a gate or on its way back, or steps aside for a
 * moment; else it has none.
 */
@LoopOwned
final class Waiter implements Ticket.Holder {

    private static final int MOST_ROUNDS = 64;
    private static final long ASIDE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** So that those who step aside together come back one after the other. */
    private static final int ASIDE_SPREAD = 7;

    private final Entrance entrance;
    private final LoopContext context;
    private final Lane lane;
    private final Object key;
    private final Arrival arrival;
    private int ahead;
    private Ticket ticket;
    /** Where it waits, or did last; of one that stands behind others, where one of those did when it came. */
    private Account account;
    private Loop.Timer limitTimer;
    /** How often it was granted room that was of no use. */
    private int rounds;
    private Loop.Timer aside;
    private boolean entering;
    private boolean over;

    Waiter(Entrance entrance, Lane lane, Object key, Arrival arrival) {
        this.entrance = entrance;
        this.context = entrance.context();
        this.lane = lane;
        this.key = key;
        this.arrival = arrival;
    }

    Arrival arrival() {
        return arrival;
    }

    Lane lane() {
        return lane;
    }

    Object key() {
        return key;
    }

    Account account() {
        return account;
    }

    void moreAhead() {
        ahead++;
    }

    /** For one of its queues it is the first now; returns whether it is for all. */
    boolean lessAhead() {
        return --ahead == 0;
    }

    /** Whether it stands behind another. */
    boolean isBehind() {
        return ahead > 0;
    }

    void entering(boolean now) {
        entering = now;
    }

    /** Whether it is being let in, or refused, at this moment. */
    boolean isEntering() {
        return entering;
    }

    /** Whether it may be tried to let it in: nobody is ahead of it, and no answer of a gate is on its way. */
    boolean mayTry() {
        return !over && !entering && ahead == 0 && ticket == null;
    }

    // ---- its beginning and its end

    /** Its publisher is told that it waits. */
    void begin(Account where) {
        account = where;
        long bytes = arrival.memoryBytes();
        context.messageHeld(bytes);
        context.tally.parkedMessages += arrival.publishes();
        context.tally.parkedBytes += bytes;
        arrival.waits(where);
        if (arrival.producer() != null) {
            arrival.producer().parked(where.hold(), Math.toIntExact(bytes));
        }
    }

    /** It waits no more. */
    void end() {
        over = true;
        stopTimers();
        leaveGate();
        long bytes = arrival.memoryBytes();
        context.messageLeft(bytes);
        context.tally.parkedMessages -= arrival.publishes();
        context.tally.parkedBytes -= bytes;
        if (arrival.producer() != null) {
            arrival.producer().unparked(Math.toIntExact(bytes));
        }
    }

    private void leaveGate() {
        Ticket left = ticket;
        ticket = null;
        if (left != null) {
            context.loop.send(left.account().home(), () -> left.account().gate().leave(left));
        }
    }

    // ---- at a gate

    /** Goes to the gate of an account that lacks room for it. */
    void waitAt(Account where) {
        account = where;
        long[] wanted = lane.wanted(this, where);
        Ticket next = new Ticket(
                where, this, context.loop, entrance.isInternal(), arrival.bytesIn(where), arrival.messagesIn(where),
                wanted[0], wanted[1], arrival.sinceNanos(), where.limits());
        ticket = next;
        watchLimit();
        context.loop.send(where.home(), () -> where.gate().enter(next));
    }

    @Override
    public void granted(Ticket granted, long bytes, long messages) {
        Account.Pool pool = new Account.Pool(granted.account(), bytes, messages);
        if (granted != ticket) {
            pool.close(context.loop);
            return;
        }
        ticket = null;
        arrival.hadTurn(granted.account());
        entrance.letIn(this, pool);
    }

    @Override
    public void reconsider(Ticket ended) {
        if (ended == ticket) {
            ticket = null;
            entrance.letIn(this, null);
        }
    }

    /** It was granted room in one account, and {@code lacking} has none. */
    void grantedInVain(Account lacking) {
        if (++rounds < MOST_ROUNDS) {
            waitAt(lacking);
        } else {
            rounds = 0;
            stepAside(lacking);
        }
    }

    /**
     * It needs room in several accounts and has been granted it in one, again and again, while others had been granted that of
     * another. With more who wait at each of these gates that can go on for ever, with room for one of them in all: so it leaves
     * the gates to the others for a moment.
     */
    private void stepAside(Account lacking) {
        account = lacking;
        long nanos = ASIDE_NANOS * (1 + arrival.sequence() % ASIDE_SPREAD);
        aside = context.loop.schedule(nanos, () -> {
            aside = null;
            if (mayTry()) {
                entrance.letIn(this, null);
            }
        });
    }

    // ---- the time that it may wait

    private void watchLimit() {
        if (limitTimer != null) {
            limitTimer.cancel();
            limitTimer = null;
        }
        long limitNanos = account.limits().holdLimitNanos();
        if (limitNanos != AddressLimits.NONE && !entrance.isInternal()) {
            long waited = context.loop.nanoTime() - arrival.sinceNanos();
            limitTimer = context.loop.schedule(Math.max(0, limitNanos - waited), this::tooLong);
        }
    }

    private void tooLong() {
        limitTimer = null;
        if (ticket != null) {
            entrance.heldTooLong(this);
        }
    }

    private void stopTimers() {
        if (limitTimer != null) {
            limitTimer.cancel();
        }
        if (aside != null) {
            aside.cancel();
        }
    }

    // ---- for people

    @Override
    public String connection() {
        return entrance.name();
    }

    @Override
    public String producer() {
        if (arrival.producer() != null) {
            return arrival.producer().description();
        }
        return entrance.isInternal() ? "dead letters of " + key : String.valueOf(key);
    }

    @Override
    public boolean waits(Ticket asked) {
        return asked == ticket;
    }

    @Override
    public int parkedMessages() {
        int messages = 0;
        for (Waiter each : lane.waiters()) {
            messages += lane.first(each) == this ? each.arrival.publishes() : 0;
        }
        return messages;
    }

    @Override
    public long parkedBytes() {
        long bytes = 0;
        for (Waiter each : lane.waiters()) {
            bytes += lane.first(each) == this ? each.arrival.memoryBytes() : 0;
        }
        return bytes;
    }
}
