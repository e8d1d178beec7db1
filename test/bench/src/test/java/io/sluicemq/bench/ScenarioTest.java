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

    @ParameterizedTest
    @EnumSource
    void shouldHaveDurableQueuesAndConfirmsWhereMessagesArePersistent(Scenario scenario) {
        assertThat(scenario.isPersistent()).isEqualTo(scenario.label().contains("persistent"));
        assertThat(scenario.options().contains("--durable")).isEqualTo(scenario.isPersistent());
        if (scenario.isPersistent()) {
            assertThat(scenario.options()).contains("--confirm");
        }
    }

    @Test
    void shouldNameTheScenariosWhereOneIsNotKnown() {
        assertThatThrownBy(() -> Scenario.of("fast"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "no scenario 'fast': there are transient-1x1, topic-20, confirm-500, 10q, paced, persistent-500,"
                                + " persistent-10q, persistent-paced, jms-500, jms-persistent-500");
    }
}
