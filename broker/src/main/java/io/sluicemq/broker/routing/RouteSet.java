package io.sluicemq.broker.routing;

import java.util.Arrays;

/**
 * The queues that a message goes to, each once. It belongs to one caller on one loop, who {@linkplain #clear() clears} it and
 * uses it for the next message; once grown to the work, nothing is allocated for a route.
 *
 * <p>Routes add up: several calls of {@link RoutingTable#route} between two clears give the union, still with each queue once.
 * Queues are told apart by identity.
 */
public final class RouteSet<Q> {

    private final DistinctList<Q> queues = new DistinctList<>();

    // What follows is the work space of a route, empty between two.

    /** The exchanges that the message passes, in the order in which they were reached. */
    private final DistinctList<Exchange<Q>> visited = new DistinctList<>();

    /** Names of exchanges that bindings led to and that are still to be looked up. */
    private String[] reached = new String[8];

    private int reachedCount;

    private final TopicWalk<Q> topicWalk = new TopicWalk<>();

    public int size() {
        return queues.size();
    }

    public boolean isEmpty() {
        return queues.size() == 0;
    }

    /** The queue at {@code index}, from 0 to {@link #size()} excluded; the order means nothing. */
    public Q get(int index) {
        return queues.get(index);
    }

    /** Adds a queue that was found in another way than by a route; returns whether it is new here. */
    public boolean add(Q queue) {
        return queues.add(queue);
    }

    /** Empties the set and lets go of the queues; also after a route that ended in an exception of the header source. */
    public void clear() {
        queues.clear();
        visited.clear();
        Arrays.fill(reached, 0, reachedCount, null);
        reachedCount = 0;
    }

    void addAll(Targets<Q> targets) {
        Bag<Q> all = targets.queues;
        for (int i = 0; i < all.chunkCount(); i++) {
            queues.addAll(all.chunk(i));
        }
        Bag<String> exchanges = targets.exchanges;
        for (int i = 0; i < exchanges.chunkCount(); i++) {
            for (Object name : exchanges.chunk(i)) {
                reach((String) name);
            }
        }
    }

    void reach(String exchange) {
        if (reachedCount == reached.length) {
            reached = Arrays.copyOf(reached, 2 * reachedCount);
        }
        reached[reachedCount++] = exchange;
    }

    /** One of the exchanges that were reached and not yet taken, or null if there are no more. */
    String takeReached() {
        if (reachedCount == 0) {
            return null;
        }
        String name = reached[--reachedCount];
        reached[reachedCount] = null;
        return name;
    }

    DistinctList<Exchange<Q>> visited() {
        return visited;
    }

    TopicWalk<Q> topicWalk() {
        return topicWalk;
    }
}
