package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.RuledBroker.count;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import io.sluicemq.api.Client;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.broker.flow.TopicRules;
import io.sluicemq.broker.flow.TopicRules.TopicRule;
import io.sluicemq.testkit.LogCapture;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;

/** Which rule about slow consumers holds for a queue at a time, and that what follows of it is told of once. */
class ConsumerRulesTest {

    private final RuledBroker at = new RuledBroker();

    @Test
    void shouldTellOfOneEpisodeOnceAndOfItsEnd() {
        TestConsumer consumer = at.consumerUnder(count(ConsumerPolicy.NOTIFY, 10), 5);
        at.publish("q", 20);
        at.periods(6);
        assertThat(at.broker.counters().slowConsumersFound()).isEqualTo(1);
        assertThat(at.broker.counters().slowConsumers()).isEqualTo(1);
        AddressState.ConsumerMeasure measure = at.measure("q");
        assertThat(measure.messages()).isEqualTo(20);
        assertThat(measure.slowMillis()).isGreaterThan(20_000);

        at.client.closes();
        assertThat(at.broker.counters().slowConsumers()).isZero();
        TestClient next = at.broker.connect(0);
        TestConsumer fresh = at.obedient(next, "q", 5);
        at.period();
        assertThat(at.broker.counters().slowConsumersFound()).as("nothing about the new one").isEqualTo(1);
        assertThat(fresh.tooSlow).isNull();
        assertThat(consumer.tooSlow).isNull();
    }

    @Test
    void shouldApplyANewRuleToWhatIsThere() {
        at.client.declares("q", Map.of());
        TestConsumer consumer = at.obedient(at.client, "q", 5);
        at.publish("q", 20);
        at.periods(3);
        assertThat(consumer.tooSlow).isNull();
        at.queueRule("q", count(ConsumerPolicy.DELETE, 10));
        at.periods(2);
        assertThat(consumer.tooSlow).isNotNull();
    }

    @Test
    void shouldLookAtNothingWhereNothingIsSaid() {
        at.queueRule("other", count(ConsumerPolicy.DELETE, 10));
        at.client.declares("q", Map.of());
        at.obedient(at.client, "q", 5);
        assertThat(at.broker.engine.context(0).housekeeping.size() + at.broker.engine.context(1).housekeeping.size())
                .isZero();
        at.client.declares("other", Map.of());
        assertThat(at.broker.engine.context(0).housekeeping.size() + at.broker.engine.context(1).housekeeping.size())
                .isEqualTo(1);
        at.client.<Long>asks(reply -> at.client.client.deleteQueue("other", false, false, reply)).result();
        assertThat(at.broker.engine.context(0).housekeeping.size() + at.broker.engine.context(1).housekeeping.size())
                .isZero();
    }

    @Test
    void shouldFollowTheBindingsOfAQueue() {
        at.topicRule("stocks.#", count(ConsumerPolicy.DELETE, 10));
        String queue = at.subscription(at.client, "news.#");
        TestConsumer consumer = at.obedient(at.client, queue, 5);
        at.publish("amq.topic", "news.today", 20);
        at.periods(3);
        assertThat(consumer.tooSlow).isNull();

        at.bind(queue, "stocks.us.*");
        at.period();
        at.client.<Void>asks(reply -> at.client.client.unbind(
                new Client.BindingSpec("amq.topic", queue, false, "stocks.us.*", Map.of()), reply)).result();
        at.periods(2);
        assertThat(consumer.tooSlow).as("it is bound to no such topic any more").isNull();
        at.bind(queue, "stocks.us.*");
        at.periods(2);
        assertThat(consumer.tooSlow).isNotNull();
    }

    /** If each looked at all of them again, this would take many minutes. */
    @Test
    @Timeout(60)
    void shouldTakeManyBindingsOfAQueue() {
        at.topicRule("stocks.#", count(ConsumerPolicy.DELETE, 10));
        String queue = at.subscription(at.client, "stocks.us");
        for (int i = 0; i < 100_000; i++) {
            at.bind(queue, "news." + i);
        }
        for (int i = 0; i < 1_000; i++) {
            at.unbind(queue, "stocks.us");
            at.bind(queue, "stocks.us");
        }
        TestConsumer consumer = at.obedient(at.client, queue, 5);
        at.publish("amq.topic", "news.7", 20);
        at.periods(2);
        assertThat(consumer.tooSlow).isNotNull();
    }

    /** None of those in between holds at any time, and what was seen counts on. */
    @Test
    void shouldChangeToTheLastRuleAtOnceWhenManyBindingsGo() {
        at.rules(new AddressSettings(List.of(), new TopicRules(List.of(
                new TopicRule("a", count(ConsumerPolicy.NOTIFY, 10)),
                new TopicRule("b", count(ConsumerPolicy.CYCLE, 1)),
                new TopicRule("c", count(ConsumerPolicy.NOTIFY, 20))))));
        at.client.<Void>asks(reply -> at.client.client.declareExchange(
                new Client.ExchangeSpec("x", "topic", false, false, false, Map.of()), reply)).result();
        String queue = at.subscription(at.client, "c");
        for (String key : List.of("a", "b")) {
            at.client.<Void>asks(reply -> at.client.client.bind(
                    new Client.BindingSpec("x", queue, false, key, Map.of()), reply)).result();
        }
        at.publish("amq.topic", "c", 5);
        at.client.<Void>asks(reply -> at.client.client.deleteExchange("x", false, reply)).result();
        assertThat(at.client.depth(queue)).isEqualTo(5);
        assertThat(at.state(queue).queues().getFirst().consumerRule()).isEqualTo(count(ConsumerPolicy.NOTIFY, 20));
    }

    /** What makes it fail is a log that refuses the line about one queue. */
    @Test
    void shouldGoOnLookingAtAllQueuesWhenALookFails() {
        LoggerContext logging = (LoggerContext) LoggerFactory.getILoggerFactory();
        TurboFilter failing = new TurboFilter() {
            @Override
            public FilterReply decide(
                    Marker marker, Logger logger, Level level, String format, Object[] parameters, Throwable cause) {
                if (logger.getName().equals(SlowConsumerLog.class.getName()) && level == Level.WARN
                        && Arrays.toString(parameters).contains("queue 'bad'")) {
                    throw new IllegalStateException("on purpose");
                }
                return FilterReply.NEUTRAL;
            }
        };
        at.queueRule("#", count(ConsumerPolicy.NOTIFY, 10));
        List<TestConsumer> consumers = new ArrayList<>();
        for (String queue : List.of("good", "bad", "also-good")) {
            at.client.declares(queue, Map.of());
            consumers.add(at.obedient(at.client, queue, 5));
            at.publish(queue, 20);
        }
        try (LogCapture log = new LogCapture()) {
            logging.addTurboFilter(failing);
            at.periods(2);
            assertThat(log.messages(Level.ERROR)).singleElement().asString()
                    .contains("a check of queue 'bad' in vhost '/' failed");
            assertThat(log.messages(Level.WARN)).as("with those about the others").hasSize(3);
        } finally {
            logging.getTurboFilterList().remove(failing);
        }
        assertThat(at.broker.counters().failedChecks()).isEqualTo(1);
        assertThat(at.broker.counters().slowConsumers()).isEqualTo(3);

        consumers.forEach(RuledBroker::acceptsAtOnce);
        at.client.does(() -> consumers.forEach(RuledBroker::acceptAll));
        at.period();
        assertThat(at.broker.counters().slowConsumers()).as("each was looked at again").isZero();
    }
}
