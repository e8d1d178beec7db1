package io.sluicemq.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.base.option.Place;
import io.sluicemq.base.option.Problem;
import io.sluicemq.base.option.Settings;
import io.sluicemq.server.config.AddressesSection;
import io.sluicemq.server.config.LimitsSection;
import io.sluicemq.server.config.ListenersSection;
import io.sluicemq.server.config.ServerOptions;
import io.sluicemq.server.config.UsersSection;
import io.sluicemq.server.config.YamlReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OverridesTest {

    private final List<Problem> problems = new ArrayList<>();
    private Settings settings = new Settings(ServerOptions.ROOT, Place.of("nothing"));

    @Test
    void shouldSetSingleKeys() {
        commandLine("loops=3", "limits.heartbeat=30s", "listeners[a.b].port=0", "virtual-hosts=/, other");

        assertThat(problems).isEmpty();
        assertThat(settings.get(ServerOptions.LOOPS)).isEqualTo(3);
        assertThat(settings.section(LimitsSection.LIMITS).get(LimitsSection.HEARTBEAT)).hasSeconds(30);
        assertThat(settings.sections(ListenersSection.LISTENERS).get("a.b").get(ListenersSection.LISTENER_PORT))
                .isZero();
        assertThat(settings.get(ServerOptions.VIRTUAL_HOSTS)).containsExactly("/", "other");
    }

    @Test
    void shouldChangeTheElementOfAListThatIsMeantAndAddOneThatIsNotThere() {
        read("address-settings: [{match: orders.#, max-messages: 5, low-water: 50%}]");

        commandLine("address-settings[orders.#].max-messages=6", "address-settings[a=b].max-messages=7");

        assertThat(problems).isEmpty();
        List<Settings> rules = settings.list(AddressesSection.ADDRESS_SETTINGS);
        assertThat(rules).extracting(rule -> rule.get(AddressesSection.MATCH)).containsExactly("orders.#", "a=b");
        assertThat(rules).extracting(rule -> rule.get(AddressesSection.MAX_MESSAGES)).containsExactly(6L, 7L);
        assertThat(rules.getFirst().get(AddressesSection.LOW_WATER)).isEqualTo(50);
    }

    @Test
    void shouldReadSectionsAndListsAsYaml() {
        read("users: [{name: old, password: old}]\nlimits: {channel-max: 5}");

        environment("SLUICEMQ__USERS", "[{name: ann, password: \"a#b\"}, {name: bob, password: c}]");
        commandLine("limits={frame-max: 8KiB}");

        assertThat(problems).isEmpty();
        assertThat(settings.list(UsersSection.USERS)).extracting(user -> user.get(UsersSection.USER_PASSWORD))
                .containsExactly("a#b", "c");
        Settings limits = settings.section(LimitsSection.LIMITS);
        assertThat(limits.get(LimitsSection.CHANNEL_MAX)).isEqualTo(5);
        assertThat(limits.get(LimitsSection.FRAME_MAX)).isEqualTo(8 << 10);
    }

    @Test
    void shouldFindListenersByTheNamesOfVariables() {
        read("listeners: {Outside.TLS: {port: 1}}");

        environment("SLUICEMQ__LISTENERS__OUTSIDE_TLS__PORT", "2");
        environment("SLUICEMQ__LISTENERS__NEW_ONE__PORT", "3");

        assertThat(problems).isEmpty();
        assertThat(settings.sections(ListenersSection.LISTENERS)).containsOnlyKeys("Outside.TLS", "new-one");
        assertThat(settings.sections(ListenersSection.LISTENERS).get("Outside.TLS").get(ListenersSection.LISTENER_PORT))
                .isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            limits.heartbeat | expected KEY=VALUE, such as limits.heartbeat=30s
            limits.heartbeet=1s | unknown key 'heartbeet' in limits: did you mean 'heartbeat'?
            limits.heartbeat=fast | limits.heartbeat is 'fast': expected a duration in whole seconds such as 60s or 5m, from 0s to 65535s
            limits.heartbeat.x=1 | limits.heartbeat is a single value: there is nothing below it
            listeners.amqp=1 | listeners.amqp is a section: expected one of its keys behind it, host, port, tls
            users.ann.loopback-only=true | users is a list: expected an element of it in brackets, users[name].KEY
            users[ann].password=x | users[ann].password is secret, and every user of the machine can see a command line: it may stand in the file, or in an environment variable
            users=[] | users is secret, and every user of the machine can see a command line: it may stand in the file, or in an environment variable
            limits..heartbeat=1s | 'limits..heartbeat' is no key: expected a key such as limits.heartbeat or address-settings[orders.#].max-messages
            limits.=1s | 'limits.' is no key: expected a key that does not end with a dot
            [a]=1s | '[a]' is no key: expected a key such as limits.heartbeat or address-settings[orders.#].max-messages
            limits={ | this is not YAML: expected the node content, but found '<stream end>'
            """)
    void shouldTellWhatIsWrong(String assignment, String problem) {
        commandLine(assignment);

        assertThat(problems).singleElement().satisfies(each -> {
            assertThat(each.message()).isEqualTo(problem);
            assertThat(each.place().source()).isEqualTo("--set");
        });
    }

    @Test
    void shouldNameTheVariableThatIsWrong() {
        environment("SLUICEMQ__LIMITS__HEARTBEET", "1s");

        assertThat(problems).singleElement().asString()
                .isEqualTo("SLUICEMQ__LIMITS__HEARTBEET: unknown key 'heartbeet' in limits: did you mean 'heartbeat'?");
    }

    @Test
    void shouldLeaveOtherVariablesAlone() {
        environment("SLUICEMQ_PORT_5672_TCP_ADDR", "10.0.0.1");

        assertThat(problems).isEmpty();
    }

    private void read(String yaml) {
        settings = YamlReader.read(yaml, "file", ServerOptions.ROOT, problems);
        assertThat(problems).isEmpty();
    }

    private void commandLine(String... assignments) {
        Overrides.commandLine("--set", List.of(assignments)).apply(settings, problems);
    }

    private void environment(String name, String value) {
        Overrides.environment(Map.of(name, value)).apply(settings, problems);
    }
}
