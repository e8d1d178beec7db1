package io.sluicemq.broker.queue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * A queue's consumers and whose turn it is: the highest priority that has a consumer with room, and within it each in turn.
 * With a single active consumer, only that one counts. Owned by the queue's loop.
 */
final class Consumers {

    /** Consumers of one priority. */
    private static final class Rank {
        final int priority;
        final ArrayDeque<QueueConsumer> line = new ArrayDeque<>();

        Rank(int priority) {
            this.priority = priority;
        }
    }

    private final boolean singleActive;
    private final List<QueueConsumer> all = new ArrayList<>();
    private final List<Rank> ranks = new ArrayList<>(1);
    private QueueConsumer active;
    private int filtering;
    private int sharing;
    private int noLocal;

    Consumers(boolean singleActive) {
        this.singleActive = singleActive;
    }

    int size() {
        return all.size();
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    List<QueueConsumer> all() {
        return all;
    }

    boolean hasExclusive() {
        return all.size() == 1 && all.get(0).spec().exclusive();
    }

    /** Whether it would be given messages, were there room and credit. */
    boolean takesPart(QueueConsumer consumer) {
        return !singleActive || consumer == active;
    }

    /** Whether any draws on a shared allowance. */
    boolean shareCredit() {
        return sharing > 0;
    }

    /** The one that gets all deliveries, or null if that is nobody's privilege. */
    QueueConsumer active() {
        return active;
    }

    void add(QueueConsumer consumer) {
        all.add(consumer);
        if (consumer.filters()) {
            filtering++;
        }
        if (consumer.spec().noLocal()) {
            noLocal++;
        }
        if (consumer.spec().sharedCredit()) {
            sharing++;
        }
        if (singleActive && active == null) {
            active = consumer;
        }
        offer(consumer);
    }

    /** Takes a consumer away; returns whether it was there. */
    boolean remove(QueueConsumer consumer) {
        if (!all.remove(consumer)) {
            return false;
        }
        if (consumer.filters()) {
            filtering--;
        }
        if (consumer.spec().noLocal()) {
            noLocal--;
        }
        if (consumer.spec().sharedCredit()) {
            sharing--;
        }
        if (consumer.inLine) {
            rank(consumer.spec().priority()).line.remove(consumer);
            consumer.inLine = false;
        }
        if (consumer == active) {
            active = null;
            for (QueueConsumer next : all) {
                if (active == null || next.spec().priority() > active.spec().priority()) {
                    active = next;
                }
            }
            if (active != null) {
                offer(active);
            }
        }
        return true;
    }

    /** Puts a consumer into the line if it has room and is not there. */
    void offer(QueueConsumer consumer) {
        if (!consumer.inLine && consumer.canTake() && takesPart(consumer)) {
            consumer.inLine = true;
            rank(consumer.spec().priority()).line.addLast(consumer);
        }
    }

    /** Whether one of them may have messages or not by who has published them. */
    boolean needPublisher() {
        return noLocal > 0;
    }

    /** There are more messages (fewer, if negative) that a consumer is not to have again. */
    void refuses(QueueConsumer consumer, int difference) {
        boolean before = consumer.filters();
        consumer.refusals += difference;
        if (before == consumer.filters() || consumer.hasEnded()) {
            return;
        }
        if (before) {
            filtering--;
            // It may have left the line as nothing was for it.
            offer(consumer);
        } else {
            filtering++;
            consumer.lookAgainFrom(0);
        }
    }

    /**
     * A message came that those who filter may not have seen: they are looked at again.
     *
     * @param allFilter whether all look for messages that they may have, as there are groups
     */
    void offerFiltering(long sequence, boolean allFilter) {
        if (filtering > 0 || allFilter) {
            for (QueueConsumer consumer : all) {
                if (allFilter || consumer.filters()) {
                    consumer.lookAgainFrom(sequence);
                    offer(consumer);
                }
            }
        }
    }

    /** Messages that nobody could have, or only some could, are for others from now on: all look at all again. */
    void lookAgain() {
        for (QueueConsumer consumer : all) {
            consumer.lookAgainFrom(0);
            offer(consumer);
        }
    }

    /** The next to get a delivery, who leaves the line; null if nobody has room. */
    QueueConsumer next() {
        for (int i = 0; i < ranks.size(); i++) {
            ArrayDeque<QueueConsumer> line = ranks.get(i).line;
            while (!line.isEmpty()) {
                QueueConsumer consumer = line.pollFirst();
                consumer.inLine = false;
                if (consumer.canTake() && takesPart(consumer)) {
                    return consumer;
                }
            }
        }
        return null;
    }

    private Rank rank(int priority) {
        int at = 0;
        while (at < ranks.size() && ranks.get(at).priority > priority) {
            at++;
        }
        if (at == ranks.size() || ranks.get(at).priority != priority) {
            ranks.add(at, new Rank(priority));
        }
        return ranks.get(at);
    }
}
