package io.sluicemq.selector;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** What the parser makes of a text does what the text means: against an evaluator that works on what the text was made from. */
class SelectorProperties {

    /** What a text was made from: the text and the plainest way to its value. A null value is SQL's NULL. */
    record Meaning(String text, Evaluation evaluation) {

        interface Evaluation {
            Object of(Map<String, Object> properties);
        }
    }

    @Property(tries = 3000, edgeCases = EdgeCasesMode.NONE)
    void shouldMeanWhatIsWritten(
            @ForAll("conditions") Meaning condition, @ForAll("properties") Map<String, Object> properties)
            throws InvalidSelector {
        boolean expected = Boolean.TRUE.equals(condition.evaluation.of(properties));
        assertThat(Selectors.parse(condition.text).matches(Properties.message(properties)))
                .as("%s for %s", condition.text, properties)
                .isEqualTo(expected);
    }

    @Property(tries = 2000)
    void shouldRefuseOrEvaluateWhateverIsWritten(
            @ForAll("words") List<String> words, @ForAll("properties") Map<String, Object> properties) {
        String text = String.join(" ", words);
        try {
            var filter = Selectors.parse(text);
            if (filter != null) {
                filter.matches(Properties.message(properties));
            }
        } catch (InvalidSelector refused) {
            assertThat(refused.position()).isBetween(0, text.length());
        }
    }

    @Property(tries = 2000)
    void shouldMatchPatternsAsARegularExpressionDoes(@ForAll("patterns") String pattern, @ForAll("texts") String text)
            throws InvalidSelector {
        String regex = "(?s)" + pattern.replace("_", ".").replace("%", ".*");
        assertThat(Selectors.parse("s LIKE '" + pattern + "'").matches(Properties.message(Map.of("s", text))))
                .isEqualTo(text.matches(regex));
    }

    @Provide
    Arbitrary<String> patterns() {
        return Arbitraries.strings().withChars("ab_%").ofMaxLength(8);
    }

    @Provide
    Arbitrary<String> texts() {
        return Arbitraries.strings().withChars("ab").ofMaxLength(10);
    }

    @Provide
    Arbitrary<List<String>> words() {
        return Arbitraries.of(
                "NOT", "AND", "OR", "(", ")", "a", "b", "'x'", "1", "-", "+", "*", "/", "=", "<", "<>", "IN", "LIKE",
                "IS",
                "NULL", "BETWEEN", "ESCAPE", "TRUE", ",", "0x", "1e", "'", "\u0000", "\uD83D", "!", "''''").list()
                .ofMaxSize(12);
    }

    @Provide
    Arbitrary<Map<String, Object>> properties() {
        Arbitrary<Object> values = Arbitraries.of(
                "x", "y", "x%", "", true, false, 0, 1, -1, 2L, (byte) 3, (short) 4, 0.0, 1.0, 1.5f, 2.5, Double.NaN,
                Long.MAX_VALUE, List.of());
        return Arbitraries.maps(Arbitraries.of("a", "b", "c"), values).ofMaxSize(3).map(HashMap::new);
    }

    @Provide
    Arbitrary<Meaning> conditions() {
        return conditions(3);
    }

    private static Arbitrary<Meaning> conditions(int depth) {
        Arbitrary<Meaning> tests = Arbitraries.oneOf(
                Combinators.combine(values(2), Arbitraries.of("=", "<>"), values(2)).as(SelectorProperties::compared),
                Combinators.combine(numbers(2), Arbitraries.of("<", "<=", ">", ">="), numbers(2))
                        .as(SelectorProperties::compared),
                Combinators.combine(numbers(1), Arbitraries.of(false, true), numbers(1), numbers(1))
                        .as(SelectorProperties::between),
                Combinators.combine(names(), Arbitraries.of(false, true),
                        Arbitraries.of("x", "y", "").list().ofMinSize(1)
                                .ofMaxSize(3))
                        .as(SelectorProperties::in),
                Combinators.combine(names(), Arbitraries.of(false, true)).as(
                        (name, not) -> new Meaning(
                                name + (not ? " IS NOT NULL" : " is null"), p -> (p.get(name) == null) != not)),
                names().map(name -> new Meaning(name, p -> p.get(name) instanceof Boolean b ? b : null)));
        if (depth == 0) {
            return tests;
        }
        Arbitrary<Meaning> inner = Arbitraries.lazy(() -> conditions(depth - 1));
        return Arbitraries.oneOf(
                tests,
                inner.map(c -> new Meaning("NOT (" + c.text + ")", p -> not(truth(c.evaluation.of(p))))),
                Combinators.combine(tests, inner).as(
                        (left, right) -> new Meaning(
                                "NOT " + left.text + " AND (" + right.text + ")",
                                p -> and(not(truth(left.evaluation.of(p))), truth(right.evaluation.of(p))))),
                Combinators.combine(tests, tests, inner).as(
                        (one, two, three) -> new Meaning(
                                one.text + " OR " + two.text + " AND (" + three.text + ")",
                                p -> not(
                                        and(
                                                not(truth(one.evaluation.of(p))),
                                                not(and(truth(two.evaluation.of(p)),
                                                        truth(three.evaluation.of(p)))))))),
                Combinators.combine(inner, inner).as(
                        (left, right) -> new Meaning(
                                "(" + left.text + ") OR (" + right.text + ")",
                                p -> not(and(not(truth(left.evaluation.of(p))), not(truth(right.evaluation.of(p))))))));
    }

    private static Boolean truth(Object value) {
        return value instanceof Boolean b ? b : null;
    }

    private static Boolean not(Boolean value) {
        return value == null ? null : !value;
    }

    private static Boolean and(Boolean left, Boolean right) {
        if (Boolean.FALSE.equals(left) || Boolean.FALSE.equals(right)) {
            return false;
        }
        return left == null || right == null ? null : true;
    }

    // ---- values

    private static Arbitrary<String> names() {
        return Arbitraries.of("a", "b", "c");
    }

    private static Arbitrary<Meaning> values(int depth) {
        return Arbitraries.oneOf(
                numbers(depth),
                Arbitraries.of("x", "y", "it's").map(s -> new Meaning("'" + s.replace("'", "''") + "'", _ -> s)),
                Arbitraries.of(true, false).map(b -> new Meaning(b.toString(), _ -> b)));
    }

    private static Arbitrary<Meaning> numbers(int depth) {
        Arbitrary<Meaning> simple = Arbitraries.oneOf(
                names().map(name -> new Meaning(name, p -> p.get(name))),
                Arbitraries.of(0L, 1L, 2L, 3L, 17L, Long.MAX_VALUE).flatMap(
                        n -> Arbitraries
                                .of(n.toString(), n + "L", "0x" + Long.toHexString(n), "0" + Long.toOctalString(n))
                                .map(text -> new Meaning(text, _ -> n))),
                Arbitraries.of("0.0", "1.", ".5", "1.5f", "1e3", "2.5D").map(
                        text -> new Meaning(text, _ -> Double.parseDouble(text))));
        if (depth == 0) {
            return simple;
        }
        Arbitrary<Meaning> inner = Arbitraries.lazy(() -> numbers(depth - 1));
        return Arbitraries.oneOf(
                simple,
                inner.map(
                        n -> new Meaning(
                                "- (" + n.text + ")", p -> computed(number(n.evaluation.of(p)), '*', -1L))),
                Combinators.combine(inner, Arbitraries.of('+', '-', '*', '/'), inner).as(
                        (left, operator, right) -> new Meaning(
                                "(" + left.text + ") " + operator + " (" + right.text + ")",
                                p -> computed(number(left.evaluation.of(p)), operator,
                                        number(right.evaluation.of(p))))),
                Combinators.combine(simple, simple, simple).as(
                        (one, two, three) -> new Meaning(
                                one.text + " - " + two.text + " * " + three.text,
                                p -> computed(
                                        number(one.evaluation.of(p)), '-',
                                        computed(number(two.evaluation.of(p)), '*', number(three.evaluation.of(p)))))));
    }

    private static Object number(Object value) {
        return value instanceof Number ? value : null;
    }

    private static Object computed(Object left, char operator, Object right) {
        if (left == null || right == null) {
            return null;
        }
        if (isInteger(left) && isInteger(right)) {
            long a = ((Number) left).longValue();
            long b = ((Number) right).longValue();
            return switch (operator) {
                case '+' -> a + b;
                case '-' -> a - b;
                case '*' -> a * b;
                default -> b == 0 ? null : (Long) (a / b);
            };
        }
        double a = ((Number) left).doubleValue();
        double b = ((Number) right).doubleValue();
        return switch (operator) {
            case '+' -> a + b;
            case '-' -> a - b;
            case '*' -> a * b;
            default -> a / b;
        };
    }

    private static boolean isInteger(Object value) {
        return !(value instanceof Double || value instanceof Float);
    }

    private static Boolean compare(Object left, String operator, Object right) {
        if (left == null || right == null) {
            return null;
        }
        if (left instanceof Number a && right instanceof Number b) {
            if (isInteger(a) && isInteger(b)) {
                int order = Long.compare(a.longValue(), b.longValue());
                return switch (operator) {
                    case "=" -> order == 0;
                    case "<>" -> order != 0;
                    case "<" -> order < 0;
                    case "<=" -> order <= 0;
                    case ">" -> order > 0;
                    default -> order >= 0;
                };
            }
            double x = a.doubleValue();
            double y = b.doubleValue();
            return switch (operator) {
                case "=" -> x == y;
                case "<>" -> x != y;
                case "<" -> x < y;
                case "<=" -> x <= y;
                case ">" -> x > y;
                default -> x >= y;
            };
        }
        if (left.getClass() != right.getClass() || !(left instanceof String || left instanceof Boolean)) {
            return false;
        }
        return switch (operator) {
            case "=" -> left.equals(right);
            case "<>" -> !left.equals(right);
            default -> false;
        };
    }

    private static Meaning compared(Meaning left, String operator, Meaning right) {
        return new Meaning(
                left.text + operator + right.text,
                p -> compare(left.evaluation.of(p), operator, right.evaluation.of(p)));
    }

    private static Meaning between(Meaning value, boolean negated, Meaning low, Meaning high) {
        return new Meaning(
                value.text + (negated ? " NOT" : "") + " BETWEEN " + low.text + " AND " + high.text,
                p -> {
                    Object v = value.evaluation.of(p);
                    Object from = low.evaluation.of(p);
                    Object to = high.evaluation.of(p);
                    return negated
                            ? not(and(not(compare(v, "<", from)), not(compare(v, ">", to))))
                            : and(compare(v, ">=", from), compare(v, "<=", to));
                });
    }

    private static Meaning in(String name, boolean negated, List<String> strings) {
        return new Meaning(
                name + (negated ? " NOT" : "") + " IN ('" + String.join("', '", strings) + "')",
                p -> {
                    Object value = p.get(name);
                    return value == null ? null : strings.contains(value) != negated;
                });
    }
}
