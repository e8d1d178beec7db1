package io.sluicemq.management.http;

import io.sluicemq.api.operate.AddressView;
import io.sluicemq.api.operate.ConnectionView;
import io.sluicemq.api.operate.LimitsView;
import io.sluicemq.api.operate.Operations;
import io.sluicemq.api.operate.Pressure;
import io.sluicemq.api.operate.QueueFacts;
import io.sluicemq.api.operate.QueueView;
import io.sluicemq.api.operate.Rates;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What lists and pictures are made of that takes a look at everything there is. Where there is much, it is looked at once for all who ask
 * ({@link Shared}), and no more of it is kept than is needed: a thousand queues or connections are looked at anew for each request, so that who has
 * done something sees it. Called by any thread.
 */
final class Survey {

    /** Up to so many queues, or connections, nothing is shared. */
    static final int FEW = 1000;

    /** So many of a virtual host's queues can be in a picture. */
    static final int MOST_FIRST = 50;

    /** So many queues are looked at before what was seen is worked up. */
    private static final int PART = 4096;

    private final Operations broker;
    private final Shared<List<QueueFacts>> facts = new Shared<>(System::nanoTime);
    private final Shared<Map<String, OfHost>> busiest = new Shared<>(System::nanoTime);
    private final Shared<Pressure> pressure = new Shared<>(System::nanoTime);
    private final Shared<List<AddressView>> addresses = new Shared<>(System::nanoTime);
    private final Shared<List<ConnectionView>> connections = new Shared<>(System::nanoTime);
    private final Map<String, Shared<List<Keyed>>> keyed = new ConcurrentHashMap<>();
    private volatile int connectionsSeen;

    /** A queue and what it is sorted by. */
    record Keyed(QueueFacts facts, Comparable<?> key) {}

    /**
     * The queues of a virtual host.
     *
     * @param first the {@link #MOST_FIRST} that matter most
     * @param queues how many there are in all; the sums are of all, too
     * @param waiting how many of them a producer waits for
     */
    record OfHost(List<QueueView> first, int queues, long messages, int waiting, Rates rates) {

        static final OfHost NONE = new OfHost(List.of(), 0, 0, 0, Rates.NONE);

        /** The sums of both. */
        OfHost plus(OfHost other) {
            return new OfHost(
                    List.of(), queues + other.queues, messages + other.messages, waiting + other.waiting,
                    rates.plus(other.rates));
        }
    }

    Survey(Operations broker) {
        this.broker = broker;
    }

    private boolean isMuch() {
        return broker.virtualHosts().stream().mapToInt(broker::queueCount).sum() > FEW;
    }

    private <T> T get(Call call, boolean much, Shared<T> shared, Supplier<T> look) {
        return much ? shared.get(call, look) : look.get();
    }

    /** All queues of these virtual hosts, in the order of their hosts' names and then of their own. */
    List<QueueFacts> queues(Call call, List<String> hosts) {
        List<QueueFacts> all = all(call);
        return all.stream().filter(each -> hosts.contains(each.virtualHost())).toList();
    }

    private List<QueueFacts> all(Call call) {
        return get(call, isMuch(), facts, () -> broker.virtualHosts().stream()
                .flatMap(each -> broker.queues(each).stream())
                .sorted(Comparator.comparing(QueueFacts::virtualHost).thenComparing(QueueFacts::name))
                .toList());
    }

    /**
     * The queues of these virtual hosts, each with what it is sorted by.
     *
     * @param column the name of what {@code key} gives
     */
    List<Keyed> keyed(Call call, List<String> hosts, String column, Function<QueueView, Comparable<?>> key) {
        Shared<List<Keyed>> shared = keyed.computeIfAbsent(column, name -> new Shared<>(System::nanoTime));
        List<Keyed> all = get(call, isMuch(), shared, () -> {
            List<Keyed> found = new ArrayList<>();
            look(call, all(call), view -> found.add(new Keyed(view.facts(), key.apply(view))));
            return List.copyOf(found);
        });
        return all.stream().filter(each -> hosts.contains(each.facts().virtualHost())).toList();
    }

    private void look(Call call, List<QueueFacts> which, Consumer<QueueView> seen) {
        for (int from = 0; from < which.size(); from += PART) {
            call.await(broker.look(which.subList(from, Math.min(which.size(), from + PART)))).forEach(seen);
        }
    }

    /** The queues of each virtual host that matter most, and what all of them do. */
    Map<String, OfHost> busiest(Call call) {
        return get(call, isMuch(), busiest, () -> {
            Map<String, Tally> tallies = new HashMap<>();
            look(call, all(call), view -> tallies
                    .computeIfAbsent(view.facts().virtualHost(), host -> new Tally())
                    .add(view));
            Map<String, OfHost> found = new HashMap<>();
            tallies.forEach((host, tally) -> found.put(host, tally.sum()));
            return Map.copyOf(found);
        });
    }

    /** The same of these queues, looked at anew. */
    OfHost of(Call call, List<QueueFacts> which) {
        Tally tally = new Tally();
        look(call, which, tally::add);
        return tally.sum();
    }

    /** Addresses that somebody waits for, or that are full; {@link #MOST_FIRST} of each virtual host. */
    Pressure pressure(Call call) {
        return get(call, isMuch(), pressure, () -> call.await(broker.pressure(MOST_FIRST)));
    }

    /** All addresses. */
    List<AddressView> addresses(Call call) {
        return get(call, isMuch(), addresses, () -> call.await(broker.addresses(null, null, false)));
    }

    /** All connections. */
    List<ConnectionView> connections(Call call) {
        return get(call, connectionsSeen > FEW, connections, () -> {
            List<ConnectionView> found = call.await(broker.connections());
            connectionsSeen = found.size();
            return found;
        });
    }

    /**
     * What matters most comes first: queues that somebody waits for; those that are nearly full, the fullest first; then those where most
     * passes, and the longest.
     */
    static final Comparator<QueueView> BY_CONCERN =
            Comparator.comparing((QueueView each) -> each.waitingProducers() == 0)
                    .thenComparing(each -> -nearlyFull(each))
                    .thenComparing(each -> -busy(each.rates()))
                    .thenComparing(each -> -each.messages())
                    .thenComparing(each -> each.consumers() == 0)
                    .thenComparing(each -> each.facts().virtualHost())
                    .thenComparing(QueueView::name);

    static double busy(Rates rates) {
        return rates.inRate() + rates.outRate();
    }

    /** How full it is if that is worth a look; else 0. */
    private static double nearlyFull(QueueView queue) {
        LimitsView limits = queue.limits();
        double share = limits.policy().equals("page")
                ? share(queue.usedBytes(), limits.pageLimitBytes())
                : Math.max(share(queue.usedBytes(), limits.maxBytes()),
                        share(queue.usedMessages(), limits.maxMessages()));
        return share >= 0.75 ? share : 0;
    }

    private static double share(long used, long limit) {
        return limit < 0 ? 0 : limit == 0 ? 1 : (double) used / limit;
    }

    /** Sums queues up, and keeps the first. For one thread. */
    private static final class Tally {

        private final PriorityQueue<QueueView> first = new PriorityQueue<>(BY_CONCERN.reversed());
        private int queues;
        private long messages;
        private int waiting;
        private Rates rates = Rates.NONE;

        void add(QueueView queue) {
            queues++;
            messages += queue.messages();
            waiting += queue.waitingProducers() > 0 ? 1 : 0;
            rates = rates.plus(queue.rates());
            if (first.size() < MOST_FIRST) {
                first.add(queue);
            } else if (BY_CONCERN.compare(queue, first.peek()) < 0) {
                first.remove();
                first.add(queue);
            }
        }

        OfHost sum() {
            return new OfHost(first.stream().sorted(BY_CONCERN).toList(), queues, messages, waiting, rates);
        }
    }
}
