package io.sluicemq.protocol.amqp10.terminus;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.protocol.amqp10.terminus.Peer.Attached;
import io.sluicemq.protocol.amqp10.terminus.Peer.Lab;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Attaches to one name from two connections at the same time, in many orders: each is answered once, and all agree in the end. */
class SubscriptionScheduleTest {

    static List<Integer> seeds() {
        return IntStream.range(0, 60).boxed().toList();
    }

    private static void source(
            Peer peer, String link, Source wanted, List<SourceNode> done, List<TerminusError> refused) {
        peer.loop.run(() -> peer.termini.source(link, wanted, new Answer<>() {
            @Override
            public void done(SourceNode result) {
                done.add(result);
            }

            @Override
            public void refused(TerminusError error) {
                refused.add(error);
            }
        }));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldAnswerEachAttachOnceWhileSubscriptionsAreReplaced(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Lab lab = new Lab();
        List<Peer> peers = List.of(lab.connect(0, "one"), lab.connect(1, "two"));
        List<String> capabilities = seed % 2 == 0 ? List.of("shared", "global") : List.of("shared", "global", "x");
        List<SourceNode> done = new ArrayList<>();
        List<TerminusError> refused = new ArrayList<>();
        int attaches = 0;
        for (int round = 0; round < 4; round++) {
            for (Peer peer : peers) {
                for (int i = 0; i < 2; i++) {
                    String topic = "t" + random.nextInt(2);
                    String[] more = capabilities.toArray(String[]::new);
                    Source wanted = seed % 2 == 0 ? Peer.durable(topic, more) : Peer.volatileOne(topic, more);
                    source(peer, "S|global" + i, wanted, done, refused);
                    attaches++;
                }
            }
            if (random.nextBoolean()) {
                lab.settle(random);
            }
        }
        lab.settle(random);
        lab.settle();
        assertThat(done.size() + refused.size()).isEqualTo(attaches);
        assertThat(done).isNotEmpty();
        List<Symbol> conditions = refused.stream().map(TerminusError::condition).toList();
        assertThat(conditions).allMatch(List.of(AmqpError.PRECONDITION_FAILED, AmqpError.NOT_FOUND)::contains);
        assertThat(done.stream().map(SourceNode::queue).distinct()).hasSize(1);
        Attached<SourceNode> last = peers.getFirst().source(
                "S|global", seed % 2 == 0
                        ? Peer.durable("t0", "shared", "global")
                        : Peer.volatileOne("t0", "shared", "global"));
        Peer.Receiver receiver = peers.getFirst().consume(last.ok());
        peers.getLast().publish(peers.getLast().destination("t0", "topic"), null);
        peers.getLast().publish(peers.getLast().destination("t1", "topic"), null);
        assertThat(receiver.received).isEqualTo(1);
    }
}
