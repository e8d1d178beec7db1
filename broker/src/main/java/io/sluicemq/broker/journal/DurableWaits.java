package io.sluicemq.broker.journal;

import java.util.Arrays;

/** What a loop does when positions of the log become durable: a ring in the order of positions. Owned by that loop. */
final class DurableWaits {

    private static final int SMALLEST = 64;

    private long[] positions = new long[SMALLEST];
    private Runnable[] actions = new Runnable[SMALLEST];
    private long head;
    private long tail;

    boolean isEmpty() {
        return head == tail;
    }

    int size() {
        return (int) (tail - head);
    }

    /** The lowest position waited for. */
    long first() {
        return positions[index(head)];
    }

    private int index(long at) {
        return (int) (at & positions.length - 1);
    }

    /** @param position at or above those that were added before */
    void add(long position, Runnable action) {
        if (tail - head == positions.length) {
            resize(positions.length * 2);
        }
        assert isEmpty() || position >= positions[index(tail - 1)] : "a wait for a position out of order";
        positions[index(tail)] = position;
        actions[index(tail++)] = action;
    }

    private void resize(int length) {
        long[] nextPositions = new long[length];
        Runnable[] nextActions = new Runnable[length];
        int size = size();
        for (int i = 0; i < size; i++) {
            nextPositions[i] = positions[index(head + i)];
            nextActions[i] = actions[index(head + i)];
        }
        positions = nextPositions;
        actions = nextActions;
        head = 0;
        tail = size;
    }

    /** Runs all actions whose position is below {@code durable}. */
    void run(long durable) {
        while (head < tail && positions[index(head)] < durable) {
            Runnable action = actions[index(head)];
            actions[index(head++)] = null;
            action.run();
        }
        if (isEmpty() && positions.length > SMALLEST * 64) {
            positions = new long[SMALLEST];
            actions = new Runnable[SMALLEST];
            Arrays.fill(actions, null);
            head = 0;
            tail = 0;
        }
    }
}
