package io.sluicemq.protocol.amqp091;

import io.sluicemq.base.LoopOwned;
import java.util.Arrays;

/**
 * The publisher confirms of one channel (RabbitMQ's extension, class confirm): every publish after confirm.select has
 * the next sequence number, from 1, and gets exactly one basic.ack or basic.nack. Owned by the connection's loop.
 *
 * <p>What is resolved during a turn is written at its end: the run of resolved numbers that starts at the oldest one
 * open goes out as one frame with {@code multiple} for each stretch of equal outcome, the others one by one, so that a
 * slow queue holds back nobody's confirm but its own.
 *
 * <p>Invariant: {@code states} covers the numbers from {@code oldest} to {@code next − 1}; the state of {@code oldest}
 * is open unless something waits to be written.
 */
@LoopOwned
final class Confirms {

    /** Where the frames go. */
    interface Output {
        void confirm(long sequence, boolean multiple, boolean accepted);
    }

    private static final byte OPEN = 0;
    private static final byte ACCEPTED = 1;
    private static final byte REFUSED = 2;
    private static final byte WRITTEN = 3;

    private final Output output;
    private byte[] states = new byte[64];
    private long oldest = 1;
    private long next = 1;
    private long[] resolved = new long[16];
    private int resolvedCount;

    Confirms(Output output) {
        this.output = output;
    }

    /** The number of the publish at hand. */
    long publish() {
        if (next - oldest == states.length) {
            grow();
        }
        states[index(next)] = OPEN;
        return next++;
    }

    /** How many publishes have not been answered. */
    long open() {
        return next - oldest;
    }

    private void grow() {
        byte[] larger = new byte[states.length * 2];
        for (long sequence = oldest; sequence < next; sequence++) {
            larger[(int) (sequence & larger.length - 1)] = states[index(sequence)];
        }
        states = larger;
    }

    private int index(long sequence) {
        return (int) (sequence & states.length - 1);
    }

    /** The publish is dealt with. Returns whether this is the first since the last {@link #flush}. */
    boolean resolve(long sequence, boolean accepted) {
        assert sequence >= oldest && sequence < next && states[index(sequence)] == OPEN : "confirmed twice";
        states[index(sequence)] = accepted ? ACCEPTED : REFUSED;
        if (resolvedCount == resolved.length) {
            resolved = Arrays.copyOf(resolved, resolvedCount * 2);
        }
        resolved[resolvedCount++] = sequence;
        return resolvedCount == 1;
    }

    /** Writes all that was resolved. */
    void flush() {
        writeRuns();
        for (int i = 0; i < resolvedCount; i++) {
            long sequence = resolved[i];
            if (sequence >= oldest) {
                int index = index(sequence);
                output.confirm(sequence, false, states[index] == ACCEPTED);
                states[index] = WRITTEN;
            }
        }
        resolvedCount = 0;
        if (resolved.length > 4096) {
            resolved = new long[16];
        }
    }

    private void writeRuns() {
        byte outcome = WRITTEN;
        long last = 0;
        int count = 0;
        for (; oldest < next; oldest++) {
            byte state = states[index(oldest)];
            if (state == OPEN) {
                break;
            }
            if (state == WRITTEN) {
                continue;
            }
            if (state != outcome && count > 0) {
                output.confirm(last, count > 1, outcome == ACCEPTED);
                count = 0;
            }
            outcome = state;
            last = oldest;
            count++;
        }
        if (count > 0) {
            output.confirm(last, count > 1, outcome == ACCEPTED);
        }
    }
}
