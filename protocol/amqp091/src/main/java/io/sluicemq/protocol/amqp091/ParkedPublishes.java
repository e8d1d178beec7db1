package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Hold;
import io.sluicemq.base.LogEvent;
import io.sluicemq.base.LogLimit;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp091.BlockedNotice.Cause;
import io.sluicemq.protocol.amqp091.ReadingPauses.Reason;
import io.sluicemq.protocol.amqp091.codec.MethodId;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The publishes of one connection that wait for room in their addresses, and what is done about a client that goes on
 * publishing. Owned by the connection's loop.
 *
 * <p>The broker keeps such publishes, so that one full address delays nothing else of the connection. There is an allowance
 * for that: what a client that obeys channel.flow may still have under way when it is told, and less for others. Beyond it,
 * which a client that cooperates never gets to, the last resort: the channel is closed that has most, or the connection is
 * not read, whichever the address is configured for. Since what a closed channel leaves still waits, a connection that has
 * four times its allowance is not read in either case.
 *
 * <p>A connection that is not read is still read in slices, so that its acknowledgements, heartbeats and other channels stay
 * alive: a slice goes on until some more is parked, so one that no longer publishes to a full address is not stopped again.
 * Slices end at a roof. It reads on for good by the event that half of the allowance is free again.
 *
 * <p>Invariant: no more is parked than four allowances and two messages; reading is paused for {@link Reason#FULL_ADDRESS}
 * exactly in {@link Reading#STOPPED}.
 */
@LoopOwned
final class ParkedPublishes {

    /** For a client that obeys channel.flow: more than sockets hold of what it sent before it heard, usually. In bytes. */
    static final long OBEYING_ALLOWANCE = 8L << 20;

    /** How much more a slice may park, in bytes. */
    static final long SLICE_BYTES = 32 * 1024;

    /** What may be parked, as a multiple of the allowance. */
    static final int ROOF = 4;

    private static final long SLICE_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** For a connection that consumes as well: its acknowledgements may be what makes room. */
    private static final long CONSUMERS_SLICE_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** A slice in which nothing was parked for so long is as good as no limit. */
    private static final long LONG_SLICE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private enum Reading {
        FREE,
        STOPPED,
        SLICE
    }

    private final ConnectionSession connection;
    private final ReadingPauses pauses;
    private final BlockedNotice blocked;
    private final LogLimit logLimit;
    /** Those who have something parked. */
    private final Set<ChannelProducer> producers = new LinkedHashSet<>(0);

    private long bytes;
    /** More than half of the allowance is used. */
    private boolean tight;
    /** All of it is. */
    private boolean full;
    private Reading reading = Reading.FREE;
    private long roof;
    private long sliceLeft;
    private long sliceBegan;
    private Loop.Timer nextSlice;
    private boolean ended;

    /** @param logLimit of all connections together */
    ParkedPublishes(ConnectionSession connection, ReadingPauses pauses, BlockedNotice blocked, LogLimit logLimit) {
        this.connection = connection;
        this.pauses = pauses;
        this.blocked = blocked;
        this.logLimit = logLimit;
    }

    /** Whether nothing is parked. */
    boolean isEmpty() {
        return producers.isEmpty();
    }

    /** Whether there is an allowance for more. */
    boolean mayGrow() {
        return bytes < allowance();
    }

    /** Whether the client is read at most in slices, so that it is no fault of its own if something comes late. */
    boolean slowsReading() {
        return switch (reading) {
            case FREE -> false;
            case STOPPED -> true;
            case SLICE -> connection.loop().nanoTime() - sliceBegan < LONG_SLICE_NANOS;
        };
    }

    private long allowance() {
        return Math.min(
                connection.peer().obeysFlow() ? OBEYING_ALLOWANCE : connection.options().maxParkedBytes(),
                connection.client().fairShareBytes());
    }

    /** A producer has more parked, or less. */
    void changed(ChannelProducer producer, long differenceBytes, int differenceMessages) {
        if (ended) {
            return;
        }
        bytes += differenceBytes;
        if (differenceMessages > 0) {
            producers.add(producer);
            grown(producer, differenceBytes);
        } else {
            if (producer.parkedMessages() == 0) {
                producers.remove(producer);
            }
            shrunk(producer);
        }
    }

    private void grown(ChannelProducer producer, long more) {
        long allowed = allowance();
        full = bytes >= allowed;
        if (!tight && bytes > allowed / 2) {
            tight = true;
            producers.forEach(each -> each.signal(true));
        } else {
            producer.signal(tight);
        }
        Hold hold = producer.latestHold();
        if (hold.closesChannel() && bytes > allowed && bytesOfOpenChannels() > allowed) {
            closeHeaviest();
        }
        if (reading == Reading.FREE && bytes > (hold.closesChannel() ? allowed * ROOF : allowed)) {
            roof = hold.closesChannel() ? bytes : bytes + (ROOF - 1) * allowed;
            stopReading();
            blocked.add(Cause.FULL_ADDRESS, words(hold));
            report(LogEvent.PRODUCER_NOT_READ, producer.description() + ": the connection is not read for a while",
                    hold);
        }
        if (reading == Reading.SLICE) {
            sliceLeft -= more;
            if (sliceLeft <= 0) {
                stopReading();
            }
        }
    }

    private void shrunk(ChannelProducer producer) {
        long resumeAt = allowance() / 2;
        if (bytes <= resumeAt) {
            tight = false;
        }
        if (reading != Reading.FREE) {
            if (bytes <= resumeAt) {
                readOn();
            } else if (reading == Reading.STOPPED) {
                scheduleSlice();
            }
        }
        producer.signal(tight);
        if (full && mayGrow()) {
            full = false;
            // One that has been stopped for long may have waited for this.
            producers.forEach(each -> each.signal(tight));
        }
        if (producer.parkedMessages() == 0) {
            producer.channel().noneParked();
        }
        if (isEmpty()) {
            connection.noneParked();
        }
    }

    // ---- the last resort

    /** What channels have left that were closed waits as well, but is no reason to close another one. */
    private long bytesOfOpenChannels() {
        long sum = 0;
        for (ChannelProducer each : producers) {
            if (each.channel().open()) {
                sum += each.parkedBytes();
            }
        }
        return sum;
    }

    private void closeHeaviest() {
        ChannelProducer heaviest = null;
        for (ChannelProducer each : producers) {
            boolean heavier = heaviest == null || each.parkedBytes() > heaviest.parkedBytes();
            if (each.channel().open() && each.latestHold().closesChannel() && heavier) {
                heaviest = each;
            }
        }
        if (heaviest != null) {
            Hold hold = heaviest.latestHold();
            report(LogEvent.PRODUCER_CLOSED, heaviest.description() + " is closed", hold);
            heaviest.channel().fail(BrokerFaults.of(
                    new BrokerError.AddressFull(
                            hold.address(),
                            hold.virtualHost(),
                            hold.limit() + ", and more was published than may wait for room"),
                    MethodId.BASIC_PUBLISH));
        }
    }

    private void stopReading() {
        reading = Reading.STOPPED;
        pauses.add(Reason.FULL_ADDRESS);
        scheduleSlice();
    }

    private void scheduleSlice() {
        if (nextSlice == null && bytes < roof) {
            nextSlice = connection
                    .loop()
                    .schedule(connection.consumes() ? CONSUMERS_SLICE_PAUSE_NANOS : SLICE_PAUSE_NANOS, this::readSlice);
        }
    }

    private void readSlice() {
        nextSlice = null;
        reading = Reading.SLICE;
        sliceBegan = connection.loop().nanoTime();
        sliceLeft = Math.min(SLICE_BYTES, roof - bytes);
        pauses.remove(Reason.FULL_ADDRESS);
    }

    private void readOn() {
        cancelSlice();
        reading = Reading.FREE;
        pauses.remove(Reason.FULL_ADDRESS);
        blocked.remove(Cause.FULL_ADDRESS);
    }

    private void cancelSlice() {
        if (nextSlice != null) {
            nextSlice.cancel();
            nextSlice = null;
        }
    }

    private void report(LogEvent event, String what, Hold hold) {
        long times = logLimit.take(connection.loop().nanoTime());
        if (times > 0) {
            connection.log().line(event,
                    "{}, since {}, and its client goes on publishing; {} bytes of the connection wait for room{}",
                    what,
                    words(hold),
                    bytes,
                    times == 1 ? "" : " (" + (times - 1) + " more such since the last line)");
        }
    }

    private static String words(Hold hold) {
        return BrokerFaults.of(new BrokerError.AddressFull(hold.address(), hold.virtualHost(), hold.limit()), 0)
                .text();
    }

    /** The connection ends, for the broker to drop what is parked. */
    void end() {
        ended = true;
        cancelSlice();
    }
}
