package io.sluicemq.interop.slow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.ShutdownSignalException;
import io.sluicemq.api.ConsumerSink.Cut;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.Mailbox;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A subscriber with the RabbitMQ Java client: a queue of its own, exclusive or durable, bound to amq.topic. */
final class RabbitMqSubscriber implements Subscriber {

    private final Lab lab;
    private final Mode mode;
    private final Cut cut;
    private final String queue;
    private final Connection connection;
    private final Channel channel;
    private final Mailbox mailbox;
    private final CompletableFuture<ShutdownSignalException> told = new CompletableFuture<>();
    private long held;

    RabbitMqSubscriber(Lab lab, String topic, Mode mode, boolean durable, Cut cut) throws Exception {
        this.lab = lab;
        this.mode = mode;
        this.cut = cut;
        connection = lab.connect();
        channel = connection.createChannel();
        channel.addShutdownListener(told::complete);
        queue = lab.name("subscription");
        channel.queueDeclare(queue, durable, !durable, !durable, Map.of());
        if (durable) {
            lab.forget(queue);
        }
        channel.queueBind(queue, "amq.topic", topic);
        if (mode == Mode.TRANSACTED) {
            channel.txSelect();
        }
        channel.basicQos(PREFETCH);
        mailbox = Lab.consume(channel, queue, false);
    }

    @Override
    public List<Integer> take(int count) throws Exception {
        List<Integer> taken = hold(count);
        if (mode == Mode.TRANSACTED) {
            channel.txCommit();
        } else {
            channel.basicAck(held, true);
        }
        return taken;
    }

    /** In a transaction they are acknowledged and not committed. */
    @Override
    public List<Integer> hold(int count) throws Exception {
        List<Delivery> next = mailbox.next(count);
        held = next.getLast().getEnvelope().getDeliveryTag();
        if (mode == Mode.TRANSACTED) {
            channel.basicAck(held, true);
        }
        return next.stream().map(each -> Integer.valueOf(Mailbox.text(each))).toList();
    }

    @Override
    public void shouldHaveBeenCut() throws Exception {
        if (cut == Cut.CONSUMER) {
            mailbox.shouldBeCancelled();
            // The channel goes on, and what the application does about the messages that it holds is no fault.
            if (mode == Mode.TRANSACTED) {
                channel.txCommit();
            } else {
                channel.basicAck(held, true);
            }
            channel.exchangeDeclarePassive("amq.topic");
            assertThat(told).isNotDone();
            return;
        }
        ShutdownSignalException signal = told.get(10, TimeUnit.SECONDS);
        assertThat(signal.isHardError()).isFalse();
        AMQP.Channel.Close close = (AMQP.Channel.Close) signal.getReason();
        assertThat(close.getReplyCode()).isEqualTo(506);
        assertThat(close.getReplyText()).isEqualTo("Consuming too slow.");
        assertThat(close.getClassId()).as("no method is blamed").isZero();
        assertThat(close.getMethodId()).isZero();
        assertThatThrownBy(() -> {
            if (mode == Mode.TRANSACTED) {
                channel.txCommit();
            } else {
                channel.basicAck(held, true);
            }
        }).isInstanceOf(AlreadyClosedException.class)
                .hasMessageContaining("reply-code=506, reply-text=Consuming too slow.");
        assertThatCode(connection::createChannel).as("another channel").doesNotThrowAnyException();
    }

    @Override
    public void shouldBeUnharmed() throws Exception {
        channel.exchangeDeclarePassive("amq.topic");
        assertThat(told).isNotDone();
    }

    @Override
    public void unsubscribe() throws Exception {
        assertThat(lab.queueExists(queue)).isTrue();
        lab.channel().queueDelete(queue);
    }

    @Override
    public String queue() {
        return queue;
    }

    @Override
    public void close() {
        connection.abort();
    }
}
