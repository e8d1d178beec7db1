package io.sluicemq.simulation;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Producer;
import io.sluicemq.broker.engine.EngineView.Waiting;
import io.sluicemq.broker.flow.Ticket;
import io.sluicemq.testkit.ManualLoop;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
    private final Map<Sent, Ticket.Holder> parked = new LinkedHashMap<>();
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

    /** A publish of it was parked; {@code holder} stands for it in the broker. */
    void waits(Sent sent, Ticket.Holder holder) {
        parked.put(sent, holder);
    }

    /** Whether one of its publishes is known to wait by that. */
    boolean isKnown(Ticket.Holder holder) {
        return parked.containsValue(holder);
    }

    /** A publish was answered. */
    void answered(Sent sent) {
        parked.remove(sent);
    }

    /** Those that wait, and unconfirmed ones that may. */
    Set<Sent> parked() {
        return parked.keySet();
    }

    /**
     * Which of its publishes wait in the broker: all that it knows of, except such without a confirm of which nobody has said that they
     * wait no more. When nothing goes on.
     */
    Map<Sent, Waiting> found(List<Waiting> waiting) {
        Map<Ticket.Holder, Waiting> left = new IdentityHashMap<>();
        waiting.forEach(each -> left.put(each.holder(), each));
        Map<Sent, Waiting> found = new HashMap<>();
        parked.forEach((sent, holder) -> {
            Waiting each = left.remove(holder);
            Broken.unless(each != null || !sent.confirmed, "%s was parked and not answered, but does not wait", sent);
            if (each != null) {
                Broken.unless(each.bytes() == sent.bytes && sent.addresses().containsAll(each.queues()),
                        "%s of %d bytes waits for %s with %d bytes", sent, sent.bytes, each.queues(), each.bytes());
                found.put(sent, each);
            }
        });
        Broken.unless(left.isEmpty(), "%s waits for %s that it does not know of", name, left.values());
        parked.keySet().retainAll(found.keySet());
        return found;
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
            parked.keySet().removeIf(sent -> !sent.confirmed);
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
