package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.TestBroker.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Message;
import io.sluicemq.broker.engine.TestBroker.Answer;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.flow.Account;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.AddressSettings.Rule;
import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.broker.queue.Queue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Credit out of the accounts of addresses: what is reserved, what for, and who has to give it back. */
class CreditTest {

    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int SIZE = message("", "q", "0123456789").sizeBytes();

    private final TestBroker broker = new TestBroker(2);
    private final TestClient first = broker.connect(0);
    private final TestClient second = broker.connect(1);

    private static Rule rule(String match, FullPolicy policy, Long maxBytes, Long maxMessages, Long holdMillis) {
        return new Rule(match, maxBytes, maxMessages, policy, null, null,
                holdMillis == null ? null : TimeUnit.MILLISECONDS.toNanos(holdMillis), null);
    }

    private void limit(Rule... rules) {
        broker.engine.addressSettings(new AddressSettings(List.of(rules)));
        broker.settle();
    }

    private void messagesLimit(long messages) {
        limit(rule("q", FullPolicy.BLOCK, null, messages, null));
    }

    private void bytesLimit(long bytes) {
        limit(rule("q", FullPolicy.BLOCK, bytes, null, null));
    }

    private static Message sized(String key) {
        return message("", key, "0123456789");
    }

    private Account account(String queue) {
        for (int i = 0; i < 2; i++) {
            for (Queue each : broker.engine.context(i).queues) {
                if (each.name().equals(queue)) {
                    return each.account();
                }
            }
        }
        throw new AssertionError("no queue " + queue);
    }

    private void passes(long nanos) {
        broker.loops.advance(nanos);
        broker.settle();
    }

    private void takeOut(String queue, int messages) {
        for (int i = 0; i < messages; i++) {
            var delivery = first.gets(queue);
            first.does(() -> delivery.settle(Outcome.ACCEPTED));
        }
    }

    // ---- what is granted

    @Test
    void shouldGiveCreditAsAskedWhereNothingHasALimitAndReserveNothing() {
        first.declares("q", Map.of());
        TestCredit link = new TestCredit(second, "", "q");
        assertThat(link.asks(1000, 1 << 20)).isEqualTo(1000);
        assertThat(link.line.messages()).isEqualTo(1000);
        assertThat(account("q").usedBytes()).isZero();
        link.sends(sized("q"));
        assertThat(link.line.messages()).isEqualTo(999);
        assertThat(account("q").usedMessages()).isEqualTo(1);
        TestCredit nowhere = new TestCredit(second, "amq.fanout", "");
        assertThat(nowhere.asks(5, 10)).isEqualTo(5);
    }

    @Test
    void shouldTellWhetherAnythingHasALimitNow() {
        first.declares("q", Map.of());
        TestCredit link = new TestCredit(second, "", "q");
        assertThat(second.loop.call(link.line::isLimited)).isFalse();
        bytesLimit(100 * SIZE);
        assertThat(second.loop.call(link.line::isLimited)).isTrue();
        assertThat(account("q").usedBytes()).isZero();
    }

    @Test
    void shouldReserveWhatItGrantsAndSpendItMessageByMessage() {
        first.declares("q", Map.of());
        bytesLimit(100 * SIZE);
        TestCredit link = new TestCredit(second, "", "q");
        assertThat(link.asks(10, SIZE)).isEqualTo(10);
        assertThat(account("q").usedBytes()).isEqualTo(10 * SIZE);
        assertThat(account("q").usedMessages()).isEqualTo(10);
        for (int i = 0; i < 10; i++) {
            assertThat(link.sends(sized("q")).result()).isNull();
            assertThat(account("q").usedBytes()).isEqualTo(10 * SIZE);
        }
        assertThat(link.line.messages()).isZero();
        assertThat(first.depth("q")).isEqualTo(10);
        takeOut("q", 10);
        assertThat(account("q").usedBytes()).isZero();
        assertThat(account("q").creditLines()).isZero();
    }

    @Test
    void shouldGrantAFairPartOfWhatIsFreeAndOneMessageAtLeast() {
        first.declares("q", Map.of());
        messagesLimit(10);
        TestCredit a = new TestCredit(first, "", "q");
        TestCredit b = new TestCredit(second, "", "q");
        TestCredit c = new TestCredit(second, "", "q");
        assertThat(a.asks(4, SIZE)).isEqualTo(4);
        assertThat(b.asks(4, SIZE)).isEqualTo(3);
        assertThat(c.asks(4, SIZE)).isEqualTo(1);
        assertThat(c.asks(4, SIZE)).isEqualTo(1);
        assertThat(c.asks(4, SIZE)).isEqualTo(1);
        assertThat(account("q").usedMessages()).isEqualTo(10);
    }

    @Test
    void shouldWaitForRoomInTurnAndBeGrantedByItsRelease() {
        first.declares("q", Map.of());
        messagesLimit(2);
        first.publishes(sized("q"));
        first.publishes(sized("q"));
        Answer<Void> before = first.publishesConfirmed(sized("q"));
        TestCredit link = new TestCredit(second, "", "q");
        assertThat(link.asks(5, SIZE)).isZero();
        assertThat(link.line.isAsking()).isTrue();
        assertThatThrownBy(() -> link.asks(1, SIZE)).isInstanceOf(IllegalStateException.class);
        Answer<Void> after = first.publishesConfirmed(sized("q"));
        takeOut("q", 1);
        assertThat(before.done).isTrue();
        assertThat(link.granted).isZero();
        takeOut("q", 1);
        assertThat(link.granted).isEqualTo(1);
        assertThat(after.done).isFalse();
        assertThat(account("q").usedMessages()).isEqualTo(2);
        assertThat(link.sends(sized("q")).done).isTrue();
        takeOut("q", 1);
        assertThat(after.done).isTrue();
    }

    @ParameterizedTest
    @EnumSource(value = FullPolicy.class, names = {"FAIL", "DROP", "RING"})
    void shouldGiveCreditAsAskedWhereWhatIsTooMuchIsRefusedOrDropped(FullPolicy policy) {
        first.declares("q", Map.of());
        limit(rule("q", policy, null, 2L, null));
        TestCredit link = new TestCredit(second, "", "q");
        assertThat(link.asks(10, SIZE)).isEqualTo(10);
        assertThat(account("q").usedMessages()).isZero();
        List<Answer<Void>> answers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            answers.add(link.sends(sized("q")));
        }
        assertThat(answers.get(2).error != null).isEqualTo(policy == FullPolicy.FAIL);
        assertThat(first.depth("q")).isEqualTo(2);
        assertThat(link.line.messages()).isEqualTo(7);
    }

    @Test
    void shouldReserveWhateverALinkOfSeveralQueuesAndAnExchangeNeedOrNothing() {
        first.declares("q", Map.of());
        first.declares("r", Map.of());
        first.binds("amq.fanout", "q");
        first.binds("amq.fanout", "r");
        limit(rule("q", FullPolicy.BLOCK, null, 20L, null), rule("r", FullPolicy.BLOCK, null, 5L, null),
                rule("amq.fanout", FullPolicy.BLOCK, 20L * SIZE, null, null));
        Account exchange = ((ConnectedClient) first.client).host().exchangeAccount("amq.fanout");
        TestCredit link = new TestCredit(second, "amq.fanout", "");
        assertThat(link.asks(10, SIZE)).isEqualTo(5);
        assertThat(account("q").usedMessages()).isEqualTo(5);
        assertThat(account("r").usedMessages()).isEqualTo(5);
        assertThat(exchange.usedBytes()).isEqualTo(5 * (SIZE + Message.ENTRY_BYTES));
        assertThat(link.asks(1, SIZE)).isZero();
        assertThat(account("q").usedMessages()).isEqualTo(5);
        link.sends(message("amq.fanout", "", "0123456789"));
        assertThat(exchange.usedBytes()).isEqualTo(5 * (SIZE + Message.ENTRY_BYTES));
        takeOut("r", 1);
        assertThat(exchange.usedBytes()).isEqualTo(5 * (SIZE + Message.ENTRY_BYTES) - Message.ENTRY_BYTES);
        takeOut("q", 1);
        assertThat(exchange.usedBytes()).isEqualTo(4 * (SIZE + Message.ENTRY_BYTES));
        link.closes();
        assertThat(account("q").usedMessages() + account("r").usedMessages() + exchange.usedMessages()).isZero();
        assertThat(account("q").usedBytes() + account("r").usedBytes() + exchange.usedBytes()).isZero();
    }

    // ---- sizes

    @Test
    void shouldReserveWhatALargerMessageLacksAndGiveBackWhatSmallOnesLeave() {
        first.declares("q", Map.of());
        bytesLimit(10_000);
        TestCredit link = new TestCredit(second, "", "q");
        link.asks(2, 1000);
        Message large = message("", "q", "x".repeat(3000));
        assertThat(link.sends(large).done).isTrue();
        assertThat(account("q").usedBytes()).isEqualTo(large.sizeBytes());
        assertThat(link.line.messages()).isEqualTo(1);
        Message small = message("", "q", "");
        assertThat(link.sends(small).done).isTrue();
        assertThat(account("q").usedBytes()).isEqualTo(large.sizeBytes() + small.sizeBytes());
        link.asks(2, 1000);
        link.sends(small);
        link.sends(small);
        assertThat(account("q").usedBytes()).isEqualTo(large.sizeBytes() + 3 * small.sizeBytes());
        assertThat(account("q").creditLines()).isZero();
    }

    @Test
    void shouldGiveAllBackWhenALargerMessageHasToWait() {
        first.declares("q", Map.of());
        bytesLimit(5000);
        first.publishes(message("", "q", "x".repeat(2000)));
        TestCredit link = new TestCredit(second, "", "q");
        assertThat(link.asks(2, 1000)).isEqualTo(2);
        Answer<Void> answer = link.sends(message("", "q", "x".repeat(4000)));
        assertThat(answer.done).isFalse();
        assertThat(link.revoked).isEqualTo(1);
        assertThat(link.credit).isZero();
        assertThat(account("q").usedMessages()).isEqualTo(1);
        takeOut("q", 1);
        assertThat(answer.done).isTrue();
    }

    @Test
    void shouldRefuseInTheWordsOfTheAddressWhatIsLargerThanItsLimit() {
        first.declares("q", Map.of());
        bytesLimit(1000);
        TestCredit link = new TestCredit(second, "", "q");
        link.asks(1, 5000);
        assertThat(link.credit).isEqualTo(1);
        assertThat(account("q").usedBytes()).isZero();
        assertThat(link.sends(message("", "q", "x".repeat(5000))).error())
                .isInstanceOf(BrokerError.AddressFull.class);
    }

    @Test
    void shouldTakeWhatComesWithoutCreditAsIfThereWereNoLine() {
        first.declares("q", Map.of());
        messagesLimit(1);
        TestCredit link = new TestCredit(second, "", "q");
        assertThat(link.sends(sized("q")).done).isTrue();
        Answer<Void> parked = link.sends(sized("q"));
        assertThat(parked.done).isFalse();
        assertThat(link.producer.parkedMessages()).isEqualTo(1);
        takeOut("q", 1);
        assertThat(parked.done).isTrue();
    }

    // ---- who must give back

    @Test
    void shouldTakeBackWhatAnIdleLineHoldsWhenSomebodyWaits() {
        first.declares("q", Map.of());
        messagesLimit(10);
        TestCredit idle = new TestCredit(second, "", "q");
        assertThat(idle.asks(10, SIZE)).isEqualTo(10);
        passes(IDLE_NANOS);
        assertThat(idle.revoked).isZero(); // as nobody wants it
        Answer<Void> publish = first.publishesConfirmed(sized("q"));
        assertThat(publish.done).isTrue();
        assertThat(idle.revoked).isEqualTo(10);
        assertThat(idle.credit).isEqualTo(idle.line.messages()).isZero();
        assertThat(account("q").usedMessages()).isEqualTo(1);
    }

    @Test
    void shouldLeaveABusyLineItsFairPart() {
        first.declares("q", Map.of());
        messagesLimit(10);
        TestCredit busy = new TestCredit(second, "", "q");
        busy.asks(10, SIZE);
        busy.sends(sized("q"));
        TestCredit next = new TestCredit(first, "", "q");
        assertThat(next.asks(10, SIZE)).isZero();
        assertThat(busy.credit).isEqualTo(5);
        assertThat(next.granted).isEqualTo(4);
        assertThat(account("q").usedMessages()).isEqualTo(10);
    }

    @Test
    void shouldTakeBackTheLastMessageOfALineThatDoesNotUseItWhileSomebodyWaits() {
        first.declares("q", Map.of());
        messagesLimit(1);
        TestCredit holder = new TestCredit(second, "", "q");
        assertThat(holder.asks(1, SIZE)).isEqualTo(1);
        Answer<Void> publish = first.publishesConfirmed(sized("q"));
        assertThat(publish.done).isFalse();
        passes(IDLE_NANOS - 1);
        assertThat(publish.done).isFalse();
        passes(1);
        assertThat(publish.done).isTrue();
        assertThat(holder.revoked).isEqualTo(1);
    }

    /** More links than the address has room for, each of which asks again whenever it has no credit. */
    @Test
    void shouldLetASmallAddressGoRoundAmongManyIdleLinks() {
        first.declares("q", Map.of());
        messagesLimit(10);
        List<TestCredit> links = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            links.add(new TestCredit(i % 2 == 0 ? first : second, "", "q"));
        }
        int turns = 0;
        while (links.stream().anyMatch(each -> each.granted == 0)) {
            for (TestCredit link : links) {
                if (!link.line.isAsking() && link.credit == 0) {
                    link.granted += link.asks(100, SIZE);
                }
                assertThat(account("q").usedMessages()).isLessThanOrEqualTo(10);
            }
            passes(IDLE_NANOS);
            assertThat(++turns).isLessThanOrEqualTo(10);
        }
        // Whoever of them has something to send gets it in.
        TestCredit sender = links.get(17);
        for (int i = 0; i < 20; i++) {
            for (int round = 0; sender.credit == 0; round++) {
                assertThat(round).isLessThan(20);
                for (TestCredit link : links) {
                    if (!link.line.isAsking() && link.credit == 0) {
                        link.asks(100, SIZE);
                    }
                }
                passes(IDLE_NANOS);
            }
            assertThat(sender.sends(sized("q")).done).isTrue();
            takeOut("q", 1);
        }
        links.forEach(TestCredit::closes);
        assertThat(account("q").usedMessages()).isZero();
        assertThat(account("q").isWaited()).isFalse();
    }

    @Test
    void shouldHaveFiftyProducersOfAnAddressAllProceed() {
        first.declares("q", Map.of());
        bytesLimit(1 << 20);
        int body = 40_000;
        List<TestCredit> links = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            links.add(new TestCredit(i % 2 == 0 ? first : second, "", "q"));
        }
        int[] sent = new int[50];
        for (int round = 0; round < 200; round++) {
            for (int i = 0; i < 50; i++) {
                TestCredit link = links.get(i);
                if (!link.line.isAsking() && link.credit < 5) {
                    link.asks(10, body + Message.OVERHEAD_BYTES);
                }
                if (link.credit > 0) {
                    assertThat(link.sends(message("", "q", "x".repeat(body))).done).isTrue();
                    sent[i]++;
                }
            }
            assertThat(account("q").usedBytes()).isLessThanOrEqualTo(1 << 20);
            takeOut("q", (int) Math.min(15, first.depth("q")));
            passes(TimeUnit.MILLISECONDS.toNanos(1));
        }
        for (int each : sent) {
            assertThat(each).as("sent by one of %s", sent).isBetween(30, 120);
        }
    }

    // ---- how long it may wait

    @Test
    void shouldGrantOneMessageAfterTheHoldLimitWhichIsRefusedAtOnce() {
        first.declares("q", Map.of());
        limit(rule("q", FullPolicy.BLOCK, null, 1L, 500L));
        first.publishes(sized("q"));
        TestCredit link = new TestCredit(second, "", "q");
        assertThat(link.asks(10, SIZE)).isZero();
        passes(TimeUnit.MILLISECONDS.toNanos(499));
        assertThat(link.granted).isZero();
        passes(TimeUnit.MILLISECONDS.toNanos(1));
        assertThat(link.granted).isEqualTo(1);
        assertThat(link.line.messages()).isEqualTo(1);
        assertThat(account("q").usedMessages()).isEqualTo(1);
        assertThat(broker.counters().refusedByPolicy()).isZero();
        // What it asks for meanwhile gives it no more of these.
        link.asks(9, SIZE);
        passes(TimeUnit.SECONDS.toNanos(2));
        assertThat(link.granted).isEqualTo(1);
        Answer<Void> refused = link.sends(sized("q"));
        assertThat(refused.error()).isInstanceOf(BrokerError.AddressFull.class);
        assertThat(broker.counters().refusedByPolicy()).isEqualTo(1);
        passes(TimeUnit.MILLISECONDS.toNanos(500));
        assertThat(link.granted).isEqualTo(2);
        takeOut("q", 1);
        assertThat(link.sends(sized("q")).result()).isNull();
    }

    // ---- where it goes

    @Test
    void shouldFollowItsRoute() {
        first.declares("q", Map.of());
        first.declares("r", Map.of());
        first.binds("amq.fanout", "q");
        limit(rule("q", FullPolicy.BLOCK, null, 10L, null), rule("r", FullPolicy.BLOCK, null, 3L, null));
        TestCredit link = new TestCredit(second, "amq.fanout", "");
        link.asks(5, SIZE);
        assertThat(account("q").usedMessages()).isEqualTo(5);
        first.binds("amq.fanout", "r");
        assertThat(account("q").usedMessages()).isEqualTo(3);
        assertThat(account("r").usedMessages()).isEqualTo(3);
        assertThat(link.credit).isEqualTo(link.line.messages()).isEqualTo(3);
        Account gone = account("q");
        first.<Long>asks(reply -> first.client.deleteQueue("q", false, false, reply)).result();
        assertThat(gone.usedMessages()).isZero();
        assertThat(link.credit).isEqualTo(3);
        assertThat(account("r").usedMessages()).isEqualTo(3);
        first.<Void>asks(reply -> first.client.unbind(
                new Client.BindingSpec("amq.fanout", "r", false, "", Map.of()), reply)).result();
        assertThat(account("r").usedMessages()).isZero();
        assertThat(link.line.messages()).isEqualTo(3);
    }

    @Test
    void shouldStopWaitingForAQueueThatItsMessagesNoLongerGoTo() {
        first.declares("q", Map.of());
        first.binds("amq.fanout", "q");
        messagesLimit(1);
        first.publishes(sized("q"));
        TestCredit link = new TestCredit(second, "amq.fanout", "");
        assertThat(link.asks(5, SIZE)).isZero();
        first.<Void>asks(reply -> first.client.unbind(
                new Client.BindingSpec("amq.fanout", "q", false, "", Map.of()), reply)).result();
        assertThat(link.granted).isEqualTo(5);
        assertThat(account("q").isWaited()).isFalse();
    }

    @Test
    void shouldFollowLimitsThatAreChanged() {
        first.declares("q", Map.of());
        messagesLimit(10);
        TestCredit link = new TestCredit(second, "", "q");
        link.asks(5, SIZE);
        limit(rule("q", FullPolicy.RING, null, 10L, null));
        assertThat(account("q").usedMessages()).isZero();
        assertThat(link.line.messages()).isEqualTo(5);
        messagesLimit(3);
        assertThat(link.asks(1, SIZE)).isZero(); // the five it has need all of that
        assertThat(account("q").usedMessages()).isEqualTo(3);
        assertThat(link.credit).isEqualTo(link.line.messages()).isEqualTo(3);
        limit();
        assertThat(account("q").usedMessages()).isZero();
        assertThat(link.credit).isEqualTo(4);
        assertThat(link.line.isAsking()).isFalse();
    }

    @Test
    void shouldTryAgainWhenHalfIsSpentAndStandInLineWhenAllIs() {
        first.declares("q", Map.of());
        messagesLimit(10);
        TestCredit link = new TestCredit(second, "", "q");
        link.asks(10, SIZE);
        assertThat(link.asks(10, SIZE)).isZero();
        passes(10 * IDLE_NANOS);
        assertThat(link.revoked).isZero(); // nobody else wants it
        for (int i = 0; i < 5; i++) {
            link.sends(sized("q"));
        }
        assertThat(link.granted).isZero();
        takeOut("q", 4);
        for (int i = 0; i < 3; i++) {
            link.sends(sized("q"));
        }
        assertThat(link.granted).isEqualTo(4); // when two were left
        assertThat(link.asks(10, SIZE)).isZero();
        while (link.credit > 0) {
            link.sends(sized("q"));
        }
        assertThat(account("q").isWaited()).isTrue();
        int granted = link.granted;
        takeOut("q", 2);
        assertThat(link.granted - granted).isEqualTo(2);
    }

    /** They come back with little, so that the others have the rest. */
    @Test
    void shouldHaveAnIdleLineStartSmallAndGrowAsItIsUsed() {
        first.declares("q", Map.of());
        messagesLimit(100);
        TestCredit idle = new TestCredit(second, "", "q");
        idle.asks(100, SIZE);
        passes(IDLE_NANOS);
        first.publishes(sized("q"));
        assertThat(idle.credit).isZero();
        assertThat(idle.asks(100, SIZE)).isEqualTo(1);
        assertThat(idle.asks(100, SIZE)).isZero();
        passes(IDLE_NANOS);
        List<Integer> granted = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            int before = idle.granted;
            idle.sends(sized("q"));
            if (idle.granted > before) {
                granted.add(idle.granted - before);
                idle.asks(100, SIZE);
            }
        }
        assertThat(granted).containsExactly(2, 3, 6, 12, 24);
    }

    @Test
    void shouldWaitWhileMemoryIsShort() {
        TestBroker small = new TestBroker(2, 1 << 20);
        TestClient client = small.connect(1);
        client.declares("q", Map.of());
        TestCredit link = new TestCredit(client, "", "q");
        client.does(() -> client.client.holds(2 << 20));
        assertThat(link.asks(5, SIZE)).isZero();
        client.does(() -> client.client.holds(-(2 << 20)));
        assertThat(link.granted).isEqualTo(5);
    }

    // ---- for people

    private AddressState state() {
        CompletableFuture<List<AddressState>> states = broker.engine.addressStates("/", "q", false);
        broker.settle();
        passes(TimeUnit.MILLISECONDS.toNanos(250));
        return states.join().getFirst();
    }

    @Test
    void shouldTellWhoWaitsForCreditAndHowMuchIsReserved() {
        first.declares("q", Map.of());
        messagesLimit(4);
        TestCredit holder = new TestCredit(first, "", "q");
        assertThat(holder.asks(3, SIZE)).isEqualTo(3);
        AddressState held = state();
        assertThat(held.creditMessages()).isEqualTo(3);
        assertThat(held.creditBytes()).isEqualTo(3 * SIZE);
        assertThat(held.waiting()).isEmpty();
        holder.closes();
        for (int i = 0; i < 4; i++) {
            first.publishes(sized("q"));
        }
        Answer<Void> ahead = first.publishesConfirmed(sized("q"));
        TestCredit waits = new TestCredit(second, "", "q");
        assertThat(waits.asks(5, SIZE)).isZero();
        AddressState full = state();
        assertThat(full.creditMessages()).isZero();
        assertThat(full.waiting()).extracting(AddressState.Waiting::producer)
                .containsExactly("publisher", "credit of channel 1");
        AddressState.Waiting link = full.waiting().getLast();
        assertThat(link.limit()).isEqualTo("max-messages 4");
        assertThat(link.position()).isEqualTo(2);
        assertThat(link.parkedMessages()).isZero();
        assertThat(ahead.done).isFalse();
    }

    // ---- its end

    @Test
    void shouldGiveBackAllExactlyOnceWhenItOrItsClientEnds() {
        first.declares("q", Map.of());
        messagesLimit(10);
        TestCredit a = new TestCredit(second, "", "q");
        TestCredit b = new TestCredit(second, "", "q");
        a.asks(4, SIZE);
        b.asks(6, SIZE);
        TestCredit waits = new TestCredit(second, "", "q");
        while (waits.asks(10, SIZE) > 0) {
            assertThat(waits.line.isAsking()).isFalse();
        }
        a.closes();
        a.closes();
        assertThat(a.producer.credit()).isNull();
        second.does(second.client::abandon);
        assertThat(account("q").usedMessages()).isZero();
        assertThat(account("q").isWaited()).isFalse();
        b.closes();
        second.closes();
        assertThat(account("q").usedMessages()).isZero();
        assertThat(account("q").creditLines()).isZero();
    }

    @Test
    void shouldGiveBackWhatItsProducerWillNotUse() {
        first.declares("q", Map.of());
        messagesLimit(10);
        TestCredit link = new TestCredit(second, "", "q");
        link.asks(7, SIZE);
        second.does(() -> link.line.forgo(3));
        assertThat(link.line.messages()).isEqualTo(4);
        assertThat(account("q").usedMessages()).isEqualTo(4);
        assertThat(account("q").usedBytes()).isEqualTo(4 * SIZE);
        second.does(() -> link.line.forgo(30));
        assertThat(link.line.messages()).isZero();
        assertThat(account("q").usedMessages()).isZero();
        assertThat(account("q").creditLines()).isZero();
        assertThat(link.revoked).isZero();
    }

    @Test
    void shouldGiveBackWhatATransactionPublishes() {
        first.declares("q", Map.of());
        messagesLimit(10);
        TestCredit link = new TestCredit(second, "", "q");
        link.asks(2, SIZE);
        Answer<Void> committed = second.asks(reply -> {
            Client.Transaction work = second.client.begin();
            work.publish(sized("q"), link.producer);
            assertThat(account("q").usedMessages()).isEqualTo(1);
            work.commit(reply);
        });
        assertThat(committed.result()).isNull();
        assertThat(link.line.messages()).isEqualTo(1);
        assertThat(account("q").usedMessages()).isEqualTo(2);
        assertThat(account("q").limits().policy()).isEqualTo(FullPolicy.BLOCK);
        assertThat(account("q").limits().maxBytes()).isEqualTo(AddressLimits.NONE);
    }
}
