package io.sluicemq.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class ModuleTableTest {

    @Test
    void shouldReadModulesAndLibraries() {
        ModuleTable table = table("| a | io.sluicemq.a | |", "| b/c | io.sluicemq.b.c | a, org.lib, picocli |");

        Module a = new Module("a", "io.sluicemq.a", List.of(), List.of());
        Module c = new Module("b/c", "io.sluicemq.b.c", List.of("a"), List.of("org.lib", "picocli"));
        assertThat(table.modules()).containsExactly(a, c);
        assertThat(table.allows(c, "io.sluicemq.a.deeper")).isTrue();
        assertThat(table.allows(c, "io.sluicemq.ab")).isFalse();
        assertThat(table.allows(c, "org.lib.inner")).isTrue();
        assertThat(table.allows(c, "org.library")).isFalse();
        assertThat(table.allows(c, "io.sluicemq.b.c.inner")).isTrue();
        assertThat(table.allows(a, "io.sluicemq.b.c")).isFalse();
    }

    @Test
    void shouldRefuseATableThatIsNotUnderstood() {
        assertRefused("has no rows");
        assertRefused("three cells", "| a | io.sluicemq.a |");
        assertRefused("folder and package differ", "| a | io.sluicemq.b | |");
        assertRefused("two rows", "| a | io.sluicemq.a | |", "| a | io.sluicemq.a | |");
        assertRefused("rows above it, not b", "| a | io.sluicemq.a | b |", "| b | io.sluicemq.b | |");
        assertRefused("rows above it, not a", "| a | io.sluicemq.a | a |");
        assertRefused("rows above it, not x/y", "| a | io.sluicemq.a | x/y |");
        assertThatThrownBy(() -> ModuleTable.parse("text")).hasMessageContaining("no table between");
    }

    private static void assertRefused(String reason, String... rows) {
        assertThatThrownBy(() -> table(rows))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason);
    }

    private static ModuleTable table(String... rows) {
        return ModuleTable.parse(ModuleTable.BEGIN + "\n| module | package | may import |\n| --- | --- | --- |\n"
                + String.join("\n", rows) + "\n" + ModuleTable.END);
    }
}
