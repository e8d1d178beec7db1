package io.sluicemq.campaign.full;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.sluicemq.broker.engine.BrokerCounters;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.campaign.full.Publisher.Mode;
import io.sluicemq.server.AddressSetting;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeoutException;

/** An address is filled by several producers and given room in random ways, again and again: nobody is left waiting. */
final class Rounds {

    private static final int PRODUCERS = 4;
    private static final int MESSAGES = 20;

    private final EmbeddedBroker broker;
    private final int rounds;
    private final Random random;
    private final PrintStream out;

    Rounds(EmbeddedBroker broker, int rounds, long seed, PrintStream out) {
        this.broker = broker;
        this.rounds = rounds;
        this.random = new Random(seed);
        this.out = out;
    }

    boolean run() throws IOException, TimeoutException, InterruptedException {
        broker.addressSettings(
                List.of(AddressSetting.match("rounds").maxMessages(MESSAGES).fullPolicy(FullPolicy.BLOCK)));
        List<Publisher> publishers = new ArrayList<>();
        try (Connection connection = Publisher.connect(broker)) {
            Channel channel = connection.createChannel();
            channel.queueDeclare("rounds", false, false, false, null);
            for (int i = 0; i < PRODUCERS; i++) {
                publishers.add(Publisher.start(broker, "rounds", 10, Mode.CONFIRMED));
            }
            for (int round = 0; round < rounds; round++) {
                Condition.await("everybody waits in round " + round, this::isFull);
                makeRoom(channel);
            }
            // The last room was made: everybody goes on, and waits again.
            Condition.await("everybody waits in the end", this::isFull);
            channel.queueDelete("rounds");
            Condition.await("nobody waits", () -> broker.counters().parkedMessages() == 0);
        } finally {
            publishers.forEach(Publisher::close);
        }
        long published = publishers.stream().mapToLong(Publisher::answered).sum();
        out.printf(
                "%,d random rounds of %d producers at a limit of %d messages: nobody was left waiting (%,d confirmed)%n",
                rounds, PRODUCERS, MESSAGES, published);
        return publishers.stream().allMatch(each -> each.failure() == null);
    }

    private boolean isFull() {
        BrokerCounters now = broker.counters();
        return now.parkedMessages() == PRODUCERS && now.readyMessages() == MESSAGES && now.unsettledMessages() == 0;
    }

    /** Takes some messages or all of them out, in one way or another. */
    private void makeRoom(Channel channel) throws IOException {
        if (random.nextInt(4) == 0) {
            channel.queuePurge("rounds");
            return;
        }
        // At least down to the low-water mark: above it nobody is served.
        int count = MESSAGES / 5 + random.nextInt(MESSAGES - MESSAGES / 5 + 1);
        GetResponse last = null;
        for (int i = 0; i < count; i++) {
            last = channel.basicGet("rounds", false);
        }
        if (random.nextBoolean()) {
            channel.basicAck(last.getEnvelope().getDeliveryTag(), true);
        } else {
            channel.basicNack(last.getEnvelope().getDeliveryTag(), true, false);
        }
    }
}
