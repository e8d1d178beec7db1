package io.sluicemq.campaign.full;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.campaign.full.Publisher.Mode;
import io.sluicemq.server.AddressSetting;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * On one connection a channel publishes to a queue with a consumer on the same connection; its rate alone, and while another
 * channel of it waits for a full queue.
 */
final class Neighbours {

    private static final int BODY_BYTES = 1024;

    private final EmbeddedBroker broker;
    private final NeighbourRates rates;

    Neighbours(EmbeddedBroker broker, NeighbourRates rates) {
        this.broker = broker;
        this.rates = rates;
    }

    boolean run() throws Exception {
        broker.addressSettings(
                List.of(AddressSetting.match("full").maxSizeBytes(100_000).fullPolicy(FullPolicy.BLOCK)));
        boolean right = true;
        for (Mode mode : Mode.values()) {
            right &= rates.enough("", mode, besideFull -> rate(mode, besideFull));
        }
        return right;
    }

    private double rate(Mode mode, boolean withFull) throws IOException, TimeoutException, InterruptedException {
        Publisher blocked = null;
        Publisher free = null;
        Connection connection = Publisher.connect(broker);
        try {
            Channel channel = connection.createChannel();
            channel.queueDeclare("free", mode == Mode.PERSISTENT, false, false, null);
            channel.queueDeclare("full", mode == Mode.PERSISTENT, false, false, null);
            if (withFull) {
                blocked = Publisher.start(connection, "full", BODY_BYTES, mode);
                Publisher full = blocked;
                Condition.await("it waits", () -> broker.counters().parkedMessages() > 0);
                Condition.await("it waits", () -> {
                    long before = full.published();
                    broker.address("full"); // which takes a quarter of a second
                    return before == full.published();
                });
            }
            AtomicLong taken = new AtomicLong();
            channel.basicQos(500);
            channel.basicConsume("free", false, (tag, delivery) -> {
                if (taken.incrementAndGet() % 100 == 0) {
                    channel.basicAck(delivery.getEnvelope().getDeliveryTag(), true);
                }
            }, tag -> {});
            free = Publisher.start(connection, "free", BODY_BYTES, mode);
            double rate = rates.of(taken);
            Channel other = connection.createChannel();
            other.queueDelete("full");
            return rate;
        } finally {
            if (free != null) {
                free.close();
            }
            if (blocked != null) {
                blocked.close();
            }
            connection.abort(1_000);
            try (Connection last = Publisher.connect(broker)) {
                last.createChannel().queueDelete("free");
                last.createChannel().queueDelete("full");
            }
        }
    }
}
