package io.sluicemq.management.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class NameFilterTest {

    @Test
    void shouldFindPartsInUpperAndLowerCase() {
        NameFilter filter = NameFilter.of("Der", false);
        assertThat(filter.test("orders")).isTrue();
        assertThat(filter.test("stocks")).isFalse();
        assertThat(NameFilter.of(null, true).test("anything")).isTrue();
        assertThat(NameFilter.of("a.c", false).test("abc")).isFalse();
    }

    @Test
    void shouldFindByAnExpression() {
        NameFilter filter = NameFilter.of("^o.*s$", true);
        assertThat(filter.test("orders")).isTrue();
        assertThat(filter.test("order")).isFalse();
        assertThatThrownBy(() -> NameFilter.of("(", true)).isInstanceOf(ApiError.class);
        assertThatThrownBy(() -> NameFilter.of("a".repeat(201), true)).isInstanceOf(ApiError.class);
    }

    @Test
    void shouldEndAnExpressionThatWouldNeverEnd() {
        // A reference backwards keeps the JVM from remembering what it has tried.
        assertThatThrownBy(() -> NameFilter.of("(a|aa|aaa)+(a+)+\\2!", true).test("a".repeat(200)))
                .isInstanceOf(ApiError.class)
                .hasMessage("the regular expression takes too much work");
        assertThatThrownBy(() -> NameFilter.of("(x|y|.)*!", true).test("xy".repeat(100_000)))
                .as("one that takes too much of the stack").isInstanceOf(ApiError.class);
    }
}
