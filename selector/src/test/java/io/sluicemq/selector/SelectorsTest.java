package io.sluicemq.selector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluicemq.api.Message;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The selector language, clause by clause of Jakarta Messaging §3.8.1. */
class SelectorsTest {

    private static final Message MESSAGE = Properties.message(properties());

    private static Map<String, Object> properties() {
        Map<String, Object> properties = new HashMap<>();
        properties.put("s", "abc");
        properties.put("quote", "it's");
        properties.put("underscore", "a_b");
        properties.put("backslash", "a\\b");
        properties.put("lines", "a\nb");
        properties.put("face", "x\uD83D\uDE00y");
        properties.put("empty", "");
        properties.put("yes", true);
        properties.put("no", false);
        properties.put("byte", (byte) 7);
        properties.put("short", (short) 7);
        properties.put("i", 7);
        properties.put("l", 7L);
        properties.put("large", Long.MAX_VALUE);
        properties.put("least", Long.MIN_VALUE);
        properties.put("f", 1.1f);
        properties.put("d", 1.5);
        properties.put("nan", Double.NaN);
        properties.put("other", Map.of());
        properties.put("$_x1", "dollar");
        properties.put("größe", 3);
        properties.put("JMSPriority", 4);
        properties.put("JMSXGroupID", "g");
        properties.put("JMS_AMQP_TTL", 5L);
        properties.put("And1", 1);
        return properties;
    }

    private static boolean matches(String text) throws InvalidSelector {
        return Selectors.parse(text).matches(MESSAGE);
    }

    private static InvalidSelector refused(String text) {
        InvalidSelector refused = catchThrowableOfType(InvalidSelector.class, () -> Selectors.parse(text));
        assertThat(refused).as("what is said of %s", text).isNotNull();
        return refused;
    }

    /** §3.8.1: null and the empty string are no selector. */
    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " ", "\t\n "})
    void shouldTakeABlankTextForNoSelector(String text) throws InvalidSelector {
        assertThat(Selectors.parse(text)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        // literals, §3.8.1.1
        "quote = 'it''s'", "empty = ''", "i = 7", "i = 7L", "i = 7l", "i = 0x7", "i = 0X07L", "i = 07", "i = 007L",
        "i = 7.0", "i = 7.", "d = 1.5", "d = 1.5d", "d = 15e-1", "d = .15E+1", "d = 1.5f", "f = 1.1f", "f <> 1.1",
        "i = 7f", "i = 7D", "i = 70e-1d", "i = 07.0", "large = 9223372036854775807", "least = -9223372036854775808",
        "least = - 9223372036854775808", "0xFFFFFFFF = 4294967295", "0xFFFFFFFFFFFFFFFF = -1", "0 = -0", "08.0 = 8e0",
        "TRUE", "not false", "TrUe", "1 = 1", "'a' = 'a'",
        // identifiers
        "$_x1 = 'dollar'", "größe = 3", "JMSPriority = 4", "JMSXGroupID = 'g'", "JMS_AMQP_TTL = 5", "And1 = 1",
        "S IS NULL", "jmspriority IS NULL", "yes", "yes = TRUE", "no <> yes", "(yes)", "yes AND(i=7)AND d=1.5",
        // NULL
        "absent IS NULL", "s IS NOT NULL", "empty is not null", "other IS NOT NULL",
        "absent = 1 OR TRUE", "(absent = 1 OR FALSE) = TRUE OR i = 7", "NOT (absent = 1 AND FALSE)",
        // comparison
        "i < 8", "i <= 7", "i > 6", "i >= 7", "i <> 8", "byte = short", "i = l", "d < i", "d > f", "i>6.5",
        "nan <> nan", "s = 'abc'", "s <> 'ABC'", "(i = 7) = (d = 1.5)", "(i = 7) <> (d = 1)",
        "NOT (s = 1)", "NOT (s <> 1)", "NOT (yes = 'true')", "NOT (other = other)", "NOT (s > i)", "'1' <> '2'",
        // logic and its precedence
        "TRUE OR FALSE AND FALSE", "NOT FALSE AND TRUE", "NOT FALSE OR FALSE", "NOT i = 8", "NOT NOT i = 7",
        "NOT s LIKE 'x%' AND i = 7", "NOT (s LIKE 'x%')", "s NOT LIKE 'x%'", "NOT s LIKE 'x%' OR FALSE",
        "i = 7 OR absent > 1", "absent > 1 OR i = 7",
        // arithmetic and its precedence
        "1 + 2 * 3 = i", "(1 + 2) * 3 = 9", "i - 3 - 2 = 2", "i / 2 = 3", "i / 2.0 = 3.5", "8 / 2 / 2 = 2", "-i = -7",
        "- -i = 7", "--i = 7", "-(i) + +i = 0", "+i = 7", "2 * -3 = -6", "i + d = 8.5", "1 - -1 = 2", "i*i=49",
        "large + 1 = least", "1 / 2 * 2.0 = 0.0", "i-7=0", "i -7=0", "1e1-7=3", "0x1e-2 = 28", "-1.5 = -d",
        "i / 0.0 > 1e300", "d / 0 > 1e300", "0.0 / 0 <> 0", "least / -1 = least",
        // BETWEEN
        "i BETWEEN 7 AND 7", "i BETWEEN 1 AND 10 AND s = 'abc'", "i NOT BETWEEN 8 AND 10", "i NOT BETWEEN 8 AND 1",
        "i + 1 BETWEEN i AND i + 2", "NOT i BETWEEN 8 AND 9", "d BETWEEN 1 AND 2", "NOT (s BETWEEN 1 AND 2)",
        "NOT (s NOT BETWEEN 1 AND 2)", "NOT (i BETWEEN 8 AND absent)", "i NOT BETWEEN absent AND 6",
        "i NOT BETWEEN 8 AND absent",
        // IN
        "s IN ('x', 'abc')", "s IN ('abc')", "s NOT IN ('x', 'y')", "s in('abc','abc')", "i NOT IN ('7')",
        "NOT s IN ('x')", "quote IN ('it''s')",
        // LIKE
        "s LIKE 'abc'", "s LIKE 'a%'", "s LIKE '%c'", "s LIKE '%'", "s LIKE 'a_c'", "s LIKE '___'", "s LIKE '%b%'",
        "s LIKE '%%a%%c%%'", "s NOT LIKE 'ab'", "s NOT LIKE '____'", "s NOT LIKE 'a.c'", "s NOT LIKE 'ABC'",
        "empty LIKE ''", "empty LIKE '%'", "empty NOT LIKE '_'", "underscore LIKE 'a\\_b' ESCAPE '\\'",
        "s NOT LIKE 'a\\_c' ESCAPE '\\'", "underscore LIKE 'a!_b' escape '!'", "backslash LIKE 'a\\\\b' ESCAPE '\\'",
        "backslash LIKE 'a\\b'", "lines LIKE 'a_b'", "lines LIKE '%b'", "face LIKE 'x_y'", "face NOT LIKE 'x__y'",
        "s LIKE 'xaxbxc' ESCAPE 'x'", "quote LIKE '%''s'", "i NOT LIKE '7'"
    })
    void shouldMatch(String text) throws InvalidSelector {
        assertThat(matches(text)).as(text).isTrue();
    }

    /** Neither a condition that is false nor one that is unknown matches; what is unknown doesn't when it is negated either. */
    @ParameterizedTest
    @ValueSource(strings = {
        "absent", "absent = 1", "absent <> 1", "absent = absent", "absent < 1", "absent IN ('a')",
        "absent NOT IN ('a')",
        "absent LIKE '%'", "absent NOT LIKE '%'", "absent BETWEEN 1 AND 2", "absent NOT BETWEEN 1 AND 2",
        "absent = 1 AND TRUE", "absent = 1 OR FALSE", "absent + 1 = 1", "-absent = 1", "s + 1 = 1", "-s = 1", "s", "i",
        "other", "i / 0 = 1", "i / 0 <> 1", "7 / (i - 7) = 0", "0 / 0 = 0", "1 + 1 / 0 = 1", "absent / 0 = 1",
        "i BETWEEN 1 AND absent", "i BETWEEN absent AND 10", "i NOT BETWEEN 1 AND absent", "yes + 1 = 2",
        "(absent = 1) = (absent = 1)"
    })
    void shouldNotMatchWhatIsUnknown(String text) throws InvalidSelector {
        assertThat(matches(text)).as(text).isFalse();
        assertThat(matches("NOT (" + text + ")")).as("not " + text).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "FALSE", "i = 8", "s = 'ABC'", "i = '7'", "i <> '7'", "yes = 1", "yes <> 1", "s <> 7", "s > i", "yes > no",
        "s >= s",
        "other = other", "other <> other", "nan = nan", "nan >= nan", "s LIKE 'b'", "s LIKE 'abcd'", "s LIKE 'ab'",
        "i LIKE '7'",
        "s NOT LIKE 'abc'", "NOT s LIKE 'a%' AND i = 7", "NOT (s LIKE 'a%')", "s NOT LIKE 'a%'", "s IS NULL",
        "absent IS NOT NULL", "i BETWEEN 8 AND 6", "s NOT BETWEEN 1 AND 2", "i IN ('7')", "NOT TRUE OR FALSE",
        "absent = 1 AND FALSE"
    })
    void shouldNotMatchWhatIsFalse(String text) throws InvalidSelector {
        assertThat(matches(text)).as(text).isFalse();
        assertThat(matches("NOT (" + text + ")")).as("not " + text).isTrue();
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '`', delimiter = '|', value = {
        "`i =`                            | 3  | expected a property or a value, but found the end",
        "`= 1`                            | 0  | found =",
        "`i = 1 2`                        | 6  | expected an operator or the end, but found 2",
        "`i = 1)`                         | 5  | found )",
        "`(i = 1`                         | 6  | expected ), but found the end",
        "`i 1`                            | 2  | found 1",
        "`s = 'abc`                       | 4  | has no end",
        "`s = '''`                        | 4  | has no end",
        "`s = \"abc\"`                    | 4  | quoted like 'this'",
        "`s != 'abc'`                     | 2  | written <>",
        "`s # 1`                          | 2  | the character #",
        "`i == 1`                         | 3  | found =",
        "`i = 1 = 1`                      | 6  | found =",
        "`i = NULL`                       | 4  | write IS NULL",
        "`i IS 1`                         | 5  | NULL or NOT NULL",
        "`i NOT = 1`                      | 6  | BETWEEN, IN or LIKE",
        "`i NOT IS NULL`                  | 6  | BETWEEN, IN or LIKE",
        "`1 IS NULL`                      | 0  | ask about a property",
        "`'a' LIKE 'a'`                   | 0  | ask about a property",
        "`i + 1 IN ('a')`                 | 0  | ask about a property",
        "`s IN ()`                        | 6  | a string in quotes",
        "`s IN ('a',)`                    | 10 | a string in quotes",
        "`s IN (1)`                       | 6  | a string in quotes",
        "`s IN 'a'`                       | 5  | expected (",
        "`s LIKE x`                       | 7  | a string in quotes",
        "`s LIKE 'a%' ESCAPE 'xy'`        | 19 | one character",
        "`s LIKE 'a%' ESCAPE ''`          | 19 | one character",
        "`s LIKE 'a%' ESCAPE '%'`         | 19 | can't be the escape",
        "`s LIKE 'a%' ESCAPE '_'`         | 19 | can't be the escape",
        "`s LIKE 'a!' ESCAPE '!'`         | 7  | ends with its escape",
        "`s BETWEEN 'a' AND 'b'`          | 10 | only numbers have an order",
        "`i BETWEEN 1`                    | 11 | expected AND",
        "`s > 'a'`                        | 4  | only numbers have an order, and this is a string",
        "`yes > TRUE`                     | 6  | this is a condition",
        "`1`                              | 0  | expected a condition, but this is a number",
        "`'a'`                            | 0  | this is a string",
        "`i + 1`                          | 0  | this is a number",
        "`i AND 1`                        | 6  | expected a condition",
        "`NOT 'a'`                        | 4  | expected a condition",
        "`'a' + 1 = 2`                    | 0  | expected a number, but this is a string",
        "`i * TRUE = 2`                   | 4  | this is a condition",
        "`-'a' = 2`                       | 1  | this is a string",
        "`i = 08`                         | 4  | 08 is not a number",
        "`i = 1x`                         | 4  | 1x is not a number",
        "`i = 0x`                         | 4  | 0x is not a number",
        "`i = 1_000`                      | 4  | is not a number",
        "`i = 1.5L`                       | 4  | is not a number",
        "`i = 1e`                         | 4  | is not a number",
        "`i = 1.2.3`                      | 4  | is not a number",
        "`i = 9223372036854775808`        | 4  | does not fit into 64 bits",
        "`i = 0x10000000000000000`        | 4  | does not fit into 64 bits",
        "`i = 1e999`                      | 4  | too large",
        "`i = 1e39f`                      | 4  | too large",
        "`JMSReplyTo = 'a'`               | 0  | not among the header fields",
        "`JMSDestination = 'a'`           | 0  | not among the header fields",
        "`or = 1`                         | 0  | found OR",
        "`a.b = 1`                        | 1  | has no meaning here"
    })
    void shouldSayWhatIsWrongAndWhere(String text, int position, String message) {
        InvalidSelector refused = refused(text);
        assertThat(refused).hasMessageContaining(message).hasMessageContaining("at character " + (position + 1));
        assertThat(refused.position()).isEqualTo(position);
    }

    @Test
    void shouldRefuseWhatIsTooLongOrTooDeep() throws InvalidSelector {
        int many = 100_000;
        assertThat(refused("i = 1 OR " + " ".repeat(64 * 1024))).hasMessageContaining("more than 16384");
        assertThat(refused("(".repeat(many))).hasMessageContaining("more than 16384");
        int most = Selectors.MAX_LENGTH - 100;
        assertThat(refused("(".repeat(most))).hasMessageContaining("more than 100 deep");
        assertThat(refused("NOT ".repeat(most / 4))).hasMessageContaining("more than 100 deep");
        assertThat(refused("i = " + "-".repeat(most) + "1")).hasMessageContaining("more than 100 deep");
        assertThat(refused("(NOT-".repeat(most / 5))).hasMessageContaining("more than 100 deep");
        assertThat(matches("(".repeat(100) + "yes" + ")".repeat(100))).isTrue();
        assertThat(matches("NOT ".repeat(100) + "yes")).isTrue();
    }

    /** On the stack of a thread that has little of it. */
    @Test
    void shouldEvaluateLongRowsWithoutADeepStack() throws Exception {
        Boolean[] results = new Boolean[3];
        Thread thread = new Thread(null, () -> {
            try {
                results[0] = matches("no OR ".repeat(2500) + "yes");
                results[1] = matches("yes AND ".repeat(2000) + "no");
                results[2] = matches("1+".repeat(8000) + "1 = 8001");
            } catch (InvalidSelector e) {
                throw new AssertionError(e);
            }
        }, "small stack", 128 * 1024);
        thread.start();
        thread.join();
        assertThat(results).containsExactly(true, false, true);
    }

    /** A pattern that a regular expression would try in more ways than there is time for. */
    @Test
    void shouldMatchPatternsOfManyWildcardsInTime() throws InvalidSelector {
        Message message = Properties.message(Map.of("s", "a".repeat(20_000)));
        assertThat(Selectors.parse("s LIKE '" + "%a".repeat(1000) + "b'").matches(message)).isFalse();
        assertThat(Selectors.parse("s LIKE '" + "%a".repeat(1000) + "'").matches(message)).isTrue();
    }

    @Test
    void shouldBeToldApartByItsText() throws InvalidSelector {
        assertThat(Selectors.parse("i = 1")).isEqualTo(Selectors.parse("i = 1")).isNotEqualTo(Selectors.parse("i = 2"));
        assertThat(Selectors.parse(" i = 1").text()).isEqualTo(" i = 1");
    }
}
