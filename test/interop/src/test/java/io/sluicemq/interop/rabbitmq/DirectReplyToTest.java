package io.sluicemq.interop.rabbitmq;

import static io.sluicemq.interop.lab.Lab.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.RpcClient;
import com.rabbitmq.client.RpcClientParams;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Mailbox;
import io.sluicemq.interop.lab.Refusal;
import io.sluicemq.interop.lab.Spec;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Replies without a queue. */
@ExtendWith(LabExtension.class)
@Spec("RabbitMQ direct reply-to")
class DirectReplyToTest {

    private static final String REPLY_TO = "amq.rabbitmq.reply-to";

    private static BasicProperties replyTo(String address) {
        return new BasicProperties.Builder().replyTo(address).correlationId("1").build();
    }

    @Test
    void shouldBringAReplyToTheAskingChannel(Lab lab) throws Exception {
        String requests = lab.queue();
        Channel asking = lab.connect().createChannel();
        Mailbox replies = Lab.consume(asking, REPLY_TO, true);
        asking.basicPublish("", requests, replyTo(REPLY_TO), bytes("question"));
        Mailbox serving = lab.consume(requests);
        Delivery request = serving.next();
        String address = request.getProperties().getReplyTo();
        assertThat(address).startsWith(REPLY_TO + ".");
        serving.getChannel().basicPublish("", address, new BasicProperties.Builder().correlationId("1").build(),
                bytes("answer"));
        Delivery reply = replies.next();
        assertThat(Mailbox.text(reply)).isEqualTo("answer");
        assertThat(reply.getProperties().getCorrelationId()).isEqualTo("1");
        assertThat(reply.getEnvelope().getExchange()).isEmpty();
        // asking whether the asker is still there
        Channel checking = lab.channel();
        AMQP.Queue.DeclareOk there = checking.queueDeclarePassive(address);
        assertThat(there.getQueue()).isEqualTo(address);
        asking.close();
        Refusal.of(() -> checking.queueDeclarePassive(address)).shouldBe(Refusal.channel(404, "NOT_FOUND - no queue '",
                "50.10"));
    }

    @Test
    void shouldReturnAMandatoryReplyWhoseAskerIsGone(Lab lab) throws Exception {
        String requests = lab.queue();
        Connection connection = lab.connect();
        Channel asking = connection.createChannel();
        Lab.consume(asking, REPLY_TO, true);
        asking.basicPublish("", requests, replyTo(REPLY_TO), bytes("question"));
        Mailbox serving = lab.consume(requests);
        String address = serving.next().getProperties().getReplyTo();
        connection.close();
        BlockingQueue<Return> returns = new LinkedBlockingQueue<>();
        serving.getChannel().addReturnListener(returns::add);
        serving.getChannel().basicPublish("", address, true, null, bytes("too late"));
        assertThat(returns.poll(5, TimeUnit.SECONDS)).isNotNull();
        serving.getChannel().basicPublish("", REPLY_TO + ".forged", true, null, bytes("to nobody"));
        assertThat(returns.poll(5, TimeUnit.SECONDS)).isNotNull();
        assertThat(serving.getChannel().isOpen()).isTrue();
    }

    @Test
    void shouldRefuseToConsumeRepliesOtherwise(Lab lab) throws Exception {
        Channel acking = lab.channel();
        Refusal.of(() -> Lab.consume(acking, REPLY_TO, false)).shouldBe(Refusal.channel(406,
                "PRECONDITION_FAILED - reply consumer cannot acknowledge", "60.20"));
        Channel twice = lab.channel();
        Lab.consume(twice, REPLY_TO, true);
        Refusal.of(() -> Lab.consume(twice, REPLY_TO, true))
                .shouldBe(Refusal.channel(406, "PRECONDITION_FAILED - reply consumer already set", "60.20"));
    }

    @Test
    void shouldRefuseToAskWithoutAConsumer(Lab lab) throws Exception {
        String requests = lab.queue();
        Channel asking = lab.channel();
        Refusal.of(asking, () -> asking.basicPublish("", requests, replyTo(REPLY_TO), bytes("question")))
                .shouldBe(Refusal.channel(406, "PRECONDITION_FAILED - fast reply consumer does not exist", "60.40"));
    }

    @Test
    void shouldAskAgainAfterTheConsumerWasCancelled(Lab lab) throws Exception {
        String requests = lab.queue();
        Channel asking = lab.channel();
        Mailbox first = Lab.consume(asking, REPLY_TO, true);
        asking.basicCancel(first.tag());
        Mailbox second = Lab.consume(asking, REPLY_TO, true);
        asking.basicPublish("", requests, replyTo(REPLY_TO), bytes("question"));
        Mailbox serving = lab.consume(requests);
        serving.getChannel().basicPublish("", serving.next().getProperties().getReplyTo(), null, bytes("answer"));
        assertThat(second.nextBody()).isEqualTo("answer");
        assertThat(first.size()).isZero();
    }

    @Test
    void shouldCarryTheRequestsOfTheClientsOwnRpc(Lab lab) throws Exception {
        String requests = lab.queue();
        Channel serving = lab.channel();
        serving.basicConsume(requests, true,
                (tag, request) -> serving.basicPublish("", request.getProperties().getReplyTo(),
                        new BasicProperties.Builder().correlationId(request.getProperties().getCorrelationId()).build(),
                        request.getBody()),
                tag -> {
                });
        try (RpcClient client = new RpcClient(
                new RpcClientParams().channel(lab.channel()).exchange("").routingKey(requests).timeout(5_000))) {
            for (int i = 0; i < 200; i++) {
                assertThat(client.stringCall(Integer.toString(i))).isEqualTo(Integer.toString(i));
            }
        }
    }
}
