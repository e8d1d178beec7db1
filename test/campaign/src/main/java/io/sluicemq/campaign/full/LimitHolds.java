package io.sluicemq.campaign.full;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.sluicemq.broker.engine.BrokerCounters;
import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.campaign.full.Publisher.Mode;
import io.sluicemq.server.AddressSetting;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;

/** Many connections publish to an address that nobody reads: what it holds at most, and what waits beside it. */
final class LimitHolds {

    private static final long LIMIT = 1_000_000;
    private static final int BODY_BYTES = 10 * 1024;

    private final EmbeddedBroker broker;
    private final int connections;
    private final PrintStream out;

    LimitHolds(EmbeddedBroker broker, int connections, PrintStream out) {
        this.broker = broker;
        this.connections = connections;
        this.out = out;
    }

    boolean run() throws IOException, TimeoutException, InterruptedException {
        broker.addressSettings(List.of(AddressSetting.match("full.*").maxSizeBytes(LIMIT)
                .fullPolicy(FullPolicy.BLOCK)));
        return fill("full.confirmed", Mode.CONFIRMED) & fill("full.unconfirmed", Mode.UNCONFIRMED);
    }

    private boolean fill(String queue, Mode mode) throws IOException, TimeoutException, InterruptedException {
        List<Publisher> publishers = new ArrayList<>();
        try (Connection connection = Publisher.connect(broker)) {
            Channel channel = connection.createChannel();
            channel.queueDeclare(queue, false, false, false, null);
            for (int i = 0; i < connections; i++) {
                publishers.add(Publisher.start(broker, queue, BODY_BYTES, mode));
            }
            Condition.await("everybody waits", () -> {
                AddressState state = broker.address(queue);
                return state.waiting().size() == connections && isStill(queue, publishers);
            });
            AddressState state = broker.address(queue);
            BrokerCounters counters = broker.counters();
            out.printf("%d connections x %d bytes to a limit of %,d, %s: %,d bytes at most in the address, %,d waiting"
                    + " beside it (%,d a connection)%n",
                    connections, BODY_BYTES, LIMIT, mode.name().toLowerCase(java.util.Locale.ROOT),
                    state.highestBytes(), counters.parkedBytes(), counters.parkedBytes() / connections);
            channel.queueDelete(queue);
            return state.highestBytes() <= LIMIT && publishers.stream().allMatch(each -> each.failure() == null);
        } finally {
            publishers.forEach(Publisher::close);
        }
    }

    private boolean isStill(String queue, List<Publisher> publishers) {
        long before = publishers.stream().mapToLong(Publisher::published).sum();
        broker.address(queue); // which takes a quarter of a second
        return before == publishers.stream().mapToLong(Publisher::published).sum();
    }
}
