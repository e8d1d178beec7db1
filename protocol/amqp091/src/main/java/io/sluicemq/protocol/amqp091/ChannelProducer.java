package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Producer;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp091.codec.MethodId;

/**
 * A channel as the producer that queues may ask to wait a moment, and whose publishes may have to wait for room in their
 * address. A client known to obey channel.flow is told so, which stops this channel and nothing else of its connection.
 * For another, pacing stops reading, but only if the connection has nothing else that could be delayed: no second channel, no
 * consumer, nothing to settle. What is done about one that goes on publishing to a full address, {@link ParkedPublishes} says.
 * Owned by the connection's loop.
 *
 * <p>It outlives its channel for as long as publishes of it are parked.
 */
@LoopOwned
final class ChannelProducer extends Producer {

    /**
     * From here on the channel is asked to stop; below that, fullness of a moment costs nobody anything. In bytes, and in
     * messages.
     */
    static final long CROWDED_BYTES = 64 * 1024;

    static final int CROWDED_MESSAGES = 256;

    private final Channel channel;
    private final ConnectionSession connection;
    private final ChannelFlow flow;
    private long countedBytes;
    private int countedMessages;
    private boolean crowded;
    private boolean reading = true;

    ChannelProducer(Channel channel, ConnectionSession connection) {
        super(connection.loop());
        this.channel = channel;
        this.connection = connection;
        this.flow = new ChannelFlow(channel, connection);
    }

    Channel channel() {
        return channel;
    }

    @Override
    public String description() {
        return "channel " + channel.number();
    }

    // ---- full addresses

    @Override
    protected void parkedChanged() {
        long bytes = parkedBytes() - countedBytes;
        int messages = parkedMessages() - countedMessages;
        countedBytes += bytes;
        countedMessages += messages;
        if (messages > 0) {
            flow.usedItsTurn();
        }
        connection.parkedPublishes().changed(this, bytes, messages);
    }

    /** Has the client told, if it obeys, whether it is to stop; {@code tight}: others of its connection use up what it has. */
    void signal(boolean tight) {
        boolean much = tight || parkedBytes() >= CROWDED_BYTES || parkedMessages() >= CROWDED_MESSAGES;
        crowded = parkedMessages() > 0 && (crowded || much);
        if (connection.peer().obeysFlow()) {
            flow.crowded(crowded);
        }
    }

    @Override
    public void refused(BrokerError error) {
        if (channel.open()) {
            channel.fail(BrokerFaults.of(error, MethodId.BASIC_PUBLISH));
        } else {
            connection.log().debug(
                    "a publish of channel {}, which is closed, was refused: {}",
                    channel.number(),
                    BrokerFaults.of(error, MethodId.BASIC_PUBLISH).text());
        }
    }

    // ---- pacing

    @Override
    protected void paced(boolean hold) {
        if (connection.peer().obeysFlow()) {
            flow.paced(hold);
        } else if (hold && channel.open() && connection.onlyPublishes(channel)) {
            reading = false;
            connection.pausePublisher();
        }
        if (!hold && !reading) {
            reading = true;
            connection.resumePublisher();
        }
    }

    /** The channel closes: its client is told nothing more. */
    void channelCloses() {
        flow.channelCloses();
    }
}
