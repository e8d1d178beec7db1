package io.sluicemq.campaign.full;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.campaign.full.Publisher.Mode;
import io.sluicemq.server.AddressSetting;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * On one connection a channel publishes to a queue with a consumer on the same connection; its rate alone, and while another
 * channel of it waits for a full queue.
 */
final class Neighbours {

    private static final double LEAST = 0.9;
    private static final int BODY_BYTES = 1024;
    private static final int PAIRS = 3;
    /** So many messages have arrived when the rate begins to be measured. */
    private static final int GOING = 5_000;

    private final EmbeddedBroker broker;
    private final int seconds;
    private final PrintStream out;

    Neighbours(EmbeddedBroker broker, int seconds, PrintStream out) {
        this.broker = broker;
        this.seconds = seconds;
        this.out = out;
    }

    boolean run() throws IOException, TimeoutException, InterruptedException {
        broker.addressSettings(
                List.of(AddressSetting.match("full").maxSizeBytes(100_000).fullPolicy(FullPolicy.BLOCK)));
        boolean right = true;
        for (Mode mode : Mode.values()) {
            double alone = 0;
            double beside = 0;
            List<String> ratios = new ArrayList<>();
            for (int i = 0; i < PAIRS; i++) {
                double one = rate(mode, false);
                double other = rate(mode, true);
                alone += one;
                beside += other;
                ratios.add("%.2f".formatted(other / one));
            }
            double ratio = beside / alone;
            right &= ratio >= LEAST;
            out.printf(
                    "%s: %,.0f messages a second alone, %,.0f beside a full queue of the same connection: %.2f (pairs: %s)%n",
                    mode.name().toLowerCase(java.util.Locale.ROOT), alone / PAIRS, beside / PAIRS, ratio,
                    String.join(", ", ratios));
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
            Condition.await("it is going", () -> taken.get() > GOING);
            long before = taken.get();
            long start = System.nanoTime();
            Thread.sleep(seconds * 1_000L);
            double rate = (taken.get() - before) * 1e9 / (System.nanoTime() - start);
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
