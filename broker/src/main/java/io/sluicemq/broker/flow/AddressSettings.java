package io.sluicemq.broker.flow;

import java.util.List;

/**
 * The limits of addresses by patterns of their names. The most specific pattern that matches and says something about a key
 * decides about that key. Immutable.
 */
public final class AddressSettings {

    /** Nothing is said about any address. */
    public static final AddressSettings NONE = new AddressSettings(List.of());

    /**
     * What a pattern says; null for what it says nothing about.
     *
     * @param match words between dots; {@code *} is any word, {@code #} any number of words, none included
     */
    public record Rule(
            String match,
            Long maxBytes,
            Long maxMessages,
            FullPolicy policy,
            Integer lowWaterPercent,
            Long pageLimitBytes,
            Long holdLimitNanos,
            Boolean closesChannel) {}

    private final List<Rule> rules;

    public AddressSettings(List<Rule> rules) {
        this.rules = List.copyOf(rules);
    }

    public List<Rule> rules() {
        return rules;
    }

    /** What holds for an address of that name. */
    public AddressLimits limitsOf(String address) {
        return AddressLimits.UNLIMITED;
    }
}
