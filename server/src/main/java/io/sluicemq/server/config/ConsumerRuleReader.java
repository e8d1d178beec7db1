package io.sluicemq.server.config;

import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.OptionType;
import io.sluicemq.base.option.Problem;
import io.sluicemq.base.option.Settings;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.broker.flow.ConsumerRule;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.broker.flow.TopicRules;
import io.sluicemq.broker.flow.TopicRules.TopicRule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Makes rules about slow consumers of what is configured, and finds what can't be meant: a rule without a threshold, one whose policy
 * can't act, keys that have no effect, and topics that another has decided about. Stateless.
 */
final class ConsumerRuleReader {

    private ConsumerRuleReader() {}

    /**
     * The rule of a section that may have one.
     *
     * @param path of the section that it stands in
     * @return null if there is none, or if it was refused
     */
    static ConsumerRule read(Settings parent, String path, List<Problem> problems) {
        if (!parent.has(AddressesSection.CONSUMER)) {
            return null;
        }
        Settings settings = parent.section(AddressesSection.CONSUMER);
        Settings policy = settings.section(AddressesSection.CONSUMER_POLICY_SECTION);
        String here = path + "." + AddressesSection.CONSUMER.key();
        if (!settings.has(AddressesSection.CONSUMER_POLICY_SECTION)) {
            problems.add(Problem.of(
                    settings.place(), here,
                    here + " has no 'policy': expected policy: {name: " + words() + "}"));
            return null;
        }
        Optional<ConsumerPolicy> name = policy.find(AddressesSection.CONSUMER_POLICY);
        if (name.isEmpty()) {
            return null; // the reader has refused it
        }
        ConsumerRule rule = new ConsumerRule(
                settings.find(AddressesSection.CONSUMER_DEPTH).orElse(ConsumerRule.NONE),
                settings.find(AddressesSection.CONSUMER_MESSAGE_COUNT).orElse(ConsumerRule.NONE),
                settings.find(AddressesSection.CONSUMER_MESSAGE_AGE).map(Duration::toMillis).orElse(ConsumerRule.NONE),
                settings.find(AddressesSection.CONSUMER_RATE).orElse(ConsumerRule.NONE),
                settings.get(AddressesSection.CHECK_PERIOD).toNanos(),
                name.get(),
                policy.get(AddressesSection.DELETE_PERSISTENT),
                policy.get(AddressesSection.CUT));
        int before = problems.size();
        check(rule, settings, policy, here, problems);
        return problems.size() == before ? rule : null;
    }

    private static void check(
            ConsumerRule rule, Settings settings, Settings policy, String path, List<Problem> problems) {
        boolean limitsSize = rule.maxBytes() != ConsumerRule.NONE || rule.maxMessages() != ConsumerRule.NONE;
        boolean limitsTime = rule.maxAgeMillis() != ConsumerRule.NONE || rule.minPerSecond() != ConsumerRule.NONE;
        boolean refused = problems.stream().anyMatch(problem -> problem.key().startsWith(path + "."));
        String policyPath = path + "." + AddressesSection.CONSUMER_POLICY_SECTION.key();
        if (!refused && !limitsSize && !limitsTime) {
            problems.add(Problem.of(settings.place(), path, path
                    + " has no threshold, so no consumer is ever too slow: expected depth, message-count, message-age, rate or"
                    + " several of them"));
        } else if (!refused && rule.cycles() && !limitsSize) {
            refuse(policy, AddressesSection.CONSUMER_POLICY, policyPath,
                    "is 'cycle', but there is no size to keep: expected depth or message-count", problems);
        }
        if (rule.policy() != ConsumerPolicy.DELETE) {
            for (Option<?> option : List.<Option<?>>of(AddressesSection.DELETE_PERSISTENT, AddressesSection.CUT)) {
                if (policy.has(option)) {
                    refuse(policy, option, policyPath,
                            "has no effect with '" + word(rule.policy()) + "': expected it with name: delete only",
                            problems);
                }
            }
        }
    }

    /** Why what happens to slow consumers can't go with what happens to a full address; empty if it can. */
    static Optional<String> conflict(ConsumerRule rule, AddressLimits limits) {
        if (rule == null) {
            return Optional.empty();
        }
        boolean ofMemoryOnly = limits.policy() == FullPolicy.PAGE && limits.pageLimitBytes() == AddressLimits.NONE;
        boolean limited = !ofMemoryOnly
                && (limits.policy() == FullPolicy.PAGE || limits.maxBytes() != AddressLimits.NONE
                        || limits.maxMessages() != AddressLimits.NONE);
        FullPolicy full = limits.policy();
        boolean conflicts = limited && switch (rule.policy()) {
            case CYCLE -> full != FullPolicy.RING;
            case FLOW -> full != FullPolicy.BLOCK && full != FullPolicy.PAGE;
            case DELETE, NOTIFY -> false;
        };
        if (!conflicts) {
            return Optional.empty();
        }
        String fullWord = AddressesSection.ADDRESS_FULL_POLICY.type().format(full);
        return Optional.of(rule.cycles()
                ? "'cycle' drops the oldest messages, and address-full-policy " + fullWord
                        + " does something else when its limit is reached: expected address-full-policy ring, or page without page-limit-bytes, or no"
                        + " limit"
                : "'flow' has producers wait, and with address-full-policy " + fullWord
                        + " nobody waits: expected address-full-policy block or page, or no limit");
    }

    /** Refuses the policy of a section's rule. */
    static void refusePolicy(Settings parent, String path, String why, List<Problem> problems) {
        Settings policy = parent.section(AddressesSection.CONSUMER).section(AddressesSection.CONSUMER_POLICY_SECTION);
        refuse(policy, AddressesSection.CONSUMER_POLICY,
                path + "." + AddressesSection.CONSUMER.key() + "." + AddressesSection.CONSUMER_POLICY_SECTION.key(),
                "can't be: " + why, problems);
    }

    private static void refuse(
            Settings settings, Option<?> option, String path, String what, List<Problem> problems) {
        String key = path + "." + option.key();
        problems.add(Problem.of(settings.place(option), key, key + " " + what));
    }

    /** The rules about topics. */
    static TopicRules topics(List<Settings> list, List<Problem> problems) {
        Map<String, TopicRule> rules = new LinkedHashMap<>();
        for (int i = 0; i < list.size(); i++) {
            Settings settings = list.get(i);
            Optional<String> key = settings.find(AddressesSection.TOPIC_KEY);
            if (key.isEmpty()) {
                continue; // the reader has refused it
            }
            String path = AddressSettingsReader.path(AddressesSection.TOPICS, i);
            if (!settings.has(AddressesSection.CONSUMER)) {
                problems.add(Problem.of(settings.place(), path, path + " has no 'consumer': expected "
                        + "when a consumer of it is too slow, and what happens then"));
                continue;
            }
            String keyPath = path + "." + AddressesSection.TOPIC_KEY.key();
            Optional<String> mistake = mistakeIn(key.get(), rules.keySet());
            mistake.ifPresent(what -> problems.add(Problem.of(
                    settings.place(AddressesSection.TOPIC_KEY), keyPath, keyPath + " '" + key.get() + "' " + what)));
            ConsumerRule rule = read(settings, path, problems);
            if (rule != null && mistake.isEmpty()) {
                rules.put(key.get(), new TopicRule(key.get(), rule));
            }
        }
        return new TopicRules(List.copyOf(rules.values()));
    }

    private static Optional<String> mistakeIn(String key, Iterable<String> before) {
        for (String word : key.split("\\.", -1)) {
            if (word.length() > 1 && (word.contains("*") || word.contains("#"))) {
                return Optional.of("has a wildcard inside the word '" + word
                        + "': expected '*' (one word) or '#' (any number of words) between dots");
            }
        }
        for (String each : before) {
            if (!each.equals(key) && TopicRules.covers(each, key)) {
                return Optional.of("has no effect behind '" + each
                        + "', which covers it, as the first that does decides: expected it before that");
            }
        }
        return Optional.empty();
    }

    /** Whatever a queue that is bound to a topic is called: what holds for all addresses must go with the topic's rule. */
    static void checkTopics(List<Settings> list, AddressSettings settings, List<Problem> problems) {
        List<AddressLimits> general = new ArrayList<>();
        AddressSettingsReader.namesOf("#").forEach(name -> general.add(settings.limitsOf(name)));
        for (int i = 0; i < list.size(); i++) {
            Optional<String> key = list.get(i).find(AddressesSection.TOPIC_KEY);
            ConsumerRule rule = settings.topics().rules().stream()
                    .filter(each -> key.isPresent() && each.key().equals(key.get()))
                    .map(TopicRule::consumer)
                    .findFirst()
                    .orElse(null);
            String path = AddressSettingsReader.path(AddressesSection.TOPICS, i);
            Settings item = list.get(i);
            general.stream().flatMap(limits -> conflict(rule, limits).stream()).findFirst()
                    .ifPresent(why -> refusePolicy(item, path, why, problems));
        }
    }

    private static String word(ConsumerPolicy policy) {
        return AddressesSection.CONSUMER_POLICY.type().format(policy);
    }

    private static String words() {
        OptionType<ConsumerPolicy> type = AddressesSection.CONSUMER_POLICY.type();
        return String.join("|", List.of(ConsumerPolicy.values()).stream().map(type::format).toList());
    }
}
