package io.sluicemq.interop.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Refusal;
import io.sluicemq.interop.lab.Spec;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Declaring and deleting exchanges, and what the plain types do with a routing key. */
@ExtendWith(LabExtension.class)
class ExchangesTest {

    @Test
    @Spec("0-9-1 basic.publish default exchange")
    void shouldRouteThroughTheDefaultExchangeByQueueName(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.publish("", queue, "a");
        assertThat(lab.drain(queue)).containsExactly("a");
    }

    @Test
    @Spec({"0-9-1 queue.bind", "0-9-1 §3.1.3.1"})
    void shouldRouteDirectByEqualKey(Lab lab) throws Exception {
        String direct = lab.exchange(BuiltinExchangeType.DIRECT);
        String red = lab.boundQueue(direct, "red");
        String both = lab.boundQueue(direct, "red");
        lab.bind(both, direct, "blue");
        lab.publish(direct, "red", "1");
        lab.publish(direct, "blue", "2");
        lab.publish(direct, "green", "3");
        assertThat(lab.drain(red)).containsExactly("1");
        assertThat(lab.drain(both)).containsExactly("1", "2");
    }

    @Test
    @Spec("0-9-1 §3.1.3.2")
    void shouldRouteFanoutToEachQueueOnce(Lab lab) throws Exception {
        String fanout = lab.exchange(BuiltinExchangeType.FANOUT);
        String one = lab.boundQueue(fanout, "x");
        lab.bind(one, fanout, "y");
        String two = lab.boundQueue(fanout, "");
        lab.publish(fanout, "whatever", "1");
        assertThat(lab.drain(one)).containsExactly("1");
        assertThat(lab.drain(two)).containsExactly("1");
    }

    @ParameterizedTest
    @CsvSource({
        "stock.*.nyse, stock.ibm.nyse, true",
        "stock.*.nyse, stock.nyse, false",
        "stock.*.nyse, stock.ibm.x.nyse, false",
        "stock.#, stock, true",
        "stock.#, stock.ibm.nyse, true",
        "stock.#, stocks, false",
        "#.nyse, nyse, true",
        "#.#, '', true",
        "*, '', false",
        "*.*, a, false",
        "*.#, a, true",
        "#.*, '', false",
        "a.#.b.#.c, a.b.c, true",
        "a.#.b.#.c, a.x.b.y.z.c, true",
        "a.#.b.#.c, a.x.c, false",
        "a..b, a..b, true",
        "a.*.b, a..b, true",
        "'', '', true",
        "'', a, false",
        "a*, a*, true",
        "a*, ab, false"})
    @Spec("0-9-1 §3.1.3.3")
    void shouldRouteTopicsByWords(String pattern, String key, boolean matches, Lab lab) throws Exception {
        String topic = lab.exchange(BuiltinExchangeType.TOPIC);
        String queue = lab.boundQueue(topic, pattern);
        lab.publish(topic, key, "m");
        assertThat(lab.depth(queue)).isEqualTo(matches ? 1 : 0);
    }

    @Test
    @Spec("0-9-1 queue.unbind")
    void shouldDeliverOnceForManyMatchingTopicBindingsAndFollowUnbind(Lab lab) throws Exception {
        String topic = lab.exchange(BuiltinExchangeType.TOPIC);
        String queue = lab.boundQueue(topic, "a.#");
        lab.bind(queue, topic, "#");
        lab.bind(queue, topic, "a.*");
        lab.publish(topic, "a.b", "1");
        Channel channel = lab.channel();
        channel.queueUnbind(queue, topic, "#");
        channel.queueUnbind(queue, topic, "a.#");
        lab.publish(topic, "a.b", "2");
        channel.queueUnbind(queue, topic, "a.*");
        lab.publish(topic, "a.b", "3");
        assertThat(lab.drain(queue)).containsExactly("1", "2");
        channel.queueUnbind(queue, topic, "never.bound");
    }

    @ParameterizedTest
    @CsvSource({"amq.direct, direct", "amq.fanout, fanout", "amq.topic, topic", "amq.headers, headers",
        "amq.match, headers"})
    @Spec("0-9-1 exchange.declare predeclared")
    void shouldHaveThePredeclaredExchanges(String name, String type, Lab lab) throws Exception {
        Channel channel = lab.channel();
        channel.exchangeDeclarePassive(name);
        channel.exchangeDeclare(name, type, true);
    }

    @ParameterizedTest
    @ValueSource(strings = {"direct", "fanout", "topic", "headers"})
    @Spec("0-9-1 exchange.declare")
    void shouldDeclareTheSameExchangeAgain(String type, Lab lab) throws Exception {
        Channel channel = lab.channel();
        String name = lab.forgetExchange(lab.name("again"));
        channel.exchangeDeclare(name, type, true, false, Map.of());
        channel.exchangeDeclare(name, type, true, false, Map.of());
        channel.exchangeDeclarePassive(name);
        channel.exchangeDelete(name);
        channel.exchangeDelete(name);
        assertThat(lab.exchangeExists(name)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "fanout, false, false, false, received 'fanout' but current is 'direct', type",
        "direct, true, false, false, received 'true' but current is 'false', durable",
        "direct, false, true, false, received 'true' but current is 'false', auto_delete",
        "direct, false, false, true, received 'true' but current is 'false', internal"})
    @Spec("0-9-1 exchange.declare equivalence")
    void shouldRefuseToRedeclareOtherwise(String type, boolean durable, boolean autoDelete, boolean internal,
            String difference, String property, Lab lab) throws Exception {
        String name = lab.exchange(BuiltinExchangeType.DIRECT);
        Channel channel = lab.channel();
        Refusal.of(() -> channel.exchangeDeclare(name, type, durable, autoDelete, internal, null))
                .shouldBe(
                        Refusal.channel(406, "PRECONDITION_FAILED - inequivalent arg '" + property + "' for exchange '"
                                + name + "' in vhost '/': " + difference, "40.10"));
        assertThat(lab.exchangeExists(name)).isTrue();
    }

    @Test
    @Spec("RabbitMQ alternate-exchange")
    void shouldRefuseAnotherAlternateExchange(Lab lab) throws Exception {
        String name = lab.exchange("direct", Map.of("alternate-exchange", "one"));
        Channel channel = lab.channel();
        Refusal.of(() -> channel.exchangeDeclare(name, "direct", false, false, Map.of("alternate-exchange", "two")))
                .shouldBe(Refusal.channel(406,
                        "PRECONDITION_FAILED - inequivalent arg 'alternate-exchange' for exchange '"
                                + name + "' in vhost '/': received 'two' but current is 'one'",
                        "40.10"));
        Channel other = lab.channel();
        Refusal.of(() -> other.exchangeDeclare(name, "direct", false, false, Map.of()))
                .shouldBe(Refusal.channel(406,
                        "PRECONDITION_FAILED - inequivalent arg 'alternate-exchange' for exchange '"
                                + name
                                + "' in vhost '/': received none but current is the value 'one' of type 'longstr'",
                        "40.10"));
    }

    @Test
    @Spec("0-9-1 exchange.declare passive")
    void shouldRefusePassiveDeclarationOfWhatIsNotThere(Lab lab) throws Exception {
        Channel channel = lab.channel();
        Refusal.of(() -> channel.exchangeDeclarePassive("nowhere"))
                .shouldBe(Refusal.channel(404, "NOT_FOUND - no exchange 'nowhere' in vhost '/'", "40.10"));
        assertThat(lab.channel().isOpen()).as("the connection lives").isTrue();
    }

    @Test
    @Spec("0-9-1 exchange.declare unknown type")
    void shouldRefuseAnUnknownType(Lab lab) throws Exception {
        Connection connection = lab.connect();
        Channel channel = connection.createChannel();
        Refusal.of(() -> channel.exchangeDeclare(lab.name("x"), "x-unheard-of", false))
                .shouldBe(Refusal.connection(503, "COMMAND_INVALID - unknown exchange type 'x-unheard-of'", "40.10"));
    }

    @Test
    @Spec("0-9-1 exchange.declare reserved names")
    void shouldRefuseReservedNames(Lab lab) throws Exception {
        Channel channel = lab.channel();
        Refusal.of(() -> channel.exchangeDeclare("amq.mine", "direct"))
                .shouldBe(Refusal.channel(403,
                        "ACCESS_REFUSED - exchange name 'amq.mine' contains reserved prefix 'amq.*'", "40.10"));
        Channel other = lab.channel();
        Refusal.of(() -> other.exchangeDelete("amq.direct"))
                .shouldBe(Refusal.channel(403,
                        "ACCESS_REFUSED - deletion of system exchange 'amq.direct' in vhost '/' not allowed",
                        "40.20"));
    }

    @Test
    @Spec({"0-9-1 exchange.declare default exchange", "0-9-1 exchange.delete default exchange",
        "0-9-1 queue.bind default exchange", "0-9-1 queue.unbind default exchange"})
    void shouldRefuseToTouchTheDefaultExchange(Lab lab) throws Exception {
        String refusal = "ACCESS_REFUSED - operation not permitted on the default exchange";
        Channel declaring = lab.channel();
        Refusal.of(() -> declaring.exchangeDeclare("", "direct", true))
                .shouldBe(Refusal.channel(403, refusal, "40.10"));
        Channel deleting = lab.channel();
        Refusal.of(() -> deleting.exchangeDelete("")).shouldBe(Refusal.channel(403, refusal, "40.20"));
        String queue = lab.queue();
        Channel binding = lab.channel();
        Refusal.of(() -> binding.queueBind(queue, "", "key")).shouldBe(Refusal.channel(403, refusal, "50.20"));
        Channel unbinding = lab.channel();
        Refusal.of(() -> unbinding.queueUnbind(queue, "", queue)).shouldBe(Refusal.channel(403, refusal, "50.50"));
    }

    @Test
    @Spec("0-9-1 exchange.delete if-unused")
    void shouldDeleteOnlyIfUnusedIfAskedTo(Lab lab) throws Exception {
        String used = lab.exchange(BuiltinExchangeType.DIRECT);
        lab.boundQueue(used, "key");
        Channel channel = lab.channel();
        Refusal.of(() -> channel.exchangeDelete(used, true))
                .shouldBe(Refusal.channel(406, "PRECONDITION_FAILED - exchange '" + used + "' in vhost '/' in use",
                        "40.20"));
        lab.channel().exchangeDelete(used, false);
        assertThat(lab.exchangeExists(used)).isFalse();
        String unused = lab.exchange(BuiltinExchangeType.DIRECT);
        lab.channel().exchangeDelete(unused, true);
        assertThat(lab.exchangeExists(unused)).isFalse();
    }

    @Test
    @Spec("RabbitMQ auto-delete exchanges")
    void shouldDeleteAnAutoDeleteExchangeWithItsLastBinding(Lab lab) throws Exception {
        Channel channel = lab.channel();
        String exchange = lab.forgetExchange(lab.name("fleeting"));
        channel.exchangeDeclare(exchange, "fanout", false, true, null);
        assertThat(lab.exchangeExists(exchange)).as("lives until it was bound").isTrue();
        String one = lab.boundQueue(exchange, "");
        String two = lab.boundQueue(exchange, "");
        channel.queueUnbind(one, exchange, "");
        assertThat(lab.exchangeExists(exchange)).isTrue();
        channel.queueDelete(two);
        assertThat(lab.exchangeExists(exchange)).isFalse();
    }

    @Test
    @Spec("RabbitMQ internal exchanges")
    void shouldRefusePublishesToAnInternalExchangeButRouteThroughIt(Lab lab) throws Exception {
        Channel channel = lab.channel();
        String internal = lab.forgetExchange(lab.name("internal"));
        channel.exchangeDeclare(internal, "fanout", false, false, true, null);
        String queue = lab.boundQueue(internal, "");
        String outer = lab.exchange(BuiltinExchangeType.FANOUT);
        channel.exchangeBind(internal, outer, "");
        lab.publish(outer, "", "through");
        assertThat(lab.drain(queue)).containsExactly("through");
        Refusal.of(channel, () -> channel.basicPublish(internal, "", null, Lab.bytes("straight")))
                .shouldBe(Refusal.channel(403,
                        "ACCESS_REFUSED - cannot publish to internal exchange '" + internal + "' in vhost '/'",
                        "60.40"));
        assertThat(lab.depth(queue)).isZero();
    }

    @Test
    @Spec("0-9-1 basic.publish unknown exchange")
    void shouldRefusePublishesToAnUnknownExchange(Lab lab) throws Exception {
        Channel channel = lab.channel();
        Refusal.of(channel, () -> channel.basicPublish("nowhere", "key", null, Lab.bytes("m")))
                .shouldBe(Refusal.channel(404, "NOT_FOUND - no exchange 'nowhere' in vhost '/'", "60.40"));
    }

    @Test
    @Spec("0-9-1 queue.bind not found")
    void shouldRefuseBindingsOfWhatIsNotThere(Lab lab) throws Exception {
        String queue = lab.queue();
        Channel toExchange = lab.channel();
        Refusal.of(() -> toExchange.queueBind(queue, "nowhere", "key"))
                .shouldBe(Refusal.channel(404, "NOT_FOUND - no exchange 'nowhere' in vhost '/'", "50.20"));
        Channel ofQueue = lab.channel();
        Refusal.of(() -> ofQueue.queueBind("nothing", "amq.direct", "key"))
                .shouldBe(Refusal.channel(404, "NOT_FOUND - no queue 'nothing' in vhost '/'", "50.20"));
    }

    @Test
    @Spec("RabbitMQ exchange.bind")
    void shouldRouteBetweenExchangesOnceAlsoInCircles(Lab lab) throws Exception {
        String source = lab.exchange(BuiltinExchangeType.TOPIC);
        String middle = lab.exchange(BuiltinExchangeType.DIRECT);
        String last = lab.exchange(BuiltinExchangeType.FANOUT);
        String queue = lab.boundQueue(middle, "a.b");
        lab.bind(queue, last, "");
        Channel channel = lab.channel();
        channel.exchangeBind(middle, source, "a.*");
        channel.exchangeBind(last, middle, "a.b");
        channel.exchangeBind(source, last, "");
        lab.publish(source, "a.b", "1");
        lab.publish(source, "b.a", "2");
        assertThat(lab.drain(queue)).containsExactly("1");
        channel.exchangeUnbind(middle, source, "a.*");
        lab.publish(source, "a.b", "3");
        assertThat(lab.drain(queue)).isEmpty();
        channel.exchangeDelete(last);
        lab.publish(middle, "a.b", "4");
        assertThat(lab.drain(queue)).containsExactly("4");
    }

    @Test
    @Spec("RabbitMQ exchange.bind not found")
    void shouldRefuseExchangeBindingsOfWhatIsNotThere(Lab lab) throws Exception {
        Channel channel = lab.channel();
        Refusal.of(() -> channel.exchangeBind("nothing", "amq.direct", "key"))
                .shouldBe(Refusal.channel(404, "NOT_FOUND - no exchange 'nothing' in vhost '/'", "40.30"));
        Channel other = lab.channel();
        Refusal.of(() -> other.exchangeBind("amq.direct", "nothing", "key"))
                .shouldBe(Refusal.channel(404, "NOT_FOUND - no exchange 'nothing' in vhost '/'", "40.30"));
    }

    @Test
    @Spec("RabbitMQ alternate-exchange")
    void shouldHandUnroutableMessagesToTheAlternateExchange(Lab lab) throws Exception {
        String last = lab.exchange(BuiltinExchangeType.FANOUT);
        String lost = lab.boundQueue(last, "");
        String second = lab.exchange("direct", Map.of("alternate-exchange", last));
        String first = lab.exchange("direct", Map.of("alternate-exchange", second));
        String queue = lab.boundQueue(first, "known");
        lab.publish(first, "known", "1");
        lab.publish(first, "unknown", "2");
        assertThat(lab.drain(queue)).containsExactly("1");
        assertThat(lab.drain(lost)).containsExactly("2");
        Channel channel = lab.channel();
        channel.confirmSelect();
        channel.addReturnListener(returned -> {
            throw new AssertionError("returned, though the alternate exchange has routed it");
        });
        channel.basicPublish(first, "unknown", true, null, Lab.bytes("3"));
        channel.waitForConfirmsOrDie(5_000);
        assertThat(lab.drain(lost)).containsExactly("3");
    }

    @Test
    @Spec("RabbitMQ alternate-exchange")
    void shouldDropUnroutableMessagesIfTheAlternateExchangeIsMissingOrInCircles(Lab lab) throws Exception {
        String missing = lab.exchange("direct", Map.of("alternate-exchange", "nowhere"));
        String other = lab.name("circle");
        String circle = lab.exchange("direct", Map.of("alternate-exchange", other));
        lab.channel().exchangeDeclare(lab.forgetExchange(other), "direct", false, false,
                Map.of("alternate-exchange", circle));
        assertThatCode(() -> {
            lab.publish(missing, "k", "1");
            lab.publish(circle, "k", "2");
        }).doesNotThrowAnyException();
    }

    @Test
    @Spec("0-9-1 exchange.declare no-wait")
    void shouldDeclareBindAndDeleteWithoutAnswers(Lab lab) throws Exception {
        Channel channel = lab.channel();
        String exchange = lab.forgetExchange(lab.name("hasty"));
        String queue = lab.forget(lab.name("hasty"));
        channel.exchangeDeclareNoWait(exchange, "direct", false, false, false, null);
        channel.queueDeclareNoWait(queue, true, false, false, null);
        channel.queueBindNoWait(queue, exchange, "k", null);
        channel.basicPublish(exchange, "k", null, Lab.bytes("1"));
        assertThat(Lab.text(channel.basicGet(queue, true))).isEqualTo("1");
        channel.queueDeleteNoWait(queue, false, false);
        channel.exchangeDeleteNoWait(exchange, false);
        channel.exchangeDeclarePassive("amq.direct");
        assertThat(lab.queueExists(queue)).isFalse();
        assertThat(lab.exchangeExists(exchange)).isFalse();
    }
}
