package io.sluicemq.protocol.amqp091;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.BrokerError.Kind;
import io.sluicemq.api.Client;
import io.sluicemq.api.Client.BindingSpec;
import io.sluicemq.api.Client.Bound;
import io.sluicemq.api.Client.ExchangeSpec;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.Client.QueueStatus;
import io.sluicemq.protocol.amqp091.codec.MethodId;
import io.sluicemq.protocol.amqp091.codec.RawArguments;
import io.sluicemq.protocol.amqp091.codec.RawFrame;
import io.sluicemq.protocol.amqp091.codec.RawFrames;
import io.sluicemq.testkit.ManualLoop;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Classes exchange and queue. */
class TopologyTest {

    private static final Consumer<RawArguments> NONE = out -> {};
    private static final Consumer<RawArguments> ARGUMENTS = out -> out.shortString("a").octet('I').longInt(1);

    private final ManualLoop loop = ManualLoop.single();
    private final FakeClient broker = new FakeClient(loop);
    private final Peer peer = Peer.connected(loop, broker);

    private static BrokerError missing(Kind kind, String name) {
        return new BrokerError.NotFound(kind, name, "/");
    }

    // ---- exchanges

    @Test
    void shouldDeclareAnExchange() {
        peer.send(RawFrames.exchangeDeclare(1, "e", "topic", ARGUMENTS, false, true, false, true, false));
        assertThat(broker.request()).isEqualTo(new ExchangeSpec("e", "topic", true, false, true, Map.of("a", 1)));
        broker.answer(null);
        peer.expect(1, MethodId.EXCHANGE_DECLARE_OK);
    }

    @Test
    void shouldLookForAnExchange() {
        peer.send(RawFrames.exchangeDeclare(1, "amq.direct", "", NONE, true));
        assertThat(broker.request()).isEqualTo(new FakeClient.Find("exchange", "amq.direct"));
        broker.answer(null);
        peer.expect(1, MethodId.EXCHANGE_DECLARE_OK);
        peer.send(RawFrames.exchangeDeclare(1, "none", "", NONE, true));
        broker.refuse(missing(Kind.EXCHANGE, "none"));
        peer.expectChannelClose(1, 404, "NOT_FOUND - no exchange 'none' in vhost '/'");
    }

    /** Spec, exchange.declare, rule "reserved": amq. is for what exists. */
    @Test
    void shouldDeclareReservedExchangesOnlyIfTheyExist() {
        peer.send(RawFrames.exchangeDeclare(1, "amq.topic", "topic", NONE, false, true));
        broker.answer(null);
        assertThat(broker.request()).isEqualTo(new ExchangeSpec("amq.topic", "topic", true, false, false, Map.of()));
        broker.answer(null);
        peer.expect(1, MethodId.EXCHANGE_DECLARE_OK);

        peer.send(RawFrames.exchangeDeclare(1, "amq.mine", "topic", NONE));
        broker.refuse(missing(Kind.EXCHANGE, "amq.mine"));
        peer.expectChannelClose(
                1, 403, "ACCESS_REFUSED - exchange name 'amq.mine' contains reserved prefix 'amq.*'");
        assertThat(broker.asked).isEmpty();
    }

    /** Spec, exchange.declare, rule "support": an unknown type is a 503. */
    @Test
    void shouldCloseTheConnectionForAnUnknownType() {
        peer.send(RawFrames.exchangeDeclare(1, "e", "magic", NONE));
        broker.refuse(new BrokerError.UnknownExchangeType("e", "magic"));
        peer.expectConnectionClose(503, "COMMAND_INVALID - unknown exchange type 'magic'");
    }

    @Test
    void shouldTellWhatIsNotEquivalent() {
        peer.send(RawFrames.exchangeDeclare(1, "e", "topic", NONE, false, false, false, false, true));
        broker.refuse(new BrokerError.Inequivalent(Kind.EXCHANGE, "e", "/", "type", "'topic'", "'direct'"));
        peer.expectChannelClose(
                1,
                406,
                "PRECONDITION_FAILED - inequivalent arg 'type' for exchange 'e' in vhost '/': received 'topic' but"
                        + " current is 'direct'");
    }

    @Test
    void shouldDeleteAnExchange() {
        peer.send(RawFrames.exchangeDelete(1, "e", true, false));
        assertThat(broker.request()).isEqualTo(new FakeClient.Delete("exchange", "e", true, false));
        broker.answer(null);
        peer.expect(1, MethodId.EXCHANGE_DELETE_OK);

        peer.send(RawFrames.exchangeDelete(1, "none", false, false));
        broker.refuse(missing(Kind.EXCHANGE, "none"));
        peer.expect(1, MethodId.EXCHANGE_DELETE_OK);

        peer.send(RawFrames.exchangeDelete(1, "e", true, false));
        broker.refuse(new BrokerError.InUse(Kind.EXCHANGE, "e", "/"));
        peer.expectChannelClose(1, 406, "PRECONDITION_FAILED - exchange 'e' in vhost '/' in use");

        peer.openChannel(1);
        peer.send(RawFrames.exchangeDelete(1, "amq.direct", false, false));
        peer.expectChannelClose(
                1, 403, "ACCESS_REFUSED - deletion of system exchange 'amq.direct' in vhost '/' not allowed");
    }

    /** Spec: the default exchange is not for clients to change. */
    @Test
    void shouldNotTouchTheDefaultExchange() {
        assertDefaultRefused(RawFrames.exchangeDeclare(1, "", "direct", NONE));
        assertDefaultRefused(RawFrames.exchangeDelete(1, "", false, false));
        assertDefaultRefused(RawFrames.exchangeBind(1, "e", "", "k", false, NONE));
        assertDefaultRefused(RawFrames.exchangeBind(1, "", "e", "k", false, NONE));
        assertDefaultRefused(RawFrames.exchangeUnbind(1, "e", "", "k", false, NONE));
        assertDefaultRefused(RawFrames.queueBind(1, "q", "", "k", false, NONE));
        assertDefaultRefused(RawFrames.queueUnbind(1, "q", "", "k", NONE));
        assertThat(broker.asked).isEmpty();
    }

    private void assertDefaultRefused(byte[] frame) {
        peer.send(frame);
        peer.expectChannelClose(1, 403, "ACCESS_REFUSED - operation not permitted on the default exchange");
        peer.openChannel(1);
    }

    @Test
    void shouldBindExchanges() {
        peer.send(RawFrames.exchangeBind(1, "to", "from", "k", false, ARGUMENTS));
        BindingSpec binding = new BindingSpec("from", "to", true, "k", Map.of("a", 1));
        assertThat(broker.request()).isEqualTo(new FakeClient.Bind(binding));
        broker.answer(null);
        peer.expect(1, MethodId.EXCHANGE_BIND_OK);

        peer.send(RawFrames.exchangeUnbind(1, "to", "from", "k", false, ARGUMENTS));
        assertThat(broker.request()).isEqualTo(new FakeClient.Unbind(binding));
        broker.answer(null);
        peer.expect(1, MethodId.EXCHANGE_UNBIND_OK);
    }

    /** WIRE: exchange.bound as Qpid JMS needs it. */
    @ParameterizedTest
    @EnumSource
    void shouldAnswerWhatIsBound(Bound answer) {
        peer.send(RawFrames.exchangeBound(1, "e", "", "q"));
        assertThat(broker.request()).isEqualTo(new FakeClient.IsBound("e", "q", null));
        broker.answer(answer);
        ByteBuffer ok = peer.expect(1, MethodId.EXCHANGE_BOUND_OK).arguments();
        assertThat(ok.getShort()).isEqualTo((short) answer.ordinal());
        assertThat(RawFrame.shortString(ok).isEmpty()).isEqualTo(answer == Bound.YES);
    }

    // ---- queues

    @Test
    void shouldDeclareAQueue() {
        peer.send(RawFrames.queueDeclare(1, "q", ARGUMENTS, false, true, true, true));
        assertThat(broker.request()).isEqualTo(new QueueSpec("q", true, true, true, Map.of("a", 1)));
        broker.answer(new QueueStatus("q", 5, 2));
        ByteBuffer ok = peer.expect(1, MethodId.QUEUE_DECLARE_OK).arguments();
        assertThat(RawFrame.shortString(ok)).isEqualTo("q");
        assertThat(ok.getInt()).isEqualTo(5);
        assertThat(ok.getInt()).isEqualTo(2);
    }

    /** WIRE: the durable subscriptions of Qpid JMS are durable, exclusive queues that outlive their connection. */
    @Test
    void shouldNotEndTheDurableSubscriptionsOfQpidJms() {
        Peer qpid = Peer.connected(loop, broker, Peer.OPTIONS, Peer.product("qpid"));
        qpid.send(RawFrames.queueDeclare(1, "id:sub", NONE, false, true, true));
        assertThat(broker.request()).isEqualTo(new QueueSpec("id:sub", true, false, false, Map.of()));
        broker.answer(new QueueStatus("id:sub", 0, 0));
        qpid.send(RawFrames.queueDeclare(1, "temporary", NONE, false, false, true));
        assertThat(broker.request()).isEqualTo(new QueueSpec("temporary", false, true, false, Map.of()));
    }

    @Test
    void shouldNameAQueue() {
        peer.send(RawFrames.queueDeclare(1, "", NONE));
        broker.answer(new QueueStatus("amq.gen-x", 0, 0));
        ByteBuffer ok = peer.expect(1, MethodId.QUEUE_DECLARE_OK).arguments();
        assertThat(RawFrame.shortString(ok)).isEqualTo("amq.gen-x");
    }

    @Test
    void shouldDeclareReservedQueuesOnlyIfTheyExist() {
        peer.send(RawFrames.queueDeclare(1, "amq.gen-x", NONE, false, false, true));
        assertThat(broker.request()).isEqualTo(new FakeClient.Find("queue", "amq.gen-x"));
        broker.answer(new QueueStatus("amq.gen-x", 0, 0));
        assertThat(broker.request()).isInstanceOf(QueueSpec.class);
        broker.answer(new QueueStatus("amq.gen-x", 0, 0));
        peer.expect(1, MethodId.QUEUE_DECLARE_OK);

        peer.send(RawFrames.queueDeclare(1, "amq.mine", NONE, false, false, false, false, true));
        broker.refuse(missing(Kind.QUEUE, "amq.mine"));
        peer.expectChannelClose(1, 403, "ACCESS_REFUSED - queue name 'amq.mine' contains reserved prefix 'amq.*'");
    }

    @Test
    void shouldTellThatAQueueIsAnothers() {
        peer.send(RawFrames.queueDeclare(1, "q", NONE, true));
        broker.refuse(new BrokerError.Locked("q", "/"));
        RawFrame close = peer.expect(1, MethodId.CHANNEL_CLOSE);
        assertThat(close.closeCode()).isEqualTo(405);
        assertThat(Peer.closeText(close))
                .startsWith("RESOURCE_LOCKED - cannot obtain exclusive access to locked queue 'q' in vhost '/'. It"
                        + " could be originally declared on another connection")
                .hasSizeLessThanOrEqualTo(255);
    }

    /** Reply texts are short strings: a long name is cut. */
    @Test
    void shouldCutLongReplyTexts() {
        String name = "ü".repeat(127);
        peer.send(RawFrames.queueDeclare(1, name, NONE, true));
        broker.refuse(missing(Kind.QUEUE, name));
        String text = Peer.closeText(peer.expect(1, MethodId.CHANNEL_CLOSE));
        assertThat(text).startsWith("NOT_FOUND - no queue 'üüü").endsWith("ü");
        assertThat(Peer.bytes(text).length).isBetween(254, 255);
    }

    /** Spec, queue.bind: an empty name is the queue declared last, and then an empty key is its name. */
    @Test
    void shouldMeanTheQueueDeclaredLast() {
        for (byte[] frame : new byte[][] {
            RawFrames.queueBind(1, "", "e", "", false, NONE),
            RawFrames.queueUnbind(1, "", "e", "", NONE),
            RawFrames.queuePurge(1, "", false),
            RawFrames.queueDelete(1, ""),
            RawFrames.queueDeclare(1, "", NONE, true),
            RawFrames.get(1, "", false)
        }) {
            peer.send(frame);
            peer.expectChannelClose(1, 404, "NOT_FOUND - no previously declared queue");
            peer.openChannel(1);
        }
        peer.send(RawFrames.queueDeclare(1, "q", NONE));
        broker.answer(new QueueStatus("q", 0, 0));
        peer.send(RawFrames.queueBind(1, "", "e", "", false, NONE));
        assertThat(broker.request())
                .isEqualTo(new FakeClient.Bind(new BindingSpec("e", "q", false, "q", Map.of())));
        broker.answer(null);
        peer.send(RawFrames.queueBind(1, "", "e", "k", false, NONE));
        assertThat(broker.request())
                .isEqualTo(new FakeClient.Bind(new BindingSpec("e", "q", false, "k", Map.of())));
        broker.answer(null);
        peer.send(RawFrames.queueBind(1, "r", "e", "", false, NONE));
        assertThat(broker.request())
                .isEqualTo(new FakeClient.Bind(new BindingSpec("e", "r", false, "", Map.of())));
    }

    @Test
    void shouldUnbindWhatIsNotThere() {
        peer.send(RawFrames.queueUnbind(1, "q", "e", "k", NONE));
        broker.refuse(missing(Kind.QUEUE, "q"));
        peer.expect(1, MethodId.QUEUE_UNBIND_OK);
        peer.send(RawFrames.exchangeUnbind(1, "d", "e", "k", false, NONE));
        broker.refuse(missing(Kind.EXCHANGE, "e"));
        peer.expect(1, MethodId.EXCHANGE_UNBIND_OK);
    }

    @Test
    void shouldPurgeAndDelete() {
        peer.send(RawFrames.queuePurge(1, "q", false));
        assertThat(broker.request()).isEqualTo(new FakeClient.Purge("q"));
        broker.answer(3L);
        assertThat(peer.expect(1, MethodId.QUEUE_PURGE_OK).arguments().getInt()).isEqualTo(3);

        peer.send(RawFrames.queueDelete(1, "q", true, true));
        assertThat(broker.request()).isEqualTo(new FakeClient.Delete("queue", "q", true, true));
        broker.answer(4L);
        assertThat(peer.expect(1, MethodId.QUEUE_DELETE_OK).arguments().getInt()).isEqualTo(4);

        peer.send(RawFrames.queueDelete(1, "none"));
        broker.refuse(missing(Kind.QUEUE, "none"));
        assertThat(peer.expect(1, MethodId.QUEUE_DELETE_OK).arguments().getInt()).isZero();

        peer.send(RawFrames.queueDelete(1, "q", false, true));
        broker.refuse(new BrokerError.NotEmpty("q", "/"));
        peer.expectChannelClose(1, 406, "PRECONDITION_FAILED - queue 'q' in vhost '/' not empty");
    }

    @Test
    void shouldAnswerNothingIfNoAnswerIsWanted() {
        peer.send(
                RawFrames.exchangeDeclare(1, "e", "direct", NONE, false, false, false, false, true),
                RawFrames.exchangeBind(1, "e", "f", "k", true, NONE),
                RawFrames.exchangeUnbind(1, "e", "f", "k", true, NONE),
                RawFrames.exchangeDelete(1, "e", false, true),
                RawFrames.queueDeclare(1, "q", NONE, false, false, false, false, true),
                RawFrames.queueBind(1, "q", "e", "k", true, NONE),
                RawFrames.queuePurge(1, "q", true),
                RawFrames.queueDelete(1, "q", false, false, true));
        for (Object answer : new Object[] {null, null, null, null, new QueueStatus("q", 0, 0), null, 0L, 0L}) {
            broker.answer(answer);
        }
        assertThat(broker.asked).isEmpty();
        peer.expectNothing();
    }

    // ---- direct reply-to

    /** RabbitMQ, direct reply-to. */
    @Test
    void shouldGetRepliesWithoutAQueue() {
        peer.send(RawFrames.consume(1, "amq.rabbitmq.reply-to", "r", NONE, false, true));
        peer.expect(1, MethodId.BASIC_CONSUME_OK);
        FakeClient.FakeReplyAddress address = broker.replyAddresses.getFirst();
        FakeDelivery reply = address.deliver("reply");
        assertThat(peer.delivery(1)).isEqualTo("r:1:reply");
        loop.run(peer.session::flushed);
        assertThat(address.written).isEqualTo(reply.windowBytes());

        peer.send(RawFrames.cancel(1, "r", false));
        peer.expect(1, MethodId.BASIC_CANCEL_OK);
        assertThat(address.closedByClient).isTrue();
        address.deliver("late");
        peer.expectNothing();
        loop.run(peer.session::flushed);
    }

    @Test
    void shouldSetTheReplyToOfRequests() {
        byte[] properties = io.sluicemq.protocol.amqp091.codec.BasicProperties.EMPTY.edit()
                .set(io.sluicemq.protocol.amqp091.codec.BasicProperty.REPLY_TO, "amq.rabbitmq.reply-to")
                .setHeader("k", 1)
                .build()
                .bytes();
        peer.send(RawFrames.consume(1, "amq.rabbitmq.reply-to", "r", NONE, false, true, false, true));
        peer.send(Peer.message(1, "", "rpc", false, properties, "request"));
        peer.expectNothing();
        var sent = io.sluicemq.protocol.amqp091.codec.BasicProperties.of(
                broker.published.getFirst().header());
        assertThat(sent.replyTo()).isEqualTo(Client.ReplyAddress.PREFIX + "0.secret");
        assertThat(sent.headers()).isEqualTo(Map.of("k", 1));

        peer.openChannel(2);
        peer.send(Peer.message(2, "", "rpc", false, properties, "request"));
        peer.expectChannelClose(2, 406, "PRECONDITION_FAILED - fast reply consumer does not exist");
    }

    @Test
    void shouldRefuseConsumersOfRepliesThatCannotBe() {
        peer.send(RawFrames.consume(1, "amq.rabbitmq.reply-to", "r", NONE));
        peer.expectChannelClose(1, 406, "PRECONDITION_FAILED - reply consumer cannot acknowledge");
        peer.openChannel(1);
        peer.send(RawFrames.consume(1, "amq.rabbitmq.reply-to", "r", NONE, false, true));
        peer.expect(1, MethodId.BASIC_CONSUME_OK);
        peer.send(RawFrames.consume(1, "amq.rabbitmq.reply-to", "s", NONE, false, true));
        peer.expectChannelClose(1, 406, "PRECONDITION_FAILED - reply consumer already set");
        assertThat(broker.replyAddresses.getFirst().closedByClient).isTrue();
    }

    @Test
    void shouldRefuseTheTagOfAConsumerOfReplies() {
        peer.send(RawFrames.consume(1, "amq.rabbitmq.reply-to", "r", NONE, false, true));
        peer.expect(1, MethodId.BASIC_CONSUME_OK);
        peer.send(RawFrames.consume(1, "q", "r", NONE));
        peer.expectConnectionClose(530, "attempt to reuse consumer tag 'r'");
    }

    @Test
    void shouldTellWhetherSomebodyStillWaitsForAReply() {
        peer.send(RawFrames.queueDeclare(1, "amq.rabbitmq.reply-to", NONE, true));
        peer.expect(1, MethodId.QUEUE_DECLARE_OK);
        String name = Client.ReplyAddress.PREFIX + "0.secret";
        peer.send(RawFrames.queueDeclare(1, name, NONE));
        assertThat(broker.request()).isEqualTo(new FakeClient.FindReply(name));
        broker.answer(true);
        ByteBuffer ok = peer.expect(1, MethodId.QUEUE_DECLARE_OK).arguments();
        assertThat(RawFrame.shortString(ok)).isEqualTo(name);
        assertThat(ok.getInt()).isZero();
        assertThat(ok.getInt()).isOne();
        peer.send(RawFrames.queueDeclare(1, name, NONE, true));
        broker.answer(false);
        peer.expectChannelClose(1, 404, "NOT_FOUND - no queue '" + name + "' in vhost '/'");
    }
}
