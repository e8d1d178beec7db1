package io.sluicemq.interop.full;

import static io.sluicemq.interop.lab.Lab.bytes;
import static io.sluicemq.interop.lab.Lab.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.MessageProperties;
import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Confirms;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Refusal;
import io.sluicemq.interop.lab.Sender;
import io.sluicemq.interop.lab.Sender.Mode;
import io.sluicemq.interop.lab.Spec;
import io.sluicemq.server.AddressSetting;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What each policy does with what finds no room, and what its publisher is told. */
@ExtendWith(LabExtension.class)
@BeyondRabbitMq("has no limits of addresses")
class PoliciesTest {

    private static final int LIMIT = 10;

    private static String fullText(String address, String limit) {
        return "RESOURCE_ERROR - address '" + address + "' in vhost '/' is full: " + limit;
    }

    private static void publish(Channel channel, String exchange, String key, int from, int to) throws Exception {
        for (String number : numbers(from, to)) {
            channel.basicPublish(exchange, key, MessageProperties.MINIMAL_PERSISTENT_BASIC, bytes(number));
        }
    }

    // ---- fail

    @Test
    @Spec("RabbitMQ publisher confirms")
    void shouldNackWhatFindsNoRoom(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.limit(AddressSetting.match(queue).maxMessages(LIMIT).fullPolicy(FullPolicy.FAIL));
        Channel channel = lab.channel();
        Confirms confirms = Confirms.on(channel);
        publish(channel, "", queue, 1, 15);
        assertThat(confirms.acked(LIMIT)).hasSize(LIMIT);
        assertThat(confirms.nacked(5)).containsExactly(11L, 12L, 13L, 14L, 15L);
        assertThat(lab.drain(queue)).containsExactly(numbers(1, 10));
        publish(channel, "", queue, 16, 16);
        assertThat(confirms.acked(1)).containsExactly(16L);
    }

    @Test
    @Spec("0-9-1 channel.close")
    void shouldCloseAChannelWithoutConfirmsWhosePublishFails(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.limit(AddressSetting.match(queue).maxMessages(LIMIT).fullPolicy(FullPolicy.FAIL));
        Channel channel = lab.channel();
        Refusal.of(channel, () -> publish(channel, "", queue, 1, 11))
                .shouldBe(Refusal.channel(506, fullText(queue, "max-messages 10 is reached"), "60.40"));
        assertThat(channel.getConnection().isOpen()).isTrue();
        assertThat(lab.drain(queue)).containsExactly(numbers(1, 10));
    }

    @Test
    @Spec("0-9-1 tx.commit")
    void shouldFailACommitThatFindsNoRoomAndDoNothingOfIt(Lab lab) throws Exception {
        String queue = lab.queue();
        String other = lab.queue();
        lab.limit(AddressSetting.match(queue).maxMessages(LIMIT).fullPolicy(FullPolicy.FAIL));
        Channel channel = lab.channel();
        channel.txSelect();
        publish(channel, "", other, 1, 1);
        publish(channel, "", queue, 1, 11);
        Refusal refusal = Refusal.of(channel::txCommit);
        assertThat(refusal.code()).isEqualTo(506);
        assertThat(refusal.connection()).isFalse();
        assertThat(refusal.text()).startsWith("RESOURCE_ERROR - address '" + queue + "'");
        assertThat(lab.depth(queue)).isZero();
        assertThat(lab.depth(other)).isZero();
    }

    // ---- drop and ring

    @Test
    @Spec({"0-9-1 basic.publish", "RabbitMQ publisher confirms"})
    void shouldDropWhatFindsNoRoomAndCountIt(Lab lab) throws Exception {
        String fanout = lab.exchange(BuiltinExchangeType.FANOUT);
        String limited = lab.boundQueue(fanout, "");
        String other = lab.boundQueue(fanout, "");
        lab.limit(AddressSetting.match(limited).maxMessages(LIMIT).fullPolicy(FullPolicy.DROP));
        Channel channel = lab.channel();
        Confirms confirms = Confirms.on(channel);
        publish(channel, fanout, "", 1, 15);
        assertThat(confirms.acked(15)).hasSize(15);
        assertThat(lab.address(limited).droppedMessages()).isEqualTo(5);
        assertThat(lab.drain(limited)).containsExactly(numbers(1, 10));
        assertThat(lab.drain(other)).containsExactly(numbers(1, 15));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Spec({"0-9-1 basic.publish", "RabbitMQ publisher confirms"})
    void shouldKeepTheNewestInARing(boolean byMessages, Lab lab) throws Exception {
        String queue = lab.queue();
        AddressSetting setting = AddressSetting.match(queue).fullPolicy(FullPolicy.RING);
        // A message of ten bytes counts its header and what it takes beside it, too.
        lab.limit(byMessages ? setting.maxMessages(LIMIT) : setting.maxSizeBytes(3_000));
        Channel channel = lab.channel();
        Confirms confirms = Confirms.on(channel);
        publish(channel, "", queue, 1, 100);
        assertThat(confirms.acked(100)).hasSize(100);
        AddressState state = lab.address(queue);
        List<String> kept = lab.drain(queue);
        assertThat(kept).hasSizeBetween(LIMIT, 15).containsExactly(numbers(101 - kept.size(), 100));
        assertThat(state.droppedMessages()).isEqualTo(100 - kept.size());
        if (byMessages) {
            assertThat(kept).hasSize(LIMIT);
        } else {
            assertThat(state.usedBytes()).isBetween(1L, 3_000L);
        }
    }

    // ---- block, and how long

    @Test
    @Spec("RabbitMQ publisher confirms")
    void shouldNackWhatHasWaitedTooLong(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.limit(AddressSetting.match(queue).maxMessages(LIMIT).fullPolicy(FullPolicy.BLOCK)
                .holdLimit(Duration.ofSeconds(1)));
        Channel channel = lab.channel();
        Confirms confirms = Confirms.on(channel);
        publish(channel, "", queue, 1, 15);
        assertThat(confirms.acked(LIMIT)).hasSize(LIMIT);
        assertThat(confirms.nackedCount()).isZero();
        assertThat(confirms.nacked(5)).containsExactly(11L, 12L, 13L, 14L, 15L);
        lab.awaitParked(0);
        assertThat(lab.drain(queue)).containsExactly(numbers(1, 10));
    }

    @Test
    @Spec("0-9-1 basic.publish")
    void shouldRefuseAMessageThatIsLargerThanItsAddressMayHold(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.limit(AddressSetting.match(queue).maxSizeBytes(10_000).fullPolicy(FullPolicy.BLOCK));
        Channel confirming = lab.channel();
        Confirms confirms = Confirms.on(confirming);
        confirming.basicPublish("", queue, null, new byte[10_000]);
        confirming.basicPublish("", queue, null, bytes("small"));
        assertThat(confirms.nacked(1)).containsExactly(1L);
        assertThat(confirms.acked(1)).containsExactly(2L);
        Channel plain = lab.channel();
        Refusal refusal = Refusal.of(plain, () -> plain.basicPublish("", queue, null, new byte[20_000]));
        assertThat(refusal.code()).isEqualTo(506);
        assertThat(refusal.text()).startsWith("RESOURCE_ERROR - address '" + queue + "'")
                .contains("max-size-bytes 10000");
        assertThat(lab.drain(queue)).containsExactly("small");
    }

    @Test
    @Spec("RabbitMQ publisher confirms")
    void shouldPageUpToItsLimitAndThenHold(Lab lab) throws Exception {
        String queue = lab.queue();
        lab.limit(AddressSetting.match(queue).maxSizeBytes(20_000).pageLimitBytes(100_000)
                .fullPolicy(FullPolicy.PAGE));
        Channel channel = lab.channel();
        Sender sender = Sender.start(channel, queue, Mode.CONFIRMED, MessageProperties.MINIMAL_PERSISTENT_BASIC, 200,
                1_000);
        Lab.until("all have come",
                () -> lab.counters().readyMessages() + lab.counters().parkedMessages() == sender.sent()
                        && sender.sent() == 200);
        AddressState state = lab.address(queue);
        assertThat(state.highestBytes()).isBetween(80_000L, 100_000L);
        assertThat(state.waiting()).extracting(AddressState.Waiting::limit)
                .containsExactly("page-limit-bytes 100000");
        List<Integer> numbers = lab.consume(queue).next(200 - (int) lab.counters().parkedMessages()).stream()
                .map(each -> Sender.number(each.getBody())).toList();
        Sender.shouldBeNumbers(numbers, 0, numbers.size());
        lab.channel().queueDelete(queue);
        sender.shouldFinish();
    }

    // ---- several accounts

    @Test
    @Spec("0-9-1 basic.publish")
    void shouldHoldWhatComesByAFullExchange(Lab lab) throws Exception {
        String fanout = lab.exchange(BuiltinExchangeType.FANOUT);
        String one = lab.boundQueue(fanout, "");
        String two = lab.boundQueue(fanout, "");
        lab.limit(AddressSetting.match(fanout).maxMessages(20).fullPolicy(FullPolicy.BLOCK));
        Channel channel = lab.channel();
        Confirms confirms = Confirms.on(channel);
        publish(channel, fanout, "", 1, 25);
        assertThat(confirms.acked(20)).hasSize(20);
        lab.awaitParked(5);
        AddressState state = lab.address(fanout);
        assertThat(state.kind()).isEqualTo("exchange");
        assertThat(state.usedMessages()).isEqualTo(20);
        // What comes to one of its queues by name is nothing of the exchange's.
        lab.send(one, "by name");

        assertThat(lab.take(one)).hasSize(21);
        assertThat(confirms.ackedCount()).as("they are still in the other queue").isZero();
        assertThat(lab.take(two)).hasSizeGreaterThanOrEqualTo(20);

        assertThat(confirms.acked(5)).hasSize(5);
    }

    @Test
    @Spec("0-9-1 basic.publish")
    void shouldHoldUntilThereIsRoomInEveryQueue(Lab lab) throws Exception {
        String fanout = lab.exchange(BuiltinExchangeType.FANOUT);
        String one = lab.boundQueue(fanout, "");
        String two = lab.boundQueue(fanout, "");
        lab.limit(AddressSetting.match(one).maxMessages(5).fullPolicy(FullPolicy.BLOCK),
                AddressSetting.match(two).maxMessages(8).fullPolicy(FullPolicy.BLOCK));
        Channel channel = lab.channel();
        Confirms confirms = Confirms.on(channel);
        publish(channel, fanout, "", 1, 20);
        assertThat(confirms.acked(5)).hasSize(5);
        lab.awaitParked(15);
        // The other one has room, and holds none for those that wait.
        assertThat(lab.address(two).usedMessages()).isEqualTo(5);
        lab.send(two, "by name");

        assertThat(lab.drain(one)).startsWith(numbers(1, 5));

        assertThat(confirms.acked(2)).hasSize(2);
        Lab.until("the second is full", () -> lab.address(two).usedMessages() == 8);
        lab.channel().queuePurge(two);
        lab.channel().queuePurge(one);
        Lab.until("nothing waits", () -> {
            lab.channel().queuePurge(one);
            lab.channel().queuePurge(two);
            return lab.counters().parkedMessages() == 0;
        });
        assertThat(confirms.acked(13)).hasSize(13);
    }

    @Test
    @Spec("0-9-1 basic.publish")
    void shouldHoldAllProducersOfAFullVirtualHost() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.start(builder -> builder.virtualHostLimit("/", null, 20L))) {
            Lab lab = Lab.at(broker);
            String one = lab.queue();
            String two = lab.queue();
            Channel channel = lab.channel();
            Confirms confirms = Confirms.on(channel);
            publish(channel, "", one, 1, 15);
            publish(channel, "", two, 1, 15);
            assertThat(confirms.acked(20)).hasSize(20);
            lab.awaitParked(10);
            assertThat(lab.depth(one) + lab.depth(two)).isEqualTo(20);
            assertThat(lab.drain(one)).hasSize(15);
            assertThat(confirms.acked(10)).hasSize(10);
            assertThat(lab.drain(two)).containsExactly(numbers(1, 15));
            lab.leave();
        }
    }
}
