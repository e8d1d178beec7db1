package io.sluicemq.protocol.amqp091;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Access;
import io.sluicemq.api.Client;
import io.sluicemq.api.Message;
import io.sluicemq.api.Principal;
import io.sluicemq.base.Published;
import io.sluicemq.protocol.amqp091.codec.BasicProperties;
import io.sluicemq.protocol.amqp091.codec.BasicProperty;
import io.sluicemq.protocol.amqp091.codec.MethodId;
import io.sluicemq.protocol.amqp091.codec.RawFrame;
import io.sluicemq.protocol.amqp091.codec.RawFrames;
import io.sluicemq.testkit.ManualLoop;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** basic.publish and what comes of it (spec, class basic; RabbitMQ's extensions). */
class PublishingTest {

    private final ManualLoop loop = ManualLoop.single();
    private final FakeClient broker = new FakeClient(loop);
    private Peer peer = Peer.connected(loop, broker);

    private static byte[] properties(BasicProperty property, String value) {
        return BasicProperties.EMPTY.edit().set(property, value).build().bytes();
    }

    private static byte[] header(String name, Object value) {
        return BasicProperties.EMPTY.edit().setHeader(name, value).build().bytes();
    }

    private void publish(byte[] properties) {
        peer.send(Peer.message(1, "ex", "key", false, properties, "body"));
    }

    private Message published() {
        peer.expectNothing();
        assertThat(broker.published).hasSize(1);
        return broker.published.getFirst();
    }

    // ---- content

    @Test
    void shouldHandOnTheMessageAsItCame() {
        byte[] bytes = BasicProperties.EMPTY.edit()
                .set(BasicProperty.DELIVERY_MODE, 2)
                .set(BasicProperty.PRIORITY, 7)
                .setHeader("k", "v")
                .build()
                .bytes();
        publish(bytes);

        Message message = published();
        assertThat(message.exchange()).isEqualTo("ex");
        assertThat(message.routingKey()).isEqualTo("key");
        assertThat(message.header()).isEqualTo(bytes);
        assertThat(FakeClient.text(message)).isEqualTo("body");
        assertThat(message.durable()).isTrue();
        assertThat(message.priority()).isEqualTo(7);
        assertThat(message.ttlMillis()).isEqualTo(Message.NO_TTL);
        assertThat(message.publisher()).isSameAs(broker);
        assertThat(message.format()).isSameAs(Amqp091Format.INSTANCE);
        assertThat(message.headers()).isEqualTo(java.util.Map.of("k", "v"));
    }

    /** Spec §4.2.6.2: a body of no bytes has no frame. */
    @Test
    void shouldTakeAMessageWithoutABody() {
        peer.send(RawFrames.publish(1, "", "q", false, false), RawFrames.header(1, 0, new byte[2]));
        assertThat(published().body()).isEmpty();
    }

    @Test
    void shouldJoinABodyOfManyFrames() {
        byte[] body = new byte[700_000];
        new java.util.Random(1).nextBytes(body);
        peer.send(RawFrames.message(1, "", "q", body, 10_007));
        assertThat(published().body()).isEqualTo(body);
    }

    @Test
    void shouldTakeEmptyBodyFramesInBetween() {
        peer.send(
                RawFrames.publish(1, "", "q", false, false),
                RawFrames.header(1, 2, new byte[2]),
                RawFrames.body(1, new byte[0]),
                RawFrames.body(1, Peer.bytes("x")),
                RawFrames.body(1, new byte[0]),
                RawFrames.body(1, Peer.bytes("y")));
        assertThat(FakeClient.text(published())).isEqualTo("xy");
    }

    @Test
    void shouldKeepChannelsApart() {
        peer.openChannel(2);
        peer.send(
                RawFrames.publish(1, "", "a", false, false),
                RawFrames.publish(2, "", "b", false, false),
                RawFrames.header(2, 1, new byte[2]),
                RawFrames.header(1, 1, new byte[2]),
                RawFrames.body(1, Peer.bytes("1")),
                RawFrames.body(2, Peer.bytes("2")));
        assertThat(broker.published).extracting(Message::routingKey).containsExactly("a", "b");
        assertThat(broker.publishedBodies()).containsExactly("1", "2");
    }

    /** Spec §4.2.6: what may not come between the frames of a content. */
    @Test
    void shouldRefuseFramesOutOfOrder() {
        byte[] method = RawFrames.publish(1, "", "q", false, false);
        byte[] header = RawFrames.header(1, 4, new byte[2]);
        assertUnexpected(RawFrames.header(1, 4, new byte[2]));
        assertUnexpected(RawFrames.body(1, new byte[1]));
        assertUnexpected(method, method);
        assertUnexpected(method, RawFrames.body(1, new byte[1]));
        assertUnexpected(method, header, header);
        assertUnexpected(method, header, method);
        assertUnexpected(method, header, RawFrames.qos(1, 0, 1, false));
        assertUnexpected(method, header, RawFrames.ack(1, 1, false));
        assertUnexpected(method, RawFrames.nack(1, 1, false, false));
        assertUnexpected(method, RawFrames.reject(1, 1, false));
        assertUnexpected(method, header, RawFrames.body(1, new byte[5]));
        assertUnexpected(method, header, RawFrames.body(1, new byte[3]), RawFrames.body(1, new byte[2]));
        assertUnexpected(method, RawFrames.header(1, 0, new byte[2]), RawFrames.body(1, new byte[1]));
    }

    private void assertUnexpected(byte[]... frames) {
        Peer each = Peer.connected(loop, new FakeClient(loop));
        each.send(frames);
        each.expectConnectionClose(505, "UNEXPECTED_FRAME - ");
    }

    @Test
    void shouldRefuseAMessageThatIsTooLargeByItsHeader() {
        peer = Peer.connected(loop, broker, Peer.OPTIONS.withMaxMessageBytes(1000), Peer.capabilities());
        peer.send(RawFrames.message(1, "", "q", new byte[1000], 300));
        assertThat(broker.published).hasSize(1);
        peer.send(RawFrames.publish(1, "", "q", false, false), RawFrames.header(1, 1001, new byte[2]));
        peer.send(RawFrames.body(1, new byte[500]), RawFrames.body(1, new byte[501]));
        peer.expectChannelClose(
                1, 406, "PRECONDITION_FAILED - message size 1001 is larger than configured max size 1000");
        assertThat(broker.published).hasSize(1);
    }

    /** An announced size costs nothing: 2,000 channels announce 128 MiB each. */
    @Test
    void shouldNotReserveWhatWasOnlyAnnounced() {
        for (int channel = 2; channel <= 2000; channel++) {
            peer.send(
                    RawFrames.channelOpen(channel),
                    RawFrames.publish(channel, "", "q", false, false),
                    RawFrames.header(channel, 128 << 20, new byte[2]));
        }
        assertThat(peer.wire.ended()).isFalse();
    }

    @Test
    void shouldBoundIncompleteMessagesOfAConnection() {
        peer = Peer.connected(loop, broker, Peer.OPTIONS.withMaxMessageBytes(10 << 20), Peer.capabilities());
        byte[] piece = RawFrames.body(1, new byte[100_000]);
        for (int channel = 1; channel <= 300 && !peer.wire.ended(); channel++) {
            if (channel > 1) {
                peer.send(RawFrames.channelOpen(channel));
            }
            piece[1] = (byte) (channel >>> 8);
            piece[2] = (byte) channel;
            peer.send(
                    RawFrames.publish(channel, "", "q", false, false),
                    RawFrames.header(channel, 1 << 20, new byte[2]),
                    piece);
            if (peer.frames().stream().anyMatch(frame -> frame.closeCode() == 506)) {
                assertThat(channel).isGreaterThan(100);
                return;
            }
        }
        throw new AssertionError("not refused");
    }

    // ---- routing

    @Test
    void shouldRefuseAMissingExchange() {
        broker.queues = Client.NO_EXCHANGE;
        publish(new byte[2]);
        peer.expectChannelClose(1, 404, "NOT_FOUND - no exchange 'ex' in vhost '/'");
    }

    @Test
    void shouldRefuseAnInternalExchange() {
        broker.queues = Client.INTERNAL_EXCHANGE;
        publish(new byte[2]);
        peer.expectChannelClose(1, 403, "ACCESS_REFUSED - cannot publish to internal exchange 'ex' in vhost '/'");
    }

    /** RabbitMQ: immediate is not implemented. */
    @Test
    void shouldRefuseImmediate() {
        peer.send(RawFrames.publish(1, "", "q", false, true));
        peer.expectConnectionClose(540, "NOT_IMPLEMENTED - immediate=true");
    }

    /** Spec, basic.return. */
    @Test
    void shouldReturnAMandatoryMessageThatReachesNoQueue() {
        broker.queues = 0;
        byte[] properties = header("k", 1);
        peer.send(Peer.message(1, "ex", "key", true, properties, "body"));
        ByteBuffer arguments = peer.expect(1, MethodId.BASIC_RETURN).arguments();
        assertThat(arguments.getShort()).isEqualTo((short) 312);
        assertThat(RawFrame.shortString(arguments)).isEqualTo("NO_ROUTE");
        assertThat(RawFrame.shortString(arguments)).isEqualTo("ex");
        assertThat(RawFrame.shortString(arguments)).isEqualTo("key");
        RawFrame header = peer.next();
        assertThat(Arrays.copyOfRange(header.payload(), 12, header.payload().length)).isEqualTo(properties);
        assertThat(peer.next().payload()).isEqualTo(Peer.bytes("body"));
        peer.expectNothing();

        publish(new byte[2]);
        peer.expectNothing();
    }

    /** C015: names of exactly 255 bytes. */
    @Test
    void shouldReturnNamesOf255Bytes() {
        broker.queues = 0;
        String exchange = "x".repeat(255);
        String key = "€".repeat(85);
        peer.send(Peer.message(1, exchange, key, true, new byte[2], ""));
        ByteBuffer arguments = peer.expect(1, MethodId.BASIC_RETURN).arguments();
        arguments.getShort();
        RawFrame.shortString(arguments);
        assertThat(RawFrame.shortString(arguments)).isEqualTo(exchange);
        assertThat(RawFrame.shortString(arguments)).isEqualTo(key);
    }

    // ---- properties

    @Test
    void shouldReadTheExpirationAsATimeToLive() {
        publish(properties(BasicProperty.EXPIRATION, "60000"));
        assertThat(published().ttlMillis()).isEqualTo(60_000);
        assertThat(Amqp091Format.INSTANCE.originalExpiration(published())).isEqualTo("60000");
    }

    /** RabbitMQ: a time-to-live may be above 2^31 ms. C041. */
    @Test
    void shouldTakeALongTimeToLive() {
        publish(properties(BasicProperty.EXPIRATION, "2592000000"));
        assertThat(published().ttlMillis()).isEqualTo(2_592_000_000L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "abc", "12x", "1.5", " 1", "9999999999999999999", "١٢"})
    void shouldRefuseAnExpirationThatIsNoNumber(String expiration) {
        publish(properties(BasicProperty.EXPIRATION, expiration));
        peer.expectChannelClose(
                1,
                406,
                "PRECONDITION_FAILED - invalid expiration '" + expiration + "': not a number of milliseconds");
        assertThat(broker.published).isEmpty();
    }

    /** WIRE: the expiration of Qpid JMS is a date, or with an option of its own a time-to-live. */
    @Test
    void shouldReadTheExpirationOfQpidJmsAsADate() {
        peer = Peer.connected(loop, broker, Peer.OPTIONS, Peer.product("QpidJMS"));
        long now = loop.currentTimeMillis();
        for (String expiration : List.of("" + (now + 5000), "" + now, "" + (now - 5000), "0", "30000")) {
            publish(properties(BasicProperty.EXPIRATION, expiration));
        }
        assertThat(broker.published)
                .extracting(Message::ttlMillis)
                .containsExactly(5000L, 0L, 0L, Message.NO_TTL, 30_000L);
    }

    /** RabbitMQ, validated user-id. */
    @Test
    void shouldCheckTheUserId() {
        publish(properties(BasicProperty.USER_ID, "guest"));
        assertThat(published().routingKey()).isEqualTo("key");
        publish(properties(BasicProperty.USER_ID, "root"));
        peer.expectChannelClose(
                1, 406, "PRECONDITION_FAILED - user_id property set to 'root' but authenticated user was 'guest'");
        assertThat(broker.published).hasSize(1);
    }

    @Test
    void shouldNotCheckTheUserIdOfTheAnonymous() {
        peer = new Peer(
                loop, broker,
                new Peer.PlainAuthenticator(new Principal("anonymous", true, new Published<>(Access.ALL))),
                Peer.OPTIONS);
        peer.handshake(out -> {}, 0, 0, 0);
        peer.openChannel(1);
        publish(properties(BasicProperty.USER_ID, "somebody"));
        assertThat(broker.published).hasSize(1);
    }

    /** RabbitMQ, sender-selected distribution. */
    @Test
    void shouldTakeFurtherKeysFromCcAndBcc() {
        byte[] properties = BasicProperties.EMPTY.edit()
                .setHeader("CC", List.of("a", "b"))
                .setHeader("BCC", List.of("c"))
                .setHeader("other", 1)
                .build()
                .bytes();
        publish(properties);
        Message message = published();
        assertThat(message.extraKeys()).containsExactly("a", "b");
        assertThat(message.hiddenKeys()).containsExactly("c");
        assertThat(message.headers()).containsOnlyKeys("CC", "other");
    }

    @Test
    void shouldRefuseCcThatIsNoListOfStrings() {
        publish(header("CC", "a"));
        peer.expectChannelClose(
                1, 406, "PRECONDITION_FAILED - invalid message: the header CC is not a list of strings");
        peer.openChannel(1);
        publish(header("BCC", List.of("a", 1)));
        peer.expectChannelClose(
                1, 406, "PRECONDITION_FAILED - invalid message: the header BCC is not a list of strings");
        assertThat(broker.published).isEmpty();
    }

    @Test
    void shouldRememberFactsOnlyForTheSameProperties() {
        publish(properties(BasicProperty.EXPIRATION, "1"));
        publish(properties(BasicProperty.EXPIRATION, "1"));
        publish(properties(BasicProperty.EXPIRATION, "2"));
        publish(new byte[2]);
        assertThat(broker.published).extracting(Message::ttlMillis).containsExactly(1L, 1L, 2L, Message.NO_TTL);
        assertThat(broker.published.get(0).header()).isSameAs(broker.published.get(1).header());
    }

    // ---- publishers held back

    @Test
    void shouldStopReadingWhileTheBrokerIsBehind() {
        broker.congested = true;
        byte[] message = Peer.message(1, "", "q", "x");
        peer.send(message);
        assertThat(peer.wire.paused).isTrue();
        peer.send(message);
        assertThat(broker.published).hasSize(1);

        broker.congested = false;
        loop.run(broker.resume);
        loop.runAll();
        assertThat(broker.published).hasSize(2);
        assertThat(peer.wire.paused).isFalse();
    }

    @Test
    void shouldNotAskAboutCongestionWithoutPublishes() {
        broker.congested = true;
        peer.send(RawFrames.qos(1, 0, 1, false));
        assertThat(peer.wire.paused).isFalse();
    }

    /** RabbitMQ, connection.blocked: to those who publish and have the capability. */
    @Test
    void shouldTellPublishersThatTheyAreBlocked() {
        peer.send(Peer.message(1, "", "q", "before"));
        loop.run(() -> broker.events.resourcesLow("memory"));
        ByteBuffer blocked = peer.expect(MethodId.CONNECTION_BLOCKED).arguments();
        assertThat(RawFrame.shortString(blocked)).isEqualTo("memory");
        loop.run(() -> broker.events.resourcesRecovered());
        peer.expect(MethodId.CONNECTION_UNBLOCKED);
        peer.expectNothing();
    }

    @Test
    void shouldTellConsumersNothingUntilTheyPublish() {
        loop.run(() -> broker.events.resourcesLow("memory"));
        peer.expectNothing();
        peer.send(Peer.message(1, "", "q", "x"));
        peer.expect(MethodId.CONNECTION_BLOCKED);
        assertThat(broker.published).isEmpty();
        loop.run(() -> broker.events.resourcesRecovered());
        peer.expect(MethodId.CONNECTION_UNBLOCKED);
        assertThat(broker.published).hasSize(1);
    }

    @Test
    void shouldNotTellThoseWithoutTheCapability() {
        peer = Peer.connected(loop, broker, Peer.OPTIONS, out -> {});
        peer.send(Peer.message(1, "", "q", "x"));
        loop.run(() -> broker.events.resourcesLow("memory"));
        peer.send(Peer.message(1, "", "q", "held"));
        assertThat(broker.published).hasSize(1);
        loop.run(() -> broker.events.resourcesRecovered());
        assertThat(broker.published).hasSize(2);
        peer.expectNothing();
    }

    @Test
    void shouldHoldPublishesButNotSettlementsWhileResourcesAreLow() {
        peer.openChannel(2);
        peer.send(RawFrames.consume(1, "q", "c", out -> {}));
        FakeClient.FakeConsumer consumer = broker.accept();
        FakeDelivery delivery = consumer.deliver("x");
        FakeDelivery other = consumer.deliver("y");
        peer.frames();
        loop.run(() -> broker.events.resourcesLow("memory"));

        peer.send(
                Peer.message(1, "", "q", "one"),
                RawFrames.ack(1, 1, false),
                Peer.message(1, "", "q", "two"),
                RawFrames.queueDeclare(2, "q", out -> {}, true));
        assertThat(broker.published).isEmpty();
        assertThat(delivery.outcome).isEqualTo(io.sluicemq.api.Delivery.Outcome.ACCEPTED);
        assertThat(other.outcome).isNull();
        assertThat(broker.request()).isEqualTo(new FakeClient.Find("queue", "q"));

        loop.run(() -> broker.events.resourcesRecovered());
        assertThat(broker.publishedBodies()).containsExactly("one", "two");
    }

    @Test
    void shouldStopReadingWhenTooMuchIsHeld() {
        loop.run(() -> broker.events.resourcesLow("memory"));
        for (int i = 0; i < 4; i++) {
            peer.send(Peer.message(1, "", "q", "x".repeat(100_000)));
        }
        assertThat(peer.wire.paused).isTrue();
        loop.run(() -> broker.events.resourcesRecovered());
        loop.runAll();
        assertThat(peer.wire.paused).isFalse();
        assertThat(broker.published).hasSize(4);
    }

    @Test
    void shouldLetAMessageThatHasBegunEndWhenResourcesGetLow() {
        peer.send(RawFrames.publish(1, "", "q", false, false), RawFrames.header(1, 1, new byte[2]));
        loop.run(() -> broker.events.resourcesLow("memory"));
        peer.send(RawFrames.body(1, new byte[1]));
        assertThat(broker.published).hasSize(1);
    }
}
