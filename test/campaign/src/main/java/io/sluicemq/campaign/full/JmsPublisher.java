package io.sluicemq.campaign.full;

import io.sluicemq.campaign.EmbeddedBroker;
import jakarta.jms.BytesMessage;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.qpid.jms.JmsConnectionFactory;

/**
 * A session of Qpid JMS that sends by a thread of its own, as fast as it may, until its connection is closed. Other threads read
 * what it counts.
 */
final class JmsPublisher {

    /** Messages on their way that completion is awaited for. */
    private static final int WINDOW = 500;

    /** Messages in a transaction. */
    private static final int BATCH = 20;

    private final Session session;
    private final Thread thread;
    private final AtomicLong sent = new AtomicLong();

    /** How it sends. */
    enum Mode {
        /** Transient, not waiting. */
        TRANSIENT(DeliveryMode.NON_PERSISTENT, false),
        /** Persistent, with completion listeners and a window. */
        PERSISTENT(DeliveryMode.PERSISTENT, false),
        /** Transient, in transactions. */
        TRANSIENT_TRANSACTED(DeliveryMode.NON_PERSISTENT, true),
        /** Persistent, in transactions. */
        PERSISTENT_TRANSACTED(DeliveryMode.PERSISTENT, true);

        private final int deliveryMode;
        private final boolean transacted;

        Mode(int deliveryMode, boolean transacted) {
            this.deliveryMode = deliveryMode;
            this.transacted = transacted;
        }
    }

    private JmsPublisher(Session session, String queue, int bytes, Mode mode) {
        this.session = session;
        this.thread = Thread.ofPlatform().name("jms publisher to " + queue).start(() -> run(queue, bytes, mode));
    }

    static Connection connect(EmbeddedBroker broker) throws JMSException {
        Connection connection = new JmsConnectionFactory(
                broker.user(), broker.password(), "amqp://" + broker.host() + ":" + broker.port()).createConnection();
        connection.start();
        return connection;
    }

    /** Begins to send to a queue over a session of its own. */
    static JmsPublisher start(Connection connection, String queue, int bytes, Mode mode) throws JMSException {
        Session session = connection.createSession(
                mode.transacted ? Session.SESSION_TRANSACTED : Session.AUTO_ACKNOWLEDGE);
        return new JmsPublisher(session, queue, bytes, mode);
    }

    private void run(String queue, int bytes, Mode mode) {
        byte[] body = new byte[bytes];
        Semaphore window = new Semaphore(WINDOW);
        CompletionListener listener = new CompletionListener() {
            @Override
            public void onCompletion(Message message) {
                window.release();
            }

            @Override
            public void onException(Message message, Exception exception) {
                window.release();
            }
        };
        try {
            MessageProducer producer = session.createProducer(session.createQueue(queue));
            producer.setDeliveryMode(mode.deliveryMode);
            while (true) {
                BytesMessage message = session.createBytesMessage();
                message.writeBytes(body);
                if (mode == Mode.PERSISTENT) {
                    window.acquire();
                    producer.send(message, listener);
                } else {
                    producer.send(message);
                }
                if (sent.incrementAndGet() % BATCH == 0 && mode.transacted) {
                    session.commit();
                }
            }
        } catch (JMSException | InterruptedException e) {
            // its connection was closed, which ends it
        }
    }

    /** How many have left. */
    long sent() {
        return sent.get();
    }

    /** Waits until its thread has ended; its connection is to be closed before. */
    void awaitEnd() throws InterruptedException {
        thread.interrupt();
        thread.join();
    }
}
