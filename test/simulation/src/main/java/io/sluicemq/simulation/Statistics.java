package io.sluicemq.simulation;

/** How often runs have met the limits of addresses, so that one can see that they do. */
final class Statistics {

    private long runs;
    private long limitChanges;
    private long waited;
    private long granted;
    private long refused;
    private long dropped;
    private long vanished;
    private long letters;
    private long aside;
    private long idleLooks;
    private long creditWaited;
    private long creditHeld;
    private long cuts;
    private long heldFor;

    void limitsChanged(long times) {
        limitChanges += times;
    }

    /** A publish has begun to wait for room. */
    void waits() {
        waited++;
    }

    /** A publish waits no more: it was let in, refused or dropped. */
    void unparked() {
        granted++;
    }

    void refused() {
        refused++;
    }

    void dropped(long messages) {
        dropped += messages;
    }

    /** A client has gone while publishes of it waited. */
    void vanished(long publishes) {
        vanished += publishes;
    }

    /** Dead letters were seen that wait. */
    void lettersWait() {
        letters++;
    }

    /** So many were seen that had left the gates to others for a moment. */
    void stoodAside(long times) {
        aside += times;
    }

    /** A link was seen that waits for credit. */
    void creditWaits() {
        creditWaited++;
    }

    /** Credit was seen for so many messages. */
    void creditHeld(long messages) {
        creditHeld += messages;
    }

    /** All accounts and gates were compared with what is in the queues. */
    void compared() {
        idleLooks++;
    }

    /** A consumer was cut that was too slow. */
    void cut() {
        cuts++;
    }

    /** A queue was seen whose producers are held for a consumer that is too slow. */
    void heldForAConsumer() {
        heldFor++;
    }

    void ran() {
        runs++;
    }

    void add(Statistics other) {
        runs += other.runs;
        limitChanges += other.limitChanges;
        waited += other.waited;
        granted += other.granted;
        refused += other.refused;
        cuts += other.cuts;
        heldFor += other.heldFor;
        dropped += other.dropped;
        vanished += other.vanished;
        letters += other.letters;
        aside += other.aside;
        idleLooks += other.idleLooks;
        creditWaited += other.creditWaited;
        creditHeld += other.creditHeld;
    }

    @Override
    public String toString() {
        return "limits: " + limitChanges + " changes, " + waited + " publishes waited, and " + granted
                + " of them were granted room or refused; " + refused + " refused, " + dropped + " messages dropped, "
                + vanished
                + " publishes gone with their client, " + letters + " looks at dead letters that waited, " + aside
                + " at somebody who stood aside, " + creditWaited + " at links without credit, " + creditHeld
                + " at messages with it, " + idleLooks
                + " comparisons of all accounts; " + cuts + " slow consumers cut, "
                + heldFor + " looks at queues whose producers were held for one";
    }

    long looksAtLinksWithoutCredit() {
        return creditWaited;
    }

    long looksAtCredit() {
        return creditHeld;
    }

    long consumersCut() {
        return cuts;
    }

    long looksAtQueuesHeldForAConsumer() {
        return heldFor;
    }

    long waitedPublishes() {
        return waited;
    }

    long refusedPublishes() {
        return refused;
    }

    long droppedMessages() {
        return dropped;
    }

    long changesOfLimits() {
        return limitChanges;
    }
}
