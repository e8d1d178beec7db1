package io.sluicemq.interop.slow;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import io.sluicemq.interop.lab.Lab;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A producer of numbered messages of a topic, transient and confirmed, and a subscriber of it that is never slow, each with a
 * connection of its own. The test's thread uses it, but for what the fast one gets, and while {@link #flow} runs.
 */
final class Feed {

    private static final AMQP.BasicProperties TEXT =
            new AMQP.BasicProperties.Builder().contentType("text/plain").deliveryMode(1).build();

    /** The fast one is behind by fewer messages than that, its acknowledgements on their way included. */
    static final int STEPS_AHEAD = 10;

    private final String topic;
    private final Channel channel;
    private final Channel fast;
    private final BlockingQueue<Integer> arrived = new LinkedBlockingQueue<>();
    private volatile int published;
    private volatile boolean stopping;
    private int seen;

    Feed(Lab lab, String topic) throws Exception {
        this.topic = topic;
        channel = lab.connect().createChannel();
        channel.confirmSelect();
        fast = lab.connect().createChannel();
        String queue = fast.queueDeclare().getQueue();
        fast.queueBind(queue, "amq.topic", topic);
        fast.basicQos(100);
        fast.basicConsume(queue, false, Map.of(), new DefaultConsumer(fast) {
            @Override
            public void handleDelivery(String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body)
                    throws IOException {
                arrived.add(Integer.valueOf(new String(body, StandardCharsets.UTF_8)));
                fast.basicAck(envelope.getDeliveryTag(), false);
            }
        });
    }

    /** How many messages are confirmed. */
    int published() {
        return published;
    }

    private void publish() throws IOException, InterruptedException {
        channel.basicPublish("amq.topic", topic, TEXT, Integer.toString(published).getBytes(StandardCharsets.UTF_8));
        assertThat(channel.waitForConfirms()).as("message %s is confirmed", published).isTrue();
        published++;
    }

    /** Publishes the next messages, each after the fast subscriber has got the one before. */
    void step(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            publish();
            shouldHaveArrived();
            if (seen % STEPS_AHEAD == 0) {
                fast.exchangeDeclarePassive("amq.topic"); // answered when its acknowledgements have come
            }
        }
    }

    /** Goes on with that until something has happened. */
    void until(String what, Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.call()) {
            assertThat(System.nanoTime()).as("the time until " + what).isLessThan(end);
            step(1);
        }
    }

    /** Publishes one after the other, by a thread of its own, until {@link #stop}. */
    CompletableFuture<Void> flow() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("feed").start(() -> {
            try {
                while (!stopping) {
                    publish();
                }
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
        return done;
    }

    void stop() {
        stopping = true;
    }

    /** Waits until the fast subscriber has got all that is published, and checks that it is in order. */
    void shouldHaveArrived() throws InterruptedException {
        for (; seen < published; seen++) {
            assertThat(arrived.poll(10, TimeUnit.SECONDS)).as("what the fast one gets").isEqualTo(seen);
        }
    }
}
