package io.sluicemq.protocol.amqp091;

import io.sluicemq.base.Loop;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp091.codec.FrameEncoder;
import java.util.concurrent.TimeUnit;

/**
 * What a client that obeys channel.flow (spec §1.4.2.3) has been told about one channel: to stop, while consumers are a
 * little behind or too many of its publishes wait for room, or to go on. Nobody waits for a flow-ok, which some of these
 * clients never send. Owned by the connection's loop.
 *
 * <p>Qpid JMS gives up a publish after it has waited for 60 s. So it is let on before that: for one more publish, after which
 * it is stopped again and its time begins anew. This goes on as long as there is an allowance for what comes.
 *
 * <p>Invariant: the client has been told each change of the one state, once; nothing is written when the channel is not open.
 */
@LoopOwned
final class ChannelFlow {

    /** How long Qpid JMS is stopped at a time: well below its limit, a pause of its own included. */
    private static final long LONGEST_STOP_NANOS = TimeUnit.SECONDS.toNanos(25);

    private final Channel channel;
    private final ConnectionSession connection;
    private boolean paced;
    private boolean crowded;
    private boolean stopped;
    private boolean stoppedForLong;
    private boolean letOn;
    private Loop.Timer limit;

    ChannelFlow(Channel channel, ConnectionSession connection) {
        this.channel = channel;
        this.connection = connection;
    }

    /** Consumers are a little behind, or no longer. */
    void paced(boolean hold) {
        paced = hold;
        update();
    }

    /** Too many of its publishes wait for room, or none any more. */
    void crowded(boolean now) {
        crowded = now;
        if (!now) {
            letOn = false;
        }
        update();
    }

    /** It has published once more. */
    void usedItsTurn() {
        letOn = false;
    }

    private void update() {
        if (!channel.open()) {
            return;
        }
        if (stoppedForLong && connection.parkedPublishes().mayGrow()) {
            letOn = crowded;
        }
        boolean stop = paced || crowded && !letOn;
        if (stop == stopped) {
            return;
        }
        stopped = stop;
        FrameEncoder.channelFlow(connection.out(), channel.number(), !stop);
        endLimit();
        if (stop && connection.peer().qpidJms()) {
            limit = connection.loop().schedule(LONGEST_STOP_NANOS, this::stoppedForLong);
        }
    }

    private void stoppedForLong() {
        stoppedForLong = true;
        update();
    }

    private void endLimit() {
        stoppedForLong = false;
        if (limit != null) {
            limit.cancel();
            limit = null;
        }
    }

    void channelCloses() {
        endLimit();
    }
}
