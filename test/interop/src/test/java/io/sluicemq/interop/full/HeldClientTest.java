package io.sluicemq.interop.full;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.MessageProperties;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.impl.Method;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.campaign.RawAmqp;
import io.sluicemq.interop.lab.BeyondRabbitMq;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.LabExtension;
import io.sluicemq.interop.lab.Mailbox;
import io.sluicemq.interop.lab.Refusal;
import io.sluicemq.interop.lab.Sender;
import io.sluicemq.interop.lab.Sender.Mode;
import io.sluicemq.interop.lab.Spec;
import io.sluicemq.server.AddressSetting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The RabbitMQ client's publishers while they are held, and how that ends: by room, by a close of either side, by a loss. */
@ExtendWith(LabExtension.class)
@BeyondRabbitMq("has no limit that producers wait for")
class HeldClientTest {

    private static final int LIMIT = 50;
    private static final int MESSAGES = 20_000;
    private static final int BODY_BYTES = 1_024;

    private String full;

    /** A publisher that is held, since its queue is full. */
    private Sender hold(Lab lab, Channel channel, Mode mode) throws Exception {
        full = lab.queue();
        lab.limit(AddressSetting.match(full).maxMessages(LIMIT).fullPolicy(FullPolicy.BLOCK));
        Sender sender =
                Sender.start(channel, full, mode, MessageProperties.MINIMAL_PERSISTENT_BASIC, MESSAGES, BODY_BYTES);
        Lab.until("it is held", () -> lab.counters().parkedMessages() > 0 && sender.isHeld());
        return sender;
    }

    /** Takes so many messages, which must be all there are; their numbers. */
    private List<Integer> drain(Lab lab, int count) throws Exception {
        Channel channel = lab.connect().createChannel();
        Mailbox mailbox = Lab.consume(channel, full, true);
        List<Integer> numbers = mailbox.next(count).stream().map(each -> Sender.number(each.getBody())).toList();
        lab.awaitParked(0);
        mailbox.shouldBeEmpty();
        channel.basicCancel(mailbox.tag());
        return numbers;
    }

    private static CompletableFuture<Void> inBackground(Refusal.Attempt closing) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                closing.run();
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
        return done;
    }

    @ParameterizedTest
    @EnumSource(value = Mode.class, names = {"PLAIN", "CONFIRMED"})
    @Spec({"0-9-1 channel.flow", "0-9-1 channel.close"})
    void shouldCloseAHeldChannelWhenAllOfItIsStored(Mode mode, Lab lab) throws Exception {
        Connection connection = lab.connect();
        Channel channel = connection.createChannel(7);
        Sender sender = hold(lab, channel, mode);

        CompletableFuture<Void> closing = inBackground(channel::close);

        assertThat(sender.failure()).isInstanceOf(AlreadyClosedException.class);
        assertThat(closing).as("the answer waits for what is parked").isNotDone();
        List<Integer> numbers = drain(lab, sender.sent());
        closing.get(10, TimeUnit.SECONDS);
        Sender.shouldBeNumbers(numbers, 0, sender.sent());
        Channel again = connection.createChannel(7);
        assertThat(again).as("the number can be used again").isNotNull();
        again.basicPublish("", full, null, Sender.body(0, 10));
        Lab.until("it is there", () -> lab.depth(full) == 1);
    }

    @Test
    @Spec({"0-9-1 channel.flow", "0-9-1 connection.close"})
    void shouldCloseAConnectionWithAHeldChannelWhenAllOfItIsStored(Lab lab) throws Exception {
        Connection connection = lab.connect();
        Sender sender = hold(lab, connection.createChannel(), Mode.CONFIRMED);

        CompletableFuture<Void> closing = inBackground(connection::close);

        Lab.until("it is being closed", () -> !connection.isOpen());
        assertThat(closing).as("the answer waits for what is parked").isNotDone();
        List<Integer> numbers = drain(lab, sender.sent());
        closing.get(10, TimeUnit.SECONDS);
        assertThat(sender.failure()).isInstanceOf(AlreadyClosedException.class);
        Sender.shouldBeNumbers(numbers, 0, sender.sent());
    }

    /** A close with a time-out, and an abort, which is one that tells of nothing, end what waits. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Spec({"0-9-1 channel.flow", "0-9-1 connection.close"})
    void shouldForgetWhatIsParkedOfAConnectionThatIsNotClosedInTime(boolean aborts, Lab lab) throws Exception {
        long before = lab.counters().droppedUnconfirmed();
        Connection connection = lab.connect();
        Sender sender = hold(lab, connection.createChannel(), Mode.CONFIRMED);
        long parked = lab.counters().parkedMessages();

        if (aborts) {
            connection.abort(200);
        } else {
            assertThatThrownBy(() -> connection.close(200)).isInstanceOf(ShutdownSignalException.class);
        }

        assertThat(sender.failure()).isInstanceOf(ShutdownSignalException.class);
        lab.awaitParked(0);
        // Some may have been under way yet when it was held.
        assertThat(lab.counters().droppedUnconfirmed() - before).isBetween(parked, (long) sender.sent());
        assertThat(lab.drain(full)).hasSize(LIMIT);
    }

    @Test
    @Spec("0-9-1 channel.flow")
    void shouldForgetWhatIsParkedOfAConnectionThatIsLost(Lab lab) throws Exception {
        Connection connection = lab.connect();
        Sender sender = hold(lab, connection.createChannel(), Mode.PLAIN);

        lab.cut(connection);

        assertThat(sender.failure()).isNotNull();
        lab.awaitParked(0);
        assertThat(lab.drain(full)).hasSize(LIMIT);
    }

    @Test
    @Spec({"0-9-1 channel.flow", "0-9-1 queue.delete"})
    void shouldLetAPublisherGoOnWhenItsQueueIsDeleted(Lab lab) throws Exception {
        Sender sender = hold(lab, lab.channel(), Mode.CONFIRMED);

        lab.channel().queueDelete(full);

        sender.shouldFinish();
    }

    @Test
    @Spec({"0-9-1 channel.flow", "0-9-1 queue.purge"})
    void shouldHoldAndReleaseAPublisherAgainAndAgain(Lab lab) throws Exception {
        Sender sender = hold(lab, lab.channel(), Mode.PLAIN);
        Channel purging = lab.channel();
        int sent = 0;
        for (int round = 0; round < 5; round++) {
            assertThat(sender.sent()).isGreaterThanOrEqualTo(sent);
            sent = sender.sent();
            int before = sent;
            Lab.until("it goes on", () -> {
                purging.queuePurge(full);
                return sender.sent() > before;
            });
            Lab.until("it is held again", sender::isHeld);
        }
        assertThat(sender.sent()).isLessThan(MESSAGES);
        lab.limit();
        sender.shouldFinish();
    }

    @Test
    @Spec({"0-9-1 tx.commit", "0-9-1 tx.rollback"})
    void shouldCommitWhenThereIsRoomForAll(Lab lab) throws Exception {
        full = lab.queue();
        lab.limit(AddressSetting.match(full).maxMessages(10).fullPolicy(FullPolicy.BLOCK));
        Connection connection = lab.connect();
        Channel channel = connection.createChannel();
        channel.txSelect();
        for (int i = 0; i < 8; i++) {
            channel.basicPublish("", full, null, Sender.body(i, 10));
        }
        channel.txCommit();
        for (int i = 8; i < 16; i++) {
            channel.basicPublish("", full, null, Sender.body(i, 10));
        }
        CompletableFuture<Void> commit = inBackground(channel::txCommit);
        lab.awaitParked(1); // the commit
        assertThat(lab.depth(full)).isEqualTo(8);
        assertThat(commit).isNotDone();
        assertThat(lab.channel().basicGet(full, true)).as("room for less than all").isNotNull();
        assertThat(lab.depth(full)).isEqualTo(7);

        List<Integer> numbers = drain(lab, 15);

        commit.get(10, TimeUnit.SECONDS);
        Sender.shouldBeNumbers(numbers, 1, 16);
    }

    /** By frames, as the client does not look at what comes between its close and the answer to it. */
    @Test
    @Spec({"RabbitMQ publisher confirms", "0-9-1 channel.close"})
    void shouldConfirmBeforeItAnswersTheClose(Lab lab) throws Exception {
        full = lab.queue();
        lab.limit(AddressSetting.match(full).maxMessages(10).fullPolicy(FullPolicy.BLOCK));
        RawAmqp raw = lab.raw();
        raw.openChannel(1);
        raw.send(1, new AMQP.Confirm.Select.Builder().build());
        raw.expect(1, AMQP.Confirm.SelectOk.class);
        for (int i = 0; i < 30; i++) {
            raw.publish(1, full, i + ":");
        }
        raw.send(1, new AMQP.Channel.Close.Builder().replyCode(200).replyText("bye").build());
        lab.awaitParked(20);

        Sender.shouldBeNumbers(drain(lab, 30), 0, 30);

        List<Long> confirmed = new ArrayList<>();
        Method next = RawAmqp.method(raw.readContent());
        for (; next instanceof AMQP.Basic.Ack ack; next = RawAmqp.method(raw.readContent())) {
            long from = ack.getMultiple() ? confirmed.size() + 1 : ack.getDeliveryTag();
            LongStream.rangeClosed(from, ack.getDeliveryTag()).forEach(confirmed::add);
        }
        assertThat(confirmed).containsExactlyElementsOf(LongStream.rangeClosed(1, 30).boxed().toList());
        assertThat(next).isInstanceOf(AMQP.Channel.CloseOk.class);
    }

    @Test
    @Spec({"0-9-1 channel.close", "0-9-1 channel.flow"})
    void shouldTellAHeldPublisherThatItHasWaitedTooLong(Lab lab) throws Exception {
        full = lab.queue();
        lab.limit(AddressSetting.match(full).maxMessages(LIMIT).fullPolicy(FullPolicy.BLOCK)
                .holdLimit(Duration.ofSeconds(1)));
        Channel channel = lab.connect().createChannel();
        Refusal refusal = Refusal.of(channel, () -> {
            Sender sender = Sender.start(channel, full, Mode.PLAIN, MessageProperties.MINIMAL_PERSISTENT_BASIC,
                    MESSAGES, BODY_BYTES);
            assertThat(sender.failure()).isInstanceOf(ShutdownSignalException.class);
        });
        refusal.shouldBe(Refusal.channel(506, "RESOURCE_ERROR - address '" + full
                + "' in vhost '/' is full: max-messages " + LIMIT, "60.40"));
        assertThat(channel.getConnection().isOpen()).isTrue();
    }
}
