package io.sluicemq.broker.routing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Collections;
import org.junit.jupiter.api.Test;

/** 0-9-1 §3.1.3.3 */
class TopicRoutingTest {

    private final TableBuilder to = new TableBuilder();

    private void patterns(String... patterns) {
        for (String pattern : patterns) {
            to.queues(pattern).bind("amq.topic", pattern, pattern);
        }
    }

    private void assertMatches(String key, String... patterns) {
        assertThat(to.route("amq.topic", key)).as("'%s'", key).containsExactlyInAnyOrder(patterns);
    }

    @Test
    void shouldLetHashStandForNoWords() {
        patterns("a.#", "#", "#.b", "a.#.b");
        assertMatches("a", "a.#", "#");
        assertMatches("b", "#", "#.b");
        assertMatches("a.b", "a.#", "#", "#.b", "a.#.b");
        assertMatches("", "#");
        assertMatches("a.x.y.b", "a.#", "#", "#.b", "a.#.b");
    }

    @Test
    void shouldLetStarStandForExactlyOneWord() {
        patterns("*", "a.*", "*.b", "a.*.c", "*.*");
        assertMatches("a", "*");
        assertMatches("a.b", "a.*", "*.b", "*.*");
        assertMatches("a.b.c", "a.*.c");
        assertMatches("");
    }

    @Test
    void shouldCountEmptyWords() {
        patterns("", ".", "a..b", "a.*.b", "*.*", "a.", "*");
        assertMatches("", "");
        assertMatches(".", ".", "*.*");
        assertMatches("a..b", "a..b", "a.*.b");
        assertMatches("a.", "a.", "*.*");
        assertMatches("a", "*");
        assertMatches("..");
    }

    @Test
    void shouldTakeWildcardsForTextUnlessTheyAreWholeWords() {
        patterns("a*", "#b", "**", "##");
        assertMatches("a*", "a*");
        assertMatches("ax");
        assertMatches("#b", "#b");
        assertMatches("**", "**");
        assertMatches("##", "##");
    }

    @Test
    void shouldTakeWildcardsInAPublishedKeyForWords() {
        patterns("a.b", "a.*", "a.#");
        assertMatches("a.*", "a.*", "a.#");
        assertMatches("a.#", "a.*", "a.#");
    }

    @Test
    void shouldTellPatternsApartThatMatchTheSame() {
        to.queues("q").bind("amq.topic", "q", "a.#.#").bind("amq.topic", "q", "a.#");
        assertMatches("a.b", "q");
        assertThat(to.table().exchange("amq.topic").bindingCount()).isEqualTo(2);
        to.unbind(Binding.toQueue("amq.topic", "q", "a.#"));
        assertMatches("a.b", "q");
        to.unbind(Binding.toQueue("amq.topic", "q", "a.#.#"));
        assertMatches("a.b");
    }

    @Test
    void shouldKeepOtherPatternsWhenOneGoes() {
        patterns("a", "a.b", "a.b.c", "a.*.c", "a.#.c", "a.b.d");
        to.removeQueue("a.b.c");
        assertMatches("a.b.c", "a.*.c", "a.#.c");
        to.removeQueue("a.b");
        assertMatches("a.b");
        assertMatches("a.b.d", "a.b.d");
        to.removeQueue("a.#.c");
        assertMatches("a.b.c", "a.*.c");
    }

    @Test
    void shouldFindWordsAmongFewAndAmongMany() {
        int words = 3 * TopicNode.FEW;
        for (int i = 0; i < words; i++) {
            patterns("w." + i);
            for (int j = 0; j <= i; j++) {
                assertMatches("w." + j, "w." + j);
            }
            assertMatches("w.none");
        }
        for (int i = 0; i < words; i++) {
            to.removeQueue("w." + i);
            assertMatches("w." + i);
            for (int j = i + 1; j < words; j++) {
                assertMatches("w." + j, "w." + j);
            }
        }
    }

    @Test
    void shouldNotBlowUpOnManyHashes() {
        // A matcher that tries each way to share out the words over the wildcards would not end.
        to.queues("q").bind("amq.topic", "q", String.join(".", Collections.nCopies(60, "#.x")) + ".end");
        to.queues("r").bind("amq.topic", "r", String.join(".", Collections.nCopies(125, "#")) + ".end");
        to.queues("s").bind("amq.topic", "s", String.join(".", Collections.nCopies(60, "#.*")) + ".end");
        String[] words = new String[127];
        Arrays.fill(words, "x");
        String key = String.join(".", words);
        RouteSet<TestQueue> out = new RouteSet<>();
        to.table().route(to.table().exchange("amq.topic"), key, HeaderSource.NONE, out);
        assertThat(out.isEmpty()).isTrue();
        // 127 words by at most 240 nodes, each looked at as one to leave and one to come to.
        assertThat(out.topicWalk().steps()).isLessThan(127 * 240 * 2);
        assertMatches(key + ".end", "q", "r", "s");
    }

    @Test
    void shouldAddTheTargetsOfAHashOnceHoweverOftenItIsReached() {
        int queues = 1_000;
        for (int i = 0; i < queues; i++) {
            to.queues("q" + i).bind("amq.topic", "q" + i, "#.x.#");
        }
        RouteSet<TestQueue> out = new RouteSet<>();
        to.table().route(to.table().exchange("amq.topic"), "x" + ".x".repeat(100), HeaderSource.NONE, out);
        assertThat(out.size()).isEqualTo(queues);
        assertThat(out.topicWalk().steps()).isLessThan(queues + 10 * 101);
    }

    @Test
    void shouldTakeKeysLongerThanTheSpecificationAllows() {
        // Other protocols have longer topics.
        String longKey = "w.".repeat(20_000) + "end";
        patterns(longKey, "w.#.end");
        assertMatches(longKey, longKey, "w.#.end");
        to.removeQueue(longKey);
        assertMatches(longKey, "w.#.end");
    }
}
