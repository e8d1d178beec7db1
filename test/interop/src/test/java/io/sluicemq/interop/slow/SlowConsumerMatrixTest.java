package io.sluicemq.interop.slow;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.ConsumerSink.Cut;
import io.sluicemq.broker.engine.BrokerCounters;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.Spec;
import io.sluicemq.interop.slow.Subscriber.Mode;
import io.sluicemq.server.ConsumerSetting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a subscriber that does not keep up experiences under each policy, for each client, acknowledge mode and kind of subscription;
 * and that a producer and a fast subscriber of the same topic do not notice.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(60)
@DisabledIfSystemProperty(named = "interop.uri", matches = ".+",
        disabledReason = "needs a broker that is set up for it")
class SlowConsumerMatrixTest {

    private static final int THRESHOLD = 10;
    private static final int RING = 3 * Feed.STEPS_AHEAD;
    private static final Duration PERIOD = Duration.ofMillis(100);

    private SlowLab slowLab;
    private EmbeddedBroker broker;
    private Lab lab;

    private static ConsumerSetting setting(ConsumerPolicy policy) {
        return ConsumerSetting.policy(policy).messageCount(THRESHOLD).checkPeriod(PERIOD);
    }

    @BeforeEach
    void start() {
        slowLab = SlowLab.start(builder -> builder
                .topic("delete.channel.*", setting(ConsumerPolicy.DELETE))
                .topic("delete.consumer.*", setting(ConsumerPolicy.DELETE).cut(Cut.CONSUMER))
                .topic("delete.persistent.*", setting(ConsumerPolicy.DELETE).deletePersistent(true))
                .topic("cycle.*", ConsumerSetting.policy(ConsumerPolicy.CYCLE).messageCount(RING).checkPeriod(PERIOD))
                .topic("flow.*", setting(ConsumerPolicy.FLOW))
                .topic("notify.*", setting(ConsumerPolicy.NOTIFY)));
        broker = slowLab.broker();
        lab = slowLab.lab();
    }

    @AfterEach
    void stop() throws Exception {
        slowLab.leave();
    }

    private static Stream<Arguments> matrix(Cut cut) {
        return Stream.of(ClientKind.values()).flatMap(client -> client.modes().stream().flatMap(mode -> Stream.of(false,
                true).map(durable -> Arguments.of(client, mode, durable, cut))));
    }

    static Stream<Arguments> all() {
        return matrix(Cut.CHANNEL);
    }

    /** What is cut makes a difference to one client only. */
    static Stream<Arguments> cuts() {
        return Stream.concat(matrix(Cut.CHANNEL), matrix(Cut.CONSUMER).filter(each -> each.get()[0]
                == ClientKind.RABBITMQ));
    }

    private Subscriber subscribe(ClientKind client, String topic, Mode mode, boolean durable, Cut cut)
            throws Exception {
        Subscriber subscriber = client.subscribe(lab, topic, mode, durable, cut);
        lab.closing(subscriber::close);
        return subscriber;
    }

    // ---- delete

    @ParameterizedTest(name = "{0} {1} durable={2} cut={3}")
    @MethodSource("cuts")
    @Spec({"0-9-1 channel.close 506", "1.0 §2.6.4", "1.0 §2.8.15", "1.0 §4.3", "RabbitMQ consumer_cancel_notify"})
    void shouldCutAndNobodyElseNotices(ClientKind client, Mode mode, boolean durable, Cut cut) throws Exception {
        String topic = lab.name(cut == Cut.CHANNEL ? "delete.channel.t" : "delete.consumer.t");
        Feed feed = new Feed(lab, topic);
        Subscriber slow = subscribe(client, topic, mode, durable, cut);
        feed.step(2);
        assertThat(slow.take(1)).containsExactly(0);
        assertThat(slow.hold(1)).containsExactly(1);

        feed.until("it is cut", () -> broker.counters().consumersCut() > 0);
        slow.shouldHaveBeenCut();
        feed.step(100);

        BrokerCounters after = broker.counters();
        assertThat(after.consumersCut()).isEqualTo(1);
        assertThat(after.slowConsumersFound()).isPositive();
        if (durable) {
            Lab.until("it has given back what it held", () -> broker.counters().unsettledMessages() == 0);
            slow.close();
            List<Integer> left = lab.drain(slow.queue()).stream().map(Integer::valueOf).toList();
            assertThat(left).containsExactlyElementsOf(numbers(left.getFirst(), feed.published()));
            assertThat(left.getFirst()).as("the first that %s %s has not dealt with", client, mode)
                    .isIn(firstLeft(client, mode, cut));
            slow.unsubscribe();
        } else {
            Lab.until("its queue is deleted, and the memory of its messages free", () -> {
                BrokerCounters counters = broker.counters();
                return counters.queues() == 1 && counters.messageBytes() == 0;
            });
        }
    }

    /** What the first message is that is left of one that has dealt with one and has taken another. */
    private static List<Integer> firstLeft(ClientKind client, Mode mode, Cut cut) {
        return switch (mode) {
            case AUTO -> List.of(2);
            case DUPS_OK -> List.of(0, 1, 2);
            // Where there is a message listener, one more may be in its hands, and acknowledged with the one before.
            case CLIENT -> client == ClientKind.QPID_1_0 ? List.of(1, 2) : List.of(1);
            case INDIVIDUAL -> List.of(1);
            // Only where the channel goes on, which the deliveries are of, its transaction can be committed afterwards.
            case TRANSACTED -> client == ClientKind.QPID_1_0 ? List.of(1, 2) : List.of(cut == Cut.CONSUMER ? 2 : 1);
        };
    }

    static Stream<Arguments> clients() {
        return Stream.of(ClientKind.values()).map(client -> Arguments.of(client, Mode.CLIENT));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("clients")
    void shouldDeleteADurableSubscriptionWhereThatIsConfigured(ClientKind client, Mode mode) throws Exception {
        String topic = lab.name("delete.persistent.t");
        Feed feed = new Feed(lab, topic);
        Subscriber slow = subscribe(client, topic, mode, true, Cut.CHANNEL);

        feed.step(1);
        // Before the first call, one of these clients has stopped its session's messages, and is not slow.
        slow.take(1);
        feed.until("it is cut", () -> broker.counters().consumersCut() > 0);

        Lab.until("its queue is deleted, and the memory of its messages free", () -> {
            BrokerCounters counters = broker.counters();
            return counters.queues() == 1 && counters.messageBytes() == 0;
        });
        slow.shouldHaveBeenCut();
        feed.step(20);
    }

    // ---- cycle

    @ParameterizedTest(name = "{0} {1} durable={2}")
    @MethodSource("all")
    void shouldGiveOnlyTheNewestToOneInACycle(ClientKind client, Mode mode, boolean durable) throws Exception {
        String topic = lab.name("cycle.t");
        Feed feed = new Feed(lab, topic);
        Subscriber slow = subscribe(client, topic, mode, durable, Cut.CHANNEL);
        feed.step(1);
        assertThat(slow.take(1)).containsExactly(0);

        feed.step(149);

        Lab.until("no more than the threshold is there", () -> {
            BrokerCounters counters = broker.counters();
            return counters.readyMessages() + counters.unsettledMessages() <= RING;
        });
        List<Integer> got = new ArrayList<>();
        do {
            got.addAll(slow.take(1));
        } while (got.getLast() < feed.published() - 1);
        assertThat(got).isSorted().doesNotHaveDuplicates().hasSizeBetween(RING - 1, RING)
                .endsWith(feed.published() - 2, feed.published() - 1);
        assertThat(broker.counters().droppedByPolicy()).isEqualTo(feed.published() - 1 - got.size());
        assertThat(broker.counters().consumersCut()).isZero();
        slow.shouldBeUnharmed();
        endSubscription(slow, durable);
    }

    private void endSubscription(Subscriber slow, boolean durable) throws Exception {
        if (durable) {
            slow.close();
            lab.drain(slow.queue()); // what it has dealt with and has not told of
            slow.unsubscribe();
        }
    }

    // ---- flow

    @ParameterizedTest(name = "{0} {1} durable={2}")
    @MethodSource("all")
    @Spec("0-9-1 channel.flow")
    void shouldHoldTheProducerUntilItHasCaughtUp(ClientKind client, Mode mode, boolean durable) throws Exception {
        String topic = lab.name("flow.t");
        Feed feed = new Feed(lab, topic);
        Subscriber slow = subscribe(client, topic, mode, durable, Cut.CHANNEL);
        feed.step(1);
        List<Integer> got = new ArrayList<>(slow.take(1));
        CompletableFuture<Void> flowing = feed.flow();
        lab.awaitParked(1);
        feed.stop();
        feed.shouldHaveArrived();
        assertThat(flowing).isNotDone();
        assertThat(broker.counters().slowConsumers()).isPositive();

        for (int left = feed.published() - got.size(); left > 0; left = feed.published() - got.size()) {
            got.addAll(slow.take(Math.min(left, Subscriber.PREFETCH)));
        }
        flowing.get(20, TimeUnit.SECONDS);
        if (got.size() < feed.published()) {
            got.addAll(slow.take(feed.published() - got.size()));
        }
        assertThat(got).containsExactlyElementsOf(numbers(0, feed.published()));
        feed.shouldHaveArrived();
        assertThat(broker.counters().consumersCut()).isZero();
        slow.shouldBeUnharmed();
        endSubscription(slow, durable);
    }

    // ---- notify

    @ParameterizedTest(name = "{0} {1} durable={2}")
    @MethodSource("all")
    void shouldOnlyTellOfItWhereThatIsConfigured(ClientKind client, Mode mode, boolean durable) throws Exception {
        String topic = lab.name("notify.t");
        Feed feed = new Feed(lab, topic);
        Subscriber slow = subscribe(client, topic, mode, durable, Cut.CHANNEL);
        feed.step(1);
        List<Integer> got = new ArrayList<>(slow.take(1));
        feed.until("it is found", () -> broker.counters().slowConsumersFound() > 0);
        assertThat(broker.counters().slowConsumers()).isEqualTo(1);
        slow.shouldBeUnharmed();

        while (got.size() < feed.published()) {
            got.addAll(slow.take(Math.min(feed.published() - got.size(), Subscriber.PREFETCH)));
        }
        assertThat(got).containsExactlyElementsOf(numbers(0, feed.published()));
        assertThat(broker.counters().consumersCut()).isZero();
        slow.shouldBeUnharmed();
        endSubscription(slow, durable);
        Lab.until("it is not slow any more", () -> broker.counters().slowConsumers() == 0);
    }

    private static List<Integer> numbers(int from, int to) {
        return IntStream.range(from, to).boxed().toList();
    }
}
