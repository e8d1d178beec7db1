package io.sluicemq.interop.slow;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.Mailbox;
import io.sluicemq.interop.lab.Refusal;
import io.sluicemq.server.AddressSetting;
import io.sluicemq.server.ConsumerSetting;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Which consumers are too slow and which are not: edges of thresholds, those who recover, and ten among a thousand. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(60)
@DisabledIfSystemProperty(named = "interop.uri", matches = ".+",
        disabledReason = "needs a broker that is set up for it")
class WhoIsSlowTest {

    private static final int THRESHOLD = 10;
    private static final int PREFETCH = 5;
    private static final Duration PERIOD = Duration.ofMillis(100);
    private static final Refusal TOO_SLOW = Refusal.channel(506, "Consuming too slow.", "0.0");

    private SlowLab slowLab;
    private EmbeddedBroker broker;
    private Lab lab;
    private Markers markers;

    @BeforeEach
    void start() {
        slowLab = SlowLab.start(PERIOD);
        broker = slowLab.broker();
        lab = slowLab.lab();
        markers = slowLab.markers();
    }

    @AfterEach
    void stop() throws Exception {
        slowLab.leave();
    }

    private static ConsumerSetting setting() {
        return ConsumerSetting.policy(ConsumerPolicy.DELETE).checkPeriod(PERIOD);
    }

    /** The queue's rule, in place of all others but the markers'. */
    private void rule(String queue, ConsumerSetting setting) {
        slowLab.rule(PERIOD, AddressSetting.match(queue).consumer(setting));
    }

    /** A consumer that takes its prefetch into its hands and no more. */
    private Channel holder(String queue) throws Exception {
        Channel channel = lab.connect().createChannel();
        channel.basicQos(PREFETCH);
        Lab.consume(channel, queue, false).next(PREFETCH);
        return channel;
    }

    private void shouldBeSparedAtTheThresholdAndCutOneOver(String queue) throws Exception {
        Channel channel = holder(queue);
        markers.awaitChecks();
        assertThat(channel.isOpen()).as("exactly at the threshold").isTrue();
        assertThat(broker.counters().slowConsumersFound()).isEqualTo(markers.cut());

        Refusal.of(channel, () -> lab.send(queue, "0")).shouldBe(TOO_SLOW);
        Lab.until("it has given back what it held", () -> lab.depth(queue) == THRESHOLD + 1);
    }

    @Test
    void shouldSpareOneAtTheMessageCountAndCutOneOver() throws Exception {
        String queue = lab.queue();
        rule(queue, setting().messageCount(THRESHOLD));
        lab.sendNumbers(queue, 0, THRESHOLD - 1);
        shouldBeSparedAtTheThresholdAndCutOneOver(queue);
    }

    @Test
    void shouldSpareOneAtTheDepthAndCutOneOver() throws Exception {
        String queue = lab.queue();
        lab.sendNumbers(queue, 0, THRESHOLD - 1);
        rule(queue, setting().depth(broker.address(queue).usedBytes()));
        shouldBeSparedAtTheThresholdAndCutOneOver(queue);
    }

    /** It is the age of the oldest message, and not the moment of its arrival, that is beyond the threshold. */
    @Test
    void shouldNotCutOneBeforeItsOldestMessageIsTooOld() throws Exception {
        String queue = lab.queue();
        Duration age = Duration.ofSeconds(1);
        rule(queue, setting().messageAge(age));
        long start = System.nanoTime();
        lab.sendNumbers(queue, 0, THRESHOLD);
        Channel channel = lab.connect().createChannel();
        channel.basicQos(PREFETCH);
        Refusal.of(channel, () -> Lab.consume(channel, queue, false)).shouldBe(TOO_SLOW);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(age, age.multipliedBy(5));
    }

    @Test
    void shouldCutOneThatDealsWithLessThanTheRate() throws Exception {
        String queue = lab.queue();
        rule(queue, setting().rate(10));
        lab.sendNumbers(queue, 1, PREFETCH);
        Channel channel = lab.connect().createChannel();
        channel.basicQos(PREFETCH);
        Refusal.of(channel, () -> Lab.consume(channel, queue, false)).shouldBe(TOO_SLOW);
        Lab.until("it has given back what it held", () -> lab.depth(queue) == PREFETCH);
    }

    @Test
    void shouldNeverCutOneThatHasNothingToDo() throws Exception {
        String queue = lab.queue();
        rule(queue, setting().rate(1_000_000).messageAge(PERIOD));
        Channel channel = lab.connect().createChannel();
        Mailbox mailbox = Lab.consume(channel, queue, true);
        lab.send(queue, "m");
        mailbox.next();
        markers.awaitChecks();
        channel.exchangeDeclarePassive("amq.direct");
    }

    /** It holds twice the threshold most of the time, and nothing at some moment of each period. */
    @Test
    void shouldSpareOneThatRecoversBeforeTheCheck() throws Exception {
        String queue = lab.queue();
        rule(queue, setting().messageCount(THRESHOLD).checkPeriod(Duration.ofMillis(500)));
        Channel channel = lab.connect().createChannel();
        channel.basicQos(3 * THRESHOLD);
        Mailbox mailbox = Lab.consume(channel, queue, false);
        int rounds = 0;
        for (int marker = 0; marker < 6; marker++) {
            Channel slow = markers.begin();
            do {
                lab.sendNumbers(queue, 1, 2 * THRESHOLD);
                List<Delivery> all = mailbox.next(2 * THRESHOLD);
                channel.basicAck(all.getLast().getEnvelope().getDeliveryTag(), true);
                rounds++;
            } while (slow.isOpen());
        }
        channel.exchangeDeclarePassive("amq.direct");
        assertThat(rounds).isGreaterThan(1);
        assertThat(broker.counters().consumersCut()).isEqualTo(markers.cut());
    }

    // ---- many

    /** One of the thousand: it acknowledges each message, or, if it is slow, none. */
    private static final class One extends DefaultConsumer {
        private final boolean slow;
        private final AtomicInteger got = new AtomicInteger();
        private volatile boolean disordered;

        One(Channel channel, boolean slow) {
            super(channel);
            this.slow = slow;
        }

        @Override
        public void handleDelivery(String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body)
                throws IOException {
            if (Integer.parseInt(new String(body, java.nio.charset.StandardCharsets.US_ASCII)) != got.get()) {
                disordered = true;
            }
            got.incrementAndGet();
            if (!slow) {
                getChannel().basicAck(envelope.getDeliveryTag(), false);
            }
        }
    }

    @Test
    void shouldCutExactlyTheTenSlowOnesOfAThousandSubscribers() throws Exception {
        slowLab.leave();
        slowLab = SlowLab.start(builder -> builder.topic("stocks.us.*",
                setting().messageCount(THRESHOLD).checkPeriod(Duration.ofMillis(200))));
        broker = slowLab.broker();
        lab = slowLab.lab();
        List<One> all = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            Connection connection = lab.connect();
            for (int j = 0; j < 100; j++) {
                Channel channel = connection.createChannel();
                String queue = channel.queueDeclare("", false, true, true, Map.of()).getQueue();
                channel.queueBind(queue, "amq.topic", "stocks.us.acme");
                channel.basicQos(PREFETCH);
                One one = new One(channel, j == 37);
                channel.basicConsume(queue, false, one);
                all.add(one);
            }
        }
        List<One> fast = all.stream().filter(each -> !each.slow).toList();
        int published = 0;
        for (; published < 30 || broker.counters().consumersCut() < 10; published++) {
            lab.publish("amq.topic", "stocks.us.acme", Integer.toString(published));
            int expected = published + 1;
            Lab.until("all fast ones have got message " + published,
                    () -> fast.stream().allMatch(each -> each.got.get() == expected));
        }
        Lab.until("the slow ones know", () -> all.stream().noneMatch(each -> each.slow && each.getChannel().isOpen()));

        assertThat(broker.counters().consumersCut()).isEqualTo(10);
        assertThat(broker.counters().slowConsumersFound()).isEqualTo(10);
        assertThat(broker.counters().queues()).isEqualTo(990);
        assertThat(fast).hasSize(990).allMatch(each -> each.getChannel().isOpen() && !each.disordered);
        assertThat(all).filteredOn(each -> each.slow).hasSize(10)
                .allMatch(each -> each.got.get() == PREFETCH)
                .allMatch(each -> each.getChannel().getCloseReason().getMessage().contains("reply-code=506"));
    }
}
