package io.sluicemq.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.api.ConsumerSink.Cut;
import io.sluicemq.base.option.Problem;
import io.sluicemq.base.option.Settings;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.broker.flow.ConsumerRule;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is configured about slow consumers, and what of that can't be meant. */
class ConsumerRuleReaderTest {

    private static AddressSettings read(String yaml) throws ConfigException {
        List<Problem> problems = new ArrayList<>();
        Settings settings = YamlReader.read(yaml, "f", ServerOptions.ROOT, problems);
        return ServerConfig.of(settings, problems).addressSettings();
    }

    @Test
    void shouldReadRulesOfQueuesAndTopics() throws ConfigException {
        AddressSettings settings = read("""
                address-settings:
                  - match: "#"
                    consumer: {rate: 10, policy: {name: notify}}
                  - match: "orders.#"
                    consumer:
                      depth: 4235264
                      message-age: 10m
                      message-count: 50
                      check-period: 500ms
                      policy: {name: DELETE, delete-persistent: true, cut: consumer}
                topics:
                  - key: "stocks.us.*"
                    consumer: {message-count: 5, policy: {name: cycle}}
                """);

        assertThat(settings.consumerRuleOf("orders.eu", List.of("stocks.us.ibm"))).isEqualTo(new ConsumerRule(
                4_235_264, 50, 600_000, ConsumerRule.NONE, TimeUnit.MILLISECONDS.toNanos(500), ConsumerPolicy.DELETE,
                true, Cut.CONSUMER));
        assertThat(settings.consumerRuleOf("other", List.of())).isEqualTo(new ConsumerRule(
                ConsumerRule.NONE, ConsumerRule.NONE, ConsumerRule.NONE, 10, ConsumerRule.DEFAULT_PERIOD_NANOS,
                ConsumerPolicy.NOTIFY, false, Cut.CHANNEL));
    }

    @Test
    void shouldAskTopicsWhereNothingIsSaidOfTheQueue() throws ConfigException {
        AddressSettings settings = read("""
                address-settings:
                  - {match: own, consumer: {rate: 1, policy: {name: notify}}}
                topics:
                  - {key: "stocks.us.*", consumer: {message-count: 5, policy: {name: delete}}}
                  - {key: "stocks.#", consumer: {message-count: 7, policy: {name: delete}}}
                """);

        assertThat(settings.consumerRuleOf("own", List.of("stocks.us.*")).policy()).isEqualTo(ConsumerPolicy.NOTIFY);
        assertThat(settings.consumerRuleOf("q", List.of("stocks.us.*")).maxMessages()).isEqualTo(5);
        assertThat(settings.consumerRuleOf("q", List.of("stocks.#")).maxMessages()).isEqualTo(7);
        assertThat(settings.consumerRuleOf("q", List.of("news"))).isNull();
    }

    @Test
    void shouldLetRingsAndPagesCycleAndBlocksFlow() throws ConfigException {
        assertThat(read("""
                address-settings:
                  - {match: r, max-messages: 9, address-full-policy: ring,
                     consumer: {message-count: 5, policy: {name: cycle}}}
                  - {match: p, max-messages: 9,
                     consumer: {message-count: 5, policy: {name: cycle}}}
                  - {match: b, max-messages: 9, address-full-policy: block,
                     consumer: {message-count: 5, policy: {name: flow}}}
                """).rules()).hasSize(3);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "{policy: {name: delete}}; f:3:3: address-settings[0].consumer has no threshold",
        "{message-count: 1}; f:3:3: address-settings[0].consumer has no 'policy'",
        "{message-count: 1, policy: {}}; f:3:32: address-settings[0].consumer.policy has no 'name'",
        "{message-count: 1, policy: {name: drop}};"
                + " f:3:47: address-settings[0].consumer.policy.name is 'drop': expected one of delete, cycle, flow, notify",
        "{message-count: 0, policy: {name: delete}}; f:3:29: address-settings[0].consumer.message-count is '0'",
        "{rate: 5, policy: {name: cycle}}; f:3:38: address-settings[0].consumer.policy.name is 'cycle', but there is no size",
        "{message-age: 1m, policy: {name: cycle}}; f:3:46: address-settings[0].consumer.policy.name is 'cycle', but",
        "{depth: 1k, policy: {name: flow, cut: consumer}};"
                + " f:3:51: address-settings[0].consumer.policy.cut has no effect with 'flow'",
        "{depth: 1k, policy: {name: notify, delete-persistent: true}};"
                + " f:3:67: address-settings[0].consumer.policy.delete-persistent has no effect with 'notify'",
        "{depth: 1k, check-period: 10ms, policy: {name: notify}}; f:3:39: address-settings[0].consumer.check-period is",
    })
    void shouldRefuseWhatCanNotBeMeant(String consumer, String problem) {
        assertThatThrownBy(() -> read("address-settings:\n- match: q\n  consumer: " + consumer))
                .isInstanceOf(ConfigException.class)
                .satisfies(refused -> assertThat(((ConfigException) refused).problems())
                        .singleElement()
                        .asString()
                        .startsWith(problem));
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "block; cycle; expected address-full-policy ring, or page without page-limit-bytes, or no limit",
        "fail; cycle; expected address-full-policy ring, or page without page-limit-bytes, or no limit",
        "drop; flow; expected address-full-policy block or page, or no limit",
        "ring; flow; expected address-full-policy block or page, or no limit",
    })
    void shouldRefuseAPolicyThatDoesNotGoWithThatOfAFullAddress(String full, String policy, String expected) {
        String limits = "address-settings:\n- {match: 'q.*', max-messages: 9, address-full-policy: " + full + "}\n";
        assertThatThrownBy(() -> read(limits
                + "- match: q.a\n  consumer: {message-count: 5, policy: {name: " + policy + "}}\n"))
                .hasMessageContaining("4:47: address-settings[1].consumer.policy.name can't be: '" + policy + "'")
                .hasMessageContaining(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "- key: a.b; f:2:3: topics[0] has no 'consumer'",
        "- consumer: {rate: 1, policy: {name: notify}}; f:2:3: topics[0] has no 'key'",
        "- {key: 'a*', consumer: {rate: 1, policy: {name: notify}}}; f:2:9: topics[0].key 'a*' has a wildcard inside",
    })
    void shouldRefuseTopicsThatSayNothing(String topics, String problem) {
        assertThatThrownBy(() -> read("topics:\n" + topics)).satisfies(refused -> assertThat(
                ((ConfigException) refused).problems()).singleElement().asString().startsWith(problem));
    }

    @Test
    void shouldRefuseATopicThatAnotherHasDecidedAbout() {
        assertThatThrownBy(() -> read("""
                topics:
                - {key: "a.#", consumer: {rate: 1, policy: {name: notify}}}
                - {key: "a.*", consumer: {rate: 2, policy: {name: notify}}}
                """)).hasMessageContaining("3:9: topics[1].key 'a.*' has no effect behind 'a.#'");
    }

    @Test
    void shouldRefuseATopicThatDoesNotGoWithWhatHoldsForAllAddresses() {
        assertThatThrownBy(() -> read("""
                address-settings: [{match: "#", max-messages: 9, address-full-policy: block}]
                topics:
                - {key: "a.#", consumer: {message-count: 1, policy: {name: cycle}}}
                """)).hasMessageContaining("3:60: topics[0].consumer.policy.name can't be: 'cycle'");
    }
}
