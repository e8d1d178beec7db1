package io.sluicemq.server;

import io.sluicemq.base.option.InvalidValue;
import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.Place;
import io.sluicemq.base.option.Problem;
import io.sluicemq.base.option.Settings;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.server.config.AddressesSection;
import io.sluicemq.server.config.AddressesSection.UncooperativeProducers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the addresses that a pattern matches may hold, and where messages go that nobody takes, as {@code address-settings} in the configuration. Immutable: each method
 * returns another one. Values are judged when it is used.
 *
 * <pre>{@code
 * AddressSetting.match("orders.#").maxSizeBytes(10 << 20).fullPolicy(FullPolicy.BLOCK)
 * }</pre>
 */
public final class AddressSetting {

    private final String match;
    private final List<Given<?>> given;
    /** Null for none. */
    private final ConsumerSetting consumer;

    private record Given<T>(Option<T> option, T value) {}

    private AddressSetting(String match, List<Given<?>> given, ConsumerSetting consumer) {
        this.match = match;
        this.given = given;
        this.consumer = consumer;
    }

    /** @param pattern words between dots; {@code *} is any word, {@code #} any number of words, none included */
    public static AddressSetting match(String pattern) {
        return new AddressSetting(pattern, List.of(), null);
    }

    /** Bytes of messages; with {@link FullPolicy#PAGE} of those in memory. */
    public AddressSetting maxSizeBytes(long bytes) {
        return with(AddressesSection.MAX_SIZE_BYTES, bytes);
    }

    /** Messages, likewise. */
    public AddressSetting maxMessages(long messages) {
        return with(AddressesSection.MAX_MESSAGES, messages);
    }

    public AddressSetting fullPolicy(FullPolicy policy) {
        return with(AddressesSection.ADDRESS_FULL_POLICY, policy);
    }

    /** Producers go on when no more than this part of a limit is used, in percent. */
    public AddressSetting lowWaterPercent(int percent) {
        return with(AddressesSection.LOW_WATER, percent);
    }

    /** Bytes of messages in memory and on the disk together. */
    public AddressSetting pageLimitBytes(long bytes) {
        return with(AddressesSection.PAGE_LIMIT_BYTES, bytes);
    }

    /** How long a message may wait for room, at least a second. */
    public AddressSetting holdLimit(Duration limit) {
        return with(AddressesSection.HOLD_LIMIT, limit);
    }

    public AddressSetting uncooperativeProducers(UncooperativeProducers what) {
        return with(AddressesSection.UNCOOPERATIVE_PRODUCERS, what);
    }

    /** How often a message is delivered at most. This and the next two are about queues that clients of AMQP 1.0 make. */
    public AddressSetting maxDeliveryAttempts(int attempts) {
        return with(AddressesSection.MAX_DELIVERY_ATTEMPTS, attempts);
    }

    /** The queue for messages that were rejected, or delivered too often; it is made if need be. */
    public AddressSetting deadLetterAddress(String queue) {
        return with(AddressesSection.DEAD_LETTER_ADDRESS, queue);
    }

    /** The queue for messages that have expired; it is made if need be. */
    public AddressSetting expiryAddress(String queue) {
        return with(AddressesSection.EXPIRY_ADDRESS, queue);
    }

    /** When a consumer of such a queue is too slow, and what happens then. */
    public AddressSetting consumer(ConsumerSetting setting) {
        return new AddressSetting(match, given, setting);
    }

    private <T> AddressSetting with(Option<T> option, T value) {
        List<Given<?>> more = new ArrayList<>(given);
        more.add(new Given<>(option, value));
        return new AddressSetting(match, List.copyOf(more), consumer);
    }

    /** Adds this to a configuration. */
    void addTo(Settings settings, Place place, List<Problem> problems) {
        if (settings.list(AddressesSection.ADDRESS_SETTINGS).stream()
                .anyMatch(other -> other.find(AddressesSection.MATCH).equals(Optional.ofNullable(match)))) {
            problems.add(Problem.of(place, AddressesSection.ADDRESS_SETTINGS.key(),
                    AddressesSection.ADDRESS_SETTINGS.key() + " has '" + match + "' twice"));
        }
        Settings section = settings.add(AddressesSection.ADDRESS_SETTINGS, place);
        put(section, new Given<>(AddressesSection.MATCH, match), place, problems);
        for (Given<?> each : given) {
            put(section, each, place, problems);
        }
        if (consumer != null) {
            consumer.addTo(section, place, problems);
        }
    }

    private <T> void put(Settings section, Given<T> each, Place place, List<Problem> problems) {
        try {
            section.set(each.option(), each.value(), place);
        } catch (InvalidValue e) {
            problems.add(Problem.invalidValue(place, each.option().key() + " of '" + match + "'", each.option(),
                    String.valueOf(each.value()), e.expected()));
        }
    }
}
