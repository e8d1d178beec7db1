package io.sluicemq.broker.queue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * A queue's consumers and whose turn it is: the highest priority that has a consumer with room, and within it each in turn.
 * With a single active consumer, only that one counts. Who has found nothing leaves the line, and comes back in turn when there is
 * something new. Owned by the queue's loop.
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
    /** Behind the one that was served last of those who leave the line. */
    private int turn;
    private int filtering;
    private int browsing;
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

    /** Whether some are there that messages leave the queue for. */
    boolean take() {
        return all.size() > browsing;
    }

    /** Whether some take whatever comes next. */
    boolean takeAll() {
        return all.size() > filtering;
    }

    boolean hasExclusive() {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).spec().exclusive() && !all.get(i).browses()) {
                return true;
            }
        }
        return false;
    }

    /** Whether it would be given messages, were there room and credit. */
    boolean takesPart(QueueConsumer consumer) {
        return !singleActive || consumer == active || consumer.browses();
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
        if (consumer.browses()) {
            browsing++;
        }
        if (consumer.spec().noLocal()) {
            noLocal++;
        }
        if (consumer.spec().sharedCredit()) {
            sharing++;
        }
        if (singleActive && active == null && !consumer.browses()) {
            active = consumer;
        }
        offer(consumer);
    }

    /** Takes a consumer away; returns whether it was there. */
    boolean remove(QueueConsumer consumer) {
        int index = all.indexOf(consumer);
        if (index < 0) {
            return false;
        }
        all.remove(index);
        if (index < turn) {
            turn--;
        }
        if (consumer.filters()) {
            filtering--;
        }
        if (consumer.browses()) {
            browsing--;
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
                if (!next.browses() && (active == null || next.spec().priority() > active.spec().priority())) {
                    active = next;
                }
            }
            if (active != null) {
                offer(active);
            }
        }
        return true;
    }

    /** Puts a consumer, for which there may be a message, into the line if it has room and is not there. */
    void offer(QueueConsumer consumer) {
        consumer.mayFind = true;
        if (!consumer.inLine && consumer.canTake() && takesPart(consumer)) {
            consumer.inLine = true;
            rank(consumer.spec().priority()).line.addLast(consumer);
        }
    }

    /** All of them, beginning with the one whose turn it is among those who leave the line; {@code number} from 0. */
    QueueConsumer inTurn(int number) {
        return all.get((turn + number) % all.size());
    }

    /**
     * A consumer is given a message: among those who leave the line, it is the turn of the next.
     *
     * @param allFilter whether all look for messages that they may have, as there are groups
     */
    void served(QueueConsumer consumer, boolean allFilter) {
        if (filtering > 0 || allFilter) {
            turn = all.indexOf(consumer) + 1;
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
            consumer.outlook().restart();
        }
    }

    /** Whether some don't take all messages. */
    boolean filter() {
        return filtering > 0;
    }

    /**
     * A message came that those who filter have not seen: they are looked at again.
     *
     * @param allFilter whether all look for messages that they may have, as there are groups
     * @param reading whether those who wait for messages to be read will be asked again anyway
     */
    void offerFiltering(boolean allFilter, boolean reading) {
        if (filtering > 0 || allFilter) {
            for (int i = 0; i < all.size(); i++) {
                QueueConsumer consumer = inTurn(i);
                if ((allFilter || consumer.filters()) && !(reading && consumer.waits())) {
                    offer(consumer);
                }
            }
        }
    }

    /** A message came back: those who filter may have seen it, or have passed its place. */
    void cameBack(QueueEntry entry, int level, boolean allFilter) {
        if (filtering > 0 || allFilter) {
            for (int i = 0; i < all.size(); i++) {
                QueueConsumer consumer = inTurn(i);
                if (allFilter || consumer.filters()) {
                    // To one who only looks it may have been shown before.
                    if (!consumer.browses() && consumer.wants(entry)) {
                        consumer.outlook().cameBack(level, entry.sequence);
                    }
                    offer(consumer);
                }
            }
        }
    }

    /** Messages that nobody could have, or only some could, are for others from now on: all look at all again. */
    void lookAgain() {
        for (int i = 0; i < all.size(); i++) {
            QueueConsumer consumer = inTurn(i);
            if (!consumer.browses()) {
                consumer.outlook().restart();
                offer(consumer);
            }
        }
    }

    /** From now on those look for messages that they may have who took all, or they take all again. */
    void lookDifferently() {
        for (int i = 0; i < all.size(); i++) {
            QueueConsumer consumer = inTurn(i);
            if (!consumer.filters()) {
                consumer.outlook().restart();
                offer(consumer);
            }
        }
    }

    /**
     * The next to get a delivery, who leaves the line; null if nobody has room.
     *
     * @param filtering whether it must be one that doesn't take all
     */
    QueueConsumer next(boolean filtering) {
        for (int i = 0; i < ranks.size(); i++) {
            ArrayDeque<QueueConsumer> line = ranks.get(i).line;
            for (int left = line.size(); left > 0; left--) {
                QueueConsumer consumer = line.pollFirst();
                if (filtering && !consumer.filters()) {
                    line.addLast(consumer);
                    continue;
                }
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
