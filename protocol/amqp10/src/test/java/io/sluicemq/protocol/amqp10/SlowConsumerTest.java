package io.sluicemq.protocol.amqp10;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.ConsumerSink.Cut;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.ConsumerPolicy;
import io.sluicemq.broker.flow.ConsumerRule;
import io.sluicemq.broker.flow.TopicRules;
import io.sluicemq.broker.flow.TopicRules.TopicRule;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.Transfer;
import org.junit.jupiter.api.Test;

/** What a receiver is told that is too slow: its link is detached (1.0 §2.6.5, §2.8.15), and nothing else. */
class SlowConsumerTest {

    private static final long PERIOD = TimeUnit.SECONDS.toNanos(1);

    private final Lab lab = new Lab(new AddressSettings(
            List.of(new AddressSettings.Rule("q", rule())),
            new TopicRules(List.of(new TopicRule("stocks.#", rule())))));
    private final Peer peer = Peer.connected(lab);

    private static ConsumerRule rule() {
        return new ConsumerRule(
                ConsumerRule.NONE, 3, ConsumerRule.NONE, ConsumerRule.NONE, PERIOD, ConsumerPolicy.DELETE, false,
                Cut.CHANNEL);
    }

    private void publish(String address, int count) {
        Peer sender = Peer.connected(lab, 1);
        sender.attachSender(0, address);
        for (int i = 0; i < count; i++) {
            sender.send(Peer.inFrames(0, i, Peer.message("m" + i), 60_000));
        }
        sender.cutSocket();
    }

    private void periods(int count) {
        lab.loops.advance(count * PERIOD);
    }

    @Test
    void shouldDetachALinkThatHoldsTooMuchAndReleaseThat() {
        publish("q", 4);
        peer.attachReceiver(0, "q");
        peer.attachReceiver(1, "other");
        peer.send(Peer.credit(0, 0, 2));
        peer.receive(0, 0);
        peer.receive(0, 1);
        periods(3);
        assertThat(peer.expectDetach(AmqpError.RESOURCE_LIMIT_EXCEEDED).getDescription())
                .isEqualTo("Consuming too slow.");
        peer.send(new Detach().setHandle(0).setClosed(true));
        peer.expectNothing();
        assertThat(lab.counters().readyMessages()).isEqualTo(4);
        assertThat(lab.counters().unsettledMessages()).isZero();
        assertThat(lab.counters().consumersCut()).isEqualTo(1);

        peer.attachReceiver(2, "q");
        peer.send(Peer.credit(2, 0, 1));
        assertThat(peer.expect(Transfer.class).getDeliveryId()).as("the third of the session").isEqualTo(2);
    }

    @Test
    void shouldLeaveAlonePeersWithoutCredit() {
        publish("q", 10);
        peer.attachReceiver(0, "q");
        periods(5);
        peer.expectNothing();
        peer.send(Peer.credit(0, 0, 1));
        peer.receive(0, 0);
        peer.send(Peer.credit(0, 1, 0));
        periods(5);
        peer.expectNothing();
        assertThat(lab.counters().slowConsumersFound()).isZero();
    }

    @Test
    void shouldDeleteASubscriptionThatIsItsOwnAndReleaseItsMessages() {
        peer.attachReceiver(0, "topic://stocks.us");
        peer.send(Peer.credit(0, 0, 1));
        publish("topic://stocks.us", 5);
        peer.receive(0, 0);
        periods(3);
        peer.expectDetach(AmqpError.RESOURCE_LIMIT_EXCEEDED);
        assertThat(lab.counters().queues()).isZero();
        assertThat(lab.counters().messageBytes()).isZero();
    }
}
