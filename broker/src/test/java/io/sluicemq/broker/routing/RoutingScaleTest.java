package io.sluicemq.broker.routing;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What large tables cost, counted in nodes visited and bytes allocated, which are the same on every machine and at every load.
 */
class RoutingScaleTest {

    private static final int BINDINGS = 100_000;
    private static final int SMALL = 1_000;

    /** Bindings with wildcards in all places, on ten queues. */
    private static RoutingTable<TestQueue> large;

    /** Bytes allocated for a bind, with few and with many bindings there. */
    private static double bytesAtFew;
    private static double bytesAtMany;

    @BeforeAll
    static void bindMany() {
        TableBuilder to = new TableBuilder();
        for (int i = 0; i < 10; i++) {
            to.queues("q" + i);
        }
        long start = allocated();
        for (int i = 0; i < BINDINGS; i++) {
            to.bind("amq.topic", "q" + i % 10, pattern(i));
            if (i == SMALL) {
                bytesAtFew = (allocated() - start) / (double) SMALL;
            } else if (i == BINDINGS - SMALL) {
                start = allocated();
            }
        }
        bytesAtMany = (allocated() - start) / (double) SMALL;
        large = to.table();
    }

    private static String pattern(int i) {
        return switch (i % 5) {
            case 0 -> "device." + i + ".#";
            case 1 -> "*." + i + ".temperature";
            case 2 -> "#.alarm." + i;
            case 3 -> "site.*." + i + ".#";
            default -> "site." + i + ".#.last";
        };
    }

    @Test
    void shouldVisitFewNodesOfALargeTopicExchange() {
        assertThat(steps("device.500.x.y.z", "q0")).isLessThan(60);
        assertThat(steps("device.501.temperature", "q1")).isLessThan(60);
        assertThat(steps("a.b.c.alarm.502", "q2")).isLessThan(60);
        assertThat(steps("site.anything.503.more.of.it", "q3")).isLessThan(60);
        assertThat(steps("site.504.first.and.last", "q4")).isLessThan(60);
        assertThat(steps("nothing.of.this.sort.is.bound")).isLessThan(60);
    }

    private static long steps(String key, String... queues) {
        RouteSet<TestQueue> out = new RouteSet<>();
        large.route(large.exchange("amq.topic"), key, HeaderSource.NONE, out);
        assertThat(TableBuilder.names(out)).containsExactlyInAnyOrder(queues);
        return out.topicWalk().steps();
    }

    @Test
    void shouldBindAtACostThatHardlyGrows() {
        assertThat(bytesAtMany).isLessThan(4 * bytesAtFew);
    }

    @Test
    void shouldRemoveAQueueAtTheCostOfItsOwnBindings() {
        TestQueue queue = new TestQueue("extra");
        RoutingTable<TestQueue> table = TableBuilder.applied(large.addQueue("extra", queue)).table();
        for (String key : List.of("x.#", "*.5.temperature", "device.500.#")) {
            table = TableBuilder.applied(table.bind(Binding.toQueue("amq.topic", "extra", key))).table();
        }
        long before = allocated();
        RoutingTable<TestQueue> removed = TableBuilder.applied(table.removeQueue("extra")).table();
        assertThat(allocated() - before).isLessThan(1_000_000);
        assertThat(removed.exchange("amq.topic").bindingCount()).isEqualTo(BINDINGS);
    }

    @Test
    void shouldFanOutToManyQueuesEachOnce() {
        int queues = 10_000;
        TableBuilder to = new TableBuilder();
        long before = allocated();
        for (int i = 0; i < queues; i++) {
            String name = "q" + i;
            to.queues(name).bind("amq.fanout", name, "").bind("amq.direct", name, "k");
        }
        // Copying the list of queues for each binding would take 2 × 200 MB for it alone.
        assertThat(allocated() - before).isLessThan(400_000_000L);
        to.bindExchange("amq.fanout", "amq.direct", "");
        RouteSet<TestQueue> out = new RouteSet<>();
        for (int round = 0; round < 3; round++) {
            out.clear();
            to.table().route(to.table().exchange("amq.fanout"), "k", HeaderSource.NONE, out);
            assertThat(TableBuilder.names(out)).hasSize(queues).doesNotHaveDuplicates();
        }
        for (int i = 0; i < queues; i++) {
            to.removeQueue("q" + i);
        }
        assertThat(to.table().exchange("amq.fanout").bindings())
                .containsExactly(Binding.toExchange("amq.fanout", "amq.direct", ""));
        assertThat(to.table().exchange("amq.direct").bindingCount()).isZero();
    }

    @Test
    void shouldFindHeadersBindingsWithoutAskingEach() {
        int tenants = 10_000;
        TableBuilder to = new TableBuilder();
        for (int i = 0; i < tenants; i++) {
            String queue = "q" + i;
            // The header that all have in common comes first by name, and must not be what they are found by.
            to.queues(queue).bind("amq.headers", queue, Map.of("event", "created", "tenant", i));
        }
        CountingHeaders headers = new CountingHeaders(Map.of("event", "created", "tenant", 77, "note", "x"));
        RouteSet<TestQueue> out = new RouteSet<>();
        to.table().route(to.table().exchange("amq.headers"), "", () -> headers, out);
        assertThat(TableBuilder.names(out)).containsExactly("q77");
        assertThat(headers.lookUps).isLessThan(20);
    }

    /** Headers that count how often one is asked for. */
    private static final class CountingHeaders extends HashMap<String, Object> {

        private static final long serialVersionUID = 1L;

        private int lookUps;

        CountingHeaders(Map<String, Object> headers) {
            super(headers);
        }

        @Override
        public Object get(Object key) {
            lookUps++;
            return super.get(key);
        }
    }

    @Test
    void shouldAllocateNothingForARoute() {
        TableBuilder to = new TableBuilder();
        to.exchange("entry", ExchangeType.FANOUT).withAlternate("lossless", ExchangeType.DIRECT, "amq.fanout");
        for (int i = 0; i < 100; i++) {
            to.queues("q" + i).bind("amq.direct", "q" + i, "k").bind("amq.fanout", "q" + i, "");
        }
        to.bind("amq.topic", "q1", "a.*.c").bind("amq.topic", "q2", "a.#").bind("amq.topic", "q3", "#.c.#.e");
        to.bindExchange("entry", "amq.topic", "").bindExchange("entry", "amq.direct", "");
        RoutingTable<TestQueue> table = to.table();
        List<String> extraKeys = List.of("q7", "k");
        for (String exchange : List.of("", "amq.direct", "amq.fanout", "amq.topic", "entry", "lossless")) {
            RouteSet<TestQueue> out = new RouteSet<>();
            for (String key : List.of("q5", "k", "a.b.c", "b.c.d.e", "none")) {
                routeMany(table, exchange, key, extraKeys, out); // and let the work space grow
                long before = allocated();
                routeMany(table, exchange, key, extraKeys, out);
                assertThat(allocated() - before).as("%s %s", exchange, key).isLessThan(ROUTES);
            }
        }
    }

    private static final int ROUTES = 20_000;

    private static void routeMany(
            RoutingTable<TestQueue> table,
            String exchange,
            String key,
            List<String> extraKeys,
            RouteSet<TestQueue> out) {
        for (int i = 0; i < ROUTES; i++) {
            out.clear();
            table.route(table.exchange(exchange), key, i % 2 == 0 ? extraKeys : List.of(), HeaderSource.NONE, out);
        }
    }

    private static long allocated() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }
}
