package io.sluicemq.broker.routing;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** 0-9-1 §3.1.3.4 */
class HeadersRoutingTest {

    private final TableBuilder to = new TableBuilder();

    private void binding(String queue, Map<String, Object> arguments) {
        to.queues(queue).bind("amq.headers", queue, arguments);
    }

    private void assertMatches(Map<String, Object> headers, String... queues) {
        assertThat(to.route("amq.headers", headers)).as("%s", headers).containsExactlyInAnyOrder(queues);
    }

    @Test
    void shouldMatchAllOrAnyWithoutRegardForTheArgumentsOfTheExchange() {
        to.exchange(new ExchangeSpec(
                "e", ExchangeType.HEADERS, false, false, false, null, Arguments.of(Map.of("a", 9, "x-match", "any"))));
        to.queues("q", "r", "s");
        to.bind("e", "q", Map.of("x-match", "all", "a", 1, "b", 2));
        to.bind("e", "r", Map.of("x-match", "any", "a", 1, "b", 2));
        to.bind("e", "s", Map.of("x-match", "all"));
        assertThat(to.route("e", Map.of("a", 1))).containsExactlyInAnyOrder("r", "s");
        assertThat(to.route("e", Map.of("a", 1, "b", 2))).containsExactlyInAnyOrder("q", "r", "s");
        assertThat(to.route("e", Map.of("a", 1, "b", 3))).containsExactlyInAnyOrder("r", "s");
        assertThat(to.route("e", Map.of())).containsExactly("s");
    }

    @Test
    void shouldMatchAllWhenNothingIsSaid() {
        binding("q", Map.of("a", 1, "b", 2));
        binding("none", Map.of());
        assertMatches(Map.of("a", 1, "b", 2, "c", 3), "q", "none");
        assertMatches(Map.of("a", 1), "none");
    }

    @Test
    void shouldMatchNothingByAnyOfNoCriteria() {
        binding("any", Map.of("x-match", "any"));
        binding("any-x", Map.of("x-match", "any-with-x"));
        binding("ignored", Map.of("x-match", "any", "x-a", 1));
        binding("all-x", Map.of("x-match", "all-with-x"));
        assertMatches(Map.of("x-a", 1, "b", 2), "all-x");
        assertMatches(Map.of(), "all-x");
    }

    @Test
    void shouldCountHeadersStartingWithXOnlyWhenTold() {
        binding("all", Map.of("x-match", "all", "x-a", 1, "b", 2));
        binding("any", Map.of("x-match", "any", "x-a", 1, "b", 2));
        binding("all-x", Map.of("x-match", "all-with-x", "x-a", 1, "b", 2));
        binding("any-x", Map.of("x-match", "any-with-x", "x-a", 1, "b", 2));
        binding("by default", Map.of("x-a", 1, "b", 2));
        assertMatches(Map.of("b", 2), "all", "any", "any-x", "by default");
        assertMatches(Map.of("x-a", 1), "any-x");
        assertMatches(Map.of("x-a", 1, "b", 2), "all", "any", "all-x", "any-x", "by default");
    }

    @Test
    void shouldNeverCountXMatchItself() {
        binding("q", Map.of("x-match", "any-with-x", "a", 1));
        assertMatches(Map.of("x-match", "any-with-x"));
    }

    @Test
    void shouldAskOnlyForPresenceWhereThereIsNoValue() {
        Map<String, Object> voidA = new HashMap<>();
        voidA.put("a", null);
        binding("present", voidA);
        Map<String, Object> anyOf = new HashMap<>(Map.of("x-match", "any", "b", 2));
        anyOf.put("a", null);
        binding("any", anyOf);
        assertMatches(Map.of("a", "whatever"), "present", "any");
        assertMatches(Collections.singletonMap("a", null), "present", "any");
        assertMatches(Map.of("b", 2), "any");
        assertMatches(Map.of("c", 2));
    }

    @Test
    void shouldNotTakeAHeaderWithoutValueForOneWithAValue() {
        binding("q", Map.of("a", 1));
        assertMatches(Collections.singletonMap("a", null));
    }

    @Test
    void shouldCompareByMeaning() {
        binding("int", Map.of("n", 5));
        binding("text", Map.of("n", "5"));
        binding("half", Map.of("n", 0.5f));
        binding("bytes", Map.of("n", new byte[] {1, 2}));
        binding("list", Map.of("n", List.of(1, "a", Map.of("k", 2))));
        binding("yes", Map.of("n", true));
        for (Object five : List.of((byte) 5, (short) 5, 5, 5L, BigInteger.valueOf(5), 5.0, 5.0f)) {
            assertMatches(Map.of("n", five), "int");
        }
        assertMatches(Map.of("n", "5"), "text");
        assertMatches(Map.of("n", new StringBuilder("5")), "text");
        assertMatches(Map.of("n", 0.5), "half");
        assertMatches(Map.of("n", new byte[] {1, 2}), "bytes");
        assertMatches(Map.of("n", List.of(1L, "a", Map.of("k", (short) 2))), "list");
        assertMatches(Map.of("n", List.of(1, "a")));
        assertMatches(Map.of("n", true), "yes");
        assertMatches(Map.of("n", 6));
    }

    @Test
    void shouldRefuseABindingWithAnUnknownMatch() {
        to.queues("q");
        for (Object match : List.of("ALL", "some", 1, true)) {
            assertThat(to.table()
                    .bind(Binding.toQueue("amq.headers", "q", "", Arguments.of(Map.of("x-match", match)))))
                    .isEqualTo(new Outcome.Refused<>(new Refusal.InvalidArgument(
                            "x-match", match, "all, any, all-with-x or any-with-x")));
        }
        assertThat(to.table()
                .bind(Binding.toQueue(
                        "amq.headers", "q", "", Arguments.of(Collections.singletonMap("x-match", null)))))
                .isInstanceOf(Outcome.Refused.class);
        // Elsewhere it is an argument like any other.
        to.bind("amq.direct", "q", Map.of("x-match", "some"));
    }

    @Test
    void shouldTellBindingsApartByKeyThoughItPlaysNoPartInMatching() {
        Arguments criteria = Arguments.of(Map.of("a", 1));
        to.queues("q");
        to.bind(Binding.toQueue("amq.headers", "q", "k1", criteria));
        to.bind(Binding.toQueue("amq.headers", "q", "k2", criteria));
        assertMatches(Map.of("a", 1), "q");
        to.unbind(Binding.toQueue("amq.headers", "q", "k1", criteria));
        assertMatches(Map.of("a", 1), "q");
        to.unbind(Binding.toQueue("amq.headers", "q", "k2", criteria));
        assertMatches(Map.of("a", 1));
    }

    @Test
    void shouldLeadToExchangesToo() {
        to.queues("q").bind("amq.fanout", "q", "");
        to.bind(Binding.toExchange("amq.headers", "amq.fanout", "", Arguments.of(Map.of("a", 1))));
        to.bind(Binding.toExchange("amq.match", "amq.fanout", "", Arguments.NONE));
        assertMatches(Map.of("a", 1), "q");
        assertMatches(Map.of("a", 2));
        assertThat(to.route("amq.match", Map.of())).containsExactly("q");
    }

    @Test
    void shouldAskForHeadersOnlyAtAHeadersExchange() {
        to.queues("q").bind("amq.direct", "q", "k").bind("amq.fanout", "q", "k").bind("amq.topic", "q", "k");
        HeaderSource forbidden = () -> {
            throw new AssertionError("headers were asked for");
        };
        for (String exchange : List.of("", "amq.direct", "amq.fanout", "amq.topic")) {
            TableBuilder.route(to.table(), exchange, "k", forbidden);
        }
        assertThat(to.route("amq.direct", "k")).containsExactly("q");
    }
}
