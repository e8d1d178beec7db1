package io.sluicemq.protocol.amqp091;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Death;
import io.sluicemq.api.Message;
import io.sluicemq.api.MessageFormat;
import io.sluicemq.api.PortableMessage;
import io.sluicemq.api.PortableMessage.Body;
import io.sluicemq.api.PortableMessage.Property;
import io.sluicemq.protocol.amqp091.codec.BasicProperties;
import io.sluicemq.protocol.amqp091.codec.MethodId;
import io.sluicemq.protocol.amqp091.codec.RawFrame;
import io.sluicemq.protocol.amqp091.codec.RawFrames;
import io.sluicemq.testkit.ManualLoop;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Messages of other protocols at consumers of this one. */
class ForeignMessagesTest {

    private final ManualLoop loop = ManualLoop.single();
    private final FakeClient broker = new FakeClient(loop);
    private final Peer peer = Peer.connected(loop, broker);

    /** A format that says the same of every message. */
    private record Foreign(PortableMessage says) implements MessageFormat {

        @Override
        public String name() {
            return "foreign";
        }

        @Override
        public Map<String, Object> headers(Message message) {
            return says.headers();
        }

        @Override
        public List<Death> claimedDeaths(Message message) {
            return List.of();
        }

        @Override
        public String originalExpiration(Message message) {
            return null;
        }

        @Override
        public PortableMessage portable(Message message) {
            return says;
        }
    }

    private static Message message(String routingKey, PortableMessage says) {
        return new Message(
                new Foreign(says), "ex", routingKey, List.of(), new byte[] {9}, new byte[] {8}, true, 4, 7000, null);
    }

    private static PortableMessage says(Body body, List<Death> deaths) {
        return new PortableMessage(
                3, Map.of(Property.SUBJECT, "type"), Map.of("x-opt-a", 1), Map.of("h", "v"), deaths, body);
    }

    private FakeClient.FakeConsumer consume() {
        peer.send(RawFrames.consume(1, "q", "c", out -> {}));
        FakeClient.FakeConsumer consumer = broker.accept();
        peer.expect(1, MethodId.BASIC_CONSUME_OK);
        return consumer;
    }

    private static BasicProperties properties(RawFrame header) {
        return BasicProperties.of(Arrays.copyOfRange(header.payload(), 12, header.payload().length));
    }

    @Test
    void shouldBeDeliveredWithPropertiesAndBodyOfThisProtocol() {
        byte[] bytes = "..body..".getBytes(StandardCharsets.UTF_8);
        Death death = new Death("dead", Death.Reason.REJECTED, 1, 5000, "e", List.of("k"), null);

        consume().deliver(message("key", says(new Body.Data(bytes, 2, 4), List.of(death))));

        peer.expect(1, MethodId.BASIC_DELIVER);
        List<RawFrame> content = peer.frames();
        BasicProperties properties = properties(content.getFirst());
        assertThat(properties.type()).isEqualTo("type");
        assertThat(properties.persistent()).isTrue();
        assertThat(properties.priority()).isEqualTo(3);
        assertThat(properties.headers()).containsEntry("h", "v").containsEntry("x-opt-a", 1).containsKey("x-death");
        assertThat(properties.expiration()).isNull();
        assertThat(content.get(1).payload()).asString(StandardCharsets.UTF_8).isEqualTo("body");
    }

    @Test
    void shouldBeGotWithWhatTheyMayWait() {
        peer.send(RawFrames.get(1, "q", true));
        broker.answer(new FakeDelivery(message("key", says(new Body.Empty(), List.of())), true, List.of()));

        peer.expect(1, MethodId.BASIC_GET_OK);
        List<RawFrame> content = peer.frames();
        assertThat(content).hasSize(1);
        assertThat(properties(content.getFirst()).expiration()).isEqualTo("7000");
    }

    /** Other protocols have longer names than a shortstr holds (spec §4.2.5.3). */
    @Test
    void shouldBeDeliveredWhateverTheirNamesAre() {
        consume().deliver(message("é".repeat(200), says(new Body.Empty(), List.of())));

        var arguments = peer.expect(1, MethodId.BASIC_DELIVER).arguments();
        RawFrame.shortString(arguments);
        arguments.getLong();
        arguments.get();
        RawFrame.shortString(arguments);
        assertThat(RawFrame.shortString(arguments)).isEqualTo("é".repeat(127));
    }

    /** Large bodies are written when the socket takes them, from the place where they lie. */
    @Test
    void shouldBeDeliveredInFullWhenTheyAreLarge() {
        byte[] bytes = new byte[700_000];
        Arrays.fill(bytes, 100, 600_100, (byte) 'x');

        consume().deliver(message("key", says(new Body.Data(bytes, 100, 600_000), List.of())));

        peer.expect(1, MethodId.BASIC_DELIVER);
        assertThat(peer.content(1)).isEqualTo("x".repeat(600_000));
    }
}
