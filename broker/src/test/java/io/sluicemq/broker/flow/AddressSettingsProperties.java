package io.sluicemq.broker.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The tree of patterns against a look at each pattern in turn, as the documentation describes it. */
class AddressSettingsProperties {

    @Property
    void shouldDecideAsALookAtEachPatternWould(
            @ForAll("rules") List<AddressSettings.Rule> rules, @ForAll("addresses") String address) {
        List<AddressSettings.Rule> matching = new ArrayList<>();
        for (AddressSettings.Rule rule : rules) {
            if (matches(words(rule.match()), words(address))) {
                matching.add(rule);
            }
        }
        matching.sort(mostSpecificFirst());
        long bytes = AddressLimits.NONE;
        long messages = AddressLimits.NONE;
        for (AddressSettings.Rule rule : matching.reversed()) {
            bytes = rule.maxBytes() == null ? bytes : rule.maxBytes();
            messages = rule.maxMessages() == null ? messages : rule.maxMessages();
        }

        AddressLimits limits = new AddressSettings(rules).limitsOf(address);

        assertThat(limits.maxBytes()).isEqualTo(bytes);
        assertThat(limits.maxMessages()).isEqualTo(messages);
    }

    @Property
    void shouldPreferAnExactName(@ForAll("rules") List<AddressSettings.Rule> rules, @ForAll("addresses") String name) {
        List<AddressSettings.Rule> all = new ArrayList<>(rules);
        all.removeIf(rule -> rule.match().equals(name));
        all.add(rule(name, 1_000L, null));

        assertThat(new AddressSettings(all).limitsOf(name).maxBytes()).isEqualTo(1_000);
    }

    @Property
    void shouldKnowOfEveryNameInCommon(
            @ForAll("patterns") String one, @ForAll("patterns") String two, @ForAll("addresses") String address) {
        if (matches(words(one), words(address)) && matches(words(two), words(address))) {
            assertThat(AddressPattern.of(one).overlaps(AddressPattern.of(two))).isTrue();
        }
    }

    private static boolean matches(List<String> pattern, List<String> address) {
        if (pattern.isEmpty()) {
            return address.isEmpty();
        }
        List<String> rest = pattern.subList(1, pattern.size());
        if (pattern.getFirst().equals("#")) {
            return matches(rest, address)
                    || !address.isEmpty() && matches(pattern, address.subList(1, address.size()));
        }
        boolean first = !address.isEmpty()
                && (pattern.getFirst().equals("*") || pattern.getFirst().equals(address.getFirst()));
        return first && matches(rest, address.subList(1, address.size()));
    }

    private static Comparator<AddressSettings.Rule> mostSpecificFirst() {
        return (one, two) -> {
            List<String> left = words(one.match());
            List<String> right = words(two.match());
            for (int i = 0; i <= Math.max(left.size(), right.size()); i++) {
                int difference = vagueness(left, i) - vagueness(right, i);
                if (difference != 0) {
                    return difference;
                }
            }
            return 0;
        };
    }

    private static int vagueness(List<String> words, int i) {
        if (i >= words.size()) {
            return 2;
        }
        return switch (words.get(i)) {
            case "*" -> 1;
            case "#" -> 3;
            default -> 0;
        };
    }

    private static List<String> words(String text) {
        return List.of(text.split("\\.", -1));
    }

    private static AddressSettings.Rule rule(String match, Long bytes, Long messages) {
        return new AddressSettings.Rule(match, bytes, messages, null, null, null, null, null);
    }

    @Provide
    Arbitrary<String> addresses() {
        return Arbitraries.of("a", "b", "c").list().ofMinSize(1).ofMaxSize(5).map(words -> String.join(".", words));
    }

    @Provide
    Arbitrary<String> patterns() {
        return Arbitraries.of("a", "b", "*", "#")
                .list()
                .ofMinSize(1)
                .ofMaxSize(5)
                .map(words -> String.join(".", words))
                .filter(text -> AddressPattern.mistakeIn(text).isEmpty());
    }

    @Provide
    Arbitrary<List<AddressSettings.Rule>> rules() {
        Arbitrary<Long> value = Arbitraries.longs().between(1, 100).injectNull(0.3);
        return Combinators.combine(patterns(), value, value)
                .as(AddressSettingsProperties::rule)
                .list()
                .ofMaxSize(12)
                .map(AddressSettingsProperties::withoutRepetitions);
    }

    private static List<AddressSettings.Rule> withoutRepetitions(List<AddressSettings.Rule> rules) {
        Set<String> seen = new HashSet<>();
        return rules.stream().filter(rule -> seen.add(rule.match())).toList();
    }
}
