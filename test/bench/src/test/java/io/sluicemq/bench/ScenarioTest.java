package io.sluicemq.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.cli.BenchCommand;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ScenarioTest {

    @ParameterizedTest
    @EnumSource
    void shouldHaveOptionsThatTheLoadToolKnows(Scenario scenario) {
        var parsed = BenchCommand.commandLine().parseArgs(scenario.options().toArray(String[]::new));

        assertThat(parsed.matchedOptions()).isNotEmpty();
        assertThat(Scenario.of(scenario.label())).isEqualTo(scenario);
    }

    @Test
    void shouldNameTheScenariosWhereOneIsNotKnown() {
        assertThatThrownBy(() -> Scenario.of("fast"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no scenario 'fast': there are transient-1x1, topic-20, confirm-500, 10q, paced");
    }
}
