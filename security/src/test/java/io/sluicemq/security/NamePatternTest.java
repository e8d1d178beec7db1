package io.sluicemq.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import io.sluicemq.api.Permission;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NamePatternTest {

    @ParameterizedTest
    @CsvSource({
        "orders, orders, true",
        "orders, orders.new, false",
        "orders.*, orders.new, true",
        "orders.*, orders, false",
        "orders.*, orders.new.eu, false",
        "orders.#, orders, true",
        "orders.#, orders.new.eu, true",
        "orders.#, orders2, false",
        "#.eu, eu, true",
        "#.eu, a.b.eu, true",
        "#.eu, a.eu.b, false",
        "#.a.#.b, x.a.b, true",
        "#.a.#.b, x.a.y.b.z, false",
        "#, anything at all, true",
        "*, one, true",
        "*, two.words, false",
        "amq.*, amq.gen-x7, true"
    })
    void shouldMatchNamesAsAWhole(String pattern, String name, boolean matches) {
        assertThat(NamePattern.of(pattern).matches(name)).isEqualTo(matches);
        assertThat(Pattern.compile(NamePattern.of(pattern).regex()).matcher(name).find()).isEqualTo(matches);
    }

    /** RabbitMQ finds its expressions anywhere in a name, unless they are anchored. */
    @ParameterizedTest
    @CsvSource({
        "regex:orders, my-orders-1, true",
        "regex:^orders, my-orders, false",
        "regex:^orders-.*$, orders-1, true",
        "regex:^$, x, false",
        "regex:.*, anything, true",
        "'regex:^(a|b)', b1, true",
        "regex:^amq\\., amq.topic, true"
    })
    void shouldFindRegularExpressionsSomewhereInAName(String pattern, String name, boolean matches) {
        assertThat(NamePattern.of(pattern).matches(name)).isEqualTo(matches);
    }

    @Test
    void shouldTakeNoLongerForExpressionsThatMakeOthersBacktrack() {
        NamePattern evil = NamePattern.of("regex:^(a+)+(a+)+(a+)+$");
        NamePattern words = NamePattern.of(String.join(".", Collections.nCopies(100, "#.a")));
        assertTimeout(Duration.ofSeconds(5), () -> {
            assertThat(evil.matches("a".repeat(250) + "b")).isFalse();
            assertThat(words.matches("a.".repeat(120) + "b")).isFalse();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a..b", ".a", "orders-*", "a.#.#", "regex:(", "regex:(?=a)b", "regex:(a)\\1"})
    void shouldRefuseWhatIsNoPattern(String text) {
        assertThatThrownBy(() -> NamePattern.of(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "stocks.#, stocks.us.*, true",
        "stocks.#, stocks.#, true",
        "stocks.#, #, false",
        "stocks.*, stocks.*, true",
        "stocks.*, stocks.#, false",
        "*.us, #.us, false",
        "stocks.us, stocks.*, false",
        "#, #, true",
        "regex:.*, #, true",
        "regex:^stocks, stocks.us, false"
    })
    void shouldTellWhetherAKeyMatchesNoOtherNames(String pattern, String key, boolean covers) {
        assertThat(NamePattern.of(pattern).matchesAllOf(key)).isEqualTo(covers);
    }

    @Provide
    Arbitrary<String> texts() {
        return Arbitraries.of("a", "b", "*", "#").list().ofMinSize(1).ofMaxSize(5)
                .map(words -> String.join(".", words)).filter(text -> !text.contains("#.#"));
    }

    @Provide
    Arbitrary<String> names() {
        return Arbitraries.of("a", "b", "c").list().ofMinSize(1).ofMaxSize(6).map(words -> String.join(".", words));
    }

    /** What a key that is covered matches, the pattern does. */
    @Property
    void shouldCoverOnlyWhatItMatches(
            @ForAll("texts") String pattern, @ForAll("texts") String key, @ForAll("names") String name) {
        NamePattern covering = NamePattern.of(pattern);
        if (covering.matchesAllOf(key) && NamePattern.of(key).matches(name)) {
            assertThat(covering.matches(name)).isTrue();
        }
    }

    @Property
    void shouldBeTheSameAsItsRegularExpression(@ForAll("texts") String pattern, @ForAll("names") String name) {
        NamePattern words = NamePattern.of(pattern);
        assertThat(NamePattern.of(NamePattern.REGEX + words.regex()).matches(name)).isEqualTo(words.matches(name));
    }

    @Test
    void shouldGrantByAnyOfThePatterns() {
        Grant grant = Grant.of(List.of(), List.of("orders.#", "regex:^x-"), List.of("#"));
        assertThat(grant.allow(Permission.CONFIGURE, "orders")).isFalse();
        assertThat(grant.allow(Permission.WRITE, "orders.1")).isTrue();
        assertThat(grant.allow(Permission.WRITE, "x-1")).isTrue();
        assertThat(grant.allow(Permission.WRITE, "y")).isFalse();
        assertThat(grant.allowAllOf(Permission.READ, "#")).isTrue();
        assertThat(grant.allowAllOf(Permission.WRITE, "#")).isFalse();
    }
}
