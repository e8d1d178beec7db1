package io.sluicemq.protocol.amqp091;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.protocol.amqp091.codec.MethodId;
import io.sluicemq.protocol.amqp091.codec.RawFrame;
import io.sluicemq.protocol.amqp091.codec.RawFrames;
import io.sluicemq.testkit.ManualLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Publisher confirms (RabbitMQ, class confirm). */
class ConfirmsTest {

    private final ManualLoop loop = ManualLoop.single();
    private final FakeClient broker = new FakeClient(loop);
    private final Peer peer = Peer.connected(loop, broker);

    private void select() {
        peer.send(RawFrames.confirmSelect(1, false));
        peer.expect(1, MethodId.CONFIRM_SELECT_OK);
    }

    private void publish(int count) {
        byte[][] messages = new byte[count][];
        for (int i = 0; i < count; i++) {
            messages[i] = Peer.message(1, "", "q", "m" + i);
        }
        peer.send(messages);
    }

    /** Acks and nacks since the last look, as {@code ack 3*} (the star: multiple). */
    private List<String> confirms() {
        List<String> confirms = new ArrayList<>();
        for (RawFrame frame : peer.frames()) {
            boolean ack = frame.isMethod(60, 80);
            assertThat(ack || frame.isMethod(60, 120)).as("%s", frame).isTrue();
            var arguments = frame.arguments();
            confirms.add((ack ? "ack " : "nack ") + arguments.getLong() + (arguments.get() == 0 ? "" : "*"));
        }
        return confirms;
    }

    @Test
    void shouldConfirmABurstAtOnce() {
        select();
        publish(100);
        assertThat(confirms()).containsExactly("ack 100*");
        publish(1);
        assertThat(confirms()).containsExactly("ack 101");
    }

    /** C001: numbers start with the first publish after confirm.select. */
    @Test
    void shouldCountFromTheSelect() {
        publish(3);
        select();
        publish(1);
        assertThat(confirms()).containsExactly("ack 1");
        select();
        publish(5);
        assertThat(confirms()).containsExactly("ack 6*");
    }

    @Test
    void shouldSelectWithoutAnAnswer() {
        peer.send(RawFrames.confirmSelect(1, true));
        publish(1);
        assertThat(confirms()).containsExactly("ack 1");
    }

    @Test
    void shouldWaitForTheQueue() {
        broker.holdCompletions = true;
        select();
        publish(3);
        peer.expectNothing();
        broker.met(1);
        assertThat(confirms()).containsExactly("ack 2");
        broker.met(0);
        assertThat(confirms()).containsExactly("ack 1");
        broker.met(2);
        assertThat(confirms()).containsExactly("ack 3");
    }

    /** What became durable during a turn is one frame for each run, in order; each number is answered once. */
    @Test
    void shouldConfirmInRunsWhateverTheOrderOfTheDisk() {
        SplittableRandom random = new SplittableRandom(1);
        broker.holdCompletions = true;
        select();
        int count = 3000;
        publish(count);
        List<Integer> open = new ArrayList<>(IntStream.range(0, count).boxed().toList());
        TreeSet<Long> unanswered = new TreeSet<>(LongStream.rangeClosed(1, count).boxed().toList());
        while (!open.isEmpty()) {
            // As a rule the first ones, as of one log; now and then others, which wait for a queue on a loop that is behind.
            List<Integer> now = new ArrayList<>();
            for (int n = 1 + random.nextInt(15); n > 0 && !open.isEmpty(); n--) {
                now.add(open.remove(random.nextInt(4) == 0 ? random.nextInt(open.size()) : 0));
            }
            loop.run(() -> now.forEach(index -> broker.completions.get(index).met(loop)));
            long first = unanswered.first();
            long last = 0;
            int multiples = 0;
            for (String confirm : confirms()) {
                boolean multiple = confirm.endsWith("*");
                long sequence = Long.parseLong(confirm.substring(4, confirm.length() - (multiple ? 1 : 0)));
                assertThat(confirm).startsWith("ack ");
                TreeSet<Long> covered = multiple
                        ? new TreeSet<>(unanswered.headSet(sequence, true))
                        : new TreeSet<>(List.of(sequence));
                assertThat(unanswered.containsAll(covered)).as("answered twice: %s", confirm).isTrue();
                covered.forEach(each -> assertThat(now).as(confirm).contains((int) (each - 1)));
                unanswered.removeAll(covered);
                multiples += multiple ? 1 : 0;
                if (multiple) {
                    assertThat(last).as("a run goes first").isZero();
                }
                last = sequence;
            }
            assertThat(multiples).isLessThanOrEqualTo(1);
            assertThat(unanswered).hasSameSizeAs(open);
            if (now.contains((int) first - 1) && now.contains((int) first)) {
                assertThat(multiples).as("the oldest ones go out together").isEqualTo(1);
            }
        }
        assertThat(unanswered).isEmpty();
    }

    @Test
    void shouldNackWhatAQueueRefuses() {
        broker.holdCompletions = true;
        select();
        publish(4);
        loop.run(() -> {
            broker.completions.get(0).met(loop);
            broker.completions.get(1).refused(loop, new io.sluicemq.api.BrokerError.LimitReached("m", "q", "/", 1));
            broker.completions.get(2).refused(loop, new io.sluicemq.api.BrokerError.LimitReached("m", "q", "/", 1));
            broker.completions.get(3).met(loop);
        });
        assertThat(confirms()).containsExactly("ack 1", "nack 3*", "ack 4");
    }

    @Test
    void shouldBeSilentAboutRefusalsWithoutConfirms() {
        publish(1);
        peer.expectNothing();
    }

    /** C033: unroutable messages are returned before they are confirmed. */
    @Test
    void shouldReturnBeforeTheAck() {
        broker.queues = 0;
        select();
        peer.send(
                Peer.message(1, "", "none", true, new byte[2], "a"),
                Peer.message(1, "", "none", false, new byte[2], "b"));
        peer.expect(1, MethodId.BASIC_RETURN);
        assertThat(peer.content(1)).isEqualTo("a");
        assertThat(confirms()).containsExactly("ack 2*");
    }

    @Test
    void shouldNotConfirmOnAClosedChannel() {
        broker.holdCompletions = true;
        select();
        publish(2);
        peer.send(RawFrames.channelClose(1, 200, "bye"));
        peer.expect(1, MethodId.CHANNEL_CLOSE_OK);
        peer.openChannel(1);
        broker.met(0);
        broker.met(1);
        peer.expectNothing();
        peer.cutSocket();
    }

    @Test
    void shouldNotMixWithTransactions() {
        select();
        peer.send(RawFrames.txSelect(1));
        peer.expectChannelClose(1, 406, "PRECONDITION_FAILED - cannot switch from confirm to tx mode");
        peer.openChannel(1);
        peer.send(RawFrames.txSelect(1));
        peer.expect(1, MethodId.TX_SELECT_OK);
        peer.send(RawFrames.confirmSelect(1, false));
        peer.expectChannelClose(1, 406, "PRECONDITION_FAILED - cannot switch from tx to confirm mode");
    }

    /** Whatever the order and the moments, every number gets its own outcome and only one. */
    @Property(tries = 500)
    void shouldAnswerEveryPublishOnce(
            @ForAll @Size(max = 300) List<@IntRange(min = 0, max = 9) Integer> steps) {
        TreeSet<Long> waiting = new TreeSet<>();
        TreeSet<Long> open = new TreeSet<>();
        TreeSet<Long> accepted = new TreeSet<>();
        Confirms confirms = new Confirms((sequence, multiple, ack) -> {
            List<Long> covered = multiple ? List.copyOf(waiting.headSet(sequence, true)) : List.of(sequence);
            assertThat(waiting).containsAll(covered);
            for (Long each : covered) {
                waiting.remove(each);
                assertThat(open).doesNotContain(each);
                assertThat(accepted.contains(each)).isEqualTo(ack);
            }
        });
        for (int step : steps) {
            if (step < 4) {
                long sequence = confirms.publish();
                waiting.add(sequence);
                open.add(sequence);
            } else if (step < 9 && !open.isEmpty()) {
                Long sequence = step < 6 ? open.first() : open.ceiling(open.first() + step * 7L);
                sequence = sequence == null ? open.last() : sequence;
                open.remove(sequence);
                if (step != 5) {
                    accepted.add(sequence);
                }
                confirms.resolve(sequence, step != 5);
            } else {
                confirms.flush();
                assertThat(waiting).isEqualTo(open);
            }
        }
        confirms.flush();
        assertThat(waiting).isEqualTo(open);
    }
}
