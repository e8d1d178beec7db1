package io.sluicemq.protocol.amqp10.terminus;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Undeliverable;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.protocol.amqp10.terminus.Peer.Lab;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the queues are like that are made as they are named, or for subscriptions. */
class NewQueuesTest {

    private final Lab lab = new Lab(new AddressSettings(List.of(
            rule("#", 3, "DLQ", null),
            rule("orders.#", null, "orders.failed", "orders.expired"),
            rule("orders.plain", Undeliverable.UNLIMITED, AddressSettings.NO_ADDRESS, AddressSettings.NO_ADDRESS),
            rule("twice", null, "same", "same"),
            rule("stocks.*", 1, null, "stale"))));
    private final Peer peer = lab.connect(0, "c");

    private static AddressSettings.Rule rule(String match, Integer attempts, String letters, String expired) {
        return new AddressSettings.Rule(match, null, null, null, null, null, null, null, attempts, letters, expired);
    }

    @Test
    void shouldHaveWhatIsConfiguredForTheirNames() {
        peer.target("orders.eu").ok();

        assertThat(peer.arguments("orders.eu")).isEqualTo(Map.of(
                "x-max-priority", 9, "x-made-by-use", true, "x-delivery-limit", 2, "x-dead-letter-exchange", "",
                "x-dead-letter-routing-key", "orders.failed", "x-expiry-address", "orders.expired"));
    }

    @Test
    void shouldComeWithTheQueuesOfTheirLettersWhichHaveNoLettersOfTheirOwn() {
        peer.source("orders.eu").ok();
        peer.source("twice").ok();

        assertThat(List.of("orders.failed", "orders.expired", "same"))
                .allSatisfy(name -> assertThat(peer.arguments(name))
                        .isEqualTo(Map.of("x-max-priority", 9, "x-made-by-use", true)));
        assertThat(peer.queueExists("DLQ")).isFalse();
    }

    @Test
    void shouldTakeTheQueuesOfTheirLettersAsTheyAre() {
        peer.declareQueue("orders.failed");
        peer.target("orders.eu").ok();

        assertThat(peer.arguments("orders.failed")).isEmpty();
    }

    @Test
    void shouldLoseNothingWhereLettersArriveAlsoIfThatQueueIsMadeByBeingNamed() {
        peer.target("DLQ").ok();
        peer.target("orders.expired").ok();

        assertThat(peer.arguments("DLQ")).containsOnlyKeys("x-max-priority", "x-made-by-use");
        assertThat(peer.arguments("orders.expired")).containsOnlyKeys("x-max-priority", "x-made-by-use");
    }

    @Test
    void shouldHaveNothingThatAMoreSpecificPatternTakesBack() {
        peer.target("orders.plain").ok();

        assertThat(peer.arguments("orders.plain")).containsOnlyKeys("x-max-priority", "x-made-by-use");
    }

    @Test
    void shouldHaveWhatIsConfiguredForTheTopicThatTheySubscribeTo() {
        String durable = peer.source("name", Peer.durable("stocks.ibm")).ok().queue();
        String volatileOne = peer.source("link", Peer.volatileOne("stocks.ibm")).ok().queue();

        for (String queue : List.of(durable, volatileOne)) {
            assertThat(peer.arguments(queue)).containsAllEntriesOf(Map.of(
                    "x-topic", "stocks.ibm", "x-delivery-limit", 0, "x-dead-letter-routing-key", "DLQ",
                    "x-expiry-address", "stale"));
        }
        assertThat(peer.queueExists("DLQ")).isTrue();
        assertThat(peer.queueExists("stale")).isTrue();
    }

    @Test
    void shouldStayAsTheyWereMadeWhenOtherThingsAreConfigured() {
        String durable = peer.source("name", Peer.durable("stocks.ibm")).ok().queue();
        String volatileOne = peer.source("link", Peer.volatileOne("stocks.ibm")).ok().queue();
        peer.target("orders.eu").ok();
        Map<String, Object> before = peer.arguments(durable);
        lab.broker.addressSettings(new AddressSettings(List.of(rule("#", 7, "other", null))));
        lab.settle();

        assertThat(peer.source("name", Peer.durable("stocks.ibm")).ok().queue()).isEqualTo(durable);
        assertThat(peer.source("link", Peer.volatileOne("stocks.ibm")).ok().queue()).isEqualTo(volatileOne);
        peer.target("orders.eu").ok();
        peer.target("new").ok();
        assertThat(peer.arguments(durable)).isEqualTo(before);
        assertThat(peer.arguments("orders.eu")).containsEntry("x-delivery-limit", 2);
        assertThat(peer.arguments("new")).containsEntry("x-delivery-limit", 6);
    }

    @Test
    void shouldBeWhatAPlainDeclarationWantsAllTheSame() {
        peer.target("orders.eu").ok();

        peer.declareQueue("orders.eu");
    }
}
