package io.sluicemq.campaign;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Consumer;
import com.rabbitmq.client.TopologyRecoveryException;
import com.rabbitmq.client.impl.ForgivingExceptionHandler;

/** A client's exception handler that logs nothing, for those that cut their own connections all the time. */
final class NoComplaints extends ForgivingExceptionHandler {

    @Override
    public void handleUnexpectedConnectionDriverException(Connection connection, Throwable cause) {
        // the connection's shutdown listener hears of it
    }

    @Override
    public void handleConsumerException(
            Channel channel, Throwable cause, Consumer consumer, String tag, String method) {
        // a consumer of ours fails only when its channel is gone
    }

    @Override
    public void handleTopologyRecoveryException(Connection connection, Channel channel, TopologyRecoveryException cause) {
        // nothing recovers by itself here
    }

    @Override
    protected void log(String message, Throwable cause) {
        // see above
    }
}
