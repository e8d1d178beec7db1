package io.sluicemq.protocol.amqp10.terminus;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.BrokerError;
import io.sluicemq.protocol.amqp10.terminus.Peer.Lab;
import io.sluicemq.protocol.amqp10.terminus.SourceNode.Tenure;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnknownDescribedType;
import org.apache.qpid.protonj2.types.UnsignedInteger;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Modified;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Released;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.TerminusDurability;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sources on queues, and filters (AMQP 1.0 part 3, §3.5.1 to §3.5.3, §3.5.8). */
class SourceTest {

    static final UnsignedLong NO_LOCAL = UnsignedLong.valueOf(0x0000468C00000003L);
    static final UnsignedLong SELECTOR = UnsignedLong.valueOf(0x0000468C00000004L);

    private final Lab lab = new Lab();
    private final Peer peer = lab.connect(0, "c");

    static Map<Symbol, Object> filter(String key, Object descriptor, Object value) {
        return new HashMap<>(Map.of(Symbol.valueOf(key), new UnknownDescribedType(descriptor, value)));
    }

    @ParameterizedTest
    @CsvSource({"q,", "q,queue", "queue://q,", "/queue/q,"})
    void shouldMakeAQueueThatIsNamedAndIsNotThere(String address, String capability) {
        String[] capabilities = capability == null ? new String[0] : new String[] {capability};
        SourceNode node = peer.source(address, capabilities).ok();
        assertThat(node.queue()).isEqualTo("q");
        assertThat(node.tenure()).isEqualTo(Tenure.STANDING);
        peer.publish(Destination.queue("q"), null);
        assertThat(peer.consume(node).received).isEqualTo(1);
        assertThat(peer.end(node, LinkEnd.CLOSED).error()).isNull();
        assertThat(peer.queueExists("q")).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "/queues/none,", "/amq/queue/none,", "none,temporary-queue", "none,temporary-topic", "amq.none,queue",
        "/exchange/none/key,"
    })
    void shouldNotFindWhatIsNotThereAndNotToBeMade(String address, String capability) {
        String[] capabilities = capability == null ? new String[0] : new String[] {capability};
        assertThat(peer.source(address, capabilities).refusal()).isEqualTo(AmqpError.NOT_FOUND);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/exchanges/amq.topic/key", "/exchanges/amq.topic", "/queues/", ""})
    void shouldRefuseWhatIsNoSource(String address) {
        assertThat(peer.source(address).refusal()).isEqualTo(AmqpError.INVALID_FIELD);
    }

    @Test
    void shouldRefuseASourceWithoutAnAddress() {
        assertThat(peer.source("link", new Source()).refusal()).isEqualTo(AmqpError.INVALID_FIELD);
    }

    @Test
    void shouldTakeAPlainNameForTheQueueRatherThanTheExchange() {
        peer.declareExchange("both", "fanout");
        assertThat(peer.source("both").ok().queue()).isNotEqualTo("both");
        peer.declareQueue("both");
        assertThat(peer.source("both").ok().queue()).isEqualTo("both");
    }

    /** C061: an address is opened again and again in one connection, also twice at once. */
    @Test
    void shouldOpenAnAddressAgainAndAgain() {
        SourceNode other = peer.source("other", new Source().setAddress("u")).ok();
        Peer.Receiver stays = peer.consume(other);
        for (int i = 0; i < 300; i++) {
            peer.publish(Destination.queue("t"), null);
            SourceNode node = peer.source("link", new Source().setAddress("t")).ok();
            Peer.Receiver receiver = peer.consume(node);
            if (i > 0) {
                assertThat(receiver.received).isEqualTo(1);
            }
            peer.cancel(receiver);
            peer.end(node, LinkEnd.CLOSED).ok();
        }
        Peer.Receiver first = peer.consume(peer.source("one", new Source().setAddress("t")).ok());
        Peer.Receiver second = peer.consume(peer.source("two", new Source().setAddress("t")).ok());
        peer.publish(Destination.queue("t"), null);
        peer.publish(Destination.queue("t"), null);
        peer.publish(Destination.queue("u"), null);
        assertThat(first.received + second.received).isEqualTo(2);
        assertThat(stays.received).isEqualTo(1);
        assertThat(stays.cancelled).isFalse();
    }

    @Test
    void shouldBrowseAQueueInDistributionModeCopy() {
        peer.declareQueue("q");
        peer.publish(Destination.queue("q"), null);
        SourceNode node = peer.source("link", new Source().setAddress("q").setDistributionMode(Symbol.valueOf("copy")))
                .ok();
        assertThat(node.browses()).isTrue();
        assertThat(node.answer().getDistributionMode()).isEqualTo(Symbol.valueOf("copy"));
        assertThat(peer.source("q").ok().answer().getDistributionMode()).isEqualTo(Symbol.valueOf("move"));
        assertThat(node.consumer(false, 0).settled()).isTrue();
        assertThat(node.consumer(false, 3).priority()).isEqualTo(3);
    }

    // ---- filters

    @Test
    void shouldHonourSelectorsAndNoLocalOfQueues() {
        Map<Symbol, Object> filters = filter("jms-selector", SELECTOR, "a = 1");
        filters.putAll(filter("no-local", NO_LOCAL, List.of()));
        SourceNode node = peer.source("link", new Source().setAddress("q").setFilter(filters)).ok();
        assertThat(node.filter().text()).isEqualTo("a = 1");
        assertThat(node.noLocal()).isTrue();
        assertThat(node.answer().getFilter()).isEqualTo(filters);
    }

    @Test
    void shouldKnowFiltersByTheirSymbolsAndUnderAnyKey() {
        Map<Symbol, Object> filters =
                filter("what I want", Symbol.valueOf("apache.org:selector-filter:string"), "b = 2");
        filters.putAll(filter("mine", Symbol.valueOf("apache.org:no-local-filter:list"), List.of()));
        SourceNode node = peer.source("link", new Source().setAddress("q").setFilter(filters)).ok();
        assertThat(node.filter().text()).isEqualTo("b = 2");
        assertThat(node.noLocal()).isTrue();
        assertThat(node.answer().getFilter()).isEqualTo(filters);
    }

    /** §3.5.8: what is missing in the answer is not honoured. */
    @Test
    void shouldLeaveOutFiltersThatItDoesNotKnow() {
        Map<Symbol, Object> filters = filter("xpath", Symbol.valueOf("example.org:xpath"), "//a");
        filters.put(Symbol.valueOf("plain"), "a = 1");
        filters.putAll(filter("key", UnsignedLong.valueOf(0x0000468C00000001L), "a.*"));
        SourceNode node = peer.source("link", new Source().setAddress("q").setFilter(filters)).ok();
        assertThat(node.filter()).isNull();
        assertThat(node.noLocal()).isFalse();
        assertThat(node.answer().getFilter()).isNull();
    }

    @Test
    void shouldRefuseInvalidSelectors() {
        assertThat(
                peer.source("link", new Source().setAddress("q").setFilter(filter("s", SELECTOR, "a ! 1"))).refusal())
                .isEqualTo(AmqpError.INVALID_FIELD);
        assertThat(peer.source("link", new Source().setAddress("q").setFilter(filter("s", SELECTOR, 5))).refusal())
                .isEqualTo(AmqpError.INVALID_FIELD);
        assertThat(peer.queueExists("q")).isFalse();
    }

    // ---- answers

    @Test
    void shouldAnswerWhatItDoes() {
        Source answer = peer.source("link", new Source()
                .setAddress("q")
                .setCapabilities(Peer.symbols("fancy", "queue", "shared"))
                .setDurable(TerminusDurability.CONFIGURATION)
                .setTimeout(UnsignedInteger.valueOf(7))).ok().answer();
        assertThat(answer.getAddress()).isEqualTo("q");
        assertThat(answer.getCapabilities()).isEqualTo(Peer.symbols("queue"));
        assertThat(answer.getDurable()).isEqualTo(TerminusDurability.NONE);
        assertThat(answer.getTimeout()).isEqualTo(UnsignedInteger.valueOf(7));
        assertThat(answer.getDefaultOutcome()).isInstanceOf(Released.class);
        assertThat(answer.getOutcomes()).containsExactlyInAnyOrder(
                Accepted.DESCRIPTOR_SYMBOL, Rejected.DESCRIPTOR_SYMBOL, Released.DESCRIPTOR_SYMBOL,
                Modified.DESCRIPTOR_SYMBOL);
    }

    @Test
    void shouldAnswerTheOutcomesThatAreAskedForAndOffered() {
        Modified failed = new Modified().setDeliveryFailed(true);
        Source answer = peer.source("link", new Source()
                .setAddress("q")
                .setDefaultOutcome(failed)
                .setOutcomes(Accepted.DESCRIPTOR_SYMBOL, Symbol.valueOf("example.org:eaten"))).ok().answer();
        assertThat(answer.getDefaultOutcome()).isSameAs(failed);
        assertThat(answer.getOutcomes()).containsExactly(Accepted.DESCRIPTOR_SYMBOL);
    }

    @Test
    void shouldPutEveryRefusalOfTheBrokerIntoTheWordsOfAmqp() {
        assertThat(TerminusError.of(new BrokerError.NotFound(BrokerError.Kind.QUEUE, "q", "/")))
                .isEqualTo(new TerminusError(AmqpError.NOT_FOUND, "no queue 'q'"));
        assertThat(TerminusError.of(new BrokerError.AccessRefused("u", BrokerError.Kind.QUEUE, "q", "/", "no"))
                .condition())
                .isEqualTo(AmqpError.UNAUTHORIZED_ACCESS);
        assertThat(TerminusError.of(new BrokerError.AddressFull("q", "/", "1 byte")).condition())
                .isEqualTo(AmqpError.RESOURCE_LIMIT_EXCEEDED);
    }
}
