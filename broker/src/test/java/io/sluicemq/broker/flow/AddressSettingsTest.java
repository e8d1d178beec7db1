package io.sluicemq.broker.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.api.Undeliverable;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressSettingsTest {

    @Test
    void shouldLimitNothingByItself() {
        assertThat(AddressSettings.NONE.limitsOf("orders")).isEqualTo(AddressLimits.UNLIMITED);
        assertThat(settings("orders.*").limitsOf("orders")).isEqualTo(AddressLimits.UNLIMITED);
    }

    @ParameterizedTest
    @CsvSource({
        "#, orders.eu.paris, true",
        "#, '', true",
        "*, orders, true",
        "*, '', true",
        "*, orders.eu, false",
        "orders, orders, true",
        "orders, Orders, false",
        "orders, orders.eu, false",
        "orders.*, orders, false",
        "orders.*, orders.eu, true",
        "orders.*, orders.eu.paris, false",
        "orders.#, orders, true",
        "orders.#, orders.eu.paris, true",
        "orders.#, ordersx, false",
        "#.paris, paris, true",
        "#.paris, orders.eu.paris, true",
        "#.paris, paris.orders, false",
        "#.eu.#, eu, true",
        "#.eu.#, a.b.eu.c, true",
        "#.eu.#, a.b.c, false",
        "a.#.*.z, a.z, false",
        "a.#.*.z, a.b.z, true",
        "a.#.*.z, a.b.c.z, true",
        "a.*.c, a..c, true"
    })
    void shouldMatchWordsBetweenDots(String match, String address, boolean expected) {
        assertThat(settings(match).limitsOf(address).maxBytes() == 1).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "a.b, a.*, a.b",
        "a.b, a.#, a.b",
        "a.b, #, a.b",
        "a, a.#, a",
        "a.*, a.#, a.b",
        "a.*, *.b, a.b",
        "a.#, *.b, a.b",
        "a.*, a.*.#, a.b",
        "a.*.#, a.#, a.b",
        "*.b, *.*, a.b",
        "*, #, a",
        "*.#, #, a",
        "a.#.c, a.#, a.b.c",
        "#.c, #, a.c",
        "#.b.c, #.c, a.b.c"
    })
    void shouldPreferTheMoreSpecificPatternWhateverTheOrder(String specific, String general, String address) {
        assertThat(settings(specific, general).limitsOf(address).maxBytes()).isEqualTo(1);
        assertThat(settings(general, specific).limitsOf(address).maxBytes()).isEqualTo(2);
    }

    @Test
    void shouldPreferTheFirstOfEquallySpecificPatterns() {
        assertThat(settings("#.a.#", "#.b.#").limitsOf("b.a").maxBytes()).isEqualTo(1);
        assertThat(settings("#.b.#", "#.a.#").limitsOf("b.a").maxBytes()).isEqualTo(1);
    }

    @Test
    void shouldDecideKeyByKey() {
        AddressSettings settings = new AddressSettings(List.of(
                new AddressSettings.Rule("#", 100L, 10L, FullPolicy.BLOCK, 50, 1000L, 7L, true),
                new AddressSettings.Rule("a.#", null, 20L, null, null, null, null, null),
                new AddressSettings.Rule("a.b", AddressLimits.NONE, null, FullPolicy.RING, null, null, null, false)));

        assertThat(settings.limitsOf("x")).isEqualTo(
                new AddressLimits(100, 10, FullPolicy.BLOCK, 50, 1000, 7, true));
        assertThat(settings.limitsOf("a.x")).isEqualTo(
                new AddressLimits(100, 20, FullPolicy.BLOCK, 50, 1000, 7, true));
        assertThat(settings.limitsOf("a.b")).isEqualTo(
                new AddressLimits(AddressLimits.NONE, 20, FullPolicy.RING, 50, 1000, 7, false));
    }

    @Test
    void shouldSayWhatBecomesOfMessagesThatNobodyTakesKeyByKey() {
        AddressSettings settings = new AddressSettings(List.of(
                failed("#", 10, "DLQ", null),
                failed("a.#", null, "a.failed", "a.expired"),
                failed("a.b", Undeliverable.UNLIMITED, AddressSettings.NO_ADDRESS, null)));

        assertThat(settings.undeliverableOf("x")).isEqualTo(new Undeliverable(10, "DLQ", null));
        assertThat(settings.undeliverableOf("a.x")).isEqualTo(new Undeliverable(10, "a.failed", "a.expired"));
        assertThat(settings.undeliverableOf("a.b")).isEqualTo(new Undeliverable(0, null, "a.expired"));
        assertThat(AddressSettings.NONE.undeliverableOf("x")).isEqualTo(Undeliverable.DROPPED);
        assertThat(settings.limitsOf("a.b")).isEqualTo(AddressLimits.UNLIMITED);
    }

    private static AddressSettings.Rule failed(String match, Integer attempts, String letters, String expired) {
        return new AddressSettings.Rule(
                match, null, null, null, null, null, null, null, attempts, letters, expired);
    }

    @ParameterizedTest
    @CsvSource({
        "'', has an empty word",
        "a..b, has an empty word",
        ".a, has an empty word",
        "a., has an empty word",
        "a*, has a wildcard inside the word 'a*'",
        "a.#b, has a wildcard inside the word '#b'",
        "**, has a wildcard inside the word '**'",
        "a.#.#, has '#' twice in a row"
    })
    void shouldRefuseWhatIsNoPattern(String text, String why) {
        assertThatThrownBy(() -> settings(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("'" + text + "' " + why);
    }

    @Test
    void shouldRefuseTwoRulesForOnePattern() {
        assertThatThrownBy(() -> settings("a.*", "b", "a.*"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("there are two rules for 'a.*'");
    }

    @ParameterizedTest
    @CsvSource({
        "a, a, true",
        "a, b, false",
        "a, *, true",
        "a.b, *, false",
        "a.*, *.b, true",
        "a.#, #.b, true",
        "a.#.c, *.b, false",
        "a.#.c, *.*, true",
        "#.a, b.#, true",
        "#.a.*, #.b, true",
        "a.#, b.#, false"
    })
    void shouldKnowWhetherTwoPatternsHaveANameInCommon(String one, String two, boolean expected) {
        assertThat(AddressPattern.of(one).overlaps(AddressPattern.of(two))).isEqualTo(expected);
        assertThat(AddressPattern.of(two).overlaps(AddressPattern.of(one))).isEqualTo(expected);
    }

    /** The first has a limit of 1 byte, the second of 2, and so on. */
    private static AddressSettings settings(String... matches) {
        List<AddressSettings.Rule> rules = new ArrayList<>();
        for (String match : matches) {
            rules.add(new AddressSettings.Rule(match, rules.size() + 1L, null, null, null, null, null, null));
        }
        return new AddressSettings(rules);
    }
}
