package io.sluicemq.simulation;

import io.sluicemq.api.Producer;
import io.sluicemq.broker.engine.EngineView.Waiting;
import io.sluicemq.broker.flow.Ticket;
import io.sluicemq.testkit.ManualLoop;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * All that one client publishes from: several channels, something without a name, and transactions; and what of that waits for
 * room in its addresses. Lives on its client's loop.
 */
final class Outlets {

    /** Beyond so many parked publishes most clients would be stopped by their protocol. */
    private static final int MOST_PARKED = 60;

    /** What the broker calls a commit that waits. */
    private static final String TRANSACTION = "transaction";

    private final Simulation simulation;
    private final RandomGenerator random;
    private final String client;
    private final List<Outlet> named = new ArrayList<>();
    /** Stands for publishes that come from no producer. */
    private final Outlet nameless;
    private final Map<Work, Ticket.Holder> parkedWorks = new LinkedHashMap<>();
    private final Set<Work> openWorks = new LinkedHashSet<>();
    private final Set<Command> open = new HashSet<>();

    Outlets(Simulation simulation, ManualLoop loop, String client) {
        this.simulation = simulation;
        this.random = simulation.random;
        this.client = client;
        boolean limited = simulation.limits.isOn();
        for (int i = 0; i < 3; i++) {
            named.add(new Outlet(loop, "channel " + i, simulation.statistics, limited));
        }
        nameless = new Outlet(loop, "publisher", simulation.statistics, false);
    }

    /** One of them; null if there are no limits, so that it makes no difference. */
    Outlet any() {
        if (!simulation.limits.isOn()) {
            return null;
        }
        // The first is busy, the last hardly ever used.
        int choice = random.nextInt(10);
        return choice == 0 ? nameless : named.get(choice < 7 ? 0 : choice < 9 ? 1 : 2);
    }

    /** One that may be a link: the busy one never is. */
    Outlet anyLink() {
        return named.get(1 + random.nextInt(named.size() - 1));
    }

    /** Whose messages come in order. */
    String order(Outlet outlet) {
        return outlet == null ? client : client + "/" + outlet;
    }

    boolean isNameless(Outlet outlet) {
        return outlet == nameless;
    }

    /** What the broker is told that a publish comes from. */
    Producer producer(Outlet outlet) {
        if (outlet == null) {
            return random.nextBoolean() ? named.getFirst() : null;
        }
        return outlet == nameless ? null : outlet;
    }

    boolean isHeld() {
        return named.stream().anyMatch(Outlet::isHeld);
    }

    boolean isFull(Outlet outlet) {
        return outlet != null && outlet.parked().size() >= MOST_PARKED;
    }

    /** What stands in the broker for the latest of an outlet's publishes that wait; null if none does. */
    Ticket.Holder latest(Outlet outlet) {
        return outlet == null ? null : latest(outlet.description());
    }

    /** The same of commits. */
    Ticket.Holder latestCommit() {
        return simulation.limits.isOn() ? latest(TRANSACTION) : null;
    }

    private Ticket.Holder latest(String producer) {
        List<Waiting> waiting = simulation.watch().waiting(client, producer);
        return waiting.isEmpty() ? null : waiting.getLast().holder();
    }

    /** A publish has been handed out; {@code before} was the latest that waited before that. */
    void published(Outlet outlet, Sent sent, Ticket.Holder before) {
        Ticket.Holder latest = latest(outlet);
        if (latest == null || latest == before || outlet.isKnown(latest)) {
            return;
        }
        outlet.waits(sent, latest);
        if (outlet == nameless) {
            simulation.statistics.waits();
        }
    }

    /** A commit has been handed out; {@code before} was the latest that waited before that. */
    void committed(Work work, Ticket.Holder before) {
        Ticket.Holder latest = latestCommit();
        if (latest != null && latest != before && !parkedWorks.containsValue(latest)) {
            parkedWorks.put(work, latest);
            simulation.statistics.waits();
        }
    }

    Command command(String what, Outlet outlet, Sent sent) {
        return outlet == null
                ? simulation.command(what)
                : opened(simulation.command(what, () -> outlet.parked().contains(sent)));
    }

    Command command(String what, Work work) {
        openWorks.add(work);
        return simulation.limits.isOn()
                ? opened(simulation.command(what, () -> parkedWorks.containsKey(work)))
                : simulation.command(what);
    }

    private Command opened(Command command) {
        open.add(command);
        return command;
    }

    void answered(Outlet outlet, Sent sent, Command command) {
        open.remove(command);
        if (outlet != null) {
            outlet.answered(sent);
        }
    }

    void answered(Work work, Command command) {
        open.remove(command);
        parkedWorks.remove(work);
        openWorks.remove(work);
    }

    /** The client goes: what waits will never be answered. */
    void close() {
        simulation.statistics.vanished(parkedCount());
        open.forEach(Command::abandon);
        open.clear();
        named.forEach(outlet -> outlet.parked().forEach(Outlets::isLost));
        nameless.parked().forEach(Outlets::isLost);
        openWorks.forEach(work -> work.publishes.forEach(Outlets::isLost));
        openWorks.forEach(simulation.ledger::isLost);
    }

    /** Nobody will be told what became of it. */
    private static void isLost(Sent sent) {
        sent.copies.forEach(copy -> copy.mayBeGone = true);
    }

    // ---- what waits

    long parkedCount() {
        return named.stream().mapToLong(Producer::parkedMessages).sum() + nameless.parked().size() + parkedWorks.size();
    }

    /** What must hold of what waits when nothing goes on. */
    void check() {
        named.forEach(this::check);
        check(nameless);
        long commits = simulation.watch().waiting(client, TRANSACTION).size();
        Broken.unless(commits == parkedWorks.size(), "%d commits of %s wait, but it knows of %s", commits, client,
                parkedWorks.keySet());
    }

    /**
     * That of the outlet's publishes exactly those wait that may, each of them for room in its own addresses or behind one that came
     * before it to one of its queues.
     */
    private void check(Outlet outlet) {
        Map<Sent, Waiting> waiting = outlet.found(simulation.watch().waiting(client, outlet.description()));
        Set<QueueModel> before = new HashSet<>();
        long bytes = 0;
        for (Sent sent : outlet.parked()) {
            Waiting each = waiting.get(sent);
            bytes += sent.bytes;
            List<QueueModel> shared = sent.copies.stream().map(copy -> copy.queue)
                    .filter(queue -> each.queues().contains(queue.name) && before.contains(queue)).toList();
            Broken.unless(!each.behind() || !shared.isEmpty(),
                    "%s of %s waits behind others that are not for its queues;%s",
                    sent, client, simulation.watch().gates());
            // What the other waits for may have been another queue of the name, which is gone.
            Broken.unless(each.behind() || shared.stream().allMatch(queue -> queue.temporary),
                    "%s of %s waits beside others for its queue;%s", sent, client, simulation.watch().gates());
            sent.copies.stream().map(copy -> copy.queue).filter(queue -> each.queues().contains(queue.name))
                    .forEach(before::add);
        }
        Broken.unless(
                outlet == nameless
                        || outlet.parkedMessages() == waiting.size() && outlet.parkedBytes() == bytes,
                "%s of %s was told of %d parked messages of %d bytes, but there are %d of %d bytes", outlet, client,
                outlet.parkedMessages(), outlet.parkedBytes(), waiting.size(), bytes);
    }
}
