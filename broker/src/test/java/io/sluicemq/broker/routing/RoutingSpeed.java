package io.sluicemq.broker.routing;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * Prints what a route and a bind cost, in CPU time of the one thread, so that what else runs on the machine shows little. To be run
 * by hand: it judges nothing.
 */
final class RoutingSpeed {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int MANY = 100_000;
    private static final int ROUNDS = 5;

    private RoutingSpeed() {}

    public static void main(String[] args) {
        TableBuilder to = new TableBuilder();
        for (int i = 0; i < 1_000; i++) {
            to.queues("queue-" + i).bind("amq.direct", "queue-" + i, "key-" + i);
        }
        for (int i = 0; i < 20; i++) {
            to.bind("amq.fanout", "queue-" + i, "");
        }
        to.exchange("few", ExchangeType.TOPIC).exchange("many", ExchangeType.TOPIC);
        to.bind("few", "queue-1", "stock.*.nyse").bind("few", "queue-2", "stock.#");
        measureBinds(to);
        for (int i = 0; i < 10_000; i++) {
            to.bind("amq.headers", "queue-" + i % 1_000, Map.of("event", "created", "tenant", i));
        }
        measureRoutes("default, 1,000 queues", to, "", i -> "queue-" + i, HeaderSource.NONE);
        measureRoutes("direct, 1,000 bindings, 1 matches", to, "amq.direct", i -> "key-" + i, HeaderSource.NONE);
        measureRoutes("fanout to 20", to, "amq.fanout", i -> "k", HeaderSource.NONE);
        measureRoutes("topic, 2 bindings match", to, "few", i -> "stock.s" + i + ".nyse", HeaderSource.NONE);
        measureRoutes("topic, 100,000, one key", to, "many", i -> "device.55.room.temperature", HeaderSource.NONE);
        measureRoutes("topic, 100,000, 1,000 keys", to, "many", i -> "device." + 5 * i + ".room.t", HeaderSource.NONE);
        measureRoutes("topic, 100,000, none matches", to, "many", i -> "room.t.b" + i, HeaderSource.NONE);
        Map<String, Object> headers = Map.of("event", "created", "tenant", 77, "note", "x");
        measureRoutes("headers, 10,000, 1 matches", to, "amq.headers", i -> "", () -> headers);
    }

    private static void measureBinds(TableBuilder to) {
        for (int round = 0; round < ROUNDS; round++) {
            long start = 0;
            for (int i = 0; i < MANY; i++) {
                if (i == MANY - MANY / 10) {
                    start = cpu();
                }
                to.bind("many", "queue-" + i % 1_000, pattern(i));
            }
            print("bind a topic pattern at 100,000", (cpu() - start) / (MANY / 10.0), round);
            if (round < ROUNDS - 1) {
                start = cpu();
                for (int i = 0; i < MANY; i++) {
                    to.unbind(Binding.toQueue("many", "queue-" + i % 1_000, pattern(i)));
                }
                print("unbind all 100,000", (cpu() - start) / (double) MANY, round);
            }
        }
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

    private static void measureRoutes(
            String what, TableBuilder to, String exchange, IntFunction<String> key, HeaderSource headers) {
        String[] keys = new String[1_000];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = key.apply(i);
        }
        RoutingTable<TestQueue> table = to.table();
        RouteSet<TestQueue> out = new RouteSet<>();
        int routes = 1_000_000;
        for (int round = 0; round < ROUNDS; round++) {
            long reached = 0;
            long bytes = THREADS.getCurrentThreadAllocatedBytes();
            long start = cpu();
            for (int i = 0; i < routes; i++) {
                out.clear();
                table.route(table.exchange(exchange), keys[i % keys.length], headers, out);
                reached += out.size();
            }
            double nanos = (cpu() - start) / (double) routes;
            bytes = THREADS.getCurrentThreadAllocatedBytes() - bytes;
            print(what + " (" + reached / (double) routes + " queues, " + bytes / routes + " bytes)", nanos, round);
        }
    }

    private static long cpu() {
        return THREADS.getCurrentThreadCpuTime();
    }

    private static void print(String what, double nanos, int round) {
        if (round >= ROUNDS - 2) {
            System.out.printf("%-60s %8.0f ns%n", what, nanos);
        }
    }
}
