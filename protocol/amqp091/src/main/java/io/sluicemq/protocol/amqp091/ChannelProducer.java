package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Producer;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp091.codec.FrameEncoder;
import io.sluicemq.protocol.amqp091.codec.MethodId;

/**
 * A channel as the producer that queues may ask to wait a moment. A client known to obey channel.flow (spec §1.4.2.3) is
 * told so, which stops this channel and nothing else of its connection. For another, reading stops, but only if the
 * connection has nothing else that could be delayed: no second channel, no consumer, nothing to settle. Whoever can be
 * stopped in neither way goes on. Owned by the connection's loop.
 */
@LoopOwned
final class ChannelProducer extends Producer {

    private final Channel channel;
    private final ConnectionSession connection;
    private boolean toldToStop;
    private boolean reading = true;

    ChannelProducer(Channel channel, ConnectionSession connection) {
        super(connection.loop());
        this.channel = channel;
        this.connection = connection;
    }

    @Override
    public String description() {
        return "channel " + channel.number();
    }

    @Override
    protected void parkedChanged() {}

    @Override
    public void refused(BrokerError error) {
        channel.fail(BrokerFaults.of(error, MethodId.BASIC_PUBLISH));
    }

    @Override
    protected void paced(boolean hold) {
        if (hold) {
            if (!channel.open()) {
                return;
            }
            if (connection.peer().obeysFlow()) {
                toldToStop = true;
                FrameEncoder.channelFlow(connection.out(), channel.number(), false);
            } else if (connection.onlyPublishes(channel)) {
                reading = false;
                connection.pausePublisher();
            }
            return;
        }
        if (toldToStop) {
            toldToStop = false;
            if (channel.open()) {
                FrameEncoder.channelFlow(connection.out(), channel.number(), true);
            }
        }
        if (!reading) {
            reading = true;
            connection.resumePublisher();
        }
    }
}
