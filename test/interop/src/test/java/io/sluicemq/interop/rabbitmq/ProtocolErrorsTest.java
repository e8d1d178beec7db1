package io.sluicemq.interop.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Method;
import com.rabbitmq.client.impl.Frame;
import io.sluicemq.campaign.RawAmqp;
import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Spec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that break the protocol. */
@ExtendWith(LabExtension.class)
class ProtocolErrorsTest {

    private static final Method PUBLISH = new AMQP.Basic.Publish.Builder().exchange("").routingKey("nowhere").build();

    private static AMQP.Connection.Close closeOf(RawAmqp raw) throws Exception {
        return raw.skipTo(0, AMQP.Connection.Close.class);
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    /** Checks that the broker still serves others. */
    private static void shouldServeOthers(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.send(queue, "m");
        assertThat(lab.drain(queue)).containsExactly("m");
    }

    @ParameterizedTest
    @ValueSource(strings = {"AMQP\1\1\0\12", "AMQP\0\0\11\2", "HTTP/1.1", "GET / HT", "AMQP\4\1\0\0"})
    @Spec("0-9-1 §4.2.2")
    void shouldAnswerAnUnknownHeaderWithItsOwnAndClose(String header, Lab lab) throws Exception {
        try (RawAmqp raw = lab.dial()) {
            raw.send(header.getBytes(StandardCharsets.ISO_8859_1));
            assertThat(raw.readBytes(8)).isEqualTo(RawAmqp.HEADER);
            assertThat(raw.readToEnd()).isEmpty();
        }
        shouldServeOthers(lab);
    }

    @Test
    @Spec("0-9-1 §4.2.3")
    void shouldRefuseAFrameWithoutItsEnd(Lab lab) throws Exception {
        try (RawAmqp raw = lab.raw()) {
            byte[] frame = RawAmqp.bytes(1, new AMQP.Channel.Open.Builder().build());
            frame[frame.length - 1] = 0;
            raw.send(frame);
            AMQP.Connection.Close close = closeOf(raw);
            assertThat(close.getReplyCode()).isEqualTo(AMQP.FRAME_ERROR);
            assertThat(close.getReplyText()).startsWith("FRAME_ERROR - ");
        }
        shouldServeOthers(lab);
    }

    @Test
    @Spec("0-9-1 §4.2.3")
    void shouldRefuseAnUnknownFrameType(Lab lab) throws Exception {
        try (RawAmqp raw = lab.raw()) {
            raw.openChannel(1);
            raw.send(new byte[] {42, 0, 1, 0, 0, 0, 0, (byte) 0xCE});
            assertThat(closeOf(raw).getReplyCode()).isEqualTo(AMQP.FRAME_ERROR);
        }
        shouldServeOthers(lab);
    }

    @Test
    @Spec("0-9-1 §4.2.4")
    @BeyondRabbitMq("ends the stream without a word")
    void shouldRefuseAnUnknownMethod(Lab lab) throws Exception {
        try (RawAmqp raw = lab.raw()) {
            raw.openChannel(1);
            raw.send(RawAmqp.frame(AMQP.FRAME_METHOD, 1, bytes(0, 60, 0, 99)));
            assertThat(closeOf(raw).getReplyCode()).isIn(AMQP.FRAME_ERROR, AMQP.SYNTAX_ERROR, AMQP.COMMAND_INVALID,
                    AMQP.NOT_IMPLEMENTED);
        }
        shouldServeOthers(lab);
    }

    @Test
    @Spec("0-9-1 §4.2.4")
    void shouldRefuseTruncatedArguments(Lab lab) throws Exception {
        try (RawAmqp raw = lab.raw()) {
            raw.openChannel(1);
            raw.send(RawAmqp.frame(AMQP.FRAME_METHOD, 1, bytes(0, 50, 0, 10, 0, 0, 200, 'q')));
            AMQP.Connection.Close close = closeOf(raw);
            assertThat(close.getReplyCode()).isIn(AMQP.FRAME_ERROR, AMQP.SYNTAX_ERROR, AMQP.INTERNAL_ERROR);
            if (!lab.atRabbitMq()) {
                assertThat(close.getReplyCode()).isNotEqualTo(AMQP.INTERNAL_ERROR);
            }
        }
        shouldServeOthers(lab);
    }

    @Test
    @Spec("0-9-1 §4.2.5.5")
    @BeyondRabbitMq("ends the stream without a word")
    void shouldRefuseATableWithAnUnknownFieldType(Lab lab) throws Exception {
        try (RawAmqp raw = lab.raw()) {
            raw.openChannel(1);
            byte[] arguments = {0, 50, 0, 10, 0, 0, 1, 'q', 0, 0, 0, 0, 4, 1, 'k', '?', 0};
            raw.send(RawAmqp.frame(AMQP.FRAME_METHOD, 1, arguments));
            AMQP.Connection.Close close = closeOf(raw);
            assertThat(close.getReplyCode()).isIn(AMQP.FRAME_ERROR, AMQP.SYNTAX_ERROR);
        }
        shouldServeOthers(lab);
    }

    static Stream<Arguments> methodsOnClosedChannels() {
        return Stream.of(arguments(new AMQP.Basic.Qos.Builder().build()),
                arguments(new AMQP.Queue.Declare.Builder().queue("q").build()),
                arguments(new AMQP.Tx.Select.Builder().build()));
    }

    @ParameterizedTest
    @MethodSource("methodsOnClosedChannels")
    @Spec("0-9-1 channel.open not open")
    void shouldRefuseMethodsOnAChannelThatIsNotOpen(Method method, Lab lab) throws Exception {
        try (RawAmqp raw = lab.raw()) {
            raw.send(3, method);
            AMQP.Connection.Close close = closeOf(raw);
            assertThat(close.getReplyCode()).isEqualTo(AMQP.CHANNEL_ERROR);
            assertThat(close.getReplyText()).startsWith("CHANNEL_ERROR - expected 'channel.open'");
        }
    }

    @Test
    @Spec("0-9-1 channel.open")
    void shouldRefuseToOpenAChannelTwice(Lab lab) throws Exception {
        try (RawAmqp raw = lab.raw()) {
            raw.openChannel(1);
            raw.send(1, new AMQP.Channel.Open.Builder().build());
            AMQP.Connection.Close close = closeOf(raw);
            assertThat(close.getReplyCode()).isEqualTo(AMQP.CHANNEL_ERROR);
            assertThat(close.getReplyText()).isEqualTo("CHANNEL_ERROR - second 'channel.open' seen");
            assertThat(close.getClassId()).isEqualTo(20);
            assertThat(close.getMethodId()).isEqualTo(10);
        }
    }

    @Test
    @Spec("0-9-1 §4.2.4")
    void shouldRefuseChannelMethodsOnChannelZeroAndTheOtherWayRound(Lab lab) throws Exception {
        try (RawAmqp raw = lab.raw()) {
            raw.send(0, new AMQP.Basic.Qos.Builder().build());
            assertThat(closeOf(raw).getReplyCode()).isIn(AMQP.COMMAND_INVALID, AMQP.CHANNEL_ERROR,
                    AMQP.UNEXPECTED_FRAME);
        }
        try (RawAmqp raw = lab.raw()) {
            raw.openChannel(1);
            raw.send(1, new AMQP.Connection.Open.Builder().virtualHost("/").build());
            assertThat(closeOf(raw).getReplyCode()).isIn(AMQP.COMMAND_INVALID, AMQP.CHANNEL_ERROR,
                    AMQP.UNEXPECTED_FRAME);
        }
        shouldServeOthers(lab);
    }

    @Test
    @Spec("0-9-1 §4.2.6")
    void shouldRefuseAMethodWhereContentIsDue(Lab lab) throws Exception {
        try (RawAmqp raw = lab.raw()) {
            raw.openChannel(1);
            raw.send(1, PUBLISH);
            raw.send(1, new AMQP.Basic.Qos.Builder().build());
            AMQP.Connection.Close close = closeOf(raw);
            assertThat(close.getReplyCode()).isEqualTo(AMQP.UNEXPECTED_FRAME);
            assertThat(close.getReplyText()).startsWith("UNEXPECTED_FRAME - expected ");
        }
    }

    @Test
    @Spec("0-9-1 §4.2.6")
    void shouldRefuseABodyWhereAHeaderIsDue(Lab lab) throws Exception {
        try (RawAmqp raw = lab.raw()) {
            raw.openChannel(1);
            raw.send(1, PUBLISH);
            raw.send(RawAmqp.frame(AMQP.FRAME_BODY, 1, new byte[3]));
            assertThat(closeOf(raw).getReplyCode()).isEqualTo(AMQP.UNEXPECTED_FRAME);
        }
    }

    @Test
    @Spec("0-9-1 §4.2.6")
    void shouldRefuseContentThatNobodyExpects(Lab lab) throws Exception {
        try (RawAmqp raw = lab.raw()) {
            raw.openChannel(1);
            raw.send(new BasicProperties.Builder().build().toFrame(1, 3));
            assertThat(closeOf(raw).getReplyCode()).isEqualTo(AMQP.UNEXPECTED_FRAME);
        }
        try (RawAmqp raw = lab.raw()) {
            raw.openChannel(1);
            raw.send(RawAmqp.frame(AMQP.FRAME_BODY, 1, new byte[3]));
            assertThat(closeOf(raw).getReplyCode()).isEqualTo(AMQP.UNEXPECTED_FRAME);
        }
    }

    @Test
    @Spec("0-9-1 §4.2.6")
    void shouldRefuseAHeaderOfAnotherClass(Lab lab) throws Exception {
        try (RawAmqp raw = lab.raw()) {
            raw.openChannel(1);
            raw.send(1, PUBLISH);
            raw.send(RawAmqp.frame(AMQP.FRAME_HEADER, 1, bytes(0, 50, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)));
            assertThat(closeOf(raw).getReplyCode()).isIn(AMQP.UNEXPECTED_FRAME, AMQP.FRAME_ERROR, AMQP.SYNTAX_ERROR);
        }
    }

    @Test
    @Spec("0-9-1 §4.2.6")
    @BeyondRabbitMq("takes the longer body as it is")
    void shouldRefuseABodyLongerThanAnnounced(Lab lab) throws Exception {
        String queue = lab.queue();
        try (RawAmqp raw = lab.raw()) {
            raw.openChannel(1);
            raw.send(1, new AMQP.Basic.Publish.Builder().exchange("").routingKey(queue).build());
            raw.send(new BasicProperties.Builder().build().toFrame(1, 3));
            raw.send(RawAmqp.frame(AMQP.FRAME_BODY, 1, new byte[5]));
            assertThat(closeOf(raw).getReplyCode()).isIn(AMQP.UNEXPECTED_FRAME, AMQP.FRAME_ERROR, AMQP.SYNTAX_ERROR);
        }
        assertThat(lab.depth(queue)).isZero();
    }

    @Test
    @Spec("0-9-1 §4.2.6")
    void shouldForgetAPublishThatIsNeverCompleted(Lab lab) throws Exception {
        String queue = lab.queue();
        try (RawAmqp raw = lab.raw()) {
            raw.openChannel(1);
            raw.send(1, new AMQP.Basic.Publish.Builder().exchange("").routingKey(queue).build());
            raw.send(new BasicProperties.Builder().build().toFrame(1, 10));
            raw.send(RawAmqp.frame(AMQP.FRAME_BODY, 1, new byte[5]));
            raw.send(1, new AMQP.Channel.Close.Builder().replyCode(200).replyText("").build());
            // a close between two bodies may be answered or called an error: either way nothing is published
            Frame answer = raw.readContent();
            assertThat(RawAmqp.method(answer)).isInstanceOfAny(AMQP.Channel.CloseOk.class, AMQP.Connection.Close.class);
        }
        assertThat(lab.depth(queue)).isZero();
    }

    @Test
    @Spec("0-9-1 §4.2.6")
    @BeyondRabbitMq("waits for the body that it will refuse")
    void shouldRefuseAnAbsurdlyLargeBody(Lab lab) throws Exception {
        try (RawAmqp raw = lab.raw()) {
            raw.openChannel(1);
            raw.send(1, PUBLISH);
            raw.send(new BasicProperties.Builder().build().toFrame(1, 1L << 40));
            Frame answer = raw.readContent();
            assertThat(RawAmqp.method(answer)).isInstanceOfAny(AMQP.Channel.Close.class, AMQP.Connection.Close.class);
        }
        shouldServeOthers(lab);
    }

    @Test
    @Spec("0-9-1 channel.close")
    void shouldIgnoreWhatComesOnAChannelBetweenItsCloseAndCloseOk(Lab lab) throws Exception {
        String queue = lab.queue();
        try (RawAmqp raw = lab.raw()) {
            raw.openChannel(1);
            raw.send(RawAmqp.join(
                    RawAmqp.bytes(1, new AMQP.Queue.Declare.Builder().queue("nothing").passive(true).build()),
                    RawAmqp.bytes(1, new AMQP.Basic.Publish.Builder().exchange("").routingKey(queue).build()),
                    RawAmqp.bytes(new BasicProperties.Builder().build().toFrame(1, 1)),
                    RawAmqp.bytes(RawAmqp.frame(AMQP.FRAME_BODY, 1, new byte[1])),
                    RawAmqp.bytes(1, new AMQP.Queue.Purge.Builder().queue(queue).build())));
            assertThat(raw.expect(1, AMQP.Channel.Close.class).getReplyCode()).isEqualTo(AMQP.NOT_FOUND);
            raw.send(1, new AMQP.Channel.CloseOk.Builder().build());
            raw.openChannel(1);
        }
        assertThat(lab.depth(queue)).isZero();
    }

    @Test
    @Spec("0-9-1 connection.start-ok")
    void shouldRefuseToSkipTheLogin(Lab lab) throws Exception {
        try (RawAmqp raw = lab.dial()) {
            raw.send(RawAmqp.HEADER);
            raw.expect(0, AMQP.Connection.Start.class);
            raw.send(0, new AMQP.Connection.Open.Builder().virtualHost("/").build());
            shouldEndWithoutOpenOk(raw);
        }
        try (RawAmqp raw = lab.dial()) {
            raw.send(RawAmqp.HEADER);
            raw.expect(0, AMQP.Connection.Start.class);
            raw.send(1, new AMQP.Channel.Open.Builder().build());
            shouldEndWithoutOpenOk(raw);
        }
        shouldServeOthers(lab);
    }

    private static void shouldEndWithoutOpenOk(RawAmqp raw) throws Exception {
        Frame frame = raw.readContent();
        if (frame != null) {
            assertThat(RawAmqp.method(frame)).isInstanceOf(AMQP.Connection.Close.class);
        }
    }

    @Test
    @Spec("0-9-1 §4.2.5.5")
    void shouldRefuseTablesNestedWithoutEnd(Lab lab) throws Exception {
        int levels = 5_000;
        ByteBuffer declare = ByteBuffer.allocate(11 + levels * 7 + 4);
        declare.put(bytes(0, 50, 0, 10, 0, 0, 1, 'q', 0b00100));
        for (int level = levels; level > 0; level--) {
            declare.putInt(7 * level).put(bytes(1, 't', 'F'));
        }
        declare.putInt(0);
        try (RawAmqp raw = lab.raw()) {
            raw.openChannel(1);
            raw.send(RawAmqp.frame(AMQP.FRAME_METHOD, 1, Arrays.copyOf(declare.array(), declare.position())));
            // refused, or declared with an argument that means nothing: but not the end of the broker
            assertThat(RawAmqp.method(raw.readContent())).isInstanceOfAny(AMQP.Connection.Close.class,
                    AMQP.Channel.Close.class, AMQP.Queue.DeclareOk.class);
        }
        shouldServeOthers(lab);
    }

    @Test
    @Spec("0-9-1 §4.2.3")
    void shouldAcceptFramesInPieces(Lab lab) throws Exception {
        String queue = lab.queue();
        try (RawAmqp raw = lab.raw()) {
            raw.openChannel(1);
            byte[] all = RawAmqp.join(RawAmqp.bytes(1, new AMQP.Confirm.Select.Builder().build()),
                    RawAmqp.bytes(1, new AMQP.Basic.Publish.Builder().exchange("").routingKey(queue).build()),
                    RawAmqp.bytes(new BasicProperties.Builder().messageId("id").build().toFrame(1, 3)),
                    RawAmqp.bytes(RawAmqp.frame(AMQP.FRAME_BODY, 1, bytes('a'))),
                    RawAmqp.bytes(RawAmqp.frame(AMQP.FRAME_BODY, 1, new byte[0])),
                    RawAmqp.bytes(RawAmqp.frame(AMQP.FRAME_BODY, 1, bytes('b', 'c'))));
            for (byte each : all) {
                raw.send(new byte[] {each});
            }
            raw.expect(1, AMQP.Confirm.SelectOk.class);
            assertThat(raw.expect(1, AMQP.Basic.Ack.class).getDeliveryTag()).isEqualTo(1);
        }
        assertThat(lab.drain(queue)).containsExactly("abc");
    }

    @Test
    @Spec("0-9-1 channel.open")
    void shouldSurviveAllChannelsAtOnce(Lab lab) throws Exception {
        try (RawAmqp raw = lab.raw()) {
            byte[][] opens = new byte[2047][];
            for (int channel = 1; channel <= 2047; channel++) {
                opens[channel - 1] = RawAmqp.bytes(channel, new AMQP.Channel.Open.Builder().build());
            }
            raw.send(RawAmqp.join(opens));
            for (int channel = 1; channel <= 2047; channel++) {
                assertThat(RawAmqp.method(raw.readContent())).isInstanceOf(AMQP.Channel.OpenOk.class);
            }
            raw.send(60_000, new AMQP.Channel.Open.Builder().build());
            assertThat(closeOf(raw).getReplyCode()).isIn(AMQP.CHANNEL_ERROR, AMQP.NOT_ALLOWED);
        }
        shouldServeOthers(lab);
    }
}
