package io.sluicemq.selector;

import io.sluicemq.selector.Comparison.Operator;
import io.sluicemq.selector.Expression.Type;
import io.sluicemq.selector.Token.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Makes an expression of a selector's text, by recursive descent with one word of look-ahead:
 *
 * <pre>
 *   selector   := or
 *   or         := and (OR and)*
 *   and        := not (AND not)*
 *   not        := NOT not | test
 *   test       := sum [ ("=" | "&lt;&gt;" | "&lt;" | "&lt;=" | "&gt;" | "&gt;=") sum
 *                     | [NOT] BETWEEN sum AND sum
 *                     | [NOT] IN "(" string ("," string)* ")"
 *                     | [NOT] LIKE string [ESCAPE string]
 *                     | IS [NOT] NULL ]
 *   sum        := product (("+" | "-") product)*
 *   product    := signed (("*" | "/") signed)*
 *   signed     := ("+" | "-") signed | operand
 *   operand    := literal | identifier | "(" or ")"
 * </pre>
 *
 * So NOT binds more weakly than LIKE, and rows of the same operator make no deep tree. Used by one thread, once.
 */
final class SelectorParser {

    private static final Set<String> HEADER_FIELDS = Set.of(
            "JMSDeliveryMode", "JMSPriority", "JMSMessageID", "JMSTimestamp", "JMSCorrelationID", "JMSType");

    private final Tokens tokens;
    private Token token;
    private int depth;

    SelectorParser(String text) {
        this.tokens = new Tokens(text);
    }

    Expression parse() throws InvalidSelector {
        token = tokens.next();
        int begin = token.position();
        Expression selector = or();
        if (token.kind() != Kind.END) {
            throw unexpected("an operator or the end");
        }
        return condition(selector, begin);
    }

    // ---- conditions

    private Expression or() throws InvalidSelector {
        int begin = token.position();
        Expression first = and();
        if (!token.is(Kind.KEYWORD, "OR")) {
            return first;
        }
        List<Expression> conditions = new ArrayList<>(List.of(condition(first, begin)));
        while (takeKeyword("OR")) {
            int position = token.position();
            conditions.add(condition(and(), position));
        }
        return new AnyOf(conditions.toArray(Expression[]::new));
    }

    private Expression and() throws InvalidSelector {
        int begin = token.position();
        Expression first = not();
        if (!token.is(Kind.KEYWORD, "AND")) {
            return first;
        }
        List<Expression> conditions = new ArrayList<>(List.of(condition(first, begin)));
        while (takeKeyword("AND")) {
            int position = token.position();
            conditions.add(condition(not(), position));
        }
        return new AllOf(conditions.toArray(Expression[]::new));
    }

    private Expression not() throws InvalidSelector {
        if (!token.is(Kind.KEYWORD, "NOT")) {
            return test();
        }
        deeper();
        advance();
        int position = token.position();
        Expression negated = new Not(condition(not(), position));
        depth--;
        return negated;
    }

    private Expression test() throws InvalidSelector {
        int begin = token.position();
        Expression left = sum();
        Operator operator = operator();
        if (operator != null) {
            advance();
            int position = token.position();
            Expression right = sum();
            if (operator.orders()) {
                ordered(left, begin);
                ordered(right, position);
            }
            return new Comparison(left, operator, right);
        }
        boolean negated = takeKeyword("NOT");
        if (takeKeyword("BETWEEN")) {
            return between(ordered(left, begin), negated);
        }
        if (token.is(Kind.KEYWORD, "IN")) {
            return in(identifier(left, begin), negated);
        }
        if (token.is(Kind.KEYWORD, "LIKE")) {
            return like(identifier(left, begin), negated);
        }
        if (negated) {
            throw unexpected("BETWEEN, IN or LIKE");
        }
        if (token.is(Kind.KEYWORD, "IS")) {
            return isNull(identifier(left, begin));
        }
        return left;
    }

    private Operator operator() {
        if (token.kind() == Kind.SYMBOL) {
            for (Operator operator : Operator.values()) {
                if (operator.text.equals(token.text())) {
                    return operator;
                }
            }
        }
        return null;
    }

    private Expression between(Expression operand, boolean negated) throws InvalidSelector {
        int position = token.position();
        Expression low = ordered(sum(), position);
        if (!takeKeyword("AND")) {
            throw unexpected("AND");
        }
        position = token.position();
        return new Between(operand, negated, low, ordered(sum(), position));
    }

    private Expression in(Identifier identifier, boolean negated) throws InvalidSelector {
        advance();
        takeSymbol("(");
        Set<String> strings = new HashSet<>();
        strings.add(takeString());
        while (token.is(Kind.SYMBOL, ",")) {
            advance();
            strings.add(takeString());
        }
        takeSymbol(")");
        return new In(identifier, negated, Set.copyOf(strings));
    }

    private Expression like(Identifier identifier, boolean negated) throws InvalidSelector {
        advance();
        int position = token.position();
        String text = takeString();
        int escape = takeKeyword("ESCAPE") ? takeEscape() : -1;
        LikePattern pattern = LikePattern.of(text, escape);
        if (pattern == null) {
            throw new InvalidSelector("the pattern ends with its escape character", position);
        }
        return new Like(identifier, negated, pattern);
    }

    private int takeEscape() throws InvalidSelector {
        int position = token.position();
        String escape = takeString();
        if (escape.codePointCount(0, escape.length()) != 1) {
            throw new InvalidSelector("ESCAPE takes a string of one character", position);
        }
        if (escape.equals("%") || escape.equals("_")) {
            throw new InvalidSelector("the wildcard " + escape + " can't be the escape character", position);
        }
        return escape.codePointAt(0);
    }

    private Expression isNull(Identifier identifier) throws InvalidSelector {
        advance();
        boolean negated = takeKeyword("NOT");
        if (!takeKeyword("NULL")) {
            throw unexpected(negated ? "NULL" : "NULL or NOT NULL");
        }
        return new IsNull(identifier, negated);
    }

    // ---- values

    private Expression sum() throws InvalidSelector {
        int begin = token.position();
        Expression first = product();
        if (!isSymbol('+', '-')) {
            return first;
        }
        List<Expression> operands = new ArrayList<>(List.of(number(first, begin)));
        StringBuilder operators = new StringBuilder();
        while (isSymbol('+', '-')) {
            operators.append(token.text());
            advance();
            int position = token.position();
            operands.add(number(product(), position));
        }
        return new Computation(operands.toArray(Expression[]::new), operators.toString().toCharArray());
    }

    private Expression product() throws InvalidSelector {
        int begin = token.position();
        Expression first = signed();
        if (!isSymbol('*', '/')) {
            return first;
        }
        List<Expression> operands = new ArrayList<>(List.of(number(first, begin)));
        StringBuilder operators = new StringBuilder();
        while (isSymbol('*', '/')) {
            operators.append(token.text());
            advance();
            int position = token.position();
            operands.add(number(signed(), position));
        }
        return new Computation(operands.toArray(Expression[]::new), operators.toString().toCharArray());
    }

    private Expression signed() throws InvalidSelector {
        if (!isSymbol('+', '-')) {
            return operand(false);
        }
        boolean minus = token.text().equals("-");
        deeper();
        advance();
        int position = token.position();
        Expression operand;
        if (minus && token.kind() == Kind.NUMBER) {
            operand = operand(true);
        } else {
            operand = number(signed(), position);
            operand = minus ? new Negation(operand) : operand;
        }
        depth--;
        return operand;
    }

    private Expression operand(boolean negated) throws InvalidSelector {
        Token first = token;
        switch (first.kind()) {
            case NUMBER -> {
                advance();
                return new Literal(NumberLiteral.of(first, negated));
            }
            case STRING -> {
                advance();
                return new Literal(first.text());
            }
            case IDENTIFIER -> {
                advance();
                return identifier(first);
            }
            case KEYWORD -> {
                if (takeKeyword("TRUE")) {
                    return new Literal(Boolean.TRUE);
                }
                if (takeKeyword("FALSE")) {
                    return new Literal(Boolean.FALSE);
                }
                if (first.text().equals("NULL")) {
                    throw new InvalidSelector("nothing compares with NULL: write IS NULL", first.position());
                }
                throw unexpected("a property or a value");
            }
            case SYMBOL -> {
                if (!first.text().equals("(")) {
                    throw unexpected("a property or a value");
                }
                deeper();
                advance();
                Expression inner = or();
                takeSymbol(")");
                depth--;
                return inner;
            }
            case END -> throw unexpected("a property or a value");
        }
        throw new AssertionError(first.kind());
    }

    /** §3.8.1.1: of the names that begin with JMS only six are header fields; JMSX and JMS_ begin properties. */
    private static Identifier identifier(Token token) throws InvalidSelector {
        String name = token.text();
        if (name.startsWith("JMS") && !name.startsWith("JMSX") && !name.startsWith("JMS_")
                && !HEADER_FIELDS.contains(name)) {
            throw new InvalidSelector(
                    token.words() + " is not among the header fields that a selector may name", token.position());
        }
        return new Identifier(name);
    }

    // ---- types

    private static Expression condition(Expression expression, int position) throws InvalidSelector {
        return expect(Type.BOOLEAN, expression, position);
    }

    private static Expression number(Expression expression, int position) throws InvalidSelector {
        return expect(Type.NUMBER, expression, position);
    }

    private static Expression expect(Type expected, Expression expression, int position) throws InvalidSelector {
        if (!expression.type().mayBe(expected)) {
            throw new InvalidSelector(
                    "expected " + expected.words + ", but this is " + expression.type().words, position);
        }
        return expression;
    }

    private static Expression ordered(Expression expression, int position) throws InvalidSelector {
        if (!expression.type().mayBe(Type.NUMBER)) {
            throw new InvalidSelector(
                    "only numbers have an order, and this is " + expression.type().words, position);
        }
        return expression;
    }

    private static Identifier identifier(Expression expression, int position) throws InvalidSelector {
        if (expression instanceof Identifier identifier) {
            return identifier;
        }
        throw new InvalidSelector("IN, LIKE and IS NULL ask about a property", position);
    }

    // ---- words

    private void advance() throws InvalidSelector {
        token = tokens.next();
    }

    private boolean isSymbol(char one, char other) {
        return token.kind() == Kind.SYMBOL && token.text().length() == 1
                && (token.text().charAt(0) == one || token.text().charAt(0) == other);
    }

    private boolean takeKeyword(String keyword) throws InvalidSelector {
        if (!token.is(Kind.KEYWORD, keyword)) {
            return false;
        }
        advance();
        return true;
    }

    private void takeSymbol(String symbol) throws InvalidSelector {
        if (!token.is(Kind.SYMBOL, symbol)) {
            throw unexpected(symbol);
        }
        advance();
    }

    private String takeString() throws InvalidSelector {
        if (token.kind() != Kind.STRING) {
            throw unexpected("a string in quotes");
        }
        String text = token.text();
        advance();
        return text;
    }

    private void deeper() throws InvalidSelector {
        if (++depth > Selectors.MAX_DEPTH) {
            throw new InvalidSelector("nested more than " + Selectors.MAX_DEPTH + " deep", token.position());
        }
    }

    private InvalidSelector unexpected(String expected) {
        return new InvalidSelector("expected " + expected + ", but found " + token.words(), token.position());
    }
}
