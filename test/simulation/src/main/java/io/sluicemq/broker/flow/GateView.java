package io.sluicemq.broker.flow;

import io.sluicemq.base.Allowance;
import java.util.List;

/**
 * What the simulation must know of an account and its gate to say whether somebody waits there in vain: worked out anew from
 * limits and usage, beside what the gate itself does. Stateless; nothing of it changes anything.
 */
public final class GateView {

    private GateView() {}

    /** The bytes at which whoever comes must wait, or is refused or dropped; {@link Allowance#UNLIMITED} for none. */
    public static long mostBytes(AddressLimits limits) {
        return switch (limits.policy()) {
            case BLOCK, DROP, FAIL, RING -> limit(limits.maxBytes());
            case PAGE -> limit(limits.pageLimitBytes());
        };
    }

    /** The messages, likewise. */
    public static long mostMessages(AddressLimits limits) {
        return limits.policy() == FullPolicy.PAGE ? Allowance.UNLIMITED : limit(limits.maxMessages());
    }

    private static long limit(long configured) {
        return configured == AddressLimits.NONE ? Allowance.UNLIMITED : configured;
    }

    /** Whether a ticket is the broker's own. */
    public static boolean isInternal(Ticket ticket) {
        return ticket.internal();
    }

    /**
     * Why the first of those who wait is to wait, in words; null if it waits in vain.
     *
     * @param tickets those who wait in the account's gate, the first first
     * @param drained whether consumers have nothing to take that would make room
     */
    public static String reason(Account account, List<Ticket> tickets, boolean drained) {
        Ticket first = tickets.getFirst();
        AddressLimits limits = account.limits();
        if (limits.policy() == FullPolicy.RING) {
            return null;
        }
        long bytes = mostBytes(limits);
        long messages = mostMessages(limits);
        if (isTooMuch(account.usedBytes(), first.firstBytes(), bytes)
                || isTooMuch(account.usedMessages(), first.firstMessages(), messages)) {
            return "it does not fit";
        }
        boolean belowMark = isBelowMark(account.usedBytes(), bytes, limits.lowWaterPercent())
                && isBelowMark(account.usedMessages(), messages, limits.lowWaterPercent());
        return first.internal() || belowMark || drained ? null : "it is above its low-water mark";
    }

    private static boolean isTooMuch(long used, long more, long limit) {
        return limit != Allowance.UNLIMITED && used + more > limit;
    }

    private static boolean isBelowMark(long used, long limit, int percent) {
        return limit == Allowance.UNLIMITED || used * 100 <= limit * percent - 100;
    }
}
