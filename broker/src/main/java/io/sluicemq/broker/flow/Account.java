package io.sluicemq.broker.flow;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Hold;
import io.sluicemq.base.Allowance;
import io.sluicemq.base.Count;
import io.sluicemq.base.Loop;
import io.sluicemq.base.Published;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * How many bytes and messages something holds, and what its limits are: a queue, an exchange whose messages are counted
 * together, or a virtual host. What comes in is reserved before, by any loop; what leaves is given back, and whoever waits in the
 * {@link Gate} is woken by that.
 *
 * <p>Any loop may reserve, release and ask; limits are changed by its home, which also owns the gate. Invariant: stored and
 * reserved together never exceed a limit, unless it was lowered below what was there.
 */
public final class Account {

    /** What it is the account of. */
    public enum Kind {
        QUEUE("queue"),
        EXCHANGE("exchange"),
        VIRTUAL_HOST("virtual host");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        public String word() {
            return word;
        }
    }

    /** What was granted to somebody who waited, and is not used yet. Owned by the loop of whom it was granted to. */
    public static final class Pool {
        private final Account account;
        private long bytes;
        private long messages;

        public Pool(Account account, long bytes, long messages) {
            this.account = account;
            this.bytes = bytes;
            this.messages = messages;
        }

        /** Whether it is of that account. */
        public boolean isOf(Account other) {
            return account == other;
        }

        /** For how many times so much it has room. */
        public long times(long bytesEach, long messagesEach) {
            return Math.min(bytesEach == 0 ? Long.MAX_VALUE : bytes / bytesEach, messages / messagesEach);
        }

        boolean take(long neededBytes, long neededMessages) {
            if (bytes < neededBytes || messages < neededMessages) {
                return false;
            }
            bytes -= neededBytes;
            messages -= neededMessages;
            return true;
        }

        private void put(long unusedBytes, long unusedMessages) {
            bytes += unusedBytes;
            messages += unusedMessages;
        }

        /** Gives back what was not used. */
        public void close(Loop here) {
            if (bytes > 0 || messages > 0) {
                account.give(here, bytes, messages);
                bytes = 0;
                messages = 0;
            }
        }
    }

    /**
     * The limits that hold in the long run.
     *
     * @param heldFor what producers wait for while the limits are others, in words; null if they are these
     */
    private record Lasting(AddressLimits limits, String heldFor) {}

    private final Kind kind;
    private final String name;
    private final String virtualHost;
    private final Account parent;
    private final Loop home;
    private final Allowance room;
    private final Published<AddressLimits> limits;
    private final Published<Lasting> lasting;
    private final Gate gate;
    private final Count dropped = new Count();
    private final Count refused = new Count();

    /**
     * @param parent what it is a part of and has limits, too; null if there is no such thing
     * @param home the loop that owns its gate; of a queue's account the queue's
     */
    public Account(Kind kind, String name, String virtualHost, Account parent, Loop home, AddressLimits limits) {
        this.kind = kind;
        this.name = name;
        this.virtualHost = virtualHost;
        this.parent = parent;
        this.home = home;
        this.room = new Allowance(kind != Kind.QUEUE || parent != null);
        this.limits = new Published<>(limits);
        this.lasting = new Published<>(new Lasting(limits, null));
        this.gate = new Gate(this, room, home);
        apply(limits);
    }

    // ---- facts

    /** What it is a part of and has limits, too; null if there is no such thing. */
    public Account parent() {
        return parent;
    }

    public Kind kind() {
        return kind;
    }

    public String name() {
        return name;
    }

    public String virtualHost() {
        return virtualHost;
    }

    public Loop home() {
        return home;
    }

    public AddressLimits limits() {
        return limits.get();
    }

    /** Those who wait; owned by the home. */
    public Gate gate() {
        return gate;
    }

    /** Whether somebody waits for room. */
    public boolean isWaited() {
        return room.isWaited();
    }

    public long usedBytes() {
        return room.usedBytes();
    }

    public long usedMessages() {
        return room.usedMessages();
    }

    /** The most bytes that it has held since it has a limit. */
    public long highestBytes() {
        return room.highestBytes();
    }

    // ---- limits

    /** Changes the limits, with effect on whoever waits; on its home. */
    public void limits(AddressLimits next) {
        change(next, new Lasting(next, null));
    }

    /**
     * As {@link #limits(AddressLimits)}, where these hold for a while only.
     *
     * @param inTheLongRun what does not fit into these can never come, and all else may wait
     * @param heldFor what producers wait for until then: a noun, as it stands behind "waits for"
     */
    public void limits(AddressLimits next, AddressLimits inTheLongRun, String heldFor) {
        change(next, new Lasting(inTheLongRun, heldFor));
    }

    /** The limits that hold in the long run. */
    public AddressLimits lastingLimits() {
        return lasting.get().limits;
    }

    private void change(AddressLimits next, Lasting inTheLongRun) {
        home.assertCurrent();
        Lasting before = lasting.get();
        if (inTheLongRun.equals(before) && next.equals(limits.get())) {
            return;
        }
        lasting.publish(inTheLongRun); // first: who finds no room by the others asks for these
        if (next.equals(limits.get()) && inTheLongRun.limits.equals(before.limits)) {
            return; // in other words alone
        }
        limits.publish(next);
        apply(next);
        if (!gate.isEmpty()) {
            // All of them, as the policy or the time that they may wait may be another.
            gate.reconsider();
        }
        if (room.holders() > 0) {
            gate.recall();
        }
    }

    private void apply(AddressLimits next) {
        room.limits(mostBytes(next), mostMessages(next));
    }

    private static long mostBytes(AddressLimits limits) {
        return switch (limits.policy()) {
            case BLOCK, FAIL, DROP -> limit(limits.maxBytes());
            case PAGE -> limit(limits.pageLimitBytes());
            case RING -> Allowance.UNLIMITED; // the queue makes room itself
        };
    }

    private static long mostMessages(AddressLimits limits) {
        return switch (limits.policy()) {
            case BLOCK, FAIL, DROP -> limit(limits.maxMessages());
            case PAGE, RING -> Allowance.UNLIMITED;
        };
    }

    private static long limit(long configured) {
        return configured == AddressLimits.NONE ? Allowance.UNLIMITED : configured;
    }

    /** Whether it holds more than its limits, which were lowered. */
    public boolean isExceeded() {
        return room.usedBytes() > room.maxBytes() || room.usedMessages() > room.maxMessages();
    }

    /** Whether whatever comes must be reserved before. */
    public boolean isLimited() {
        return room.isLimited() || parent != null;
    }

    // ---- what comes

    /**
     * Reserves room here and in what it is a part of, or nothing.
     *
     * @param pool what was granted to who asks; null for nothing
     * @param turns at whose gates it has had its turn before, so that it need not stand behind others there once more
     * @return null if it was reserved, or the account that lacks room
     */
    public Account reserve(Loop here, long bytes, long messages, Pool pool, Set<Account> turns) {
        if (!take(here, bytes, messages, pool, turns)) {
            return this;
        }
        if (parent != null && !parent.take(here, bytes, messages, pool, turns)) {
            giveBack(here, bytes, messages, pool);
            return parent;
        }
        return null;
    }

    /** Gives back what was reserved with the help of that pool. */
    public void unreserve(Loop here, long bytes, long messages, Pool pool) {
        giveBack(here, bytes, messages, pool);
        if (parent != null) {
            parent.giveBack(here, bytes, messages, pool);
        }
    }

    private boolean take(Loop here, long bytes, long messages, Pool pool, Set<Account> turns) {
        if (pool != null && pool.account == this) {
            return pool.take(bytes, messages);
        }
        Allowance.Attempt attempt =
                turns.contains(this) ? room.tryTakeAhead(bytes, messages) : room.tryTake(bytes, messages);
        if (attempt == Allowance.Attempt.REFUSED_TELL) {
            here.send(home, gate::plan);
        }
        return attempt == Allowance.Attempt.TAKEN;
    }

    private void giveBack(Loop here, long bytes, long messages, Pool pool) {
        if (pool != null && pool.account == this) {
            pool.put(bytes, messages);
        } else {
            give(here, bytes, messages);
        }
    }

    /** Counts what has come without being reserved; on its home. */
    public void stored(long bytes, long messages) {
        room.take(bytes, messages);
        if (parent != null) {
            parent.room.take(bytes, messages);
        }
    }

    /** Whether a message of that size can come when there is nothing else. */
    public boolean everFits(long bytes, long messages) {
        AddressLimits all = lastingLimits();
        return bytes <= mostBytes(all) && messages <= mostMessages(all);
    }

    // ---- what is reserved for messages that may never come

    /**
     * One more credit line holds room here, or one fewer; from any loop. To be said before it reserves: then it is either
     * refused since somebody waits, or asked to give back.
     */
    public void creditLines(int difference) {
        room.holders(difference);
    }

    /** How many credit lines hold room here. */
    public int creditLines() {
        return room.holders();
    }

    /** How many times so much is the fair part of what is free, if there is one for each credit line. */
    public long fairPartOfFree(long bytesEach, long messagesEach) {
        return fairPart(room.usedBytes(), room.usedMessages(), room.holders(), bytesEach, messagesEach);
    }

    /** How many times so much is the fair part of all there is, if there is one for each credit line and one for who waits. */
    public long fairPartOfAll(long bytesEach, long messagesEach) {
        return fairPart(0, 0, room.holders() + 1, bytesEach, messagesEach);
    }

    private long fairPart(long usedBytes, long usedMessages, int parts, long bytesEach, long messagesEach) {
        return Math.min(
                times(room.maxBytes(), usedBytes, parts, bytesEach),
                times(room.maxMessages(), usedMessages, parts, messagesEach));
    }

    private static long times(long limit, long used, int parts, long each) {
        return limit == Allowance.UNLIMITED || each == 0
                ? Long.MAX_VALUE
                : Math.max(0, limit - used) / Math.max(1, parts) / each;
    }

    // ---- what leaves

    /** What was stored or reserved is so no more. */
    public void left(Loop here, long bytes, long messages) {
        give(here, bytes, messages);
        if (parent != null) {
            parent.give(here, bytes, messages);
        }
    }

    private void give(Loop here, long bytes, long messages) {
        if (room.give(bytes, messages)) {
            here.send(home, gate::plan);
        }
    }

    /** It ends: whoever waits goes on. On its home. */
    public void end() {
        limits(AddressLimits.UNLIMITED);
    }

    // ---- ring

    /** Whether the queue must make room for so much by dropping messages. */
    public boolean overflowsWith(long bytes, long messages) {
        AddressLimits now = limits.get();
        return now.policy() == FullPolicy.RING
                && (now.maxBytes() != AddressLimits.NONE && room.usedBytes() + bytes > now.maxBytes()
                        || now.maxMessages() != AddressLimits.NONE
                                && room.usedMessages() + messages > now.maxMessages());
    }

    // ---- what its policy has done

    /** A message was dropped; counted by any loop. */
    public void droppedByPolicy() {
        dropped.add(1);
    }

    /** A message was refused; counted by any loop. */
    public void refusedByPolicy() {
        refused.add(1);
    }

    public long droppedMessages() {
        return dropped.sum();
    }

    public long refusedMessages() {
        return refused.sum();
    }

    // ---- words

    /** What those who wait wait for, in words: a limit, {@code max-messages 20}, or what producers are held for. */
    public String waitsFor() {
        String heldFor = heldFor();
        return heldFor != null ? heldFor : inWords(limits.get());
    }

    /** What producers are held for, unless one of the lasting limits is reached as well; null for nothing. */
    private String heldFor() {
        Lasting now = lasting.get();
        boolean full = room.usedBytes() >= mostBytes(now.limits) || room.usedMessages() >= mostMessages(now.limits);
        return full ? null : now.heldFor;
    }

    /** Why there is no room, in words. */
    private String reason() {
        String heldFor = heldFor();
        return heldFor != null ? "producers are held for " + heldFor : inWords(limits.get()) + " is reached";
    }

    private String inWords(AddressLimits now) {
        String whose = kind == Kind.VIRTUAL_HOST ? "virtual-host-limits " : "";
        if (now.policy() == FullPolicy.PAGE && now.pageLimitBytes() != AddressLimits.NONE) {
            return "page-limit-bytes " + now.pageLimitBytes();
        }
        boolean byMessages = now.maxMessages() != AddressLimits.NONE
                && (now.maxBytes() == AddressLimits.NONE || room.usedMessages() >= now.maxMessages());
        return whose + (byMessages ? "max-messages " + now.maxMessages() : "max-size-bytes " + now.maxBytes());
    }

    /** What a producer that waits is told. */
    public Hold hold() {
        return new Hold(name, virtualHost, waitsFor(), limits.get().closesChannel());
    }

    /** Why a message is refused that found no room. */
    public BrokerError full() {
        return new BrokerError.AddressFull(name, virtualHost, reason());
    }

    /** Why a message is refused that has waited too long. */
    public BrokerError heldTooLong() {
        return new BrokerError.AddressFull(
                name, virtualHost, reason() + ", and there was no room within the hold-limit of "
                        + limits.get().holdLimitNanos() / 1_000_000 + " ms");
    }

    /** Why messages are refused for which nobody waits any longer, who has waited so long. */
    public BrokerError noRoomWithin(long nanos) {
        String heldFor = heldFor();
        return new BrokerError.AddressFull(
                name, virtualHost,
                (heldFor != null ? "producers are held for " + heldFor : howFull())
                        + ", and there was no room within " + nanos / 1_000_000 + " ms");
    }

    /** What it holds of each of its limits. */
    private String howFull() {
        AddressLimits now = lastingLimits();
        String whose = kind == Kind.VIRTUAL_HOST ? "virtual-host-limits " : "";
        List<String> parts = new ArrayList<>();
        if (now.maxMessages() != AddressLimits.NONE) {
            parts.add(room.usedMessages() + " of " + now.maxMessages() + " messages (" + whose + "max-messages)");
        }
        if (now.policy() == FullPolicy.PAGE && now.pageLimitBytes() != AddressLimits.NONE) {
            parts.add(room.usedBytes() + " of " + now.pageLimitBytes() + " bytes (page-limit-bytes)");
        } else if (now.maxBytes() != AddressLimits.NONE) {
            parts.add(room.usedBytes() + " of " + now.maxBytes() + " bytes (" + whose + "max-size-bytes)");
        }
        return kind.word() + " '" + name + "' holds " + String.join(" and ", parts)
                + (kind == Kind.VIRTUAL_HOST ? "" : ", policy " + now.policy().name().toLowerCase(Locale.ROOT));
    }

    /** Why messages are refused for which there can never be room. */
    public BrokerError tooLarge(long bytes, long messages) {
        return new BrokerError.AddressFull(
                name, virtualHost, "it may hold " + inWords(lastingLimits()) + ", and this takes " + bytes + " bytes"
                        + (messages == 1 ? "" : " in " + messages + " messages"));
    }

    @Override
    public String toString() {
        return kind.word() + " '" + name + "' in vhost '" + virtualHost + "'";
    }
}
