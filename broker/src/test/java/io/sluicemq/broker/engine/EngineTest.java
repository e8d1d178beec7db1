package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.TestBroker.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.ConsumerSpec;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.broker.engine.TestBroker.Answer;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EngineTest {

    private final TestBroker broker = new TestBroker(3);
    private final TestClient producer = broker.connect(0);
    private final TestClient taker = broker.connect(1);

    private void publish(String queue, int from, int to) {
        IntStream.rangeClosed(from, to).forEach(n -> producer.publishes(message("", queue, "m" + n)));
    }

    private void assertEverythingIsGone() {
        producer.closes();
        taker.closes();
        BrokerCounters counters = broker.counters();
        assertThat(counters.connections()).isZero();
        assertThat(counters.consumers()).isZero();
        assertThat(counters.readyMessages()).isZero();
        assertThat(counters.unsettledMessages()).isZero();
        assertThat(counters.messageBytes()).isZero();
    }

    /** Who publishes and is answered something else may tell another, who asks on the queue's own loop before that has read its mail. */
    @Test
    void shouldCountWhatWasSentToAQueueBeforeItIsLookedAt() {
        TestBroker two = new TestBroker(2);
        TestClient[] clients = {two.connect(0), two.connect(1)};
        clients[0].declares("q", Map.of());
        for (int asking = 0; asking < 2; asking++) {
            TestClient publisher = clients[1 - asking];
            TestClient asker = clients[asking];
            publisher.loop.run(() -> publisher.client.publish(TestBroker.message("", "q", "m"), null, null));
            publisher.loop.runTurn();
            TestBroker.Answer<Client.QueueStatus> answer = new TestBroker.Answer<>();
            asker.loop.run(() -> asker.client.findQueue("q", answer));
            two.settle();
            assertThat(answer.result().readyMessages()).isEqualTo(asking + 1);
        }
    }

    @Test
    void shouldDeliverInOrderAndReleaseWhatIsAccepted() {
        producer.declares("q", Map.of());
        publish("q", 1, 3);
        TestConsumer consumer = taker.consumes("q", 0);
        publish("q", 4, 4);
        assertThat(consumer.texts()).containsExactly("m1", "m2", "m3", "m4");
        assertThat(broker.counters().unsettledMessages()).isEqualTo(4);
        for (int i = 0; i < 4; i++) {
            consumer.settles(i, Outcome.ACCEPTED);
        }
        assertEverythingIsGone();
    }

    @Test
    void shouldReturnRequeuedMessagesToTheirPlace() {
        producer.declares("q", Map.of());
        publish("q", 1, 5);
        TestConsumer consumer = taker.consumes("q", 3);
        consumer.settles(1, Outcome.ACCEPTED);
        assertThat(consumer.texts()).containsExactly("m1", "m2", "m3", "m4");
        assertThat(taker.<Void>asks(consumer.port::cancel).done).isTrue();
        consumer.settles(3, Outcome.REQUEUED);
        consumer.settles(0, Outcome.REQUEUED);
        consumer.settles(2, Outcome.RELEASED);
        TestConsumer second = taker.consumes("q", 0);
        assertThat(second.texts()).containsExactly("m1", "m3", "m4", "m5");
        assertThat(second.deliveries).extracting(Delivery::redelivered).containsExactly(true, false, true, false);
    }

    @Test
    void shouldTellWhatAClientHasGivenBackFromWhatHasReachedNone() {
        producer.declares("q", Map.of());
        publish("q", 1, 3);
        TestConsumer consumer = taker.consumes("q", 3);
        assertThat(taker.<Void>asks(consumer.port::cancel).done).isTrue();
        consumer.settles(0, Outcome.RETURNED);
        consumer.settles(1, Outcome.RELEASED);
        consumer.settles(2, Outcome.REQUEUED);
        TestConsumer second = taker.consumes("q", 0);
        assertThat(second.deliveries).extracting(Delivery::acquiredBefore).containsExactly(true, false, true);
        assertThat(second.deliveries).extracting(Delivery::redelivered).containsExactly(false, false, true);
        assertThat(second.deliveries).extracting(Delivery::deliveryCount).containsExactly(0, 0, 1);
    }

    @Test
    void shouldNotExceedThePrefetchAndServeConsumersInTurn() {
        producer.declares("q", Map.of());
        TestConsumer first = taker.consumes("q", 2);
        TestConsumer second = producer.consumes("q", 1);
        publish("q", 1, 5);
        assertThat(first.texts()).containsExactly("m1", "m3");
        assertThat(second.texts()).containsExactly("m2");
        second.settles(0, Outcome.REQUEUED);
        assertThat(second.texts()).containsExactly("m2", "m2");
        first.settles(0, Outcome.ACCEPTED);
        assertThat(first.texts()).containsExactly("m1", "m3", "m4");
    }

    @Test
    void shouldBoundWhatIsOnItsWayToASocket() {
        producer.declares("q", Map.of());
        TestConsumer consumer = taker.consumes("q", 0);
        String large = "x".repeat(100_000);
        for (int i = 0; i < 10; i++) {
            producer.publishes(message("", "q", large));
        }
        assertThat(consumer.deliveries).hasSize(3);
        taker.does(() -> consumer.port.written(consumer.deliveries.get(0).windowBytes()));
        assertThat(consumer.deliveries).hasSize(4);
    }

    @Test
    void shouldExpireMessagesWhereverTheyStand() {
        producer.declares("q", Map.of());
        producer.publishes(message("", "q", "stays"));
        producer.publishes(message("", "q", "goes", 0, 1000));
        producer.publishes(message("", "q", "goes later", 0, 2000));
        assertThat(producer.depth("q")).isEqualTo(3);
        broker.loops.advance(TimeUnit.MILLISECONDS.toNanos(1000));
        assertThat(producer.depth("q")).isEqualTo(2);
        broker.loops.advance(TimeUnit.MILLISECONDS.toNanos(1000));
        assertThat(producer.depth("q")).isEqualTo(1);
        assertThat(broker.counters().droppedByExpiry()).isEqualTo(2);
    }

    @Test
    void shouldGiveAMessageWithNoTimeToAWaitingConsumerOnly() {
        producer.declares("q", Map.of());
        producer.publishes(message("", "q", "nobody waits", 0, 0));
        assertThat(producer.depth("q")).isZero();
        TestConsumer consumer = taker.consumes("q", 1);
        producer.publishes(message("", "q", "taken", 0, 0));
        producer.publishes(message("", "q", "no room", 0, 0));
        assertThat(consumer.texts()).containsExactly("taken");
        assertThat(producer.depth("q")).isZero();
    }

    @Test
    void shouldRefuseOrDropWhatOverflows() {
        producer.declares("drop", Map.of("x-max-length", 2));
        producer.declares("refuse", Map.of("x-max-length", 2, "x-overflow", "reject-publish"));
        publish("drop", 1, 4);
        assertThat(taker.consumes("drop", 0).texts()).containsExactly("m3", "m4");
        publish("refuse", 1, 2);
        assertThat(producer.publishesConfirmed(message("", "refuse", "m3")).error())
                .isInstanceOf(BrokerError.LimitReached.class);
        assertThat(producer.depth("refuse")).isEqualTo(2);
    }

    @Test
    void shouldCommitAllOrNothing() {
        producer.declares("a", Map.of());
        producer.declares("b", Map.of("x-max-length", 2, "x-overflow", "reject-publish"));
        Client.Transaction[] work = new Client.Transaction[1];
        producer.does(() -> {
            work[0] = producer.client.begin();
            work[0].publish(message("", "a", "1"));
            work[0].publish(message("", "b", "1"));
            work[0].publish(message("", "b", "2"));
        });
        assertThat(producer.depth("a")).isZero();
        producer.<Void>asks(reply -> work[0].commit(reply)).result();
        assertThat(producer.depth("a")).isEqualTo(1);
        assertThat(producer.depth("b")).isEqualTo(2);
        producer.does(() -> {
            work[0].publish(message("", "a", "2"));
            work[0].publish(message("", "b", "3"));
        });
        assertThat(producer.<Void>asks(reply -> work[0].commit(reply)).error())
                .isInstanceOf(BrokerError.LimitReached.class);
        assertThat(producer.depth("a")).isEqualTo(1);
        assertThat(producer.depth("b")).isEqualTo(2);
    }

    @Test
    void shouldCountMessagesOfAnOpenTransactionAsMemory() {
        producer.declares("a", Map.of());
        Client.Transaction[] work = new Client.Transaction[1];
        producer.does(() -> {
            work[0] = producer.client.begin();
            work[0].publish(message("", "a", "1"));
        });
        long held = broker.counters().messageBytes();
        assertThat(held).isPositive();
        producer.does(work[0]::discard);
        assertThat(broker.counters().messageBytes()).isZero();
        producer.does(() -> {
            work[0] = producer.client.begin();
            work[0].publish(message("", "a", "1"));
        });
        producer.<Void>asks(reply -> work[0].commit(reply)).result();
        assertThat(broker.counters().messageBytes()).isEqualTo(held);
    }

    @Test
    void shouldDeadLetterInOrderWithHistoryAndCutAutomaticCycles() {
        producer.declares("dead", Map.of());
        producer.declares(
                "q", Map.of("x-max-length", 1, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
        publish("q", 1, 4);
        TestConsumer dead = taker.consumes("dead", 0);
        assertThat(dead.texts()).containsExactly("m1", "m2", "m3");
        assertThat(dead.deliveries.get(0).message().deaths()).singleElement().satisfies(death -> {
            assertThat(death.queue()).isEqualTo("q");
            assertThat(death.count()).isEqualTo(1);
        });
        producer.declares("self", Map.of("x-message-ttl", 10, "x-dead-letter-exchange", ""));
        publish("self", 1, 1);
        broker.loops.advance(TimeUnit.SECONDS.toNanos(1));
        assertThat(producer.depth("self")).isZero();
        assertThat(broker.counters().droppedInCycles()).isEqualTo(1);
    }

    @Test
    void shouldSendWhatHasExpiredElsewhereThanOtherDeadLetters() {
        producer.declares("dead", Map.of());
        producer.declares("expired", Map.of());
        producer.declares("q", Map.of(
                "x-message-ttl", 10, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead",
                "x-expiry-address", "expired"));
        producer.declares("no letters else", Map.of("x-message-ttl", 10, "x-expiry-address", "expired"));
        publish("q", 1, 2);
        Delivery rejected = taker.gets("q");
        taker.does(() -> rejected.settle(Outcome.REJECTED));
        publish("no letters else", 3, 4);
        Delivery dropped = taker.gets("no letters else");
        taker.does(() -> dropped.settle(Outcome.REJECTED));

        broker.loops.advance(TimeUnit.SECONDS.toNanos(1));

        assertThat(taker.consumes("dead", 0).texts()).containsExactly("m1");
        assertThat(taker.consumes("expired", 0).texts()).containsExactlyInAnyOrder("m2", "m4");
    }

    @Test
    void shouldCountDeliveriesAgainstTheLimitAtOnce() {
        producer.declares("dead", Map.of());
        producer.declares(
                "q",
                Map.of("x-delivery-limit", 2, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
        publish("q", 1, 1);
        for (int i = 0; i <= 2; i++) {
            Delivery delivery = taker.gets("q");
            assertThat(delivery.deliveryCount()).isEqualTo(i);
            taker.does(() -> delivery.settle(Outcome.REQUEUED));
        }
        assertThat(producer.depth("q")).isZero();
        assertThat(producer.depth("dead")).isEqualTo(1);
    }

    @Test
    void shouldShareCreditAndTakeBackWhatIsNotUsed() {
        producer.declares("q", Map.of());
        TestConsumer consumer = taker.consumes(new ConsumerSpec("q", "tag", false, false, false, 0, true, 0, Map.of()));
        assertThat(consumer.creditWanted).isZero();
        publish("q", 1, 2);
        assertThat(consumer.creditWanted).isEqualTo(1);
        assertThat(consumer.deliveries).isEmpty();
        taker.does(() -> consumer.port.grant(5));
        assertThat(consumer.texts()).containsExactly("m1", "m2");
        assertThat(consumer.creditReturned).isEqualTo(3);
        publish("q", 3, 3);
        assertThat(consumer.creditWanted).isEqualTo(2);
    }

    @Test
    void shouldDeleteExclusiveQueuesWithTheirConnectionAndFreeTheName() {
        Answer<Client.QueueStatus> declared = producer.asks(
                reply -> producer.client.declareQueue(new QueueSpec("q", false, true, false, Map.of()), reply));
        assertThat(declared.result().name()).isEqualTo("q");
        assertThat(taker.<Client.QueueStatus>asks(
                reply -> taker.client.declareQueue(
                        new QueueSpec("q", false, true, false, Map.of()), reply))
                .error())
                .isInstanceOf(BrokerError.Locked.class);
        producer.closes();
        taker.declares("q", Map.of());
        assertThat(broker.counters().queues()).isEqualTo(1);
    }

    @Test
    void shouldTellConsumersOfADeletedQueueAndDropWhatTheyHold() {
        producer.declares("q", Map.of());
        publish("q", 1, 2);
        TestConsumer consumer = taker.consumes("q", 1);
        assertThat(producer.<Long>asks(reply -> producer.client.deleteQueue("q", false, false, reply))
                .result())
                .isEqualTo(1);
        assertThat(consumer.cancelledFor).contains("deleted");
        consumer.settles(0, Outcome.REQUEUED);
        assertThat(producer.publishes(message("", "q", "late"))).isZero();
        assertEverythingIsGone();
        assertThat(broker.counters().queues()).isZero();
    }

    @Test
    void shouldHoldBackPublishersWhileAnotherLoopIsBehind() {
        List<String> names = List.of("q0", "q1", "q2");
        names.forEach(name -> producer.declares(name, Map.of()));
        String large = "x".repeat(1 << 20);
        boolean[] resumed = new boolean[1];
        boolean[] congested = new boolean[1];
        producer.does(() -> {
            for (int i = 0; i < 10; i++) {
                names.forEach(name -> producer.client.publish(message("", name, large), null));
            }
            congested[0] = producer.client.congested(() -> resumed[0] = true);
        });
        assertThat(congested[0]).isTrue();
        assertThat(resumed[0]).isTrue();
        producer.does(() -> congested[0] = producer.client.congested(() -> {}));
        assertThat(congested[0]).isFalse();
    }

    @Test
    void shouldTellClientsOfTheMemoryBudget() {
        TestBroker small = new TestBroker(2, 1 << 20);
        TestClient client = small.connect(1);
        client.declares("q", Map.of());
        String large = "x".repeat(200_000);
        for (int i = 0; i < 6; i++) {
            client.publishes(message("", "q", large));
        }
        assertThat(client.lowCalls).isEqualTo(1);
        TestClient late = small.connect(0);
        assertThat(late.lowCalls).isEqualTo(1);
        assertThat(client.<Long>asks(reply -> client.client.purgeQueue("q", reply)).result())
                .isEqualTo(6);
        assertThat(client.recoveredCalls).isEqualTo(1);
        assertThat(late.recoveredCalls).isEqualTo(1);
    }

    @Test
    void shouldSendRepliesStraightToTheirAddress() {
        TestConsumer replies = new TestConsumer(taker);
        Client.ReplyAddress[] address = new Client.ReplyAddress[1];
        taker.does(() -> address[0] = taker.client.openReplyAddress(replies));
        assertThat(producer.publishes(message("", address[0].name(), "reply"))).isEqualTo(1);
        assertThat(replies.texts()).containsExactly("reply");
        assertThat(producer.<Boolean>asks(reply -> producer.client.findReplyAddress(address[0].name(), reply))
                .result())
                .isTrue();
        taker.does(address[0]::close);
        producer.publishes(message("", address[0].name(), "late"));
        assertThat(replies.deliveries).hasSize(1);
        assertThat(broker.counters().replyAddresses()).isZero();
    }
}
