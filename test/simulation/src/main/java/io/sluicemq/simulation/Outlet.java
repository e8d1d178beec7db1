package io.sluicemq.simulation;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Producer;
import io.sluicemq.testkit.ManualLoop;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * What one client publishes from, as a channel would: knows which of its publishes wait for room in their addresses. Lives on its
 * client's loop.
 */
final class Outlet extends Producer {

    private final String name;
    private final Statistics statistics;
    private final boolean mayBeRefused;
    /** Its publishes that the broker has parked and that it was not answered for, in their order. */
    private final Set<Sent> parked = new LinkedHashSet<>();
    private boolean held;
    private long refusedUnconfirmed;
    private int seenParked;

    Outlet(ManualLoop loop, String name, Statistics statistics, boolean mayBeRefused) {
        super(loop);
        this.name = name;
        this.statistics = statistics;
        this.mayBeRefused = mayBeRefused;
    }

    /** Whether it was asked to pause by a queue whose consumers are a little behind. */
    boolean isHeld() {
        return held;
    }

    /** A publish of it was parked. */
    void waits(Sent sent) {
        parked.add(sent);
    }

    /** A publish was answered. */
    void answered(Sent sent) {
        parked.remove(sent);
    }

    /** Those that wait, and unconfirmed ones that may. */
    Set<Sent> parked() {
        return parked;
    }

    /** How many of its publishes without a confirm were refused. */
    long refusedUnconfirmed() {
        return refusedUnconfirmed;
    }

    @Override
    protected void paced(boolean hold) {
        held = hold;
    }

    @Override
    public String description() {
        return name;
    }

    @Override
    protected void parkedChanged() {
        Broken.unless(loop().isCurrent(), "%s was told on another loop what waits", name);
        Broken.unless(parkedMessages() >= 0 && parkedBytes() >= 0, "%s has %d parked messages of %d bytes", name,
                parkedMessages(), parkedBytes());
        Broken.unless(parkedMessages() > 0 == (latestHold() != null), "%s has %d parked messages, and %s", name,
                parkedMessages(), latestHold());
        if (parkedMessages() > seenParked) {
            statistics.waits();
        } else {
            statistics.unparked();
        }
        seenParked = parkedMessages();
        if (seenParked == 0) {
            parked.removeIf(sent -> !sent.confirmed);
        }
    }

    @Override
    public void refused(BrokerError error) {
        Broken.unless(mayBeRefused && error instanceof BrokerError.AddressFull, "a publish was refused: %s", error);
        Broken.unless(loop().isCurrent(), "%s was told on another loop of a refusal", name);
        refusedUnconfirmed++;
        statistics.refused();
    }

    @Override
    public String toString() {
        return name;
    }
}
