package io.sluicemq.protocol.amqp10;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.protocol.amqp10.codec.Frames;
import io.sluicemq.protocol.amqp10.codec.Frames.Frame;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A shared subscription that goes with its last link while others come: none of these is refused, whoever is faster. */
class SharedVolatileScheduleTest {

    static List<Integer> seeds() {
        return IntStream.range(0, 150).boxed().toList();
    }

    private static Attach attach() {
        return Peer.receiver(0, "s", null).setSource(new Source()
                .setAddress("t")
                .setExpiryPolicy(TerminusExpiryPolicy.LINK_DETACH)
                .setCapabilities(Symbol.valueOf("topic"), Symbol.valueOf("shared"), Symbol.valueOf("global")));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldAttachWhileTheLastOfTheOthersLeaves(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Lab lab = new Lab();
        List<Peer> peers = List.of(
                Peer.connected(lab, 0), Peer.connected(lab, 1), Peer.connected(lab, 0), Peer.connected(lab, 1));
        boolean[] attached = new boolean[peers.size()];
        for (int step = 0; step < 60; step++) {
            int each = random.nextInt(peers.size());
            peers.get(each).wire.arrive(
                    Frames.frame(0, attached[each] ? new Detach().setHandle(0).setClosed(true) : attach()));
            attached[each] = !attached[each];
            for (int turns = random.nextInt(6); turns > 0; turns--) {
                lab.loops.get(random.nextInt(2)).runTurn();
            }
        }
        for (int each = 0; each < peers.size(); each++) {
            if (attached[each]) {
                peers.get(each).wire.arrive(Frames.frame(0, new Detach().setHandle(0).setClosed(true)));
            }
        }
        lab.loops.runAll(random);
        for (Peer peer : peers) {
            for (Frame frame : peer.frames()) {
                if (frame.performative() instanceof Detach detach) {
                    assertThat(detach.getError()).isNull();
                }
            }
        }
        assertThat(lab.counters().queues()).isZero();
    }
}
