package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.TestBroker.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Client;
import io.sluicemq.api.ConsumerSpec;
import io.sluicemq.api.Delivery;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages that take more of the budget than others may, and whom they hold. */
class LargeMessageMemoryTest {

    private static final int MIB = 1 << 20;
    private static final String LARGE = "x".repeat(11 * MIB);
    private static final String SMALL = "x".repeat(MIB / 2);

    private final TestBroker broker = new TestBroker(2, 10 * MIB);
    private final TestClient client = broker.connect(1);

    @BeforeEach
    void queues() {
        client.declares("small", Map.of());
        client.declares("large", Map.of());
        client.declares("other", Map.of());
    }

    /** Returns how many small messages it takes until publishers wait. */
    private int smallOnesUntilHeld() {
        int before = client.lowCalls;
        int count = 0;
        while (client.lowCalls == before) {
            client.publishes(message("", "small", SMALL));
            count++;
        }
        purge("small");
        assertThat(client.recoveredCalls).isEqualTo(client.lowCalls);
        return count;
    }

    private void purge(String queue) {
        client.<Long>asks(reply -> client.client.purgeQueue(queue, reply));
    }

    private TestConsumer consumes(boolean settles) {
        return client.consumes(new ConsumerSpec("large", "tag", settles, false, false, 0, false, 0, Map.of()));
    }

    @Test
    void shouldNotHoldOthersForOneLargeMessageThatIsLargerThanAllTheMemory() {
        client.publishes(message("", "large", LARGE));
        assertThat(client.lowCalls).isZero();
        // 11 MiB, of which half the budget is left out, and 8 times half a MiB and some are more than 10 MiB.
        assertThat(smallOnesUntilHeld()).isEqualTo(8);
    }

    @Test
    void shouldNotHoldOthersWhileAConsumerHasTheLargeMessage() {
        TestConsumer consumer = consumes(false);
        client.publishes(message("", "large", LARGE));
        assertThat(consumer.deliveries).hasSize(1);
        assertThat(smallOnesUntilHeld()).isEqualTo(8);
    }

    @Test
    void shouldNotHoldOthersWhileALargeMessageThatIsSettledIsUnderWay() {
        TestConsumer consumer = consumes(true);
        client.publishes(message("", "large", LARGE));
        assertThat(smallOnesUntilHeld()).isEqualTo(8);
        client.does(() -> consumer.port.written(consumer.deliveries.getFirst().windowBytes()));
        assertThat(smallOnesUntilHeld()).isEqualTo(20);
    }

    @Test
    void shouldHoldThemForLargeMessagesThatAreTooMany() {
        for (int i = 0; i < 5; i++) {
            assertThat(client.lowCalls).isZero();
            client.publishes(message("", "large", "x".repeat(3 * MIB)));
        }
        assertThat(client.lowCalls).isEqualTo(1);
        purge("large");
        assertThat(client.recoveredCalls).isEqualTo(1);
    }

    /** Those are published without being asked about, so nothing but the hold keeps them off. */
    @Test
    void shouldLeaveOutNoneWhoseMemoryIsNotReserved() {
        int count = 0;
        while (client.lowCalls == 0) {
            client.publishes(message("", "large", "x".repeat(MIB)));
            count++;
        }
        assertThat(count).isEqualTo(10);
    }

    @Test
    void shouldGrantNoMemoryForMoreOfThemMeanwhile() {
        client.publishes(message("", "large", LARGE));
        List<String> granted = new ArrayList<>();
        client.does(() -> client.client.reserve(2 * MIB, () -> granted.add("next")));
        assertThat(granted).isEmpty();
        purge("large");
        assertThat(granted).containsExactly("next");
    }

    @Test
    void shouldCountOneThatHasGoneNoMoreWhicheverWayItWent() {
        client.publishes(message("", "large", LARGE));
        purge("large");
        assertThat(smallOnesUntilHeld()).as("purged").isEqualTo(20);

        client.binds("amq.fanout", "large");
        client.binds("amq.fanout", "other");
        client.publishes(message("amq.fanout", "", LARGE));
        purge("large");
        assertThat(smallOnesUntilHeld()).as("still in a second queue").isEqualTo(8);
        purge("other");
        assertThat(smallOnesUntilHeld()).as("purged in two queues").isEqualTo(20);

        Client.Transaction[] work = new Client.Transaction[1];
        client.does(() -> {
            work[0] = client.client.begin();
            work[0].publish(message("", "large", LARGE));
        });
        assertThat(smallOnesUntilHeld()).as("in a transaction").isEqualTo(8);
        client.<Void>asks(reply -> work[0].commit(reply)).result();
        assertThat(smallOnesUntilHeld()).as("committed").isEqualTo(8);
        TestConsumer consumer = consumes(false);
        consumer.settles(0, Delivery.Outcome.ACCEPTED);
        assertThat(smallOnesUntilHeld()).as("accepted").isEqualTo(20);

        client.does(() -> consumer.port.written(consumer.deliveries.getFirst().windowBytes()));
        client.publishes(message("", "large", LARGE));
        consumer.settles(1, Delivery.Outcome.REJECTED);
        assertThat(smallOnesUntilHeld()).as("rejected").isEqualTo(20);

        client.does(() -> work[0].publish(message("", "other", LARGE)));
        client.does(work[0]::discard);
        assertThat(smallOnesUntilHeld()).as("rolled back").isEqualTo(20);
        assertThat(broker.counters().messageBytes()).isZero();
    }
}
