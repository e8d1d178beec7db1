package io.sluicemq.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class BenchPlanTest {

    static BenchPlan plan(ExchangeKind kind, int queues, int producers, int consumers) {
        return new BenchPlan(
                URI.create("amqp://user:secret@127.0.0.1:5672/orders"),
                null,
                kind,
                queues,
                producers,
                consumers,
                1024,
                false,
                0,
                false,
                500,
                50,
                0,
                10,
                3,
                10,
                false,
                Map.of(),
                false,
                ClientIo.SOCKET,
                Dispatch.DIRECT,
                List.of(),
                false);
    }

    @Property
    void shouldGiveEveryQueueAnEndpointAndEveryEndpointAQueue(
            @ForAll @IntRange(min = 1, max = 40) int queues, @ForAll @IntRange(min = 1, max = 40) int endpoints) {
        BenchPlan plan = plan(ExchangeKind.DIRECT, queues, endpoints, endpoints);
        int[] endpointsOfQueue = new int[queues];
        for (int endpoint = 0; endpoint < endpoints; endpoint++) {
            int[] mine = plan.queuesOf(endpoint, endpoints);
            assertThat(mine).isNotEmpty().doesNotHaveDuplicates();
            Arrays.stream(mine).forEach(queue -> endpointsOfQueue[queue]++);
        }

        assertThat(endpointsOfQueue).doesNotContain(0);
        if (endpoints <= queues) {
            assertThat(endpointsOfQueue).containsOnly(1);
        }
    }

    @Test
    void shouldExpectACopyForEachQueueOfAnExchange() {
        assertThat(plan(ExchangeKind.DIRECT, 20, 1, 20).expectedDeliveries(7)).isEqualTo(7);
        assertThat(plan(ExchangeKind.TOPIC, 20, 1, 20).expectedDeliveries(7)).isEqualTo(140);
        assertThat(plan(ExchangeKind.FANOUT, 20, 1, 0).expectedDeliveries(7)).isZero();
    }

    @Test
    void shouldNotShowThePassword() {
        assertThat(plan(ExchangeKind.DIRECT, 1, 1, 1).displayUri()).isEqualTo("amqp://127.0.0.1:5672/orders");
    }
}
