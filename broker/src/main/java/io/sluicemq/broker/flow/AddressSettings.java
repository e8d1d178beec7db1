package io.sluicemq.broker.flow;

import io.sluicemq.api.Undeliverable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The limits of addresses, and what is to become of messages that nobody takes, by patterns of their names. The most specific pattern that matches and says something about a key
 * decides about that key; {@link AddressPattern} says which is more specific, and of equally specific ones the first in the list
 * decides. Immutable; any thread may ask.
 *
 * <p>The patterns form a tree by their words, so that a name is compared with those only that begin like it.
 */
public final class AddressSettings {

    /** Nothing is said about any address. */
    public static final AddressSettings NONE = new AddressSettings(List.of());

    /**
     * What a pattern says; null for what it says nothing about. A limit that it lifts is {@link AddressLimits#NONE}, one of delivery
     * attempts {@link Undeliverable#UNLIMITED}; an address that it takes back is {@link #NO_ADDRESS}. What it says about consumers is taken whole.
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
            Boolean closesChannel,
            Integer maxDeliveryAttempts,
            String deadLetterAddress,
            String expiryAddress,
            ConsumerRule consumer) {

        /** One that says nothing about consumers. */
        public Rule(
                String match,
                Long maxBytes,
                Long maxMessages,
                FullPolicy policy,
                Integer lowWaterPercent,
                Long pageLimitBytes,
                Long holdLimitNanos,
                Boolean closesChannel,
                Integer maxDeliveryAttempts,
                String deadLetterAddress,
                String expiryAddress) {
            this(
                    match, maxBytes, maxMessages, policy, lowWaterPercent, pageLimitBytes, holdLimitNanos,
                    closesChannel, maxDeliveryAttempts, deadLetterAddress, expiryAddress, null);
        }

        /** One that is about consumers alone. */
        public Rule(String match, ConsumerRule consumer) {
            this(match, null, null, null, null, null, null, null, null, null, null, consumer);
        }

        /** One that is about limits alone. */
        public Rule(
                String match,
                Long maxBytes,
                Long maxMessages,
                FullPolicy policy,
                Integer lowWaterPercent,
                Long pageLimitBytes,
                Long holdLimitNanos,
                Boolean closesChannel) {
            this(
                    match, maxBytes, maxMessages, policy, lowWaterPercent, pageLimitBytes, holdLimitNanos,
                    closesChannel,
                    null, null, null);
        }
    }

    /** The address of a rule that takes back what a less specific one says. */
    public static final String NO_ADDRESS = "";

    private static final int NO_RULE = -1;

    private final List<Rule> rules;
    private final TopicRules topics;
    /** The same, the most specific first. */
    private final Rule[] bySpecificity;
    private final Node root = new Node(false);

    /** A place in the tree: the words so far of some patterns. Filled by the constructor, then only read. */
    private static final class Node {

        private final Map<String, Node> words = new HashMap<>();
        private Node anyWord;
        private Node anyWords;
        /** Whether it stands behind a {@code #}, which may take one word more. */
        private final boolean repeats;
        /** Which rule's pattern ends here, by specificity. */
        private int rule = NO_RULE;

        Node(boolean repeats) {
            this.repeats = repeats;
        }

        Node next(String word) {
            return switch (word) {
                case AddressPattern.ANY_WORD -> anyWord = anyWord == null ? new Node(false) : anyWord;
                case AddressPattern.ANY_WORDS -> anyWords = anyWords == null ? new Node(true) : anyWords;
                default -> words.computeIfAbsent(word, key -> new Node(false));
            };
        }
    }

    /** As {@link #AddressSettings(List, TopicRules)}, with nothing said about topics. */
    public AddressSettings(List<Rule> rules) {
        this(rules, TopicRules.NONE);
    }

    /**
     * @param topics about consumers of queues of which no rule says anything about consumers
     * @throws IllegalArgumentException if a match is no pattern, or stands there twice
     */
    public AddressSettings(List<Rule> rules, TopicRules topics) {
        this.rules = List.copyOf(rules);
        this.topics = topics;
        record Entry(AddressPattern pattern, Rule rule) {}
        List<Entry> sorted = new ArrayList<>();
        for (Rule rule : this.rules) {
            sorted.add(new Entry(AddressPattern.of(rule.match()), rule));
        }
        sorted.sort(Comparator.comparing(Entry::pattern)); // equally specific ones stay in the order written
        bySpecificity = sorted.stream().map(Entry::rule).toArray(Rule[]::new);
        for (int i = 0; i < bySpecificity.length; i++) {
            Node node = root;
            for (String word : sorted.get(i).pattern().words()) {
                node = node.next(word);
            }
            if (node.rule != NO_RULE) {
                throw new IllegalArgumentException("there are two rules for '" + bySpecificity[i].match() + "'");
            }
            node.rule = i;
        }
    }

    public List<Rule> rules() {
        return rules;
    }

    /** What holds for an address of that name. A dot parts words, and there may be nothing between two of them. */
    public AddressLimits limitsOf(String address) {
        return bySpecificity.length == 0 ? AddressLimits.UNLIMITED : merge(matching(address));
    }

    /** What is to become of messages that nobody takes from a queue at an address of that name. */
    public Undeliverable undeliverableOf(String address) {
        if (bySpecificity.length == 0) {
            return Undeliverable.DROPPED;
        }
        Integer maxDeliveryAttempts = null;
        String deadLetterAddress = null;
        String expiryAddress = null;
        BitSet matching = matching(address);
        for (int i = matching.nextSetBit(0); i >= 0; i = matching.nextSetBit(i + 1)) {
            Rule rule = bySpecificity[i];
            maxDeliveryAttempts = first(maxDeliveryAttempts, rule.maxDeliveryAttempts());
            deadLetterAddress = first(deadLetterAddress, rule.deadLetterAddress());
            expiryAddress = first(expiryAddress, rule.expiryAddress());
        }
        return new Undeliverable(
                or(maxDeliveryAttempts, Undeliverable.UNLIMITED),
                NO_ADDRESS.equals(deadLetterAddress) ? null : deadLetterAddress,
                NO_ADDRESS.equals(expiryAddress) ? null : expiryAddress);
    }

    /** Whether that is an address to which some rule sends messages that nobody takes. */
    public boolean isForUndeliverable(String address) {
        return rules.stream().anyMatch(
                rule -> address.equals(rule.deadLetterAddress()) || address.equals(rule.expiryAddress()));
    }

    /** Whether anything is said about consumers of any queue. */
    public boolean haveConsumerRules() {
        return !topics.isEmpty() || rules.stream().anyMatch(rule -> rule.consumer() != null);
    }

    /**
     * What holds for the consumers of a queue: what the most specific pattern says that says anything about them, or else what is
     * said about its topics; null if nothing is.
     *
     * @param bindingKeys the keys by which it is bound to topic exchanges
     */
    public ConsumerRule consumerRuleOf(String queue, Collection<String> bindingKeys) {
        ConsumerRule byName = consumerRuleByName(queue);
        return byName != null ? byName : topics.of(bindingKeys);
    }

    /** What the most specific pattern says about the consumers of a queue that says anything about them; null if none does. */
    public ConsumerRule consumerRuleByName(String queue) {
        BitSet matching = matching(queue);
        for (int i = matching.nextSetBit(0); i >= 0; i = matching.nextSetBit(i + 1)) {
            if (bySpecificity[i].consumer() != null) {
                return bySpecificity[i].consumer();
            }
        }
        return null;
    }

    public TopicRules topics() {
        return topics;
    }

    /** The rules whose patterns match, by specificity. */
    private BitSet matching(String address) {
        Set<Node> reached = new LinkedHashSet<>();
        reach(root, reached);
        for (String word : AddressPattern.wordsOf(address)) {
            Set<Node> next = new LinkedHashSet<>();
            for (Node node : reached) {
                reach(node.words.get(word), next);
                reach(node.anyWord, next);
                if (node.repeats) {
                    reach(node, next);
                }
            }
            reached = next;
        }
        BitSet matching = new BitSet(bySpecificity.length);
        for (Node node : reached) {
            if (node.rule != NO_RULE) {
                matching.set(node.rule);
            }
        }
        return matching;
    }

    /** Adds a node, and the one behind the {@code #} that may follow it and stand for no word. */
    private static void reach(Node node, Set<Node> reached) {
        for (Node each = node; each != null; each = each.anyWords) {
            reached.add(each);
        }
    }

    private AddressLimits merge(BitSet matching) {
        Long maxBytes = null;
        Long maxMessages = null;
        FullPolicy policy = null;
        Integer lowWaterPercent = null;
        Long pageLimitBytes = null;
        Long holdLimitNanos = null;
        Boolean closesChannel = null;
        for (int i = matching.nextSetBit(0); i >= 0; i = matching.nextSetBit(i + 1)) {
            Rule rule = bySpecificity[i];
            maxBytes = first(maxBytes, rule.maxBytes());
            maxMessages = first(maxMessages, rule.maxMessages());
            policy = first(policy, rule.policy());
            lowWaterPercent = first(lowWaterPercent, rule.lowWaterPercent());
            pageLimitBytes = first(pageLimitBytes, rule.pageLimitBytes());
            holdLimitNanos = first(holdLimitNanos, rule.holdLimitNanos());
            closesChannel = first(closesChannel, rule.closesChannel());
        }
        AddressLimits unlimited = AddressLimits.UNLIMITED;
        return new AddressLimits(
                or(maxBytes, unlimited.maxBytes()),
                or(maxMessages, unlimited.maxMessages()),
                or(policy, unlimited.policy()),
                or(lowWaterPercent, unlimited.lowWaterPercent()),
                or(pageLimitBytes, unlimited.pageLimitBytes()),
                or(holdLimitNanos, unlimited.holdLimitNanos()),
                or(closesChannel, unlimited.closesChannel()));
    }

    private static <T> T first(T sooner, T later) {
        return sooner != null ? sooner : later;
    }

    private static <T> T or(T value, T otherwise) {
        return value != null ? value : otherwise;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AddressSettings settings && rules.equals(settings.rules)
                && topics.equals(settings.topics);
    }

    @Override
    public int hashCode() {
        return 31 * rules.hashCode() + topics.hashCode();
    }

    @Override
    public String toString() {
        return "AddressSettings" + rules + topics;
    }
}
