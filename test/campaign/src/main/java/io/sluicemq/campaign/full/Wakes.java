package io.sluicemq.campaign.full;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.campaign.full.Publisher.Mode;
import io.sluicemq.server.AddressSetting;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Whatever makes room in a full address, all who wait for it go on, and soon. */
final class Wakes {

    private static final int PRODUCERS = 10;
    private static final long LIMIT_MILLIS = 100;
    private static final int MESSAGES = 100;
    private static final String DEAD = "dead";

    private final EmbeddedBroker broker;
    private final PrintStream out;
    private boolean right = true;

    /** Makes room. */
    private interface Release {
        void make() throws IOException;
    }

    /** Prepares to make room. */
    private interface Cause {
        Release prepare(Channel channel, String queue) throws IOException;
    }

    Wakes(EmbeddedBroker broker, PrintStream out) {
        this.broker = broker;
        this.out = out;
    }

    boolean run() throws IOException, TimeoutException, InterruptedException {
        Map<String, Cause> causes = new LinkedHashMap<>();
        causes.put("acknowledgement", (channel, queue) -> {
            GetResponse last = getAll(channel, queue);
            return () -> channel.basicAck(last.getEnvelope().getDeliveryTag(), true);
        });
        causes.put("rejection", (channel, queue) -> {
            GetResponse last = getAll(channel, queue);
            return () -> channel.basicNack(last.getEnvelope().getDeliveryTag(), true, false);
        });
        causes.put("consumption without acknowledgement",
                (channel, queue) -> () -> channel.basicConsume(queue, true, (tag, delivery) -> {}, tag -> {}));
        causes.put("purge", (channel, queue) -> () -> channel.queuePurge(queue));
        causes.put("deletion", (channel, queue) -> () -> channel.queueDelete(queue));
        causes.put("limit raised", (channel, queue) -> () -> limit(1_000, FullPolicy.BLOCK));
        causes.put("policy changed", (channel, queue) -> () -> limit(MESSAGES, FullPolicy.PAGE));
        for (Map.Entry<String, Cause> each : causes.entrySet()) {
            wake(each.getKey(), Map.of(), each.getValue());
        }
        wake("rejection to a dead-letter queue",
                Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", DEAD),
                causes.get("rejection"));
        wake("expiry", Map.of("x-message-ttl", 3_000), null);
        return right;
    }

    private void limit(long messages, FullPolicy policy) {
        broker.addressSettings(
                List.of(AddressSetting.match("wake").maxMessages(messages).fullPolicy(policy)));
    }

    private static GetResponse getAll(Channel channel, String queue) throws IOException {
        GetResponse last = null;
        for (int i = 0; i < MESSAGES; i++) {
            last = channel.basicGet(queue, false);
        }
        return last;
    }

    private void wake(String name, Map<String, Object> arguments, Cause cause)
            throws IOException, TimeoutException, InterruptedException {
        limit(MESSAGES, FullPolicy.BLOCK);
        List<Publisher> publishers = new ArrayList<>();
        try (Connection connection = Publisher.connect(broker)) {
            Channel channel = connection.createChannel();
            channel.queueDeclare(DEAD, false, false, false, null);
            channel.queueDeclare("wake", false, false, false, arguments);
            for (int i = 0; i < PRODUCERS; i++) {
                publishers.add(Publisher.start(broker, "wake", 100, Mode.CONFIRMED));
            }
            Condition.await("everybody waits", () -> broker.counters().parkedMessages() == PRODUCERS);
            long[] before = publishers.stream().mapToLong(Publisher::answered).toArray();
            Release release = cause == null ? () -> {} : cause.prepare(channel, "wake");
            long start = System.nanoTime();
            release.make();
            Condition.await("everybody goes on after " + name, () -> {
                for (int i = 0; i < PRODUCERS; i++) {
                    if (publishers.get(i).answered() == before[i]) {
                        return false;
                    }
                }
                return true;
            });
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            if (cause == null) {
                out.printf("  %-36s all %d go on%n", name, PRODUCERS);
            } else {
                right &= millis <= LIMIT_MILLIS;
                out.printf("  %-36s all %d go on after %d ms%s%n", name, PRODUCERS, millis,
                        millis <= LIMIT_MILLIS ? "" : ": too late");
            }
            right &= publishers.stream().allMatch(each -> each.failure() == null);
        } finally {
            publishers.forEach(Publisher::close);
        }
        try (Connection connection = Publisher.connect(broker)) {
            connection.createChannel().queueDelete("wake");
            connection.createChannel().queueDelete(DEAD);
        }
    }
}
