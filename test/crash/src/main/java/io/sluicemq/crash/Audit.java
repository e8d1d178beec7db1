package io.sluicemq.crash;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/**
 * Reads what the load's queues hold, and leaves it there. Stateless; runs on the campaign's thread, while there is no
 * load.
 */
final class Audit {

    private static final long PATIENCE_MILLIS = 20_000;

    private Audit() {}

    /** What each queue holds, in order. A queue that is not there is a fault, and declared again. */
    static Map<String, List<Ledger.Found>> read(Connection connection, Findings findings)
            throws IOException, TimeoutException, InterruptedException {
        Map<String, List<Ledger.Found>> found = new HashMap<>();
        for (String queue : Queues.ALL) {
            try {
                found.put(queue, read(connection, queue, findings));
            } catch (IOException e) {
                if (!(e.getCause() instanceof ShutdownSignalException signal)
                        || !String.valueOf(signal.getReason()).contains("NOT_FOUND")) {
                    throw e;
                }
                findings.fault("queue " + queue + " is not there after a restart");
                found.put(queue, List.of());
            }
        }
        try (Channel channel = connection.createChannel()) {
            Queues.declare(channel);
        }
        return found;
    }

    private static List<Ledger.Found> read(Connection connection, String queue, Findings findings)
            throws IOException, TimeoutException, InterruptedException {
        Channel channel = connection.createChannel();
        int count = channel.queueDeclarePassive(queue).getMessageCount();
        Inbox inbox = new Inbox(channel);
        channel.basicConsume(queue, false, inbox);
        List<Ledger.Found> found = new ArrayList<>(count);
        while (found.size() < count) {
            Inbox.Delivery delivery = inbox.next(PATIENCE_MILLIS);
            if (delivery == null) {
                findings.fault(
                        "queue " + queue + " tells of " + count + " messages, but gives " + found.size() + " only");
                break;
            }
            found.add(found(delivery));
        }
        // What the queue gives beyond its count comes before this answer.
        channel.queueDeclarePassive(queue);
        for (Inbox.Delivery more = inbox.next(0); more != null; more = inbox.next(0)) {
            found.add(found(more));
        }
        if (found.size() > count) {
            findings.fault("queue " + queue + " tells of " + count + " messages, but gives " + found.size());
        }
        // Gives them back.
        channel.close();
        return found;
    }

    private static Ledger.Found found(Inbox.Delivery delivery) {
        return new Ledger.Found(Body.read(delivery.body()), delivery.redelivered());
    }
}
