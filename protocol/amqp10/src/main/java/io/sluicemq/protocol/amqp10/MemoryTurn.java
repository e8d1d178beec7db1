package io.sluicemq.protocol.amqp10;

import io.sluicemq.api.Client;
import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp10.codec.AmqpFault;
import io.sluicemq.protocol.amqp10.message.MessageAssembly;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.types.transport.AmqpError;

/**
 * The memory of one large message that is arriving: asked for, granted in turn, and given back when the message is complete or its
 * link ends. Owned by the connection's loop.
 *
 * <p>While it waits the window of its session is not opened again; when much has come nevertheless, nothing is read. Once it has its
 * memory it must arrive in time, since others wait for theirs.
 */
@LoopOwned
final class MemoryTurn {

    /** How long a large message may take to arrive, beside the time for its length. */
    private static final long LEAST_TIME_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final int SLOWEST_BYTES_A_SECOND = 256 * 1024;

    private enum State {
        WAITING,
        GRANTED,
        ENDED
    }

    private final LargeMessages all;
    private final ConnectionSession connection;
    private final ProducerLink link;
    private final MessageAssembly assembly;
    private final long bytes;
    private State state = State.WAITING;
    private Client.Reservation reservation;
    private Loop.Timer lateTimer;
    private boolean holdsReading;

    MemoryTurn(LargeMessages all, ProducerLink link, MessageAssembly assembly, long bytes) {
        this.all = all;
        this.connection = all.connection();
        this.link = link;
        this.assembly = assembly;
        this.bytes = bytes;
    }

    void ask() {
        link.session().holdWindow();
        reservation = connection.client().reserve(bytes, this::grant);
        holdReadingIfFull();
    }

    boolean holdsReading() {
        return holdsReading;
    }

    private void grant() {
        state = State.GRANTED;
        connection.holdsPartial(-assembly.heldBytes());
        lateTimer = connection.loop().schedule(
                LEAST_TIME_NANOS + TimeUnit.SECONDS.toNanos(bytes / SLOWEST_BYTES_A_SECOND), this::arrivesTooSlowly);
        all.granted(this);
        goOn();
    }

    /** The message takes so many more bytes of memory. */
    void grown(int differenceBytes) {
        if (state == State.WAITING) {
            connection.holdsPartial(differenceBytes);
            holdReadingIfFull();
        }
    }

    private void holdReadingIfFull() {
        if (state != State.WAITING || holdsReading || connection.partialBytes() <= LargeMessages.MOST_WAITING_BYTES) {
            return;
        }
        if (all.mayHoldReading()) {
            holdsReading = true;
            connection.holdReading();
        } else {
            giveUp();
        }
    }

    /** It can't wait any longer without standing in the way of the one it waits for. */
    void giveUp() {
        link.detach(AmqpFault.link(
                AmqpError.RESOURCE_LIMIT_EXCEEDED,
                "large messages on several links of a connection, while there is no memory for one more"));
    }

    private void goOn() {
        link.session().releaseWindow();
        if (holdsReading) {
            holdsReading = false;
            connection.readAgain();
        }
    }

    private void arrivesTooSlowly() {
        if (connection.readingPaused()) {
            lateTimer = connection.loop().schedule(LEAST_TIME_NANOS, this::arrivesTooSlowly);
            return;
        }
        link.detach(AmqpFault.link(
                AmqpError.RESOURCE_LIMIT_EXCEEDED,
                "only " + assembly.length() + " bytes of a message of " + bytes + " have come in time"));
    }

    /** Nothing more comes, or nobody wants it. */
    void end() {
        State before = state;
        state = State.ENDED;
        all.ended(this);
        reservation.release();
        if (before == State.WAITING) {
            connection.holdsPartial(-assembly.heldBytes());
            goOn();
        } else {
            lateTimer.cancel();
        }
    }
}
