package io.sluicemq.campaign.full;

import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.campaign.full.JmsPublisher.Mode;
import io.sluicemq.server.AddressSetting;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Over AMQP 1.0, on one connection of Qpid JMS, a session sends to a queue with a consumer on the same connection; its rate alone, and
 * while another session of it waits for a full queue, and what that queue holds at most. In one session of this client a producer
 * that waits for credit keeps all others from sending, as the client locks its session meanwhile.
 */
final class JmsNeighbours {

    private static final double LEAST = 0.9;
    private static final int BODY_BYTES = 1024;
    private static final long LIMIT_BYTES = 100_000;
    private static final int PAIRS = 3;
    /** So many messages have arrived when the rate begins to be measured. */
    private static final int GOING = 5_000;

    private final EmbeddedBroker broker;
    private final int seconds;
    private final PrintStream out;
    private long mostBytes;
    private long mostParked;

    JmsNeighbours(EmbeddedBroker broker, int seconds, PrintStream out) {
        this.broker = broker;
        this.seconds = seconds;
        this.out = out;
    }

    boolean run() throws JMSException, IOException, TimeoutException, InterruptedException {
        broker.addressSettings(
                List.of(AddressSetting.match("full").maxSizeBytes(LIMIT_BYTES).fullPolicy(FullPolicy.BLOCK)));
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
                    "AMQP 1.0, %s: %,.0f messages a second alone, %,.0f beside a full queue of the same connection: %.2f"
                            + " (pairs: %s)%n",
                    mode.name().toLowerCase(Locale.ROOT).replace('_', ' '), alone / PAIRS, beside / PAIRS, ratio,
                    String.join(", ", ratios));
        }
        out.printf("AMQP 1.0: %,d bytes at most in the full queue, whose limit is %,d; %d messages at most beside it%n",
                mostBytes, LIMIT_BYTES, mostParked);
        return right && mostBytes <= LIMIT_BYTES;
    }

    private double rate(Mode mode, boolean withFull)
            throws JMSException, IOException, TimeoutException, InterruptedException {
        List<JmsPublisher> publishers = new ArrayList<>();
        Connection connection = JmsPublisher.connect(broker);
        try {
            if (withFull) {
                JmsPublisher blocked = JmsPublisher.start(connection, "full", BODY_BYTES, mode);
                publishers.add(blocked);
                Condition.await("it waits", () -> {
                    long before = blocked.sent();
                    return before > 0 && !broker.address("full").waiting().isEmpty() && before == blocked.sent();
                });
            }
            AtomicLong taken = new AtomicLong();
            var consuming = connection.createSession();
            consuming.createConsumer(consuming.createQueue("free"))
                    .setMessageListener(message -> taken.incrementAndGet());
            publishers.add(JmsPublisher.start(connection, "free", BODY_BYTES, mode));
            Condition.await("it is going", () -> taken.get() > GOING);
            long before = taken.get();
            long start = System.nanoTime();
            Thread.sleep(seconds * 1_000L);
            double rate = (taken.get() - before) * 1e9 / (System.nanoTime() - start);
            if (withFull) {
                AddressState state = broker.address("full");
                mostBytes = Math.max(mostBytes, state.highestBytes());
                mostParked = Math.max(mostParked, broker.counters().parkedMessages());
            }
            return rate;
        } finally {
            // This client doesn't close while a commit of its waits, and that one waits for room.
            deleteQueues();
            connection.close();
            for (JmsPublisher each : publishers) {
                each.awaitEnd();
            }
            deleteQueues();
        }
    }

    private void deleteQueues() throws IOException, TimeoutException {
        try (var last = Publisher.connect(broker)) {
            last.createChannel().queueDelete("free");
            last.createChannel().queueDelete("full");
        }
    }
}
