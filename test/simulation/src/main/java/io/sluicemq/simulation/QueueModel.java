package io.sluicemq.simulation;

import java.util.LinkedHashMap;
import java.util.Map;

/** A queue and what is known of its messages. */
final class QueueModel {

    /** Whether it exists, as far as is known. */
    enum Existence {
        NO,
        YES,
        /** A declaration or a deletion is not answered. */
        UNKNOWN
    }

    final String name;
    final boolean durable;
    final Map<String, Object> arguments;
    /** Whether it comes and goes. */
    final boolean temporary;
    /** How many priorities its order is kept in. */
    int levels = 1;
    long ttlMillis = -1;
    boolean dropsHead;
    /** How many ready messages it holds at most, whenever nothing goes on. */
    int mostReady = Integer.MAX_VALUE;
    boolean refuses;
    QueueModel deadLetters;
    boolean isForDeadLetters;
    /** Whether its messages may come from, and go to, another such queue in a circle: they are only counted. */
    boolean isInCircle;
    boolean mayAutoAccept;
    boolean mayPurge;

    Existence existence = Existence.NO;
    /** Whether a binding is not answered yet, so that other changes wait. */
    boolean changing;
    /** Whether its binding was answered. */
    boolean bound;
    /** How many commands are under way that take out messages which nobody can tell. */
    int takers;

    final Map<Long, Copy> copies = new LinkedHashMap<>();

    /** Whether any of its messages was to wait before it is delivered. */
    boolean hasDelayed() {
        return copies.values().stream().anyMatch(copy -> copy.sent.notBeforeMillis > 0);
    }

    QueueModel(String name, boolean durable, boolean temporary, Map<String, Object> arguments) {
        this.name = name;
        this.durable = durable;
        this.temporary = temporary;
        this.arguments = arguments;
    }

    /** Whether what is rejected here is published again. */
    boolean sendsDeadLetters() {
        return arguments.containsKey("x-dead-letter-exchange");
    }

    int level(Sent sent) {
        return Math.min(sent.priority, levels - 1);
    }

    /** A command begins that may take out any of its messages, those of the next moments among them. */
    void takerBegins() {
        takers++;
        copies.values().forEach(copy -> copy.mayBeGone = true);
    }

    @Override
    public String toString() {
        return "queue " + name;
    }
}
