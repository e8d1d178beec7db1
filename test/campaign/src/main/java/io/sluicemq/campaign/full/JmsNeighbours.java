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
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Over AMQP 1.0, on one connection of Qpid JMS, a session sends to a queue with a consumer on the same connection; its rate alone, and
 * while another session of it waits for a full queue, and what that queue holds at most. In one session of this client a producer
 * that waits for credit keeps all others from sending, as the client locks its session meanwhile.
 */
final class JmsNeighbours {

    private static final int BODY_BYTES = 1024;
    private static final long LIMIT_BYTES = 100_000;

    private final EmbeddedBroker broker;
    private final NeighbourRates rates;
    private final PrintStream out;
    private long mostBytes;
    private long mostParked;

    JmsNeighbours(EmbeddedBroker broker, NeighbourRates rates, PrintStream out) {
        this.broker = broker;
        this.rates = rates;
        this.out = out;
    }

    boolean run() throws Exception {
        broker.addressSettings(
                List.of(AddressSetting.match("full").maxSizeBytes(LIMIT_BYTES).fullPolicy(FullPolicy.BLOCK)));
        boolean right = true;
        for (Mode mode : Mode.values()) {
            right &= rates.enough("AMQP 1.0, ", mode, besideFull -> rate(mode, besideFull));
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
            double rate = rates.of(taken);
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
