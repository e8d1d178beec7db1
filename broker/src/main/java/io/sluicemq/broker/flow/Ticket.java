package io.sluicemq.broker.flow;

import io.sluicemq.base.Loop;

/**
 * A place in a {@link Gate}: what somebody waits for. Immutable; its identity is the place.
 */
public final class Ticket {

    /** Who waits. Called on its own loop. */
    public interface Holder {

        /** So much was reserved for the ticket, which is used up; what the holder does not use it must give back. */
        void granted(Ticket ticket, long bytes, long messages);

        /** What the account does with publishes has changed: the ticket is void, and the holder is to ask anew. */
        void reconsider(Ticket ticket);

        /** What it is, for people; facts that do not change. */
        String connection();

        /** What it is within its connection, for people; facts that do not change. */
        String producer();

        /** Whether it still waits by that ticket; on its loop. */
        boolean waits(Ticket ticket);

        /** How many publishes wait there, and how many bytes; on its loop. */
        int parkedMessages();

        long parkedBytes();
    }

    private final Account account;
    private final Holder holder;
    private final Loop loop;
    private final boolean internal;
    private final long firstBytes;
    private final long firstMessages;
    private final long bytes;
    private final long messages;
    private final long sinceNanos;
    private final AddressLimits limits;

    /**
     * @param loop the holder's
     * @param internal whether it is the broker's own, such as a dead letter, which comes before producers
     * @param firstBytes what is needed at least
     * @param bytes what would be taken at most
     * @param sinceNanos since when the first of it waits
     * @param limits the account's, as the holder knows them
     */
    public Ticket(
            Account account,
            Holder holder,
            Loop loop,
            boolean internal,
            long firstBytes,
            long firstMessages,
            long bytes,
            long messages,
            long sinceNanos,
            AddressLimits limits) {
        this.account = account;
        this.holder = holder;
        this.loop = loop;
        this.internal = internal;
        this.firstBytes = firstBytes;
        this.firstMessages = firstMessages;
        this.bytes = bytes;
        this.messages = messages;
        this.sinceNanos = sinceNanos;
        this.limits = limits;
    }

    public Account account() {
        return account;
    }

    public Holder holder() {
        return holder;
    }

    public Loop loop() {
        return loop;
    }

    public long sinceNanos() {
        return sinceNanos;
    }

    AddressLimits limits() {
        return limits;
    }

    boolean internal() {
        return internal;
    }

    /** Bytes that it needs at least. */
    public long firstBytes() {
        return firstBytes;
    }

    /** Messages that it needs room for at least. */
    public long firstMessages() {
        return firstMessages;
    }

    long bytes() {
        return bytes;
    }

    long messages() {
        return messages;
    }
}
