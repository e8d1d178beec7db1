package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.TestBroker.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Message;
import io.sluicemq.broker.engine.TestBroker.Answer;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import io.sluicemq.broker.flow.Account;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.AddressSettings.Rule;
import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.testkit.ManualLoops;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each cause that makes room, each policy, and each kind of account, one by one; in the end nothing is counted any more. */
class FullAddressCasesTest {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private TestBroker broker = new TestBroker(2);
    private TestClient first = broker.connect(0);
    private TestClient second = broker.connect(1);
    private final List<Account> accounts = new ArrayList<>();

    private void withVirtualHostLimit(long messages) {
        AddressLimits limits = new AddressLimits(
                AddressLimits.NONE, messages, FullPolicy.BLOCK, 80, AddressLimits.NONE, AddressLimits.NONE, false);
        broker = new TestBroker(new ManualLoops(2), new BrokerConfig(List.of("/"), 1L << 40, () -> "n")
                .withVirtualHostLimits(Map.of("/", limits)), null, state -> {});
        first = broker.connect(0);
        second = broker.connect(1);
    }

    private static Rule rule(String match, FullPolicy policy, long messages) {
        return new Rule(match, null, messages, policy, null, null, null, null);
    }

    private void limit(Rule... rules) {
        broker.engine.addressSettings(new AddressSettings(List.of(rules)));
        broker.settle();
    }

    private Account account(String queue) {
        Account account = host().table().queue(queue).queue().account();
        if (!accounts.contains(account)) {
            accounts.add(account);
        }
        return account;
    }

    private VirtualHost host() {
        return ((ConnectedClient) first.client).host();
    }

    /** A queue that is full with one message, and a publish that waits for room in it. */
    private Answer<Void> full(String queue, Map<String, Object> arguments) {
        first.declares(queue, arguments);
        limit(rule(queue, FullPolicy.BLOCK, 1));
        account(queue);
        assertThat(publish(first, queue, "held").done).isTrue();
        Answer<Void> waiting = publish(second, queue, "waiting");
        assertThat(waiting.done).isFalse();
        return waiting;
    }

    private Answer<Void> publish(TestClient client, String queue, String text) {
        return client.publishesConfirmed(message("", queue, text));
    }

    private Answer<Void> fanout(TestClient client) {
        return client.publishesConfirmed(message("amq.fanout", "", "to all"));
    }

    /** Takes and accepts what is ready. */
    private List<String> taken(String queue) {
        TestConsumer consumer = first.consumes(queue, 0);
        first.<Void>asks(consumer.port::cancel);
        first.settlesAll(consumer.deliveries, Outcome.ACCEPTED);
        return consumer.texts();
    }

    private void accept(Delivery delivery) {
        first.settles(delivery, Outcome.ACCEPTED);
    }

    @AfterEach
    void shouldCountNothingInTheEnd() {
        broker.loops.advance(1000 * MILLI);
        for (String queue : List.of("q", "a", "b", "c")) {
            if (host().table().queue(queue) != null) {
                account(queue);
                for (int i = 0; i < 30; i++) {
                    first.<Long>asks(reply -> first.client.purgeQueue(queue, reply));
                }
            }
        }
        accounts.addAll(host().exchangeAccounts().values());
        if (host().account() != null) {
            accounts.add(host().account());
        }
        for (Account account : accounts) {
            assertThat(account.usedMessages()).as("messages of %s", account).isZero();
            assertThat(account.usedBytes()).as("bytes of %s", account).isZero();
            assertThat(account.isWaited()).as("waited: %s", account).isFalse();
        }
        assertThat(broker.counters().parkedMessages()).isZero();
        assertThat(broker.counters().parkedBytes()).isZero();
        assertThat(broker.counters().messageBytes()).isZero();
    }

    // ---- what makes room

    @Test
    void shouldWakeWhenAMessageIsAccepted() {
        Answer<Void> waiting = full("q", Map.of());
        Delivery held = first.gets("q");
        assertThat(waiting.done).isFalse();
        accept(held);
        assertThat(waiting.done).isTrue();
    }

    @Test
    void shouldWakeWhenAMessageIsRejectedButNotWhenItIsRequeued() {
        Answer<Void> waiting = full("q", Map.of());
        first.settles(first.gets("q"), Outcome.REQUEUED);
        assertThat(waiting.done).isFalse();
        first.settles(first.gets("q"), Outcome.REJECTED);
        assertThat(waiting.done).isTrue();
    }

    @Test
    void shouldWakeWhenAMessageIsTakenAndNeedsNoAcknowledgement() {
        Answer<Void> waiting = full("q", Map.of());
        first.<Delivery>asks(reply -> first.client.get("q", true, reply));
        assertThat(waiting.done).isTrue();
    }

    @Test
    void shouldWakeWhenAMessageExpires() {
        Answer<Void> waiting = full("q", Map.of("x-message-ttl", 50));
        broker.loops.advance(51 * MILLI);
        assertThat(waiting.done).isTrue();
    }

    @Test
    void shouldWakeWhenTheQueueIsPurgedOrDeleted() {
        Answer<Void> waiting = full("q", Map.of());
        first.<Long>asks(reply -> first.client.purgeQueue("q", reply)).result();
        assertThat(waiting.done).isTrue();
        Answer<Void> next = publish(second, "q", "next");
        assertThat(next.done).isFalse();
        first.<Long>asks(reply -> first.client.deleteQueue("q", false, false, reply)).result();
        assertThat(next.done).as("as of a queue that is gone").isTrue();
    }

    @Test
    void shouldWakeWhenAMessageGoesOnAsADeadLetter() {
        first.declares("a", Map.of());
        Answer<Void> waiting = full(
                "q", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "a"));
        first.settles(first.gets("q"), Outcome.REJECTED);
        assertThat(waiting.done).isTrue();
        assertThat(first.depth("a")).isOne();
    }

    @Test
    void shouldWakeWhenTheLimitIsRaisedAndKeepItsOrder() {
        Answer<Void> waiting = full("q", Map.of());
        Answer<Void> next = publish(second, "q", "next");
        limit(rule("q", FullPolicy.BLOCK, 2));
        assertThat(waiting.done).isTrue();
        assertThat(next.done).isFalse();
        limit();
        assertThat(taken("q")).containsExactly("held", "waiting", "next");
    }

    @Test
    void shouldDoWithThoseWhoWaitWhatANewPolicySays() {
        Answer<Void> refused = full("q", Map.of());
        limit(rule("q", FullPolicy.FAIL, 1));
        assertThat(refused.error()).isInstanceOf(BrokerError.AddressFull.class);
        limit(rule("q", FullPolicy.BLOCK, 1));
        Answer<Void> dropped = publish(second, "q", "dropped");
        limit(rule("q", FullPolicy.DROP, 1));
        assertThat(dropped.done && dropped.error == null).isTrue();
        limit(rule("q", FullPolicy.BLOCK, 1));
        Answer<Void> ring = publish(second, "q", "newest");
        limit(rule("q", FullPolicy.RING, 1));
        assertThat(ring.done).isTrue();
        assertThat(account("q").usedMessages()).isOne();
        limit(rule("q", FullPolicy.BLOCK, 1));
        Answer<Void> paged = publish(second, "q", "paged");
        assertThat(paged.done).isFalse();
        limit(rule("q", FullPolicy.PAGE, 1));
        assertThat(paged.done).isTrue();
        assertThat(account("q").droppedMessages()).isEqualTo(2);
        assertThat(account("q").refusedMessages()).isOne();
        assertThat(taken("q")).containsExactly("newest", "paged");
    }

    @Test
    void shouldRefuseWhatHasWaitedForTheHoldLimit() {
        first.declares("q", Map.of());
        limit(new Rule("q", null, 1L, FullPolicy.BLOCK, null, null, 50 * MILLI, null));
        publish(first, "q", "held");
        Answer<Void> waiting = publish(second, "q", "waiting");
        broker.loops.advance(30 * MILLI);
        Answer<Void> later = publish(second, "q", "later");
        broker.loops.advance(20 * MILLI);
        assertThat(waiting.error().toString()).contains("hold-limit");
        assertThat(later.done).isFalse();
        accept(first.gets("q"));
        assertThat(later.done && later.error == null).isTrue();
    }

    @Test
    void shouldDropWhatIsParkedWhenItsClientGoes() {
        Answer<Void> waiting = full("q", Map.of());
        Answer<Void> other = publish(first, "q", "other");
        second.closes();
        assertThat(broker.counters().droppedUnconfirmed()).isOne();
        accept(first.gets("q"));
        assertThat(waiting.error()).isInstanceOf(BrokerError.Unavailable.class);
        assertThat(other.done).isTrue();
        assertThat(taken("q")).containsExactly("other");
    }

    @Test
    void shouldRefuseWhatIsLargerThanItsLimit() {
        first.declares("q", Map.of());
        limit(new Rule("q", 1000L, null, FullPolicy.BLOCK, null, null, null, null));
        assertThat(publish(first, "q", "x".repeat(1000)).error()).isInstanceOf(BrokerError.AddressFull.class);
        limit(new Rule("q", 1000L, null, FullPolicy.RING, null, null, null, null));
        publish(first, "q", "small");
        publish(first, "q", "x".repeat(1000));
        assertThat(taken("q")).as("the ring drops what never fits, and nothing for it")
                .containsExactly("small");
    }

    /** All on one loop, where what is sent to somebody is called at once: nothing of it may nest. */
    @Test
    void shouldWakeAHundredThousandProducers() {
        QueueSpec own = new QueueSpec("q", false, true, false, Map.of()); // on its client's loop
        first.<Client.QueueStatus>asks(reply -> first.client.declareQueue(own, reply)).result();
        limit(rule("q", FullPolicy.BLOCK, 1));
        first.does(() -> {
            for (int i = 0; i < 100_000; i++) {
                first.client.publish(message("", "q", ""), null, new TestProducer(first.loop));
            }
        });
        assertThat(broker.counters().parkedMessages()).isEqualTo(99_999);
        limit(rule("q", FullPolicy.BLOCK, 50_000));
        assertThat(broker.counters().parkedMessages()).isEqualTo(50_000);
        first.<Long>asks(reply -> first.client.purgeQueue("q", reply)).result();
        assertThat(broker.counters().parkedMessages()).isZero();
    }

    // ---- several accounts

    @Test
    void shouldWaitForAllQueuesOfAFanoutAndHoldBackNoneMeanwhile() {
        first.declares("a", Map.of());
        first.declares("b", Map.of());
        first.binds("amq.fanout", "a");
        first.binds("amq.fanout", "b");
        limit(rule("a", FullPolicy.BLOCK, 1), rule("b", FullPolicy.BLOCK, 2));
        publish(first, "a", "held");
        Answer<Void> both = fanout(first);
        assertThat(both.done).isFalse();
        assertThat(account("b").usedMessages()).isZero();
        assertThat(publish(second, "b", "another").done).isTrue();
        accept(first.gets("a"));
        assertThat(both.done).isTrue();
        assertThat(first.depth("b")).isEqualTo(2);
    }

    @Test
    void shouldCountAFanoutOnceInTheAccountOfItsExchange() {
        first.declares("a", Map.of());
        first.declares("b", Map.of());
        first.binds("amq.fanout", "a");
        first.binds("amq.fanout", "b");
        limit(rule("amq.fanout", FullPolicy.BLOCK, 1));
        assertThat(fanout(first).done).isTrue();
        Answer<Void> next = fanout(second);
        Account exchange = host().exchangeAccount("amq.fanout");
        assertThat(exchange.usedMessages()).isOne();
        accept(first.gets("a"));
        assertThat(next.done).isFalse();
        accept(first.gets("b"));
        assertThat(next.done).isTrue();
    }

    /** Its limit was lowered below what is there: what comes is dropped, and that ends. */
    @Test
    void shouldDropAtAnExchangeThatHoldsMoreThanItsLimit() {
        first.declares("a", Map.of());
        first.binds("amq.fanout", "a");
        limit(rule("amq.fanout", FullPolicy.DROP, 3));
        for (int i = 0; i < 3; i++) {
            fanout(first);
        }
        limit(rule("amq.fanout", FullPolicy.DROP, 1));
        assertThat(fanout(first).done).isTrue();
        assertThat(first.depth("a")).isEqualTo(3);
        assertThat(host().exchangeAccounts().get("amq.fanout").droppedMessages()).isOne();
    }

    @Test
    void shouldLetGoOfTheExchangesAccountWhatARingDrops() {
        first.declares("a", Map.of());
        first.binds("amq.fanout", "a");
        limit(rule("amq.fanout", FullPolicy.BLOCK, 10), rule("a", FullPolicy.RING, 2));
        first.<Delivery>asks(reply -> first.client.get("a", false, reply));
        for (int i = 0; i < 5; i++) {
            assertThat(fanout(first).done).isTrue();
        }
        assertThat(host().exchangeAccount("amq.fanout").usedMessages()).isEqualTo(2);
        Delivery one = first.gets("a");
        Delivery two = first.gets("a");
        fanout(first);
        assertThat(host().exchangeAccount("amq.fanout").usedMessages()).as("a newest that was dropped").isEqualTo(2);
        accept(one);
        accept(two);
    }

    @Test
    void shouldKeepARingInAVirtualHostThatHasALimit() {
        withVirtualHostLimit(10);
        first.declares("q", Map.of());
        limit(rule("q", FullPolicy.RING, 2));
        for (int i = 0; i < 6; i++) {
            publish(first, "q", "m" + i);
        }
        assertThat(host().account().usedMessages()).isEqualTo(2);
        assertThat(taken("q")).containsExactly("m4", "m5");
    }

    @Test
    void shouldHoldPublishersOfAllQueuesOfAFullVirtualHost() {
        withVirtualHostLimit(2);
        first.declares("a", Map.of());
        first.declares("b", Map.of());
        publish(first, "a", "1");
        publish(first, "a", "2");
        Answer<Void> waiting = publish(second, "b", "3");
        assertThat(waiting.done).isFalse();
        accept(first.gets("a"));
        assertThat(waiting.done).isTrue();
    }

    // ---- transactions

    private Answer<Void> commit(TestClient client, Message... messages) {
        return client.asks(reply -> {
            Client.Transaction work = client.client.begin();
            for (Message each : messages) {
                work.publish(each);
            }
            work.commit(reply);
        });
    }

    @Test
    void shouldCommitAllOrNothingWhenThereIsRoomForAll() {
        first.declares("a", Map.of());
        first.declares("b", Map.of());
        limit(rule("a", FullPolicy.BLOCK, 2));
        publish(first, "a", "held");
        Answer<Void> commit = commit(
                second, message("", "a", "1"), message("", "b", "2"), message("", "a", "3"));
        assertThat(commit.done).isFalse();
        assertThat(first.depth("b")).isZero();
        assertThat(publish(first, "b", "other").done).isTrue();
        accept(first.gets("a"));
        assertThat(commit.done && commit.error == null).isTrue();
        assertThat(first.depth("a")).isEqualTo(2);
        Answer<Void> never = commit(second, message("", "a", "1"), message("", "a", "2"), message("", "a", "3"));
        assertThat(never.error()).isInstanceOf(BrokerError.AddressFull.class);
    }

    @Test
    void shouldGiveBackTheRoomOfACommitThatAQueueRefuses() {
        first.declares("a", Map.of());
        first.declares("b", Map.of("x-max-length", 1, "x-overflow", "reject-publish"));
        limit(rule("a", FullPolicy.BLOCK, 1));
        publish(first, "b", "held");
        assertThat(commit(second, message("", "a", "1"), message("", "b", "2")).error()).isNotNull();
        assertThat(account("a").usedMessages()).isZero();
        assertThat(publish(first, "a", "1").done).isTrue();
    }

    @Test
    void shouldDropOfACommitOnlyWhatComesByAnExchangeThatDrops() {
        first.declares("a", Map.of());
        first.declares("b", Map.of());
        first.binds("amq.fanout", "a");
        limit(rule("amq.fanout", FullPolicy.DROP, 1));
        fanout(first);
        assertThat(commit(second, message("amq.fanout", "", "too much"), message("", "b", "kept"),
                message("", "a", "kept")).error).isNull();
        assertThat(first.depth("b")).isOne();
        assertThat(taken("a")).containsExactly("to all", "kept");
    }

    /** Nothing of a client may happen any more that has closed, though its own end makes the room. */
    @Test
    void shouldNotCommitInTheMiddleOfAClose() {
        withVirtualHostLimit(3);
        first.declares("a", Map.of());
        first.declares("b", Map.of());
        publish(first, "b", "held");
        publish(first, "b", "held");
        TestClient client = broker.connect(0);
        Answer<Void> large = commit(client, message("", "a", "1"), message("", "a", "2"));
        Answer<Void> small = commit(client, message("", "b", "3"));
        assertThat(large.done || small.done).isFalse();
        client.closes();
        assertThat(large.error()).isInstanceOf(BrokerError.Unavailable.class);
        assertThat(small.error()).isInstanceOf(BrokerError.Unavailable.class);
        assertThat(first.depth("b")).isEqualTo(2);
    }

    // ---- dead letters

    private static Map<String, Object> lettersTo(String queue) {
        return Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", queue);
    }

    /** Queues that dead-letter to each other in a circle, all full: nobody consumes, and all move on. */
    private void circle(List<String> names, int each) {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            first.declares(names.get(i), lettersTo(names.get((i + 1) % names.size())));
            rules.add(rule(names.get(i), FullPolicy.BLOCK, each));
        }
        limit(rules.toArray(Rule[]::new));
        Map<String, List<Delivery>> held = new HashMap<>();
        for (String name : names) {
            for (int i = 0; i < each; i++) {
                publish(first, name, "of " + name + i);
            }
            TestConsumer consumer = first.consumes(name, each);
            first.<Void>asks(consumer.port::cancel);
            held.put(name, consumer.deliveries);
        }
        for (List<Delivery> deliveries : held.values()) {
            first.settlesAll(deliveries, Outcome.REJECTED);
        }
        broker.settle();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get((i + 1) % names.size());
            assertThat(first.depth(name)).isEqualTo(each);
            List<String> expected = new ArrayList<>();
            for (int n = 0; n < each; n++) {
                expected.add("of " + names.get(i) + n);
            }
            assertThat(taken(name)).isEqualTo(expected);
            assertThat(account(name).highestBytes()).isLessThanOrEqualTo(each * 400L);
        }
    }

    @Test
    void shouldMoveOnInACircleOfTwoFullQueues() {
        circle(List.of("a", "b"), 3);
    }

    @Test
    void shouldMoveOnInACircleOfThreeFullQueues() {
        circle(List.of("a", "b", "c"), 100);
    }

    /** Of many letters beyond the new limits, none waits for those that are to leave only after it. */
    @Test
    void shouldMoveOnInACircleWhoseLimitsWereLowered() {
        first.declares("a", lettersTo("b"));
        first.declares("b", lettersTo("a"));
        limit(rule("a", FullPolicy.BLOCK, 200), rule("b", FullPolicy.BLOCK, 200));
        for (int i = 0; i < 200; i++) {
            publish(first, "a", "of a");
            publish(first, "b", "of b");
        }
        TestConsumer fromA = first.consumes("a", 0);
        TestConsumer fromB = first.consumes("b", 0);
        first.<Void>asks(fromA.port::cancel);
        first.<Void>asks(fromB.port::cancel);

        limit(rule("a", FullPolicy.BLOCK, 1), rule("b", FullPolicy.BLOCK, 1));
        first.settlesAll(fromA.deliveries, Outcome.REJECTED);
        first.settlesAll(fromB.deliveries, Outcome.REJECTED);
        broker.settle();

        for (int i = 0; i < 200; i++) {
            accept(first.gets("b"));
            accept(first.gets("a"));
        }
        assertThat(account("a").usedMessages()).isZero();
        assertThat(account("b").usedMessages()).isZero();
    }

    /** The same where letters take what a virtual host has: those that wait for another queue, too. */
    @Test
    void shouldMoveOnInAVirtualHostWhoseLimitWasLowered() {
        withVirtualHostLimit(400);
        first.declares("a", lettersTo("b"));
        first.declares("b", Map.of());
        limit(rule("b", FullPolicy.BLOCK, 1));
        publish(first, "b", "held");
        for (int i = 0; i < 200; i++) {
            publish(first, "a", "of a");
        }
        TestConsumer fromA = first.consumes("a", 0);
        first.<Void>asks(fromA.port::cancel);
        first.settlesAll(fromA.deliveries, Outcome.REJECTED);

        broker.engine.virtualHostLimits(Map.of("/", new AddressLimits(
                AddressLimits.NONE, 2, FullPolicy.BLOCK, 80, AddressLimits.NONE, AddressLimits.NONE, false)));
        broker.settle();
        accept(first.gets("b"));
        for (int i = 0; i < 200; i++) {
            accept(first.gets("b"));
        }
        assertThat(host().account().usedMessages()).isZero();
    }

    /** The one that closes the circle is too large for what small ones leave: the others must hear of it. */
    @Test
    void shouldMoveOnInACircleOfSmallAndLargeMessages() {
        first.declares("a", lettersTo("b"));
        first.declares("b", lettersTo("a"));
        long limit = 200L * (Message.OVERHEAD_BYTES + 10);
        limit(new Rule("a", limit, null, FullPolicy.BLOCK, null, null, null, null),
                new Rule("b", limit, null, FullPolicy.BLOCK, null, null, null, null));
        for (int i = 0; i < 200; i++) {
            publish(first, "a", "small");
        }
        publish(first, "b", "x".repeat((int) limit - Message.OVERHEAD_BYTES - 300));
        TestConsumer small = first.consumes("a", 0);
        first.settlesAll(small.deliveries, Outcome.REJECTED);
        first.<Void>asks(small.port::cancel);
        first.settles(first.gets("b"), Outcome.REJECTED);
        assertThat(first.depth("a")).isOne();
        assertThat(first.depth("b")).isEqualTo(200);
    }

    @Test
    void shouldHoldBackOnlyTheLettersThatWait() {
        first.declares("a", Map.of());
        first.declares("q", lettersTo("a"));
        limit(rule("a", FullPolicy.BLOCK, 1));
        publish(first, "a", "held");
        publish(first, "q", "dies");
        publish(first, "q", "lives");
        first.settles(first.gets("q"), Outcome.REJECTED);
        assertThat(account("q").usedMessages()).as("a letter counts where it died").isEqualTo(2);
        Delivery lives = first.gets("q");
        assertThat(TestBroker.text(lives)).isEqualTo("lives");
        accept(lives);
        accept(first.gets("a"));
        assertThat(taken("a")).containsExactly("dies");
    }

    /** What has expired takes the room that its letters need. */
    @Test
    void shouldMoveOnInAFullVirtualHost() {
        withVirtualHostLimit(3);
        first.declares("b", Map.of());
        first.declares("a", Map.of(
                "x-message-ttl", 10, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", "b"));
        for (int i = 0; i < 3; i++) {
            publish(first, "a", "m" + i);
        }
        Answer<Void> waiting = publish(second, "b", "after");
        broker.loops.advance(11 * MILLI);
        assertThat(first.depth("b")).isEqualTo(3);
        assertThat(host().account().usedMessages()).isEqualTo(3);
        accept(first.gets("b"));
        assertThat(waiting.done).isTrue();
        assertThat(first.depth("b")).isEqualTo(3);
    }

    @Test
    void shouldMoveOnWithinAFullExchange() {
        first.declares("b", Map.of());
        first.declares("a", Map.of("x-message-ttl", 10, "x-dead-letter-exchange", "amq.direct",
                "x-dead-letter-routing-key", "b"));
        for (String queue : List.of("a", "b")) {
            first.<Void>asks(reply -> first.client.bind(
                    new Client.BindingSpec("amq.direct", queue, false, queue, Map.of()), reply)).result();
        }
        limit(rule("amq.direct", FullPolicy.BLOCK, 2));
        first.publishesConfirmed(message("amq.direct", "a", "1"));
        first.publishesConfirmed(message("amq.direct", "a", "2"));
        broker.loops.advance(11 * MILLI);
        assertThat(first.depth("b")).isEqualTo(2);
        assertThat(host().exchangeAccount("amq.direct").usedMessages()).isEqualTo(2);
    }

    // ---- what is told

    @Test
    void shouldTellWhoWaitsAndWhoCouldMakeRoom() {
        first.declares("q", Map.of());
        limit(rule("q", FullPolicy.BLOCK, 1));
        publish(first, "q", "held");
        TestConsumer consumer = first.consumes("q", 1);
        publish(second, "q", "1");
        broker.loops.advance(20 * MILLI);
        publish(second, "q", "2");
        publish(first, "q", "3");
        CompletableFuture<List<AddressState>> asked = broker.engine.addressStates("/", null, true);
        broker.settle();
        assertThat(asked).isNotDone();
        consumer.settles(0, Outcome.REQUEUED);
        broker.loops.advance(250 * MILLI);
        AddressState state = asked.join().getFirst();
        assertThat(asked.join()).hasSize(1);
        assertThat(state.address()).isEqualTo("q");
        assertThat(state.kind()).isEqualTo("queue");
        assertThat(state.usedMessages()).isOne();
        assertThat(state.waiting()).extracting(AddressState.Waiting::position).containsExactly(1, 2);
        AddressState.Waiting longest = state.waiting().getFirst();
        assertThat(longest.waitingMillis()).isEqualTo(20);
        assertThat(longest.parkedMessages()).isEqualTo(2);
        assertThat(longest.limit()).isEqualTo("max-messages 1");
        assertThat(state.waiting().getLast().parkedMessages()).isOne();
        assertThat(state.queues().getFirst().consumers().getFirst().settledPerSecond()).isEqualTo(4);
        limit();
        CompletableFuture<List<AddressState>> nobody = broker.engine.addressStates("/", null, true);
        broker.loops.advance(250 * MILLI);
        assertThat(nobody.join()).isEmpty();
        first.<Void>asks(consumer.port::cancel);
        consumer.settles(consumer.deliveries.size() - 1, Outcome.ACCEPTED);
        first.<Long>asks(reply -> first.client.deleteQueue("q", false, false, reply)).result();
    }

    @Test
    void shouldNotCountWhatAQueueDoesNotKeep() {
        QueueSpec own =
                new QueueSpec("q", false, true, false, Map.of("x-max-length", 1, "x-overflow", "reject-publish"));
        first.<Client.QueueStatus>asks(reply -> first.client.declareQueue(own, reply)).result();
        limit(rule("q", FullPolicy.BLOCK, 5));
        assertThat(publish(first, "q", "kept").error).isNull();
        assertThat(publish(second, "q", "refused").error()).isInstanceOf(BrokerError.LimitReached.class);
        assertThat(account("q").usedMessages()).isOne();
    }
}
