package io.sluicemq.interop.reported;

import static io.sluicemq.interop.lab.Lab.bytes;
import static io.sluicemq.interop.lab.Lab.table;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.impl.Frame;
import io.sluicemq.campaign.RawAmqp;
import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Mailbox;
import io.sluicemq.interop.lab.Reported;
import io.sluicemq.interop.lab.Spec;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Reported faults in frames and limits. */
@ExtendWith(LabExtension.class)
class ReportedWireTest {

    @Test
    @Reported({"cloudamqp/lavinmq#1991", "cloudamqp/lavinmq#1999"})
    @Spec("0-9-1 §4.2.7")
    void shouldCloseTheConnectionOfAHeartbeatOnAChannelAndNoOther(Lab lab) throws Exception {
        String queue = lab.queue();
        Mailbox mailbox = Lab.consume(lab.channel(), queue, true);
        try (RawAmqp raw = lab.raw()) {
            raw.openChannel(1);
            raw.send(RawAmqp.frame(AMQP.FRAME_HEARTBEAT, 1));
            AMQP.Connection.Close close = raw.expect(0, AMQP.Connection.Close.class);
            assertThat(close.getReplyCode()).isIn(AMQP.FRAME_ERROR, AMQP.COMMAND_INVALID, AMQP.UNEXPECTED_FRAME);
        }
        lab.send(queue, "m");
        assertThat(mailbox.nextBody()).isEqualTo("m");
    }

    @Test
    @Reported({"cloudamqp/lavinmq 435a4a5", "cloudamqp/lavinmq 66a48f7"})
    @Spec("0-9-1 connection.tune-ok channel-max")
    void shouldEnforceTheAgreedNumberOfChannels(Lab lab) throws Exception {
        try (RawAmqp raw = lab.raw(2, 131_072)) {
            raw.openChannel(1);
            raw.openChannel(2);
            raw.send(3, new AMQP.Channel.Open.Builder().build());
            AMQP.Connection.Close close = raw.expect(0, AMQP.Connection.Close.class);
            assertThat(close.getReplyCode()).isIn(AMQP.CHANNEL_ERROR, AMQP.NOT_ALLOWED);
        }
    }

    @Test
    @Reported({"cloudamqp/lavinmq 435a4a5", "cloudamqp/lavinmq 66a48f7"})
    @Spec("0-9-1 connection.tune-ok channel-max")
    @BeyondRabbitMq("does not take 0 for its own limit but for more than it offers")
    void shouldTakeZeroChannelsAsItsOwnLimit(Lab lab) throws Exception {
        try (RawAmqp raw = lab.raw(0, 131_072)) {
            for (int channel = 1; channel <= 100; channel++) {
                raw.openChannel(channel);
            }
        }
    }

    @Test
    @Reported("amqp-node/amqplib#462")
    @Spec("0-9-1 connection.tune-ok frame-max")
    @BeyondRabbitMq("sends header frames above the agreed size")
    void shouldNeverSendAFrameAboveTheAgreedSize(Lab lab) throws Exception {
        String queue = lab.queue();
        Map<String, Object> many = new HashMap<>();
        for (int i = 0; i < 2_000; i++) {
            many.put("header-" + i, i);
        }
        Connection large = lab.connect();
        Channel channel = large.createChannel();
        channel.confirmSelect();
        for (Map<String, Object> headers : java.util.List.of(table("h", "x".repeat(3_000)),
                table("h", "x".repeat(4_096)),
                table("h", "x".repeat(65_536)), table("h", "x".repeat(100_000)), many)) {
            channel.basicPublish("", queue, new BasicProperties.Builder().headers(headers).build(), bytes("large"));
        }
        channel.basicPublish("", queue, null, bytes("last"));
        channel.waitForConfirmsOrDie(5_000);
        try (RawAmqp raw = lab.raw(1, 4096)) {
            raw.openChannel(1);
            raw.send(1, new AMQP.Basic.Consume.Builder().queue(queue).noAck(false).build());
            raw.expect(1, AMQP.Basic.ConsumeOk.class);
            // the first fits; those that do not are set aside, and the queue goes on
            assertThat(bodyOfNextDelivery(raw)).isEqualTo("large");
            assertThat(bodyOfNextDelivery(raw)).isEqualTo("last");
            raw.send(1, new AMQP.Basic.Ack.Builder().deliveryTag(0).multiple(true).build());
            raw.send(1, new AMQP.Exchange.Declare.Builder().exchange("amq.direct").passive(true).build());
            raw.expect(1, AMQP.Exchange.DeclareOk.class);
        }
    }

    private static String bodyOfNextDelivery(RawAmqp raw) throws Exception {
        RawAmqp.method(within4096(raw));
        within4096(raw);
        return new String(within4096(raw).getPayload());
    }

    private static Frame within4096(RawAmqp raw) throws Exception {
        Frame frame = raw.readContent();
        assertThat(frame).isNotNull();
        assertThat(frame.size()).isLessThanOrEqualTo(4096);
        return frame;
    }

    @Test
    @Reported("amqp-node/amqplib#462")
    @Spec("RabbitMQ dead lettering")
    void shouldNotLetTheDeathHistoryGrowWithEveryDeath(Lab lab) throws Exception {
        String retry = lab.name("retry");
        String work = lab.queue(table("x-dead-letter-exchange", "", "x-dead-letter-routing-key", retry));
        lab.channel().queueDeclare(lab.forget(retry), true, false, false,
                table("x-message-ttl", 1, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", work));
        Connection small = lab.connect(factory -> factory.setRequestedFrameMax(4096));
        Mailbox mailbox = Lab.consume(small.createChannel(), work, false);
        lab.send(work, new BasicProperties.Builder().headers(table("h", "x".repeat(2_500))).build(), "m");
        for (int death = 0; death < 50; death++) {
            mailbox.getChannel().basicReject(mailbox.next().getEnvelope().getDeliveryTag(), false);
        }
        assertThat(mailbox.nextBody()).isEqualTo("m");
    }
}
