package io.sluicemq.protocol.amqp091;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.protocol.amqp091.codec.MethodId;
import io.sluicemq.protocol.amqp091.codec.RawFrames;
import io.sluicemq.testkit.ManualLoop;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Transactions (spec, class tx). */
class TransactionTest {

    private final ManualLoop loop = ManualLoop.single();
    private final FakeClient broker = new FakeClient(loop);
    private final Peer peer = Peer.connected(loop, broker);
    private FakeClient.FakeConsumer consumer;

    @BeforeEach
    void select() {
        peer.send(RawFrames.consume(1, "q", "c", out -> {}));
        consumer = broker.accept();
        peer.send(RawFrames.txSelect(1));
        peer.expect(1, MethodId.BASIC_CONSUME_OK);
        peer.expect(1, MethodId.TX_SELECT_OK);
    }

    private void commit() {
        peer.send(RawFrames.txCommit(1));
        FakeClient.Commit commit = (FakeClient.Commit) broker.request();
        commit.transaction().carryOut();
        broker.answer(null);
        peer.expect(1, MethodId.TX_COMMIT_OK);
    }

    @Test
    void shouldHoldPublishesUntilTheCommit() {
        peer.send(Peer.message(1, "", "q", "one"), Peer.message(1, "", "q", "two"));
        assertThat(broker.published).isEmpty();
        peer.send(RawFrames.txCommit(1));
        peer.expectNothing();
        assertThat(((FakeClient.Commit) broker.request()).transaction().messages).hasSize(2);
        broker.answer(null);
        peer.expect(1, MethodId.TX_COMMIT_OK);

        peer.send(Peer.message(1, "", "q", "three"));
        commit();
        assertThat(broker.publishedBodies()).containsExactly("three");
    }

    @Test
    void shouldForgetPublishesAtARollback() {
        peer.send(Peer.message(1, "", "q", "one"), RawFrames.txRollback(1), Peer.message(1, "", "q", "two"));
        peer.expect(1, MethodId.TX_ROLLBACK_OK);
        commit();
        assertThat(broker.publishedBodies()).containsExactly("two");
    }

    @Test
    void shouldHoldSettlementsUntilTheCommit() {
        FakeDelivery first = consumer.deliver("1");
        FakeDelivery second = consumer.deliver("2");
        FakeDelivery third = consumer.deliver("3");
        peer.frames();
        peer.send(RawFrames.ack(1, 2, false), RawFrames.reject(1, 1, false), RawFrames.nack(1, 3, true, true));
        assertThat(broker.settled).isEmpty();
        commit();
        assertThat(broker.settled).containsExactly(second, first, third);
        assertThat(broker.settled)
                .extracting(each -> each.outcome)
                .containsExactly(Outcome.ACCEPTED, Outcome.REJECTED, Outcome.REQUEUED);
    }

    /** RabbitMQ: after a rollback deliveries are unacknowledged as before, and can be acknowledged again. */
    @Test
    void shouldKeepDeliveriesAtARollback() {
        for (int i = 1; i <= 4; i++) {
            consumer.deliver("" + i);
        }
        peer.frames();
        peer.send(RawFrames.ack(1, 3, false), RawFrames.ack(1, 1, false), RawFrames.txRollback(1));
        peer.expect(1, MethodId.TX_ROLLBACK_OK);
        assertThat(broker.settled).isEmpty();
        peer.send(RawFrames.ack(1, 3, true));
        commit();
        assertThat(broker.settled).asString().isEqualTo("[1=ACCEPTED, 2=ACCEPTED, 3=ACCEPTED]");
    }

    @Test
    void shouldRefuseToSettleTwiceInOneTransaction() {
        consumer.deliver("1");
        peer.frames();
        peer.send(RawFrames.ack(1, 1, false), RawFrames.ack(1, 1, false));
        peer.expect(1, MethodId.CHANNEL_CLOSE);
        assertThat(broker.settled).asString().isEqualTo("[1=REQUEUED]");
    }

    /** C003: a commit that cannot be carried out fails visibly, and nothing of it is done. */
    @Test
    void shouldFailTheChannelWhenACommitIsRefused() {
        consumer.deliver("1");
        peer.frames();
        peer.send(RawFrames.ack(1, 1, false), Peer.message(1, "", "q", "one"), RawFrames.txCommit(1));
        broker.refuse(new BrokerError.LimitReached("messages in queue", "q", "/", 5));
        peer.expectChannelClose(
                1, 406, "PRECONDITION_FAILED - messages in queue limit (5) is reached: 'q' in vhost '/'");
        assertThat(broker.published).isEmpty();
        assertThat(broker.settled).asString().isEqualTo("[1=REQUEUED]");
    }

    /** A commit may wait for room for ever: with its connection it ends, and nothing is given back twice. */
    @Test
    void shouldGiveAllBackOnceWhenTheConnectionIsLostDuringACommit() {
        broker.commitsWait = true;
        peer.openChannel(2);
        consumer.deliver("1");
        peer.frames();
        peer.send(RawFrames.ack(1, 1, false), Peer.message(1, "", "q", "one"), RawFrames.txCommit(1));
        peer.cutSocket();
        loop.runAll();
        assertThat(broker.settled).asString().isEqualTo("[1=REQUEUED]");
        broker.answer(null); // the consumer is cancelled
        loop.runAll();
        assertThat(broker.channels).isZero();
        assertThat(broker.request()).isInstanceOf(FakeClient.Close.class);
        assertThat(broker.asked).hasSize(1);
    }

    @Test
    void shouldReturnUnroutableMessagesAtTheCommit() {
        broker.queues = 0;
        peer.send(Peer.message(1, "", "none", true, new byte[2], "one"));
        peer.send(Peer.message(1, "", "none", true, new byte[2], "gone"), RawFrames.txRollback(1));
        peer.expect(1, MethodId.TX_ROLLBACK_OK);
        peer.send(Peer.message(1, "", "none", true, new byte[2], "two"), RawFrames.txCommit(1));
        peer.expectNothing();
        broker.answer(null);
        peer.expect(1, MethodId.BASIC_RETURN);
        assertThat(peer.content(1)).isEqualTo("two");
        peer.expect(1, MethodId.TX_COMMIT_OK);
    }

    @Test
    void shouldRequeueSettlementsThatWereNotCommitted() {
        consumer.deliver("1");
        consumer.deliver("2");
        consumer.deliver("3");
        peer.frames();
        peer.send(RawFrames.ack(1, 2, false), RawFrames.channelClose(1, 200, "done"));
        assertThat(broker.settled).asString().isEqualTo("[1=REQUEUED, 2=REQUEUED, 3=REQUEUED]");
    }

    /** A commit under way when the socket goes decides alone what becomes of its settlements. */
    @Test
    void shouldNotRequeueWhatACommitUnderWaySettles() {
        FakeDelivery first = consumer.deliver("1");
        FakeDelivery second = consumer.deliver("2");
        peer.send(RawFrames.ack(1, 1, false), RawFrames.txCommit(1));
        FakeClient.Commit commit = (FakeClient.Commit) broker.request();
        peer.cutSocket();
        assertThat(first.outcome).isNull();
        assertThat(second.outcome).isEqualTo(Outcome.REQUEUED);
        commit.transaction().carryOut();
        broker.answer(null);
        assertThat(first.outcome).isEqualTo(Outcome.ACCEPTED);
    }

    @Test
    void shouldRequeueWhatARefusedCommitWouldHaveSettled() {
        FakeDelivery first = consumer.deliver("1");
        peer.send(RawFrames.ack(1, 1, false), RawFrames.txCommit(1));
        peer.cutSocket();
        broker.refuse(new BrokerError.LimitReached("messages in queue", "q", "/", 5));
        assertThat(first.outcome).isEqualTo(Outcome.REQUEUED);
        broker.answer(null);
        assertThat(broker.request()).isInstanceOf(FakeClient.Close.class);
    }

    @Test
    void shouldCountSettlementsInTheSharedLimitAtTheCommit() {
        peer.send(RawFrames.cancel(1, "c", true));
        broker.answer(null);
        peer.send(RawFrames.qos(1, 0, 1, true), RawFrames.consume(1, "q", "d", out -> {}));
        FakeClient.FakeConsumer limited = broker.accept();
        loop.run(limited.sink::creditWanted);
        limited.deliver("1");
        loop.run(limited.sink::creditWanted);
        peer.send(RawFrames.ack(1, 1, false));
        assertThat(limited.granted).isOne();
        peer.frames();
        commit();
        assertThat(limited.granted).isEqualTo(2);
    }

    /** Spec, tx.commit: only after tx.select. */
    @Test
    void shouldRefuseCommitAndRollbackWithoutATransaction() {
        peer.openChannel(2);
        peer.send(RawFrames.txCommit(2));
        peer.expectChannelClose(2, 406, "PRECONDITION_FAILED - channel is not transactional");
        peer.openChannel(2);
        peer.send(RawFrames.txRollback(2));
        peer.expectChannelClose(2, 406, "PRECONDITION_FAILED - channel is not transactional");
    }

    /** WIRE: Qpid JMS refuses what it has not consumed, rolls back, and wants all of it again. */
    @Test
    void shouldRollBackAsQpidJmsExpects() {
        Peer qpid = Peer.connected(loop, broker, Peer.OPTIONS, Peer.product("qpid"));
        qpid.send(RawFrames.txSelect(1), RawFrames.consume(1, "q", "x", out -> {}));
        FakeClient.FakeConsumer session = broker.accept();
        session.deliver("1");
        session.deliver("2");
        qpid.frames();
        qpid.send(RawFrames.reject(1, 2, true));
        assertThat(broker.settled).asString().isEqualTo("[2=REQUEUED]");
        qpid.send(RawFrames.ack(1, 1, false));
        assertThat(broker.settled).hasSize(1);
        qpid.send(RawFrames.txRollback(1));
        qpid.expect(1, MethodId.TX_ROLLBACK_OK);
        assertThat(broker.settled).asString().isEqualTo("[2=REQUEUED, 1=REQUEUED]");
    }
}
