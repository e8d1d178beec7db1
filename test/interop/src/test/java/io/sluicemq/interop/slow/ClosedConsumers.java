package io.sluicemq.interop.slow;

import jakarta.jms.Connection;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.net.URI;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.qpid.jms.JmsConnection;
import org.apache.qpid.jms.JmsConnectionListener;
import org.apache.qpid.jms.message.JmsInboundMessageDispatch;

/** Why consumers of a connection of Qpid JMS were closed by the broker, as its own listener tells it. Its threads call it. */
final class ClosedConsumers implements JmsConnectionListener {

    private final BlockingQueue<Throwable> causes = new LinkedBlockingQueue<>();

    private ClosedConsumers() {}

    /** The causes, from now on. */
    static BlockingQueue<Throwable> of(Connection connection) {
        ClosedConsumers listener = new ClosedConsumers();
        ((JmsConnection) connection).addConnectionListener(listener);
        return listener.causes;
    }

    @Override
    public void onConsumerClosed(MessageConsumer consumer, Throwable cause) {
        causes.add(cause);
    }

    @Override
    public void onConnectionEstablished(URI remote) {}

    @Override
    public void onConnectionFailure(Throwable error) {}

    @Override
    public void onConnectionInterrupted(URI remote) {}

    @Override
    public void onConnectionRestored(URI remote) {}

    @Override
    public void onInboundMessage(JmsInboundMessageDispatch envelope) {}

    @Override
    public void onSessionClosed(Session session, Throwable cause) {}

    @Override
    public void onProducerClosed(MessageProducer producer, Throwable cause) {}
}
