package io.sluicemq.broker.flow;

import io.sluicemq.base.Allowance;
import io.sluicemq.base.LogEvent;
import io.sluicemq.base.LogLimit;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Those who wait for room in an account: served in the order in which they came, the broker's own moves before producers. Who is
 * served gets as much as it asks for, up to a fair part of what is free, and at least what it needs for one message.
 *
 * <p>When the account was full, nobody is served before it has fallen to its low-water mark, so that batches of messages go in
 * and out rather than one for one; but if consumers have nothing to take, waiting for them would be in vain, and whoever fits
 * is served.
 *
 * <p>Owned by the account's home. Invariant: while somebody waits, the first does not fit, or the account is above its low-water
 * mark and its consumers have messages; or a look at it is planned for the end of this turn.
 */
@LoopOwned
public final class Gate {

    private static final Logger LOG = LoggerFactory.getLogger(Gate.class);
    private static final long LOG_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Account account;
    private final Allowance room;
    private final Loop home;
    private final Set<Ticket> internal = new LinkedHashSet<>();
    private final Set<Ticket> producers = new LinkedHashSet<>();
    private final Runnable serve = this::serve;
    private final LogLimit lines = new LogLimit(LOG_NANOS);
    private boolean planned;
    private boolean serving;
    /** Whether the log has told that somebody waits, and since when. */
    private boolean told;

    private long sinceNanos;
    private boolean lookPlanned;
    /** Whether it was full and has not come to its low-water mark yet. */
    private boolean refilling;
    private BooleanSupplier drained = () -> true;
    private LongPredicate makesRoom = bytes -> false;
    private Runnable recalls = () -> {};
    private Consumer<Ticket> tells = ticket -> {};

    Gate(Account account, Allowance room, Loop home) {
        this.account = account;
        this.room = room;
        this.home = home;
    }

    /** @param condition whether those who could make room have nothing to take */
    public void drainedWhen(BooleanSupplier condition) {
        drained = condition;
    }

    /**
     * @param action asked, when a move of the broker's own does not fit, to have messages that are on their way out count no
     *     more: so that moves in a circle can't wait for each other; returns whether it has made room
     */
    public void makesRoom(LongPredicate action) {
        makesRoom = action;
    }

    /**
     * @param action has all credit lines that hold room here look whether they are to give back: run once when somebody begins to
     *     wait, and when the limits change; who is granted credit while others wait looks by itself
     */
    public void recallsBy(Runnable action) {
        recalls = action;
    }

    /** @param action told of a producer that waits, whenever the log is */
    public void tellsBy(Consumer<Ticket> action) {
        tells = action;
    }

    void recall() {
        recalls.run();
    }

    /** Somebody waits from now on, unless it can be served at once, or comes because of limits that hold no more. */
    public void enter(Ticket ticket) {
        home.assertCurrent();
        if (ticket.limits() != account.limits() || !waits(ticket)) {
            reconsider(ticket);
            return;
        }
        boolean first = isEmpty();
        (ticket.internal() ? internal : producers).add(ticket);
        room.waited(true);
        if (first) {
            refilling = true;
        }
        serve();
        if (first && !isEmpty()) {
            log(ticket);
            if (room.holders() > 0) {
                recall();
            }
        }
    }

    /** Somebody waits no more; no effect if it was served meanwhile. */
    public void leave(Ticket ticket) {
        home.assertCurrent();
        if (internal.remove(ticket) || producers.remove(ticket)) {
            if (isEmpty()) {
                ended();
            } else {
                plan(); // not at once: who leaves may be about to have others leave that would be served
            }
        }
    }

    public boolean isEmpty() {
        return internal.isEmpty() && producers.isEmpty();
    }

    /** Those who wait, the first first. */
    public List<Ticket> tickets() {
        home.assertCurrent();
        List<Ticket> all = new ArrayList<>(internal);
        all.addAll(producers);
        return all;
    }

    /** There may be room: whoever fits is served at the end of this turn. */
    public void plan() {
        if (isEmpty()) {
            // The last one was just served, and may come back in a moment: what is given back then must be told again.
            room.waking();
        } else if (!planned) {
            planned = true;
            home.atTurnEnd(serve);
        }
    }

    /** What the account does with publishes has changed: all ask anew, in their order. */
    void reconsider() {
        List<Ticket> all = tickets();
        internal.clear();
        producers.clear();
        ended();
        all.forEach(this::reconsider);
    }

    private void reconsider(Ticket ticket) {
        home.send(ticket.loop(), () -> ticket.holder().reconsider(ticket));
    }

    /** Whether it may wait here: by the policy, and since there can be room for it. */
    private boolean waits(Ticket ticket) {
        return switch (account.limits().policy()) {
            case FAIL, DROP -> false;
            case BLOCK, PAGE, RING -> account.everFits(ticket.firstBytes(), ticket.firstMessages());
        };
    }

    private void ended() {
        if (told) {
            told = false;
            LogEvent.ADDRESS_FREE.log(LOG, "nobody waits for room in {} '{}' any more, after {} ms",
                    account.kind().word(),
                    account.name(),
                    TimeUnit.NANOSECONDS.toMillis(home.nanoTime() - sinceNanos));
        }
        room.waited(false);
        refilling = false;
    }

    private void serve() {
        planned = false;
        if (serving) {
            return; // somebody who was just served, on this loop, has asked for more: the loop below goes on
        }
        serving = true;
        try {
            serveAll();
        } finally {
            serving = false;
        }
    }

    private void serveAll() {
        while (!isEmpty()) {
            // Each time: somebody just served on this loop may have given something back and wait again.
            room.waking();
            Set<Ticket> line = internal.isEmpty() ? producers : internal;
            Ticket next = line.iterator().next();
            if (refilling && !next.internal() && isAboveLowWater() && !drained.getAsBoolean()) {
                return;
            }
            if (!room.tryTakeNext(next.firstBytes(), next.firstMessages())) {
                if (next.internal() && makesRoom.test(next.firstBytes())) {
                    continue;
                }
                refilling = true;
                return;
            }
            refilling = false;
            long bytes = next.firstBytes();
            long messages = next.firstMessages();
            int waiting = internal.size() + producers.size();
            long moreBytes = fairShare(room.maxBytes(), room.usedBytes(), next.bytes() - bytes, waiting);
            long moreMessages = fairShare(room.maxMessages(), room.usedMessages(), next.messages() - messages, waiting);
            if (moreBytes > 0 && moreMessages > 0 && room.tryTakeNext(moreBytes, moreMessages)) {
                bytes += moreBytes;
                messages += moreMessages;
            }
            line.remove(next);
            grant(next, bytes, messages);
        }
        ended();
    }

    private void grant(Ticket ticket, long bytes, long messages) {
        home.send(ticket.loop(), () -> ticket.holder().granted(ticket, bytes, messages));
    }

    private static long fairShare(long limit, long used, long wanted, int waiting) {
        return limit == Allowance.UNLIMITED ? wanted : Math.min(wanted, (limit - used) / waiting);
    }

    private boolean isAboveLowWater() {
        int percent = account.limits().lowWaterPercent();
        return isAbove(room.usedBytes(), room.maxBytes(), percent)
                || isAbove(room.usedMessages(), room.maxMessages(), percent);
    }

    private static boolean isAbove(long used, long limit, int percent) {
        return limit != Allowance.UNLIMITED && used > (long) (limit * (percent / 100.0));
    }

    private void log(Ticket ticket) {
        long times = lines.take(home.nanoTime());
        if (times == 0) {
            // It would not be told at all if it lasts.
            if (!lookPlanned) {
                lookPlanned = true;
                home.schedule(LOG_NANOS, () -> {
                    lookPlanned = false;
                    if (!isEmpty() && !told) {
                        log(tickets().getFirst());
                    }
                });
            }
        } else {
            told = true;
            sinceNanos = ticket.sinceNanos();
            tells.accept(ticket);
            LogEvent.ADDRESS_FULL.log(LOG,
                    "{}, {} waits for room in {} '{}'{}: {}, {} bytes and {} messages are used{}",
                    ticket.holder().connection(),
                    ticket.holder().producer(),
                    account.kind().word(),
                    account.name(),
                    account.kind() == Account.Kind.VIRTUAL_HOST
                            ? ""
                            : " of virtual host '" + account.virtualHost() + "'",
                    account.waitsFor(),
                    room.usedBytes(),
                    room.usedMessages(),
                    times == 1 ? "" : " (so it was " + (times - 1) + " more times since the last such line)");
        }
    }
}
