package io.sluicemq.interop.rabbitmq;

import static io.sluicemq.interop.lab.Lab.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.PossibleAuthenticationFailureException;
import com.rabbitmq.client.impl.Frame;
import io.sluicemq.campaign.RawAmqp;
import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Refusal;
import io.sluicemq.interop.lab.Spec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Opening, tuning and closing connections and channels. */
@ExtendWith(LabExtension.class)
class ConnectionsTest {

    /** A login refused with {@code connection.close}, to clients that say they know it, or by the end of the stream. */
    private static final Map<String, Object> KNOWS_AUTHENTICATION_FAILURE = Map.of("capabilities",
            Map.of("authentication_failure_close", true));

    @Test
    @Spec({"0-9-1 connection.start", "0-9-1 connection.start-ok"})
    void shouldSayWhatItIsAndWhatItCan(Lab lab) throws Exception {
        Map<String, Object> server = lab.connect().getServerProperties();
        assertThat(server).containsKeys("product", "version", "platform", "capabilities");
        @SuppressWarnings("unchecked") Map<String, Object> capabilities =
                (Map<String, Object>) server.get("capabilities");
        assertThat(capabilities).containsEntry("publisher_confirms", true)
                .containsEntry("exchange_exchange_bindings", true).containsEntry("basic.nack", true)
                .containsEntry("consumer_cancel_notify", true).containsEntry("connection.blocked", true)
                .containsEntry("consumer_priorities", true).containsEntry("authentication_failure_close", true)
                .containsEntry("per_consumer_qos", true).containsEntry("direct_reply_to", true);
        try (RawAmqp raw = lab.dial()) {
            raw.send(RawAmqp.HEADER);
            AMQP.Connection.Start start = raw.expect(0, AMQP.Connection.Start.class);
            assertThat(start.getVersionMajor()).isZero();
            assertThat(start.getVersionMinor()).isEqualTo(9);
            assertThat(start.getMechanisms().toString().split(" ")).contains("PLAIN", "AMQPLAIN");
            assertThat(start.getLocales().toString().split(" ")).contains("en_US");
        }
    }

    @Test
    @Spec({"0-9-1 connection.tune", "0-9-1 connection.tune-ok", "0-9-1 connection.open", "0-9-1 connection.open-ok"})
    void shouldAgreeOnTheLowerLimits(Lab lab) throws Exception {
        Connection connection = lab.connect(factory -> {
            factory.setRequestedChannelMax(10);
            factory.setRequestedFrameMax(8192);
            factory.setRequestedHeartbeat(7);
        });
        assertThat(connection.getChannelMax()).isEqualTo(10);
        assertThat(connection.getFrameMax()).isEqualTo(8192);
        assertThat(connection.getHeartbeat()).isEqualTo(7);
        Connection plain = lab.connect(factory -> factory.setRequestedHeartbeat(60));
        assertThat(plain.getChannelMax()).isEqualTo(2047);
        assertThat(plain.getFrameMax()).isEqualTo(131_072);
    }

    @Test
    @Spec("0-9-1 connection.tune-ok frame-max")
    void shouldSplitBodiesByTheAgreedFrameSize(Lab lab) throws Exception {
        String queue = lab.queue();
        byte[] body = new byte[50_000];
        lab.channel().basicPublish("", queue, null, body);
        try (RawAmqp raw = lab.raw(1, 4096)) {
            raw.openChannel(1);
            raw.send(1, new AMQP.Basic.Consume.Builder().queue(queue).noAck(true).build());
            raw.skipTo(1, AMQP.Basic.Deliver.class);
            assertThat(raw.readContent().getType()).isEqualTo(AMQP.FRAME_HEADER);
            int read = 0;
            while (read < body.length) {
                Frame frame = raw.readContent();
                assertThat(frame.getType()).isEqualTo(AMQP.FRAME_BODY);
                // the whole frame, with its header of 7 bytes and its end of 1
                assertThat(frame.size()).isLessThanOrEqualTo(4096);
                read += frame.getPayload().length;
            }
            assertThat(read).isEqualTo(body.length);
        }
    }

    @Test
    @Spec("0-9-1 connection.tune-ok frame-max")
    void shouldRefuseFramesAboveTheAgreedSize(Lab lab) throws Exception {
        try (RawAmqp raw = lab.raw(1, 4096)) {
            raw.openChannel(1);
            raw.send(1, new AMQP.Basic.Publish.Builder().exchange("").routingKey("nowhere").build());
            raw.send(new AMQP.BasicProperties.Builder().build().toFrame(1, 5000));
            raw.send(RawAmqp.frame(AMQP.FRAME_BODY, 1, new byte[5000]));
            AMQP.Connection.Close close = raw.skipTo(0, AMQP.Connection.Close.class);
            assertThat(close.getReplyCode()).isEqualTo(AMQP.FRAME_ERROR);
            assertThat(close.getReplyText()).startsWith("FRAME_ERROR - ");
        }
    }

    @Test
    @Spec({"0-9-1 connection.tune-ok frame-max", "0-9-1 connection.tune-ok channel-max"})
    @BeyondRabbitMq("writes this text to its log and ends the stream")
    void shouldRefuseLimitsAboveTheOffer(Lab lab) throws Exception {
        shouldRefuse(lab,
                new AMQP.Connection.TuneOk.Builder().channelMax(2047).frameMax(1_000_000).heartbeat(0).build(),
                "negotiated frame_max = 1000000 is higher than the maximum allowed value (131072)");
        shouldRefuse(lab, new AMQP.Connection.TuneOk.Builder().channelMax(2047).frameMax(100).heartbeat(0).build(),
                "negotiated frame_max = 100 is lower than the minimum allowed value (4096)");
        shouldRefuse(lab, new AMQP.Connection.TuneOk.Builder().channelMax(3000).frameMax(4096).heartbeat(0).build(),
                "negotiated channel_max = 3000 is higher than the maximum allowed value (2047)");
    }

    private static void shouldRefuse(Lab lab, AMQP.Connection.TuneOk tuneOk, String text) throws Exception {
        try (RawAmqp raw = lab.dial()) {
            raw.authenticate(lab.broker());
            raw.send(0, tuneOk);
            AMQP.Connection.Close close = raw.expect(0, AMQP.Connection.Close.class);
            assertThat(close.getReplyCode()).isEqualTo(AMQP.NOT_ALLOWED);
            assertThat(close.getReplyText()).isEqualTo("NOT_ALLOWED - " + text);
        }
    }

    @Test
    @Spec({"0-9-1 channel.open", "0-9-1 channel.open-ok", "0-9-1 channel.close", "0-9-1 channel.close-ok"})
    void shouldOpenAndCloseManyChannels(Lab lab) throws Exception {
        Connection connection = lab.connect();
        String queue = lab.queue();
        List<Channel> channels = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            channels.add(connection.createChannel());
        }
        for (Channel channel : channels) {
            channel.basicPublish("", queue, null, bytes("m"));
        }
        for (Channel channel : channels) {
            channel.close();
        }
        assertThat(lab.depth(queue)).isEqualTo(200);
        Channel reused = connection.createChannel(7);
        reused.exchangeDeclarePassive("amq.direct");
    }

    @Test
    @Spec("0-9-1 channel.close")
    void shouldKeepOtherChannelsWhenOneFails(Lab lab) throws Exception {
        Connection connection = lab.connect();
        Channel good = connection.createChannel();
        String queue = good.queueDeclare().getQueue();
        for (int i = 0; i < 20; i++) {
            Channel bad = connection.createChannel();
            Refusal.of(() -> bad.queueDeclarePassive("nothing"));
            assertThat(bad.isOpen()).isFalse();
        }
        good.basicPublish("", queue, null, bytes("m"));
        assertThat(Lab.text(good.basicGet(queue, true))).isEqualTo("m");
    }

    @Test
    @Spec("0-9-1 connection.close")
    void shouldAnswerAClose(Lab lab) throws Exception {
        try (RawAmqp raw = lab.raw()) {
            raw.openChannel(1);
            raw.send(0, new AMQP.Connection.Close.Builder().replyCode(200).replyText("bye").build());
            raw.expect(0, AMQP.Connection.CloseOk.class);
            // RabbitMQ leaves it to the client to end the stream
            assertThat(lab.atRabbitMq() ? null : raw.read()).as("the end of the stream").isNull();
        }
    }

    @Test
    @Spec("0-9-1 connection.close-ok")
    void shouldEndTheStreamAfterCloseOk(Lab lab) throws Exception {
        try (RawAmqp raw = lab.raw()) {
            raw.send(5, new AMQP.Basic.Qos.Builder().build());
            AMQP.Connection.Close close = raw.expect(0, AMQP.Connection.Close.class);
            assertThat(close.getReplyCode()).isEqualTo(AMQP.CHANNEL_ERROR);
            raw.send(0, new AMQP.Connection.CloseOk.Builder().build());
            assertThat(raw.read()).as("the end of the stream").isNull();
        }
    }

    @Test
    @Spec("0-9-1 connection.open unknown virtual host")
    void shouldRefuseAnUnknownVirtualHost(Lab lab) {
        Refusal refusal = lab.refusedConnection(factory -> factory.setVirtualHost("nowhere"));
        assertThat(refusal.code()).isEqualTo(AMQP.NOT_ALLOWED);
        assertThat(refusal.text()).startsWith("NOT_ALLOWED - ").contains("vhost", "nowhere", "not found");
        assertThat(refusal.method()).isEqualTo("10.40");
    }

    @Test
    @Spec("RabbitMQ authentication_failure_close")
    void shouldExplainARefusedLogin(Lab lab) {
        assertThatThrownBy(() -> lab.connect(factory -> factory.setPassword("wrong")))
                .isInstanceOf(AuthenticationFailureException.class)
                .hasMessageContaining("ACCESS_REFUSED - Login was refused using authentication mechanism PLAIN.");
        assertThatThrownBy(() -> lab.connect(factory -> factory.setUsername("nobody")))
                .isInstanceOf(AuthenticationFailureException.class);
    }

    @Test
    @Spec("RabbitMQ authentication_failure_close")
    void shouldCutRefusedLoginsOfClientsThatKnowNoBetter(Lab lab) {
        assertThatThrownBy(() -> lab.connect(factory -> {
            factory.setPassword("wrong");
            factory.setClientProperties(Map.of());
            factory.setHandshakeTimeout(20_000);
        })).isInstanceOf(PossibleAuthenticationFailureException.class);
    }

    @Test
    @Spec("0-9-1 connection.start-ok mechanism")
    @BeyondRabbitMq("ends the stream without a word")
    void shouldRefuseAnUnknownMechanism(Lab lab) throws Exception {
        try (RawAmqp raw = lab.dial()) {
            raw.send(RawAmqp.HEADER);
            raw.expect(0, AMQP.Connection.Start.class);
            raw.send(0, RawAmqp.startOk(KNOWS_AUTHENTICATION_FAILURE, "SECRET-HANDSHAKE", "x"));
            AMQP.Connection.Close close = raw.expect(0, AMQP.Connection.Close.class);
            assertThat(close.getReplyCode()).isIn(AMQP.ACCESS_REFUSED, AMQP.COMMAND_INVALID);
            assertThat(close.getReplyText()).contains("SECRET-HANDSHAKE");
        }
    }

    @Test
    @Spec("0-9-1 connection.start-ok AMQPLAIN")
    void shouldAcceptAmqplain(Lab lab) throws Exception {
        try (RawAmqp raw = lab.dial()) {
            raw.send(RawAmqp.HEADER);
            raw.expect(0, AMQP.Connection.Start.class);
            raw.send(0, new AMQP.Connection.StartOk.Builder().clientProperties(Map.of()).mechanism("AMQPLAIN")
                    .response(amqplain(lab.broker().user(), lab.broker().password())).locale("en_US").build());
            raw.expect(0, AMQP.Connection.Tune.class);
        }
        try (RawAmqp raw = lab.dial()) {
            raw.send(RawAmqp.HEADER);
            raw.expect(0, AMQP.Connection.Start.class);
            raw.send(0, new AMQP.Connection.StartOk.Builder().clientProperties(KNOWS_AUTHENTICATION_FAILURE)
                    .mechanism("AMQPLAIN").response(amqplain(lab.broker().user(), "wrong")).locale("en_US").build());
            assertThat(raw.expect(0, AMQP.Connection.Close.class).getReplyCode()).isEqualTo(AMQP.ACCESS_REFUSED);
        }
    }

    /** A field table of two long strings without its length (as all clients send it). */
    private static com.rabbitmq.client.LongString amqplain(String user, String password) {
        java.io.ByteArrayOutputStream table = new java.io.ByteArrayOutputStream();
        for (String[] field : List.of(new String[] {"LOGIN", user}, new String[] {"PASSWORD", password})) {
            table.write(field[0].length());
            table.writeBytes(bytes(field[0]));
            table.write('S');
            table.writeBytes(java.nio.ByteBuffer.allocate(4).putInt(field[1].length()).array());
            table.writeBytes(bytes(field[1]));
        }
        return com.rabbitmq.client.impl.LongStringHelper.asLongString(table.toByteArray());
    }

    @Test
    @Spec("0-9-1 connection.start-ok ANONYMOUS")
    @BeyondRabbitMq("offers ANONYMOUS from 4.0 on")
    void shouldAcceptAnonymousFromLoopback(Lab lab) throws Exception {
        try (RawAmqp raw = lab.dial()) {
            raw.send(RawAmqp.HEADER);
            AMQP.Connection.Start start = raw.expect(0, AMQP.Connection.Start.class);
            assertThat(start.getMechanisms().toString().split(" ")).contains("ANONYMOUS");
            raw.send(0, RawAmqp.startOk(Map.of(), "ANONYMOUS", "somebody"));
            raw.expect(0, AMQP.Connection.Tune.class);
            raw.tuneAndOpen(lab.broker(), 10, 4096, 0);
            raw.openChannel(1);
        }
    }

    @Test
    @Spec("RabbitMQ connection.update-secret")
    void shouldTakeANewSecret(Lab lab) throws Exception {
        try (RawAmqp raw = lab.raw()) {
            raw.openChannel(1);
            raw.send(0, new AMQP.Connection.UpdateSecret.Builder()
                    .newSecret(com.rabbitmq.client.impl.LongStringHelper.asLongString(lab.broker().password()))
                    .reason("rotation").build());
            raw.expect(0, AMQP.Connection.UpdateSecretOk.class);
            raw.send(1, new AMQP.Exchange.Declare.Builder().exchange("amq.direct").passive(true).build());
            raw.expect(1, AMQP.Exchange.DeclareOk.class);
        }
    }

    @Test
    @Spec("RabbitMQ connection.blocked")
    void shouldNotCallAHealthyConnectionBlocked(Lab lab) throws Exception {
        Connection connection = lab.connect();
        connection.addBlockedListener(reason -> {
            throw new AssertionError("blocked: " + reason);
        }, () -> {
            throw new AssertionError("unblocked");
        });
        Channel channel = connection.createChannel();
        String queue = channel.queueDeclare().getQueue();
        channel.basicPublish("", queue, null, bytes("m"));
        assertThat(Lab.text(channel.basicGet(queue, true))).isEqualTo("m");
        assertThat(connection.isOpen()).isTrue();
    }

    @Test
    @Spec("RabbitMQ consumer cancel notification")
    void shouldNotTellOfCancellationsThoseThatDoNotKnowThem(Lab lab) throws Exception {
        String queue = lab.queue();
        try (RawAmqp raw = lab.raw()) {
            raw.openChannel(1);
            raw.send(1, new AMQP.Basic.Consume.Builder().queue(queue).build());
            raw.expect(1, AMQP.Basic.ConsumeOk.class);
            raw.send(1, new AMQP.Queue.Delete.Builder().queue(queue).build());
            raw.expect(1, AMQP.Queue.DeleteOk.class);
            raw.send(1, new AMQP.Exchange.Declare.Builder().exchange("amq.direct").passive(true).build());
            raw.expect(1, AMQP.Exchange.DeclareOk.class);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Spec("0-9-1 channel.flow")
    @BeyondRabbitMq("does not implement it")
    void shouldStopAndStartDeliveriesByFlow(boolean autoAck, Lab lab) throws Exception {
        String queue = lab.queue();
        Channel channel = lab.channel();
        var mailbox = Lab.consume(channel, queue, autoAck);
        lab.send(queue, "1");
        assertThat(mailbox.nextBody()).isEqualTo("1");
        AMQP.Channel.FlowOk stopped =
                (AMQP.Channel.FlowOk) channel.rpc(new AMQP.Channel.Flow.Builder().active(false).build())
                        .getMethod();
        assertThat(stopped.getActive()).isFalse();
        lab.send(queue, "2");
        mailbox.shouldBeEmpty();
        channel.rpc(new AMQP.Channel.Flow.Builder().active(true).build());
        assertThat(mailbox.nextBody()).isEqualTo("2");
    }

    @Test
    @Spec({"0-9-1 channel.flow", "0-9-1 channel.flow-ok"})
    void shouldAnswerAFlowThatChangesNothing(Lab lab) throws Exception {
        Channel channel = lab.channel();
        AMQP.Channel.FlowOk flowing =
                (AMQP.Channel.FlowOk) channel.rpc(new AMQP.Channel.Flow.Builder().active(true).build())
                        .getMethod();
        assertThat(flowing.getActive()).isTrue();
    }
}
