package io.sluicemq.broker.routing;

import static io.sluicemq.broker.routing.TableBuilder.applied;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RoutingTableTest {

    private final TableBuilder to = new TableBuilder();

    private static Refusal refusal(Outcome<TestQueue> outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Refused.class);
        return ((Outcome.Refused<TestQueue>) outcome).reason();
    }

    private void assertUnchanged(Outcome<TestQueue> outcome) {
        assertThat(outcome).isEqualTo(new Outcome.Unchanged<>(to.table()));
    }

    // The exchanges that are always there

    @Test
    void shouldPredeclareTheStandardExchanges() { // 0-9-1 §3.1.3
        assertThat(to.table().exchanges())
                .extracting(exchange -> exchange.name() + ":" + exchange.type().label())
                .containsExactlyInAnyOrder(
                        ":direct", "amq.direct:direct", "amq.fanout:fanout", "amq.topic:topic", "amq.headers:headers",
                        "amq.match:headers");
        assertThat(to.table().exchanges()).allMatch(exchange -> exchange.spec().durable());
    }

    @Test
    void shouldReachEveryQueueByItsNameThroughTheDefaultExchange() {
        to.queues("q", "r");
        assertThat(to.route("", "q")).containsExactly("q");
        assertThat(to.route("", "absent")).isEmpty();
        to.removeQueue("q");
        assertThat(to.route("", "q")).isEmpty();
    }

    @Test
    void shouldRefuseToTouchTheDefaultExchange() {
        to.queues("q");
        RoutingTable<TestQueue> table = to.table();
        assertThat(List.of(
                table.declareExchange(ExchangeSpec.durable("", ExchangeType.DIRECT)),
                table.deleteExchange("", false),
                table.bind(Binding.toQueue("", "q", "k")),
                table.unbind(Binding.toQueue("", "q", "q")),
                table.bind(Binding.toExchange("amq.direct", "", "k")),
                table.unbind(Binding.toExchange("amq.direct", "", "k"))))
                .allSatisfy(outcome -> assertThat(refusal(outcome)).isEqualTo(new Refusal.DefaultExchange()));
    }

    @Test
    void shouldRefuseToDeleteAPredeclaredExchange() {
        assertThat(refusal(to.table().deleteExchange("amq.match", false)))
                .isEqualTo(new Refusal.Predeclared("amq.match"));
    }

    // Declaring and deleting

    @Test
    void shouldAcceptAnEquivalentRedeclaration() {
        ExchangeSpec spec = new ExchangeSpec(
                "e", ExchangeType.TOPIC, true, false, true, "ae", Arguments.of(Map.of("note", 1)));
        to.exchange(spec);
        assertUnchanged(to.table().declareExchange(spec));
        assertUnchanged(to.table()
                .declareExchange(
                        new ExchangeSpec("e", ExchangeType.TOPIC, true, false, true, "ae", Arguments.NONE)));
        assertThat(to.table().exchange("e").spec()).isEqualTo(spec);
    }

    @Test
    void shouldNameTheDifferenceInARedeclaration() {
        to.exchange(new ExchangeSpec("e", ExchangeType.TOPIC, true, false, false, null, Arguments.NONE));
        assertThat(differenceTo(new ExchangeSpec("e", ExchangeType.FANOUT, false, true, true, "a", Arguments.NONE)))
                .isEqualTo(new Refusal.Inequivalent("e", "type", "topic", "fanout"));
        assertThat(differenceTo(new ExchangeSpec("e", ExchangeType.TOPIC, false, true, true, "a", Arguments.NONE)))
                .isEqualTo(new Refusal.Inequivalent("e", "durable", true, false));
        assertThat(differenceTo(new ExchangeSpec("e", ExchangeType.TOPIC, true, true, true, "a", Arguments.NONE)))
                .isEqualTo(new Refusal.Inequivalent("e", "auto_delete", false, true));
        assertThat(differenceTo(new ExchangeSpec("e", ExchangeType.TOPIC, true, false, true, "a", Arguments.NONE)))
                .isEqualTo(new Refusal.Inequivalent("e", "internal", false, true));
        assertThat(differenceTo(new ExchangeSpec("e", ExchangeType.TOPIC, true, false, false, "a", Arguments.NONE)))
                .isEqualTo(new Refusal.Inequivalent("e", "alternate-exchange", null, "a"));
    }

    private Refusal differenceTo(ExchangeSpec spec) {
        return refusal(to.table().declareExchange(spec));
    }

    @Test
    void shouldDeleteAnExchangeWithItsBindings() {
        to.exchange("e", ExchangeType.DIRECT).exchange("f", ExchangeType.FANOUT).queues("q");
        to.bind("e", "q", "k").bindExchange("e", "f", "k").bindExchange("f", "e", "");
        var deleted = applied(to.table().deleteExchange("e", false));
        assertThat(deleted.deletedExchanges()).extracting(Exchange::name).containsExactly("e");
        assertThat(deleted.removedBindings())
                .containsExactlyInAnyOrder(
                        Binding.toQueue("e", "q", "k"),
                        Binding.toExchange("e", "f", "k"),
                        Binding.toExchange("f", "e", ""));
        assertThat(deleted.table().exchange("e")).isNull();
        assertThat(deleted.table().bindingsToQueue("q")).isEmpty();
        assertThat(deleted.table().bindingsToExchange("f")).isEmpty();
        assertThat(deleted.table().exchange("f").bindings()).isEmpty();
    }

    @Test
    void shouldDeleteOnlyIfUnusedWhenAsked() {
        to.exchange("e", ExchangeType.DIRECT).queues("q").bind("e", "q", "k");
        assertThat(refusal(to.table().deleteExchange("e", true))).isEqualTo(new Refusal.InUse("e"));
        to.unbind(Binding.toQueue("e", "q", "k"));
        assertThat(applied(to.table().deleteExchange("e", true)).table().exchange("e")).isNull();
    }

    @Test
    void shouldNotCountBindingsToAnExchangeAsUse() {
        to.exchange("e", ExchangeType.DIRECT).bindExchange("amq.direct", "e", "k");
        assertThat(applied(to.table().deleteExchange("e", true)).table().exchange("amq.direct").bindings()).isEmpty();
    }

    @Test
    void shouldLeaveATableAsItIsWhenThereIsNothingToRemove() {
        to.queues("q");
        assertUnchanged(to.table().deleteExchange("absent", false));
        assertUnchanged(to.table().removeQueue("absent"));
        assertUnchanged(to.table().unbind(Binding.toQueue("amq.direct", "q", "k")));
        assertUnchanged(to.table().unbind(Binding.toQueue("absent", "q", "k")));
        assertUnchanged(to.table().unbind(Binding.toQueue("amq.direct", "absent", "k")));
    }

    @Test
    void shouldRefuseASecondQueueOfTheSameName() {
        to.queues("q");
        TestQueue queue = to.table().queue("q");
        assertUnchanged(to.table().addQueue("q", queue));
        assertThat(refusal(to.table().addQueue("q", new TestQueue("q")))).isEqualTo(new Refusal.QueueNameTaken("q"));
    }

    // Binding

    @Test
    void shouldRefuseToBindWhatIsNotThere() {
        to.queues("q");
        RoutingTable<TestQueue> table = to.table();
        assertThat(refusal(table.bind(Binding.toQueue("absent", "q", "k"))))
                .isEqualTo(new Refusal.NoSuchExchange("absent"));
        assertThat(refusal(table.bind(Binding.toQueue("amq.direct", "absent", "k"))))
                .isEqualTo(new Refusal.NoSuchQueue("absent"));
        assertThat(refusal(table.bind(Binding.toExchange("amq.direct", "absent", "k"))))
                .isEqualTo(new Refusal.NoSuchExchange("absent"));
    }

    @Test
    void shouldBindOnceWhatIsBoundTwice() {
        to.queues("q").bind("amq.direct", "q", "k");
        assertUnchanged(to.table().bind(Binding.toQueue("amq.direct", "q", "k")));
        to.unbind(Binding.toQueue("amq.direct", "q", "k"));
        assertThat(to.route("amq.direct", "k")).isEmpty();
    }

    @Test
    void shouldTellBindingsApartByArgumentsButNotByIntegerWidth() {
        Binding asInt = Binding.toQueue("amq.direct", "q", "k", Arguments.of(Map.of("n", 60_000)));
        Binding asLong = Binding.toQueue("amq.direct", "q", "k", Arguments.of(Map.of("n", 60_000L)));
        Binding asText = Binding.toQueue("amq.direct", "q", "k", Arguments.of(Map.of("n", "60000")));
        to.queues("q").bind(asInt);
        assertUnchanged(to.table().bind(asLong));
        to.bind(asText);
        assertThat(to.table().bindingsToQueue("q")).containsExactlyInAnyOrder(asInt, asText);
        assertThat(to.route("amq.direct", "k")).containsExactly("q");
        to.unbind(asLong);
        assertThat(to.route("amq.direct", "k")).containsExactly("q");
        to.unbind(asText);
        assertThat(to.route("amq.direct", "k")).isEmpty();
    }

    @Test
    void shouldReachAQueueOnceHoweverManyBindingsMatch() {
        to.queues("q", "r");
        to.bind("amq.topic", "q", "#").bind("amq.topic", "q", "a.*").bind("amq.topic", "q", "*.b");
        to.bind("amq.topic", "r", "a.b").bindExchange("amq.topic", "amq.fanout", "a.#");
        to.bind("amq.fanout", "q", "").bind("amq.fanout", "q", "other").bind("amq.fanout", "r", "");
        assertThat(to.route("amq.topic", "a.b")).containsExactlyInAnyOrder("q", "r");
    }

    @Test
    void shouldRemoveAQueueWithItsBindings() {
        to.queues("q", "r").bind("amq.direct", "q", "k").bind("amq.direct", "r", "k").bind("amq.topic", "q", "#");
        var removed = applied(to.table().removeQueue("q"));
        assertThat(removed.removedBindings())
                .containsExactlyInAnyOrder(Binding.toQueue("amq.direct", "q", "k"),
                        Binding.toQueue("amq.topic", "q", "#"));
        assertThat(removed.table().queue("q")).isNull();
        assertThat(removed.table().bindingsToQueue("q")).isEmpty();
        assertThat(removed.table().exchange("amq.topic").bindingCount()).isZero();
        assertThat(TableBuilder.route(removed.table(), "amq.direct", "k", HeaderSource.NONE)).containsExactly("r");
    }

    // Auto-delete

    @Test
    void shouldKeepAnAutoDeleteExchangeUntilItsLastBindingGoes() {
        to.autoDelete("e", ExchangeType.FANOUT).queues("q", "r").bind("e", "q", "").bind("e", "r", "");
        var first = applied(to.table().removeQueue("q"));
        assertThat(first.deletedExchanges()).isEmpty();
        var second = applied(first.table().unbind(Binding.toQueue("e", "r", "")));
        assertThat(second.deletedExchanges()).extracting(Exchange::name).containsExactly("e");
        assertThat(second.table().exchange("e")).isNull();
    }

    @Test
    void shouldKeepAnAutoDeleteExchangeThatNeverHadABindingFromIt() {
        to.autoDelete("e", ExchangeType.FANOUT).bindExchange("amq.direct", "e", "k");
        to.unbind(Binding.toExchange("amq.direct", "e", "k"));
        assertThat(to.table().exchange("e")).isNotNull();
    }

    @Test
    void shouldDeleteChainsOfAutoDeleteExchanges() {
        int length = 10_000;
        to.queues("q");
        for (int i = 0; i < length; i++) {
            to.autoDelete("e" + i, ExchangeType.FANOUT);
        }
        for (int i = 1; i < length; i++) {
            to.bindExchange("e" + (i - 1), "e" + i, "");
        }
        to.bind("e" + (length - 1), "q", "");
        assertThat(to.route("e0", "")).containsExactly("q");
        var removed = applied(to.table().removeQueue("q"));
        assertThat(removed.deletedExchanges()).hasSize(length);
        assertThat(removed.deletedExchanges().getFirst().name()).isEqualTo("e" + (length - 1));
        assertThat(removed.removedBindings()).hasSize(length);
        assertThat(removed.table().exchangeCount()).isEqualTo(6);
    }

    @Test
    void shouldDeleteAnAutoDeleteExchangeThatIsBoundToItself() {
        to.autoDelete("e", ExchangeType.FANOUT).queues("q").bindExchange("e", "e", "").bind("e", "q", "");
        assertThat(to.route("e", "")).containsExactly("q");
        to.removeQueue("q");
        assertThat(to.table().exchange("e")).isNotNull();
        var unbound = applied(to.table().unbind(Binding.toExchange("e", "e", "")));
        assertThat(unbound.table().exchange("e")).isNull();
        assertThat(unbound.table().bindingsToExchange("e")).isEmpty();
    }

    // Exchange to exchange

    @Test
    void shouldFollowBindingsBetweenExchangesWithTheSameKey() {
        to.exchange("all", ExchangeType.FANOUT).queues("q", "r");
        to.bindExchange("all", "amq.direct", "ignored").bind("amq.direct", "q", "k").bind("amq.direct", "r", "other");
        assertThat(to.route("all", "k")).containsExactly("q");
    }

    @Test
    void shouldPassEachExchangeOnceWhereBindingsLeadInCircles() {
        for (String name : List.of("a", "b", "c")) {
            to.exchange(name, ExchangeType.FANOUT).queues("q-" + name).bind(name, "q-" + name, "");
        }
        to.bindExchange("a", "b", "").bindExchange("b", "c", "").bindExchange("c", "a", "").bindExchange("c", "c", "");
        assertThat(to.route("b", "")).containsExactlyInAnyOrder("q-a", "q-b", "q-c");
    }

    @Test
    void shouldReachADeepFanOfExchanges() {
        to.exchange("top", ExchangeType.FANOUT);
        for (int i = 0; i < 50; i++) {
            to.exchange("e" + i, ExchangeType.FANOUT).bindExchange("top", "e" + i, "").queues("q" + i);
            to.bind("e" + i, "q" + i, "").bindExchange("e" + i, "top", "");
        }
        assertThat(to.route("top", "")).hasSize(50).doesNotHaveDuplicates();
    }

    // Alternate exchange

    @Test
    void shouldUseTheAlternateExchangeOnlyWhenNoBindingMatches() {
        to.withAlternate("e", ExchangeType.DIRECT, "ae").exchange("ae", ExchangeType.FANOUT).queues("q", "lost");
        to.bind("e", "q", "k").bind("ae", "lost", "");
        assertThat(to.route("e", "k")).containsExactly("q");
        assertThat(to.route("e", "other")).containsExactly("lost");
    }

    @Test
    void shouldTakeAMatchThatLeadsToAnExchangeForAMatch() {
        to.withAlternate("e", ExchangeType.DIRECT, "ae").exchange("ae", ExchangeType.FANOUT).queues("lost");
        to.bindExchange("e", "amq.direct", "k").bind("ae", "lost", "");
        assertThat(to.route("e", "k")).isEmpty();
    }

    @Test
    void shouldFollowChainsOfAlternateExchangesAndCutCircles() {
        to.withAlternate("a", ExchangeType.DIRECT, "b").withAlternate("b", ExchangeType.DIRECT, "c");
        to.withAlternate("c", ExchangeType.DIRECT, "a").queues("q").bind("c", "q", "k");
        assertThat(to.route("a", "k")).containsExactly("q");
        assertThat(to.route("a", "other")).isEmpty();
    }

    @Test
    void shouldDropWhatAnAbsentAlternateExchangeWouldGetUntilItIsDeclared() {
        to.withAlternate("e", ExchangeType.DIRECT, "later").queues("q");
        assertThat(to.route("e", "k")).isEmpty();
        to.exchange("later", ExchangeType.FANOUT).bind("later", "q", "");
        assertThat(to.route("e", "k")).containsExactly("q");
    }

    @Test
    void shouldReachTheQueueOfTheKeysNameThroughADefaultExchangeAsAlternate() {
        to.withAlternate("e", ExchangeType.DIRECT, "").queues("q");
        assertThat(to.route("e", "q")).containsExactly("q");
    }

    // Several keys, several routes

    @Test
    void shouldRouteByExtraKeysAsWell() {
        to.queues("q", "r", "s").bind("amq.direct", "q", "k").bind("amq.direct", "r", "cc").bind("amq.direct", "s",
                "bcc");
        assertThat(route("amq.direct", "k", "cc", "k", "bcc", "none")).containsExactlyInAnyOrder("q", "r", "s");
        assertThat(route("", "q", "r", "absent")).containsExactly("q", "r");
    }

    @Test
    void shouldUseTheAlternateExchangeOnlyWhenNoKeyMatches() {
        to.withAlternate("e", ExchangeType.DIRECT, "amq.fanout").queues("q", "lost");
        to.bind("e", "q", "cc").bind("amq.fanout", "lost", "");
        assertThat(route("e", "k", "cc")).containsExactly("q");
        assertThat(route("e", "k", "other")).containsExactly("lost");
    }

    private List<String> route(String exchange, String key, String... extraKeys) {
        RouteSet<TestQueue> out = new RouteSet<>();
        to.table().route(to.table().exchange(exchange), key, List.of(extraKeys), HeaderSource.NONE, out);
        return TableBuilder.names(out);
    }

    @Test
    void shouldAddUpRoutesUntilCleared() {
        to.queues("q", "r").bind("amq.direct", "q", "k").bind("amq.fanout", "q", "").bind("amq.fanout", "r", "");
        RouteSet<TestQueue> out = new RouteSet<>();
        to.table().route(to.table().exchange("amq.direct"), "k", HeaderSource.NONE, out);
        to.table().route(to.table().exchange("amq.fanout"), "k", HeaderSource.NONE, out);
        assertThat(TableBuilder.names(out)).containsExactlyInAnyOrder("q", "r");
        out.clear();
        assertThat(out.isEmpty()).isTrue();
        to.table().route(to.table().exchange("amq.direct"), "k", HeaderSource.NONE, out);
        assertThat(TableBuilder.names(out)).containsExactly("q");
    }

    @Test
    void shouldBeUsableAgainAfterHeadersCouldNotBeRead() {
        to.queues("q", "r").bindExchange("amq.fanout", "amq.match", "").bindExchange("amq.fanout", "amq.direct", "");
        to.bind("amq.match", "q", Map.of("a", 1)).bind("amq.direct", "r", "k");
        RouteSet<TestQueue> out = new RouteSet<>();
        HeaderSource broken = () -> {
            throw new IllegalStateException("damaged");
        };
        assertThat(catchThrowable(
                () -> to.table().route(to.table().exchange("amq.fanout"), "k", broken, out)))
                .hasMessage("damaged");
        out.clear();
        to.table().route(to.table().exchange("amq.fanout"), "k", () -> Map.of("a", 1), out);
        assertThat(TableBuilder.names(out)).containsExactlyInAnyOrder("q", "r");
    }

    // Snapshots and stamps

    @Test
    void shouldLeaveEarlierTablesAsTheyWere() {
        to.queues("q").bind("amq.direct", "q", "k");
        RoutingTable<TestQueue> before = to.table();
        to.removeQueue("q");
        assertThat(TableBuilder.route(before, "amq.direct", "k", HeaderSource.NONE)).containsExactly("q");
        assertThat(TableBuilder.route(before, "", "q", HeaderSource.NONE)).containsExactly("q");
        assertThat(before.bindingsToQueue("q")).hasSize(1);
    }

    @Test
    void shouldChangeAStampOnlyWithTheRoutesFromItsExchange() {
        to.queues("q", "r").bind("amq.direct", "q", "k");
        Object direct = stamp("amq.direct");
        Object byName = stamp("");
        to.bind("amq.topic", "q", "#").exchange("e", ExchangeType.FANOUT).bindExchange("e", "amq.direct", "");
        assertThat(stamp("amq.direct")).isNotNull().isSameAs(direct);
        assertThat(stamp("")).isNotNull().isSameAs(byName);
        to.bind("amq.direct", "r", "k");
        assertThat(stamp("amq.direct")).isNotSameAs(direct);
        assertThat(stamp("")).isSameAs(byName);
        Object bound = stamp("amq.direct");
        to.removeQueue("q");
        assertThat(stamp("amq.direct")).isNotSameAs(bound);
        assertThat(stamp("")).isNotSameAs(byName);
    }

    @Test
    void shouldGiveNoStampWhereMoreThanTheKeyAndTheBindingsHereDecide() {
        to.withAlternate("e", ExchangeType.DIRECT, "ae").exchange("f", ExchangeType.FANOUT);
        to.bindExchange("f", "amq.match", "");
        assertThat(stamp("e")).isNull();
        assertThat(stamp("f")).isNull();
        assertThat(stamp("amq.match")).isNull();
        to.unbind(Binding.toExchange("f", "amq.match", ""));
        assertThat(stamp("f")).isNotNull();
    }

    private Object stamp(String exchange) {
        return to.table().routeStamp(to.table().exchange(exchange));
    }

    // Listing

    @Test
    void shouldListBindingsByBothEnds() {
        to.queues("q").bind("amq.direct", "q", "k").bind("amq.direct", "q", "l").bindExchange("amq.direct", "amq.topic",
                "k");
        assertThat(to.table().exchange("amq.direct").bindings())
                .containsExactlyInAnyOrder(
                        Binding.toQueue("amq.direct", "q", "k"),
                        Binding.toQueue("amq.direct", "q", "l"),
                        Binding.toExchange("amq.direct", "amq.topic", "k"));
        assertThat(to.table().bindingsToQueue("q")).hasSize(2);
        assertThat(to.table().bindingsToExchange("amq.topic"))
                .containsExactly(Binding.toExchange("amq.direct", "amq.topic", "k"));
    }

    @Test
    void shouldAnswerWhetherABindingExists() { // 0-8 exchange.bound, as Qpid's clients use it
        to.exchange("empty", ExchangeType.DIRECT).queues("q", "r").bind("amq.topic", "q", "a.*");
        to.bindExchange("amq.direct", "amq.topic", "k");
        RoutingTable<TestQueue> table = to.table();
        assertThat(table.hasBinding("amq.topic", "q", "a.*")).isTrue();
        assertThat(table.hasBinding("amq.topic", "q", "a.b")).isFalse();
        assertThat(table.hasBinding("amq.topic", "r", "a.*")).isFalse();
        assertThat(table.hasBinding("amq.topic", "q", null)).isTrue();
        assertThat(table.hasBinding("amq.topic", "r", null)).isFalse();
        assertThat(table.hasBinding("amq.direct", "q", null)).isFalse();
        assertThat(table.hasBinding("amq.topic", null, "a.*")).isTrue();
        assertThat(table.hasBinding("amq.topic", null, "a.b")).isFalse();
        assertThat(table.hasBinding("amq.topic", null, null)).isTrue();
        assertThat(table.hasBinding("empty", null, null)).isFalse();
        assertThat(table.hasBinding("amq.direct", null, null)).isFalse();
        assertThat(table.hasBinding("absent", null, null)).isFalse();
        assertThat(table.hasBinding("absent", "q", null)).isFalse();
    }

    @Test
    void shouldCountEveryQueueAsBoundToTheDefaultExchangeByItsName() {
        to.queues("q");
        RoutingTable<TestQueue> table = to.table();
        assertThat(table.hasBinding("", "q", "q")).isTrue();
        assertThat(table.hasBinding("", "q", null)).isTrue();
        assertThat(table.hasBinding("", null, "q")).isTrue();
        assertThat(table.hasBinding("", null, null)).isTrue();
        assertThat(table.hasBinding("", "q", "k")).isFalse();
        assertThat(table.hasBinding("", "absent", null)).isFalse();
        assertThat(table.hasBinding("", "absent", "absent")).isFalse();
        assertThat(table.hasBinding("", null, "absent")).isFalse();
    }

    @Test
    void shouldKnowTypesByTheirNamesInTheProtocols() {
        for (ExchangeType type : ExchangeType.values()) {
            assertThat(ExchangeType.labelled(type.label())).isEqualTo(type);
        }
        assertThat(ExchangeType.labelled("x-unknown")).isNull();
        assertThat(ExchangeType.labelled("TOPIC")).isNull();
    }
}
