package io.sluicemq.broker.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.ConsumerSink.Cut;
import io.sluicemq.broker.flow.TopicRules.TopicRule;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which bindings a key covers. */
class TopicRulesTest {

    private static ConsumerRule rule(long messages) {
        return new ConsumerRule(
                -1, messages, -1, -1, ConsumerRule.DEFAULT_PERIOD_NANOS, ConsumerPolicy.NOTIFY, false, Cut.CHANNEL);
    }

    @ParameterizedTest
    @CsvSource({
        "stocks.us.*, stocks.us.ibm, true", "stocks.us.*, stocks.us.*, true", "stocks.us.*, stocks.us.#, false",
        "stocks.us.*, stocks.#, false", "stocks.#, stocks, true", "stocks.#, stocks.us.*, true", "#, '', true",
        "*, '', false", "#, #.a.*, true", "*.#, #.*, true", "*.#, #.a, true", "#.*, *.#, true", "a.*.c, a.b.c, true",
        "a.*.c, a.#.c, false", "#.b.#, a.b, true", "#.b.#, #, false", "*.*, a.b.c, false", "a..*, a..b, true"
    })
    void shouldCoverAKeyIfItMatchesAllThatThatMatches(String pattern, String key, boolean covers) {
        assertThat(TopicRules.covers(pattern, key)).isEqualTo(covers);
    }

    @Test
    void shouldTakeTheFirstThatCoversOneOfTheKeys() {
        TopicRules rules = new TopicRules(
                List.of(new TopicRule("a.b", rule(1)), new TopicRule("a.*", rule(2)), new TopicRule("#", rule(3))));
        assertThat(rules.of(List.of("a.b")).maxMessages()).isEqualTo(1);
        assertThat(rules.of(List.of("a.c")).maxMessages()).isEqualTo(2);
        assertThat(rules.of(List.of("x", "a.c")).maxMessages()).isEqualTo(2);
        assertThat(rules.of(List.of("a.#")).maxMessages()).isEqualTo(3);
        assertThat(rules.of(List.of())).isNull();
    }

    @Test
    void shouldNotTakeLongForKeysThatAreMadeToTakeLong() {
        String pattern = "#.a" + ".*".repeat(40);
        String key = "#.a".repeat(40).replace("a#", "a.#");
        assertThat(TopicRules.covers(pattern, key)).isFalse();
    }

    @Property
    void shouldAgreeWithTryingAllTopics(@ForAll("patterns") String pattern, @ForAll("patterns") String key) {
        boolean all = topics().stream().filter(topic -> matches(key, topic)).allMatch(topic -> matches(pattern, topic));
        assertThat(TopicRules.covers(pattern, key)).isEqualTo(all);
    }

    @Provide
    Arbitrary<String> patterns() {
        return Arbitraries.of("a", "b", "*", "#").list().ofMaxSize(3).map(words -> String.join(".", words));
    }

    /** All of up to five words, of which one is in no pattern: enough to tell patterns of three apart. */
    private static List<String> topics() {
        List<String> all = new ArrayList<>(List.of(""));
        List<String> longest = List.of("");
        for (int length = 1; length <= 5; length++) {
            List<String> longer = new ArrayList<>();
            for (String each : longest) {
                for (String word : List.of("a", "b", "c")) {
                    longer.add(each.isEmpty() ? word : each + "." + word);
                }
            }
            all.addAll(longer);
            longest = longer;
        }
        return all;
    }

    private static boolean matches(String pattern, String topic) {
        String expression = "\\.";
        for (String word : pattern.isEmpty() ? new String[0] : pattern.split("\\.")) {
            expression += switch (word) {
                case "*" -> "[^.]+\\.";
                case "#" -> "([^.]+\\.)*";
                default -> word + "\\.";
            };
        }
        return ("." + topic + (topic.isEmpty() ? "" : ".")).matches(expression);
    }
}
