package io.sluicemq.protocol.amqp10.terminus;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.Consumer;
import io.sluicemq.api.Reply;
import io.sluicemq.protocol.amqp10.terminus.Peer.Lab;
import io.sluicemq.protocol.amqp10.terminus.Peer.Receiver;
import io.sluicemq.protocol.amqp10.terminus.SourceNode.Tenure;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedInteger;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.TerminusDurability;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Subscriptions to topics and exchanges (AMQP 1.0 part 3, §3.5.3, §3.5.6; Jakarta Messaging §8.3). */
class SubscriptionTest {

    private final Lab lab = new Lab();
    private final Peer peer = lab.connect(0, "c");
    private final Peer producer = lab.connect(1, "p");

    private static Source withSelector(Source source, String selector) {
        return source.setFilter(SourceTest.filter("jms-selector", SourceTest.SELECTOR, selector));
    }

    private void publish(String topic, int count) {
        for (int i = 0; i < count; i++) {
            producer.publish(producer.destination(topic, "topic"), null);
        }
    }

    private QueueSpec spec(SourceNode node) {
        return peer.reply(reply -> peer.client.describeQueue(node.queue(), reply));
    }

    /** A link comes and goes; what it has received stands in the result. */
    private Receiver visit(Peer at, String link, Source source) {
        SourceNode node = at.source(link, source).ok();
        Receiver receiver = at.consume(node);
        at.cancel(receiver);
        at.end(node, LinkEnd.DETACHED).ok();
        return receiver;
    }

    private static BrokerError refusedConsumer(Peer at, SourceNode node) {
        return at.failure(reply -> at.client.subscribe(node.consumer(false, 0), new Receiver(), consumerReply(reply)));
    }

    @SuppressWarnings("unchecked")
    private static Reply<Consumer> consumerReply(Reply<?> reply) {
        return (Reply<Consumer>) reply;
    }

    // ---- to what

    @Test
    void shouldGiveEachSubscriberAllMessagesOfATopic() {
        Receiver first = peer.consume(peer.source("one", Peer.volatileOne("news")).ok());
        Receiver second = peer.consume(peer.source("two", Peer.volatileOne("news")).ok());
        publish("news", 3);
        publish("other", 1);
        assertThat(first.received).isEqualTo(3);
        assertThat(second.received).isEqualTo(3);
    }

    @Test
    void shouldSubscribeByTheRulesOfTopicKeys() {
        Receiver us = peer.consume(peer.source("one", Peer.volatileOne("stocks.us.*")).ok());
        Receiver all = peer.consume(peer.source("two", Peer.volatileOne("#")).ok());
        Receiver prefixed = peer.consume(peer.source("three", new Source().setAddress("topic://stocks.#")).ok());
        publish("stocks.us.ibm", 1);
        publish("stocks.de.sap", 1);
        assertThat(us.received).isEqualTo(1);
        assertThat(all.received).isEqualTo(2);
        assertThat(prefixed.received).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"topic,any.key", "fanout,any.key", "headers,any.key", "direct,''"})
    void shouldSubscribeToAllThatAnExchangeCanGive(String type, String key) {
        peer.declareExchange("ex", type);
        Receiver plain = peer.consume(peer.source("one", new Source().setAddress("ex")).ok());
        Receiver topic = peer.consume(peer.source("two", Peer.volatileOne("ex")).ok());
        assertThat(producer.publish(producer.destination("ex"), key)).isEqualTo(2);
        assertThat(plain.received).isEqualTo(1);
        assertThat(topic.received).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"topic,1,a.*,a.b,b.b,true", "direct,0,red,red,green,true", "fanout,1,a.*,x,y,false"})
    void shouldBindByAFilter(String type, int number, String key, String first, String second, boolean honoured) {
        peer.declareExchange("ex", type);
        Map<Symbol, Object> filter =
                SourceTest.filter("key", UnsignedLong.valueOf(0x0000468C00000000L + number), key);
        SourceNode node = peer.source("link", new Source().setAddress("ex").setFilter(filter)).ok();
        assertThat(node.answer().getFilter()).isEqualTo(honoured ? filter : null);
        Receiver receiver = peer.consume(node);
        producer.publish(producer.destination("ex"), first);
        producer.publish(producer.destination("ex"), second);
        assertThat(receiver.received).isEqualTo(honoured ? 1 : 2);
    }

    @Test
    void shouldBindByTheOldFormsOfRabbit() {
        Receiver one = peer.consume(peer.source("one", new Source().setAddress("/exchange/amq.direct/red")).ok());
        Receiver two = peer.consume(peer.source("two", new Source().setAddress("/topic/a.#")).ok());
        producer.publish(producer.destination("/exchange/amq.direct"), "red");
        producer.publish(producer.destination("/topic/a.b"), null);
        assertThat(one.received).isEqualTo(1);
        assertThat(two.received).isEqualTo(1);
    }

    // ---- not durable

    @Test
    void shouldAnswerWhatASubscriptionIs() {
        Source answer = peer.source("link", withSelector(Peer.volatileOne("t"), "a = 1")).ok().answer();
        assertThat(answer.getAddress()).isEqualTo("t");
        assertThat(answer.getCapabilities()).isEqualTo(Peer.symbols("topic"));
        assertThat(answer.getDurable()).isEqualTo(TerminusDurability.NONE);
        assertThat(answer.getExpiryPolicy()).isEqualTo(TerminusExpiryPolicy.LINK_DETACH);
        assertThat(answer.getTimeout()).isEqualTo(UnsignedInteger.ZERO);
        assertThat(answer.getDistributionMode()).isEqualTo(Symbol.valueOf("copy"));
        assertThat(answer.getFilter()).hasSize(1);
    }

    /** What isn't wanted is never stored: the queue knows. */
    @Test
    void shouldTellTheQueueWhatIsWanted() {
        Source wanted = withSelector(Peer.volatileOne("t"), "a = 1");
        wanted.getFilter().putAll(SourceTest.filter("no-local", SourceTest.NO_LOCAL, List.of()));
        SourceNode node = peer.source("link", wanted).ok();
        assertThat(spec(node).arguments())
                .isEqualTo(Map.of("x-topic", "t", "x-filter", "a = 1", "x-no-local", "c", "x-max-priority", 9));
        assertThat(node.filter()).isNull();
        assertThat(node.noLocal()).isFalse();
        assertThat(node.browses()).isFalse();
    }

    /** §3.5.6, without a timeout. */
    @ParameterizedTest
    @EnumSource(names = {"LINK_DETACH", "SESSION_END", "CONNECTION_CLOSE"})
    void shouldLiveAsTheExpiryPolicySays(TerminusExpiryPolicy policy) {
        Source wanted = Peer.volatileOne("t").setExpiryPolicy(policy);
        SourceNode node = peer.source("link", wanted).ok();
        peer.end(node, LinkEnd.DETACHED).ok();
        assertThat(peer.queueExists(node.queue())).isEqualTo(policy != TerminusExpiryPolicy.LINK_DETACH);
        peer.end(node, LinkEnd.SESSION_ENDED).ok();
        assertThat(peer.queueExists(node.queue())).isEqualTo(policy == TerminusExpiryPolicy.CONNECTION_CLOSE);
        peer.close();
        assertThat(producer.queueExists(node.queue())).isFalse();
    }

    @Test
    void shouldResumeASubscriptionThatWasDetached() {
        Source wanted = Peer.volatileOne("t").setExpiryPolicy(TerminusExpiryPolicy.SESSION_END);
        SourceNode first = peer.source("link", wanted).ok();
        peer.end(first, LinkEnd.DETACHED).ok();
        publish("t", 2);
        SourceNode again = peer.source("link", wanted).ok();
        assertThat(again.queue()).isEqualTo(first.queue());
        assertThat(peer.consume(again).received).isEqualTo(2);
        peer.end(again, LinkEnd.CLOSED).ok();
    }

    @Test
    void shouldBeginAnewIfItIsDetachedAndComesBackWithOtherTerms() {
        Source wanted = Peer.volatileOne("t").setExpiryPolicy(TerminusExpiryPolicy.SESSION_END);
        SourceNode first = peer.source("link", wanted).ok();
        peer.end(first, LinkEnd.DETACHED).ok();
        publish("t", 2);
        SourceNode other = peer.source("link", withSelector(wanted.copy(), "a = 1")).ok();
        assertThat(peer.queueExists(first.queue())).isFalse();
        assertThat(peer.consume(other).received).isZero();
        // The session of the first ends: that is nothing to the one that has its name now.
        peer.end(first, LinkEnd.SESSION_ENDED).ok();
        assertThat(peer.queueExists(other.queue())).isTrue();
    }

    /** §3.5.6: a timeout in seconds, counted from the detach; another connection of the container may resume. */
    @Test
    void shouldLiveAsLongAsItsTimeoutAfterADetach() {
        Source wanted = Peer.volatileOne("t")
                .setExpiryPolicy(TerminusExpiryPolicy.CONNECTION_CLOSE)
                .setTimeout(UnsignedInteger.valueOf(10));
        SourceNode node = peer.source("link", wanted).ok();
        assertThat(node.answer().getExpiryPolicy()).isEqualTo(TerminusExpiryPolicy.LINK_DETACH);
        assertThat(node.answer().getTimeout()).isEqualTo(UnsignedInteger.valueOf(10));
        Receiver receiver = peer.consume(node);
        lab.loops.advance(TimeUnit.SECONDS.toNanos(60));
        assertThat(peer.queueExists(node.queue())).isTrue();
        assertThat(refusedConsumer(peer, peer.source("link", wanted).ok()))
                .isInstanceOf(BrokerError.ExclusiveUse.class);
        peer.cancel(receiver);
        peer.end(node, LinkEnd.SESSION_ENDED).ok();
        peer.close();
        publish("t", 1);
        lab.loops.advance(TimeUnit.SECONDS.toNanos(9));
        Peer later = lab.connect(0, "c");
        assertThat(visit(later, "link", wanted).received).isEqualTo(1);
        lab.loops.advance(TimeUnit.SECONDS.toNanos(11));
        assertThat(later.queueExists(node.queue())).isFalse();
    }

    @Test
    void shouldLiveForEverIfItNeverExpires() {
        Source wanted = Peer.volatileOne("t").setExpiryPolicy(TerminusExpiryPolicy.NEVER);
        visit(peer, "link", wanted);
        peer.close();
        publish("t", 1);
        Peer later = lab.connect(0, "c");
        SourceNode node = later.source("link", wanted).ok();
        assertThat(node.answer().getExpiryPolicy()).isEqualTo(TerminusExpiryPolicy.NEVER);
        assertThat(node.answer().getDurable()).isEqualTo(TerminusDurability.NONE);
        Receiver receiver = later.consume(node);
        assertThat(receiver.received).isEqualTo(1);
        later.cancel(receiver);
        later.end(node, LinkEnd.CLOSED).ok();
        assertThat(later.queueExists(node.queue())).isFalse();
    }

    /** §2.6.1: another link takes the name, and what the name stands for; the end of the one before is nothing to it. */
    @Test
    void shouldPassOnToTheLinkThatTakesItsName() {
        Source wanted = Peer.volatileOne("t").setExpiryPolicy(TerminusExpiryPolicy.SESSION_END);
        SourceNode first = peer.source("link", wanted).ok();
        SourceNode second = peer.source("link", wanted).ok();
        peer.end(first, LinkEnd.FAILED).ok();
        peer.end(first, LinkEnd.SESSION_ENDED).ok();
        assertThat(peer.queueExists(second.queue())).isTrue();
        peer.end(second, LinkEnd.SESSION_ENDED).ok();
        assertThat(peer.queueExists(second.queue())).isFalse();
    }

    // ---- durable

    @Test
    void shouldKeepADurableSubscriptionWhileNobodyIsThere() {
        SourceNode node = peer.source("S", Peer.durable("t")).ok();
        assertThat(node.tenure()).isEqualTo(Tenure.DURABLE);
        assertThat(node.exclusive()).isTrue();
        assertThat(node.answer().getDurable()).isEqualTo(TerminusDurability.CONFIGURATION);
        assertThat(node.answer().getExpiryPolicy()).isEqualTo(TerminusExpiryPolicy.NEVER);
        assertThat(spec(node).durable()).isTrue();
        peer.end(node, LinkEnd.SESSION_ENDED).ok();
        peer.close();
        publish("t", 10);
        Peer later = lab.connect(1, "c");
        assertThat(visit(later, "S", Peer.durable("t")).received).isEqualTo(10);
    }

    /** C079: another topic, selector or no-local begins a new subscription, which is empty. */
    @Test
    void shouldContinueUnchangedAndBeginAnewWhenChanged() {
        Source first = withSelector(Peer.durable("t"), "a = 1");
        visit(peer, "S", first);
        publish("t", 10);
        SourceNode unchanged = peer.source("S", first).ok();
        assertThat(peer.ready(unchanged.queue())).isEqualTo(10);

        Source otherSelector = withSelector(Peer.durable("t"), "a = 2");
        assertThat(visit(peer, "S", otherSelector).received).isZero();
        publish("t", 4);
        assertThat(visit(peer, "S", otherSelector).received).isEqualTo(4);

        publish("t", 4);
        Source otherTopic = withSelector(Peer.durable("u"), "a = 2");
        assertThat(visit(peer, "S", otherTopic).received).isZero();
        publish("t", 1);
        publish("u", 2);
        assertThat(visit(peer, "S", otherTopic).received).isEqualTo(2);

        publish("u", 5);
        Source noLocal = withSelector(Peer.durable("u"), "a = 2");
        noLocal.getFilter().putAll(SourceTest.filter("no-local", SourceTest.NO_LOCAL, List.of()));
        assertThat(visit(peer, "S", noLocal).received).isZero();
        assertThat(spec(peer.source("S", noLocal).ok()).arguments()).containsEntry("x-no-local", "c");
    }

    @Test
    void shouldHaveOneActiveLinkForADurableSubscriptionThatIsNotShared() {
        Receiver active = peer.consume(peer.source("S", Peer.durable("t")).ok());
        SourceNode second = peer.source("S", Peer.durable("t")).ok();
        BrokerError refused = refusedConsumer(peer, second);
        assertThat(TerminusError.of(refused).condition()).isEqualTo(AmqpError.RESOURCE_LOCKED);
        peer.end(second, LinkEnd.DETACHED).ok();
        assertThat(peer.source("S", Peer.durable("u")).refusal()).isEqualTo(AmqpError.RESOURCE_LOCKED);
        publish("t", 1);
        assertThat(active.received).isEqualTo(1);
    }

    /** C079, across a restart: its terms are kept with it. */
    @Test
    void shouldContinueOrBeginAnewAfterARestart() {
        Source wanted = withSelector(Peer.durable("t"), "a = 1");
        visit(peer, "S", wanted);
        visit(peer, "shared|global", Peer.durable("t", "shared", "global"));
        Lab restarted = lab.crashAndReopen();
        Peer again = restarted.connect(1, "c");
        Peer publisher = restarted.connect(0, "p");
        Destination topic = publisher.destination("t", "topic");
        assertThat(publisher.publish(topic, null)).isEqualTo(2);
        assertThat(visit(again, "S", wanted).received).isEqualTo(1);
        assertThat(visit(again, "shared|global2", Peer.durable("t", "shared", "global")).received).isEqualTo(1);
        assertThat(publisher.publish(topic, null)).isEqualTo(2);
        assertThat(visit(again, "S", Peer.durable("t")).received).isZero();
    }

    @Test
    void shouldTellContainersAndSubscriptionsApart() {
        SourceNode one = peer.source("b:c", Peer.durable("t")).ok();
        SourceNode two = lab.connect(0, "c:b").source("c", Peer.durable("t")).ok();
        assertThat(one.queue()).isNotEqualTo(two.queue());
    }

    @Test
    void shouldDeleteADurableSubscriptionWhenItsLinkIsClosed() {
        SourceNode node = peer.source("S", Peer.durable("t")).ok();
        peer.end(node, LinkEnd.CLOSED).ok();
        assertThat(peer.queueExists(node.queue())).isFalse();
    }

    /** An error ends the link, not what the client counts on to be kept for it. */
    @Test
    void shouldKeepWhatIsFoundByNameWhenALinkFails() {
        for (Source wanted : List.of(
                Peer.durable("t"), Peer.durable("t", "shared"),
                Peer.volatileOne("t").setTimeout(UnsignedInteger.ONE))) {
            SourceNode node = peer.source("S" + wanted.getCapabilities().length + wanted.getTimeout(), wanted).ok();
            peer.end(node, LinkEnd.FAILED).ok();
            assertThat(peer.queueExists(node.queue())).isTrue();
        }
        SourceNode own =
                peer.source("own", Peer.volatileOne("t").setExpiryPolicy(TerminusExpiryPolicy.SESSION_END)).ok();
        peer.end(own, LinkEnd.FAILED).ok();
        assertThat(peer.queueExists(own.queue())).isFalse();
    }

    @Test
    void shouldLeaveAQueueAloneThatIsNoSubscription() {
        peer.declareQueue("subscription:c:S");
        assertThat(peer.source("S", Peer.durable("t")).refusal()).isEqualTo(AmqpError.PRECONDITION_FAILED);
        assertThat(peer.<SourceNode>ask(answer -> peer.termini.lookup("S", answer)).refusal())
                .isEqualTo(AmqpError.NOT_FOUND);
        assertThat(peer.queueExists("subscription:c:S")).isTrue();
    }

    /** A topic that becomes an exchange's name reaches those who were subscribed before, when they come back. */
    @Test
    void shouldFollowATopicToItsExchange() {
        visit(peer, "S", Peer.durable("t"));
        publish("t", 1);
        peer.declareExchange("t", "fanout");
        visit(peer, "S2", Peer.durable("t"));
        SourceNode again = peer.source("S", Peer.durable("t")).ok();
        publish("t", 1);
        assertThat(peer.ready(again.queue())).isEqualTo(2);
    }

    /** Management, or somebody else, has deleted the queue of a link that is detached. */
    @Test
    void shouldMakeAQueueAgainThatIsGone() {
        Source wanted = Peer.volatileOne("t").setExpiryPolicy(TerminusExpiryPolicy.SESSION_END);
        SourceNode first = peer.source("link", wanted).ok();
        peer.end(first, LinkEnd.DETACHED).ok();
        peer.<Long>reply(reply -> peer.client.deleteQueue(first.queue(), false, false, reply));
        Receiver receiver = peer.consume(peer.source("link", wanted).ok());
        publish("t", 1);
        assertThat(receiver.received).isEqualTo(1);
    }

    // ---- looking up

    private Peer.Attached<SourceNode> lookup(String link) {
        return peer.ask(answer -> peer.termini.lookup(link, answer));
    }

    @Test
    void shouldUnsubscribeByLookingUpAndClosing() {
        Source wanted = withSelector(Peer.durable("t"), "a = 1");
        wanted.getFilter().putAll(SourceTest.filter("no-local", SourceTest.NO_LOCAL, List.of()));
        visit(peer, "S", wanted);
        SourceNode found = lookup("S").ok();
        assertThat(found.answer().getAddress()).isEqualTo("t");
        assertThat(found.answer().getDurable()).isEqualTo(TerminusDurability.CONFIGURATION);
        assertThat(found.answer().getExpiryPolicy()).isEqualTo(TerminusExpiryPolicy.NEVER);
        assertThat(new HashMap<>(found.answer().getFilter()).keySet())
                .containsExactlyInAnyOrder(Symbol.valueOf("jms-selector"), Symbol.valueOf("no-local"));
        assertThat(found.answer().getCapabilities()).isEqualTo(Peer.symbols("topic"));
        peer.end(found, LinkEnd.DETACHED).ok();
        assertThat(peer.queueExists(found.queue())).isTrue();
        peer.end(found, LinkEnd.CLOSED).ok();
        assertThat(peer.queueExists(found.queue())).isFalse();
        assertThat(lookup("S").refusal()).isEqualTo(AmqpError.NOT_FOUND);
    }

    @Test
    void shouldNotUnsubscribeWhileALinkIsActive() {
        Receiver active = peer.consume(peer.source("S", Peer.durable("t")).ok());
        SourceNode found = lookup("S").ok();
        assertThat(peer.end(found, LinkEnd.CLOSED).refusal()).isEqualTo(AmqpError.RESOURCE_LOCKED);
        assertThat(active.cancelled).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"S,S,false", "S|2,S,false", "S|global,S|global,true", "S|global3,S|global,true",
        "S|global,S|global2,true"})
    void shouldFindSharedSubscriptionsByEachOfTheirLinkNames(String attached, String lookedUp, boolean global) {
        Source wanted = global ? Peer.durable("t", "shared", "global") : Peer.durable("t", "shared");
        visit(peer, attached, wanted);
        SourceNode found = lookup(lookedUp).ok();
        assertThat(found.answer().getCapabilities()).contains(Peer.symbols("shared"));
        assertThat(List.of(found.answer().getCapabilities()).contains(Symbol.valueOf("global"))).isEqualTo(global);
        peer.end(found, LinkEnd.CLOSED).ok();
        assertThat(lookup(lookedUp).refusal()).isEqualTo(AmqpError.NOT_FOUND);
    }

    // ---- shared

    @Test
    void shouldShareADurableSubscription() {
        Peer second = lab.connect(1, "another");
        Source wanted = Peer.durable("t", "shared", "global");
        SourceNode one = peer.source("S|global", wanted).ok();
        SourceNode two = second.source("S|global", wanted).ok();
        SourceNode three = peer.source("S|global2", wanted).ok();
        assertThat(List.of(two.queue(), three.queue())).containsOnly(one.queue());
        assertThat(one.answer().getCapabilities()).isEqualTo(Peer.symbols("topic", "shared", "global"));
        Receiver first = peer.consume(one);
        Receiver other = second.consume(two);
        publish("t", 10);
        assertThat(first.received + other.received).isEqualTo(10);
        assertThat(first.received).isPositive();
        assertThat(other.received).isPositive();
        peer.cancel(first);
        // One of several is closed: the subscription stays.
        peer.end(one, LinkEnd.CLOSED).ok();
        assertThat(peer.queueExists(one.queue())).isTrue();
        second.cancel(other);
        second.end(two, LinkEnd.CLOSED).ok();
        assertThat(peer.queueExists(one.queue())).isFalse();
    }

    @Test
    void shouldShareAmongTheLinksOfAContainerOnlyUnlessItIsGlobal() {
        SourceNode mine = peer.source("S", Peer.durable("t", "shared")).ok();
        SourceNode mineToo = peer.source("S|2", Peer.durable("t", "shared")).ok();
        SourceNode another = lab.connect(1, "another").source("S", Peer.durable("t", "shared")).ok();
        SourceNode global = peer.source("S|global", Peer.durable("t", "shared", "global")).ok();
        assertThat(mineToo.queue()).isEqualTo(mine.queue());
        assertThat(another.queue()).isNotEqualTo(mine.queue());
        assertThat(global.queue()).isNotIn(mine.queue(), another.queue());
    }

    /** C065: with another selector it begins anew, and is shared as before. */
    @Test
    void shouldBeginASharedSubscriptionAnewIfNobodyIsAttached() {
        visit(peer, "S", withSelector(Peer.durable("t", "shared"), "a = 'b'"));
        publish("t", 10);
        Source changed = withSelector(Peer.durable("t", "shared"), "a = 'c'");
        SourceNode one = peer.source("S", changed).ok();
        Receiver first = peer.consume(one);
        assertThat(first.received).isZero();
        Receiver second = peer.consume(peer.source("S|2", changed).ok());
        publish("t", 10);
        assertThat(first.received + second.received).isEqualTo(10);
        assertThat(spec(one).arguments()).containsEntry("x-filter", "a = 'c'");
        assertThat(peer.source("S|3", withSelector(Peer.durable("t", "shared"), "a = 'd'")).refusal())
                .isEqualTo(AmqpError.RESOURCE_LOCKED);
        assertThat(first.cancelled).isFalse();
    }

    /** Jakarta Messaging §8.3.4: shared and unshared durable subscriptions of a client have different names. */
    @Test
    void shouldRefuseToShareWhatIsNotSharedAndTheOtherWayRound() {
        visit(peer, "U", Peer.durable("t"));
        assertThat(peer.source("U", Peer.durable("t", "shared")).refusal()).isEqualTo(AmqpError.NOT_ALLOWED);
        visit(peer, "S", Peer.durable("t", "shared"));
        assertThat(peer.source("S", Peer.durable("t")).refusal()).isEqualTo(AmqpError.NOT_ALLOWED);
    }

    @Test
    void shouldEndAVolatileSharedSubscriptionWithItsLastLink() {
        Source wanted = Peer.volatileOne("t", "shared");
        SourceNode one = peer.source("S|volatile1", wanted).ok();
        SourceNode two = peer.source("S|volatile2", wanted).ok();
        SourceNode durable = peer.source("S", Peer.durable("t", "shared")).ok();
        assertThat(two.queue()).isEqualTo(one.queue()).isNotEqualTo(durable.queue());
        Receiver first = peer.consume(one);
        Receiver second = peer.consume(two);
        publish("t", 4);
        assertThat(first.received + second.received).isEqualTo(4);
        peer.cancel(first);
        peer.end(one, LinkEnd.CLOSED).ok();
        assertThat(peer.queueExists(one.queue())).isTrue();
        peer.cancel(second);
        peer.end(two, LinkEnd.DETACHED).ok();
        assertThat(peer.queueExists(one.queue())).isFalse();
    }

    @Test
    void shouldEndAVolatileSharedSubscriptionThatWasNeverConsumedFrom() {
        SourceNode node = peer.source("S|global-volatile1", Peer.volatileOne("t", "shared", "global")).ok();
        assertThat(node.answer().getExpiryPolicy()).isEqualTo(TerminusExpiryPolicy.LINK_DETACH);
        peer.end(node, LinkEnd.DETACHED).ok();
        assertThat(peer.queueExists(node.queue())).isFalse();
    }
}
