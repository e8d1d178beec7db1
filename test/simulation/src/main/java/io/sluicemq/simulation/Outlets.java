package io.sluicemq.simulation;

import io.sluicemq.api.Producer;
import io.sluicemq.testkit.ManualLoop;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * All that one client publishes from: several channels, something without a name, and transactions; and what of that waits for
 * room in its addresses. Lives on its client's loop.
 */
final class Outlets {

    /** Beyond so many parked publishes most clients would be stopped by their protocol. */
    private static final int MOST_PARKED = 60;

    private final Simulation simulation;
    private final RandomGenerator random;
    private final String client;
    private final List<Outlet> named = new ArrayList<>();
    /** Stands for publishes that come from no producer. */
    private final Outlet nameless;
    private final Set<Work> parkedWorks = new LinkedHashSet<>();
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

    /** How many publishes wait for room in the whole broker. */
    long parkedInAll() {
        return simulation.limits.isOn() ? simulation.watch().counters().parkedMessages() : 0;
    }

    /** A publish has been parked. */
    void parked(Outlet outlet, Sent sent) {
        outlet.waits(sent);
        if (outlet == nameless) {
            simulation.statistics.waits();
        }
    }

    /** A commit has been parked. */
    void parked(Work work) {
        parkedWorks.add(work);
        simulation.statistics.waits();
    }

    Command command(String what, Outlet outlet, Sent sent) {
        return outlet == null
                ? simulation.command(what)
                : opened(simulation.command(what, () -> outlet.parked().contains(sent)
                        || simulation.watch().waits(client, outlet.description(), sent.addresses())));
    }

    Command command(String what, Work work) {
        openWorks.add(work);
        return simulation.limits.isOn()
                ? opened(simulation.command(what, () -> parkedWorks.contains(work)))
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
        for (Work work : parkedWorks) {
            List<String> addresses =
                    work.publishes.stream().flatMap(sent -> sent.addresses().stream()).distinct().toList();
            Broken.unless(simulation.watch().waits(client, "transaction", addresses),
                    "%s of %s waits, but for none of its addresses", work, client);
        }
    }

    private void check(Outlet outlet) {
        // A line that publishes to several queues have brought together waits as one.
        List<String> all = outlet.parked().stream().flatMap(sent -> sent.addresses().stream()).distinct().toList();
        long leastBytes = 0;
        long mostBytes = 0;
        for (Sent sent : outlet.parked()) {
            Broken.unless(!sent.confirmed || simulation.watch().waits(client, outlet.description(), all),
                    "%s waits, but at no gate of what it or others of its producer are for;%s", sent,
                    simulation.watch().gates());
            mostBytes += sent.bytes;
            leastBytes += sent.confirmed ? sent.bytes : 0;
        }
        Broken.unless(
                outlet == nameless || outlet.parkedBytes() >= leastBytes && outlet.parkedBytes() <= mostBytes,
                "%s of %s was told of %d parked bytes, but it is between %d and %d", outlet, client,
                outlet.parkedBytes(), leastBytes, mostBytes);
    }
}
