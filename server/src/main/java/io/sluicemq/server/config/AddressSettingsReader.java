package io.sluicemq.server.config;

import io.sluicemq.base.Quota;
import io.sluicemq.base.option.Nearest;
import io.sluicemq.base.option.Option;
import io.sluicemq.base.option.Problem;
import io.sluicemq.base.option.SectionList;
import io.sluicemq.base.option.Settings;
import io.sluicemq.broker.engine.HostLimits;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.AddressPattern;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.ConsumerRule;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.server.config.AddressesSection.UncooperativeProducers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Makes the limits of addresses and virtual hosts of what is configured, and finds what can't be meant: a key that has no effect
 * beside the others of its section, a policy that can never act, limits that contradict each other, be it in one section or with
 * what a less specific one says. Stateless but for the reading at hand.
 */
final class AddressSettingsReader {

    /** Nobody waits with these, so what is about waiting has no effect. */
    private static final Set<FullPolicy> WITHOUT_WAITING = Set.of(FullPolicy.DROP, FullPolicy.FAIL, FullPolicy.RING);

    private static final List<Option<?>> ABOUT_WAITING =
            List.of(AddressesSection.LOW_WATER, AddressesSection.HOLD_LIMIT, AddressesSection.UNCOOPERATIVE_PRODUCERS);

    private static final Set<String> LIMITS =
            Set.of(AddressesSection.MAX_SIZE_BYTES.key(), AddressesSection.MAX_MESSAGES.key());

    /** Words that stand for any in a name; no name that a client uses is likely to have them. */
    private static final String SOME_WORD = "\u0001";

    private record Section(Settings settings, String path, AddressPattern pattern, AddressSettings.Rule rule) {

        boolean hasLimit() {
            return isLimit(rule.maxBytes()) || isLimit(rule.maxMessages());
        }

        private static boolean isLimit(Long value) {
            return value != null && value != AddressLimits.NONE;
        }

        /** Whether all limits that a less specific section gives are lifted by this one. */
        boolean liftsAllOf(Section other) {
            return pattern.compareTo(other.pattern) < 0
                    && lifts(rule.maxBytes(), other.rule.maxBytes())
                    && lifts(rule.maxMessages(), other.rule.maxMessages());
        }

        private static boolean lifts(Long here, Long there) {
            return !isLimit(there) || here != null && !isLimit(here);
        }

        boolean hasRefusedLimit(List<Problem> problems) {
            return problems.stream()
                    .filter(problem -> problem.key().startsWith(path + "."))
                    .map(problem -> problem.nearest() != null
                            ? problem.nearest()
                            : problem.key().substring(path.length() + 1))
                    .anyMatch(LIMITS::contains);
        }

        void refuse(Option<?> option, String what, List<Problem> problems) {
            String key = path + "." + option.key();
            problems.add(Problem.of(settings.place(option), key, key + " " + what));
        }
    }

    private AddressSettingsReader() {}

    /** The limits of addresses. */
    static AddressSettings addresses(List<Settings> list, List<Settings> topics, List<Problem> problems) {
        Map<AddressPattern, Section> sections = new LinkedHashMap<>();
        for (int i = 0; i < list.size(); i++) {
            Settings settings = list.get(i);
            Optional<String> match = settings.find(AddressesSection.MATCH);
            if (match.isEmpty()) {
                continue; // the reader has refused it
            }
            String path = path(AddressesSection.ADDRESS_SETTINGS, i);
            Optional<String> mistake = AddressPattern.mistakeIn(match.get());
            if (mistake.isPresent()) {
                String key = path + "." + AddressesSection.MATCH.key();
                problems.add(Problem.of(
                        settings.place(AddressesSection.MATCH), key, key + " '" + match.get() + "' " + mistake.get()));
                continue;
            }
            AddressPattern pattern = AddressPattern.of(match.get());
            // Of two alike the reader, or the builder, has refused the second.
            sections.putIfAbsent(pattern, new Section(settings, path, pattern,
                    rule(match.get(), settings, ConsumerRuleReader.read(settings, path, problems))));
        }
        List<Section> all = List.copyOf(sections.values());
        AddressSettings result = new AddressSettings(
                all.stream().map(Section::rule).toList(), ConsumerRuleReader.topics(topics, problems));
        for (Section section : all) {
            boolean sane = checkAlone(section, problems);
            checkLimit(section, all, problems);
            if (sane) {
                checkMerged(section, result, problems);
            }
            checkConsumers(section, result, problems);
        }
        ConsumerRuleReader.checkTopics(topics, result, problems);
        return result;
    }

    private static AddressSettings.Rule rule(String match, Settings settings, ConsumerRule consumer) {
        return new AddressSettings.Rule(
                match,
                settings.find(AddressesSection.MAX_SIZE_BYTES).orElse(null),
                settings.find(AddressesSection.MAX_MESSAGES).orElse(null),
                settings.find(AddressesSection.ADDRESS_FULL_POLICY).orElse(null),
                settings.find(AddressesSection.LOW_WATER).orElse(null),
                settings.find(AddressesSection.PAGE_LIMIT_BYTES).orElse(null),
                settings.find(AddressesSection.HOLD_LIMIT)
                        .map(limit -> limit.equals(AddressesSection.NO_HOLD_LIMIT)
                                ? AddressLimits.NONE
                                : limit.toNanos())
                        .orElse(null),
                settings.find(AddressesSection.UNCOOPERATIVE_PRODUCERS)
                        .map(what -> what == UncooperativeProducers.CLOSE_CHANNEL)
                        .orElse(null),
                settings.find(AddressesSection.MAX_DELIVERY_ATTEMPTS).orElse(null),
                settings.find(AddressesSection.DEAD_LETTER_ADDRESS).orElse(null),
                settings.find(AddressesSection.EXPIRY_ADDRESS).orElse(null),
                consumer);
    }

    /** What a section says must have an effect beside its own policy. */
    private static boolean checkAlone(Section section, List<Problem> problems) {
        int before = problems.size();
        FullPolicy policy = section.rule().policy();
        if (policy != null && policy != FullPolicy.PAGE
                && Section.isLimit(section.rule().pageLimitBytes())) {
            section.refuse(AddressesSection.PAGE_LIMIT_BYTES,
                    "has no effect with " + words(policy) + ": expected it with address-full-policy page only",
                    problems);
        }
        if (policy != null && WITHOUT_WAITING.contains(policy)) {
            for (Option<?> option : ABOUT_WAITING) {
                if (section.settings().has(option)) {
                    section.refuse(option, "has no effect with " + words(policy)
                            + ", with which nobody waits: expected it with address-full-policy block or page only",
                            problems);
                }
            }
        }
        return problems.size() == before;
    }

    /** A policy other than page needs a limit to act at: of this section, or of one that is about the same addresses. */
    private static void checkLimit(Section section, List<Section> all, List<Problem> problems) {
        FullPolicy policy = section.rule().policy();
        if (policy == null || policy == FullPolicy.PAGE) {
            return;
        }
        boolean canAct = all.stream().anyMatch(other -> other.hasLimit()
                && section.pattern().overlaps(other.pattern())
                && !section.liftsAllOf(other));
        // A limit that was refused was meant: the mistake in it is told already.
        if (!canAct && all.stream().noneMatch(other -> other.hasRefusedLimit(problems))) {
            section.refuse(AddressesSection.ADDRESS_FULL_POLICY, "is '" + word(policy)
                    + "', but no address that matches can be full: expected max-size-bytes or max-messages here, or in"
                    + " another match for these addresses", problems);
        }
    }

    /** What comes out for addresses that match, with what less specific sections say about them. */
    private static void checkMerged(Section section, AddressSettings settings, List<Problem> problems) {
        AddressSettings.Rule rule = section.rule();
        if (rule.maxBytes() == null && rule.pageLimitBytes() == null && rule.policy() == null) {
            return;
        }
        for (String name : namesOf(rule.match())) {
            AddressLimits limits = settings.limitsOf(name);
            if (limits.policy() == FullPolicy.PAGE && limits.pageLimitBytes() != AddressLimits.NONE
                    && limits.pageLimitBytes() < limits.maxBytes()) {
                Option<?> option = rule.pageLimitBytes() != null
                        ? AddressesSection.PAGE_LIMIT_BYTES
                        : rule.maxBytes() != null
                                ? AddressesSection.MAX_SIZE_BYTES
                                : AddressesSection.ADDRESS_FULL_POLICY;
                section.refuse(option, "makes page-limit-bytes " + limits.pageLimitBytes() + " and max-size-bytes "
                        + limits.maxBytes()
                        + ": expected page-limit-bytes, what is in memory and on the disk, to be no less"
                        + " than max-size-bytes, what is in memory", problems);
                return;
            }
        }
    }

    /** What happens to a full address, and to a slow consumer of it, must be possible both. */
    private static void checkConsumers(Section section, AddressSettings settings, List<Problem> problems) {
        AddressSettings.Rule rule = section.rule();
        boolean limits = rule.policy() != null || section.hasLimit() || Section.isLimit(rule.pageLimitBytes());
        if (rule.consumer() == null && !limits) {
            return;
        }
        for (String name : namesOf(rule.match())) {
            ConsumerRule consumer = settings.consumerRuleOf(name, List.of());
            Optional<String> conflict = ConsumerRuleReader.conflict(consumer, settings.limitsOf(name));
            if (conflict.isPresent()) {
                if (rule.consumer() != null) {
                    ConsumerRuleReader.refusePolicy(section.settings(), section.path(), conflict.get(), problems);
                } else {
                    Option<?> option = rule.policy() != null
                            ? AddressesSection.ADDRESS_FULL_POLICY
                            : rule.maxBytes() != null
                                    ? AddressesSection.MAX_SIZE_BYTES
                                    : rule.maxMessages() != null
                                            ? AddressesSection.MAX_MESSAGES
                                            : AddressesSection.PAGE_LIMIT_BYTES;
                    section.refuse(option, "does not go with the policy of 'consumer' for these addresses: "
                            + conflict.get(), problems);
                }
                return;
            }
        }
    }

    /** Some names that a pattern matches: those that no pattern matches by a word that happens to be there. */
    static List<String> namesOf(String match) {
        List<String> names = new ArrayList<>();
        for (String some : List.of("", SOME_WORD, SOME_WORD + "." + SOME_WORD)) {
            List<String> words = new ArrayList<>();
            for (String word : match.split("\\.", -1)) {
                switch (word) {
                    case "*" -> words.add(SOME_WORD);
                    case "#" -> words.add(some);
                    default -> words.add(word);
                }
            }
            words.removeIf(String::isEmpty);
            names.add(String.join(".", words));
        }
        return names;
    }

    private static String words(FullPolicy policy) {
        return AddressesSection.ADDRESS_FULL_POLICY.key() + " " + word(policy);
    }

    private static String word(FullPolicy policy) {
        return AddressesSection.ADDRESS_FULL_POLICY.type().format(policy);
    }

    /** The limits of virtual hosts, by name. */
    static Map<String, AddressLimits> virtualHosts(
            List<Settings> list, List<String> virtualHosts, List<Problem> problems) {
        Map<String, AddressLimits> limits = new LinkedHashMap<>();
        for (int i = 0; i < list.size(); i++) {
            Settings settings = list.get(i);
            Optional<String> name = settings.find(VirtualHostsSection.LIMITED_HOST);
            if (name.isEmpty()) {
                continue; // the reader has refused it
            }
            String path = path(VirtualHostsSection.VIRTUAL_HOST_LIMITS, i);
            if (!virtualHosts.contains(name.get())) {
                String hint = Nearest.of(name.get(), virtualHosts)
                        .map(nearest -> "did you mean '" + nearest + "'?")
                        .orElse("expected one of virtual-hosts: " + String.join(", ", virtualHosts));
                String key = path + "." + VirtualHostsSection.LIMITED_HOST.key();
                problems.add(Problem.of(settings.place(VirtualHostsSection.LIMITED_HOST), key,
                        key + " is '" + name.get() + "', which does not exist: " + hint));
            }
            Optional<Long> bytes = settings.find(VirtualHostsSection.HOST_MAX_SIZE_BYTES);
            Optional<Long> messages = settings.find(VirtualHostsSection.HOST_MAX_MESSAGES);
            boolean counts = settings.has(VirtualHostsSection.HOST_MAX_CONNECTIONS)
                    || settings.has(VirtualHostsSection.HOST_MAX_QUEUES)
                    || settings.has(VirtualHostsSection.HOST_MAX_MESSAGE_SIZE);
            if (bytes.isEmpty() && messages.isEmpty()) {
                if (!counts) {
                    problems.add(Problem.of(settings.place(), path,
                            path + " has no limit: expected max-size-bytes, max-messages, max-connections, max-queues or"
                                    + " max-message-size"));
                }
                continue;
            }
            limits.putIfAbsent(name.get(), AddressLimits.ofVirtualHost(
                    bytes.orElse(AddressLimits.NONE), messages.orElse(AddressLimits.NONE)));
        }
        return limits;
    }

    /** How many connections and queues virtual hosts may have, and how large messages may be; of those only of which something is said. */
    static Map<String, HostLimits> hostLimits(List<Settings> list) {
        Map<String, HostLimits> limits = new LinkedHashMap<>();
        for (Settings settings : list) {
            settings.find(VirtualHostsSection.LIMITED_HOST).ifPresent(name -> limits.put(name, new HostLimits(
                    settings.find(VirtualHostsSection.HOST_MAX_CONNECTIONS).orElse(Quota.UNLIMITED),
                    settings.find(VirtualHostsSection.HOST_MAX_QUEUES).orElse(Quota.UNLIMITED),
                    settings.find(VirtualHostsSection.HOST_MAX_MESSAGE_SIZE).orElse(Quota.UNLIMITED))));
        }
        return limits;
    }

    static String path(SectionList list, int index) {
        return list.key() + "[" + index + "]";
    }
}
