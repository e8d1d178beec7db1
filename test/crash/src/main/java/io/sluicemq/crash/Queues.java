package io.sluicemq.crash;

import com.rabbitmq.client.Channel;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/** The durable queues that the load's messages go to, and the ways there. Stateless. */
final class Queues {

    /** Where messages go that a producer sends to one queue. */
    static final List<String> DIRECT = List.of("direct-0", "direct-1", "direct-2");
    /** Where each message of the exchange {@link #FANOUT} goes. */
    static final List<String> SPREAD = List.of("spread-0", "spread-1", "spread-2");
    /** Where messages go that were taken from one of the others. */
    static final List<String> MOVED = List.of("moved-0", "moved-1");
    static final List<String> ALL = Stream.of(DIRECT, SPREAD, MOVED).flatMap(List::stream).toList();
    static final String FANOUT = "spread";

    /** A way that messages take, and the queues where it ends. */
    record Route(String exchange, String key, List<String> queues) {}

    private Queues() {}

    static void declare(Channel channel) throws IOException {
        channel.exchangeDeclare(FANOUT, "fanout", true);
        for (String queue : ALL) {
            channel.queueDeclare(queue, true, false, false, Map.of());
        }
        for (String queue : SPREAD) {
            channel.queueBind(queue, FANOUT, "");
        }
    }

    static Route anyRoute(Random random) {
        return random.nextInt(3) == 0 ? new Route(FANOUT, "", SPREAD) : to(any(DIRECT, random));
    }

    static Route to(String queue) {
        return new Route("", queue, List.of(queue));
    }

    /** A way that ends nowhere. */
    static Route nowhere() {
        return new Route("", "nowhere", List.of());
    }

    static <T> T any(List<T> of, Random random) {
        return of.get(random.nextInt(of.size()));
    }

    /** Sizes of messages: mostly small, some of several frames. */
    static int anySize(Random random) {
        return Body.MIN_BYTES + (random.nextInt(200) == 0 ? random.nextInt(300_000) : random.nextInt(1_500));
    }
}
