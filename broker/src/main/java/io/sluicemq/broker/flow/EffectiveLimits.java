package io.sluicemq.broker.flow;

import io.sluicemq.base.LoopOwned;

/**
 * The limits that hold for a queue: those of its address, as the rule about its consumers makes them. With the policy cycle it is a
 * ring; while producers are held for a slow consumer it blocks. Owned by the queue's loop.
 *
 * <p>Invariant: what the account has is what follows of the three.
 */
@LoopOwned
public final class EffectiveLimits {

    private final Account account;
    private AddressLimits own;
    private ConsumerRule rule;
    /** The most messages while producers are held. */
    private long heldAt = ConsumerRule.NONE;
    /** What for, in words. */
    private String heldFor;

    public EffectiveLimits(Account account) {
        this.account = account;
        this.own = account.limits();
    }

    /** Those of its address. */
    public AddressLimits own() {
        return own;
    }

    /** Its address has others. */
    public void own(AddressLimits limits) {
        own = limits;
        apply();
    }

    /** Another rule holds for its consumers; null for none. Nobody is held any more. */
    public void rule(ConsumerRule next) {
        rule = next;
        heldAt = ConsumerRule.NONE;
        apply();
    }

    /**
     * Holds producers beyond the rule's thresholds of size, and beyond so many messages.
     *
     * @param what for, as {@link Account#limits(AddressLimits, AddressLimits, String)} wants it
     */
    public void hold(long maxMessages, String what) {
        heldAt = maxMessages;
        heldFor = what;
        apply();
    }

    /** What producers are held for is something else by now. */
    public void heldFor(String what) {
        if (isHolding()) {
            heldFor = what;
            apply();
        }
    }

    public boolean isHolding() {
        return heldAt != ConsumerRule.NONE;
    }

    public void letGo() {
        if (isHolding()) {
            heldAt = ConsumerRule.NONE;
            apply();
        }
    }

    private void apply() {
        AddressLimits now = limits();
        if (isHolding()) {
            // Whoever fits into its own limits only waits until producers are let go.
            account.limits(now, own, heldFor);
        } else {
            account.limits(now);
        }
    }

    private AddressLimits limits() {
        if (rule != null && rule.cycles()) {
            return rule.ring(own);
        }
        if (!isHolding()) {
            return own;
        }
        boolean blocks = own.policy() == FullPolicy.BLOCK;
        long ownBytes = blocks ? own.maxBytes() : own.pageLimitBytes();
        long ownMessages = blocks ? own.maxMessages() : AddressLimits.NONE;
        return new AddressLimits(
                ConsumerRule.lower(rule.maxBytes(), ownBytes),
                ConsumerRule.lower(heldAt, ConsumerRule.lower(rule.maxMessages(), ownMessages)),
                FullPolicy.BLOCK, own.lowWaterPercent(), AddressLimits.NONE, own.holdLimitNanos(),
                own.closesChannel());
    }
}
