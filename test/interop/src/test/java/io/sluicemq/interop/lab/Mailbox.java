package io.sluicemq.interop.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A consumer that keeps what comes, in order, for a test to look at. The client's thread fills it, the test's empties it. */
public final class Mailbox extends DefaultConsumer {

    private final BlockingQueue<Delivery> arrived = new LinkedBlockingQueue<>();
    private final CountDownLatch cancelled = new CountDownLatch(1);
    private String tag;

    public Mailbox(Channel channel) {
        super(channel);
    }

    @Override
    public void handleDelivery(String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body) {
        arrived.add(new Delivery(envelope, properties, body));
    }

    @Override
    public void handleCancel(String tag) {
        cancelled.countDown();
    }

    /** Starts consuming on the mailbox's channel. */
    Mailbox open(String queue, boolean autoAck, Map<String, Object> arguments) throws IOException {
        tag = getChannel().basicConsume(queue, autoAck, arguments, this);
        return this;
    }

    /** The consumer's tag; {@link #getConsumerTag} knows it only some time later. */
    public String tag() {
        return tag;
    }

    /** The next delivery, waited for. */
    public Delivery next() throws InterruptedException {
        Delivery delivery = arrived.poll(5, TimeUnit.SECONDS);
        assertThat(delivery).as("a delivery within 5 s").isNotNull();
        return delivery;
    }

    /** The next delivery's body, waited for. */
    public String nextBody() throws InterruptedException {
        return text(next());
    }

    /** The next deliveries, waited for. */
    public List<Delivery> next(int count) throws InterruptedException {
        List<Delivery> deliveries = new ArrayList<>(count);
        while (deliveries.size() < count) {
            deliveries.add(next());
        }
        return deliveries;
    }

    /** The bodies of the next deliveries, waited for. */
    public List<String> bodies(int count) throws InterruptedException {
        return next(count).stream().map(Mailbox::text).toList();
    }

    /** How many deliveries wait here. */
    public int size() {
        return arrived.size();
    }

    /** Checks that nothing waits here after the broker has answered to something else on the same channel. */
    public void shouldBeEmpty() throws IOException {
        shouldBeEmptyBut(0);
    }

    /** Checks how many wait here after the broker has answered to something else on the same channel. */
    public void shouldBeEmptyBut(int count) throws IOException {
        getChannel().exchangeDeclarePassive("amq.direct");
        assertThat(arrived).hasSize(count);
    }

    /** Waits for the broker to cancel the consumer. */
    public void shouldBeCancelled() throws InterruptedException {
        assertThat(cancelled.await(5, TimeUnit.SECONDS)).as("cancelled by the broker within 5 s").isTrue();
    }

    /** A body's text. */
    public static String text(Delivery delivery) {
        return new String(delivery.getBody(), StandardCharsets.UTF_8);
    }
}
