package io.sluicemq.server;

import io.sluicemq.api.ConsumerSink;
import io.sluicemq.base.option.InvalidValue;
import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.Place;
import io.sluicemq.base.option.Problem;
import io.sluicemq.base.option.Settings;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.server.config.AddressesSection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * When a consumer is too slow and what happens then, as {@code consumer} in the configuration. Immutable: each method returns another
 * one. Values are judged when it is used.
 *
 * <pre>{@code
 * ConsumerSetting.policy(ConsumerPolicy.DELETE).messageCount(1_000)
 * }</pre>
 */
public final class ConsumerSetting {

    private final List<Given<?>> given;

    private record Given<T>(boolean ofPolicy, Option<T> option, T value) {}

    private ConsumerSetting(List<Given<?>> given) {
        this.given = given;
    }

    public static ConsumerSetting policy(ConsumerPolicy policy) {
        return new ConsumerSetting(List.of()).with(true, AddressesSection.CONSUMER_POLICY, policy);
    }

    /** Bytes of messages that may wait for it or be held by it. */
    public ConsumerSetting depth(long bytes) {
        return with(false, AddressesSection.CONSUMER_DEPTH, bytes);
    }

    /** Messages, likewise. */
    public ConsumerSetting messageCount(long messages) {
        return with(false, AddressesSection.CONSUMER_MESSAGE_COUNT, messages);
    }

    /** How long the oldest of them may have been there. */
    public ConsumerSetting messageAge(Duration age) {
        return with(false, AddressesSection.CONSUMER_MESSAGE_AGE, age);
    }

    /** How many messages a second it is to deal with at least, while it has some. */
    public ConsumerSetting rate(long messagesPerSecond) {
        return with(false, AddressesSection.CONSUMER_RATE, messagesPerSecond);
    }

    /** How often that is looked at. */
    public ConsumerSetting checkPeriod(Duration period) {
        return with(false, AddressesSection.CHECK_PERIOD, period);
    }

    /** Whether {@link ConsumerPolicy#DELETE} deletes durable subscriptions, too. */
    public ConsumerSetting deletePersistent(boolean deletes) {
        return with(true, AddressesSection.DELETE_PERSISTENT, deletes);
    }

    /** What {@link ConsumerPolicy#DELETE} cuts. */
    public ConsumerSetting cut(ConsumerSink.Cut cut) {
        return with(true, AddressesSection.CUT, cut);
    }

    private <T> ConsumerSetting with(boolean ofPolicy, Option<T> option, T value) {
        List<Given<?>> more = new ArrayList<>(given);
        more.add(new Given<>(ofPolicy, option, value));
        return new ConsumerSetting(more);
    }

    /** Adds it to a section that may have one. */
    void addTo(Settings parent, Place place, List<Problem> problems) {
        Settings section = parent.enter(AddressesSection.CONSUMER, place);
        Settings policy = section.enter(AddressesSection.CONSUMER_POLICY_SECTION, place);
        for (Given<?> each : given) {
            put(each.ofPolicy ? policy : section, each, place, problems);
        }
    }

    private static <T> void put(Settings section, Given<T> each, Place place, List<Problem> problems) {
        try {
            section.set(each.option, each.value, place);
        } catch (InvalidValue e) {
            problems.add(Problem.invalidValue(place, each.option.key(), each.option, String.valueOf(each.value),
                    e.expected()));
        }
    }
}
