package io.sluicemq.protocol.amqp091;

import static io.sluicemq.protocol.amqp091.PublisherPeer.KIB;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Hold;
import io.sluicemq.protocol.amqp091.PublisherPeer.Kind;
import io.sluicemq.protocol.amqp091.codec.RawFrames;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever clients publish, close and open, and whenever there is room: nothing is lost, told twice or left behind. */
class FullAddressProperties {

    private static final int LARGEST = 100 * KIB;

    /** One thing that happens, on a channel if it is of one. */
    private record Move(String what, int channel, int count, int bytes) {}

    @Provide
    Arbitrary<List<Move>> moves() {
        Arbitrary<String> what = Arbitraries.frequency(
                net.jqwik.api.Tuple.of(6, "publish"),
                net.jqwik.api.Tuple.of(1, "publish elsewhere"),
                net.jqwik.api.Tuple.of(4, "store"),
                net.jqwik.api.Tuple.of(1, "store all"),
                net.jqwik.api.Tuple.of(4, "wait"),
                net.jqwik.api.Tuple.of(1, "wait for long"),
                net.jqwik.api.Tuple.of(1, "reopen"));
        return Combinators.combine(
                what,
                Arbitraries.integers().between(1, 2),
                Arbitraries.integers().between(1, 40),
                Arbitraries.of(1, 500, 8 * KIB, LARGEST))
                .as(Move::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(40);
    }

    @Property(tries = 300)
    void shouldLoseNothingAndTellEverythingOnce(
            @ForAll Kind kind, @ForAll boolean closesChannel, @ForAll("moves") List<Move> moves) {
        PublisherPeer client = new PublisherPeer(kind);
        client.broker.fairShareBytes = 512 * KIB;
        client.broker.full.put("q", new Hold("q", "/", "max-size-bytes 1000", closesChannel));
        boolean obeys = kind.ordinal() <= Kind.QPID_JMS.ordinal();
        long allowance = obeys ? 512 * KIB : Peer.OPTIONS.maxParkedBytes();
        Heard heard = new Heard();
        for (Move move : moves) {
            switch (heard.closing.contains(move.channel) ? "wait" : move.what) {
                case "publish" -> client.publish(move.channel, "q", move.count, move.bytes);
                case "publish elsewhere" -> client.publish(move.channel, "other", move.count, move.bytes);
                case "store" -> client.broker.store(Math.min(client.broker.parked.size(), move.count));
                case "store all" -> client.broker.storeAll();
                case "wait" -> client.millis(move.count * 100L);
                case "wait for long" -> client.seconds(30);
                default -> {
                    if (heard.closing.add(move.channel)) {
                        client.peer.send(RawFrames.channelClose(move.channel, 200, ""));
                    }
                }
            }
            assertThat(client.broker.parkedBytes()).isLessThanOrEqualTo(4 * allowance + 2 * LARGEST);
            hear(client, heard);
        }
        client.broker.full.clear();
        for (int i = 0; i < 50 && (i < 2 || !client.broker.parked.isEmpty()); i++) {
            client.broker.storeAll();
            client.millis(500);
            hear(client, heard);
        }
        assertThat(client.broker.parked).isEmpty();
        assertThat(client.peer.wire.paused).isFalse();
        assertThat(client.peer.wire.keptBytes()).isZero();
        assertThat(client.loop.pendingTimers()).isZero();
        assertThat(heard.blocked).isFalse();
        assertThat(heard.stopped).isEmpty();
        assertThat(client.broker.channels).isEqualTo(2);
        assertThat(heard.closes).isLessThanOrEqualTo(closesChannel ? Integer.MAX_VALUE : 0);
    }

    /** What the client believes, which every frame must change. */
    private static final class Heard {
        final Set<Integer> stopped = new HashSet<>();
        final Set<Integer> closing = new HashSet<>();
        boolean blocked;
        int closes;
    }

    /** Takes note of what the client was told, and opens channels again that are closed. */
    private static void hear(PublisherPeer client, Heard heard) {
        List<Integer> open = new ArrayList<>();
        for (String told : client.told()) {
            int channel = told.charAt(told.length() - 1) - '0';
            if (told.startsWith("stop")) {
                assertThat(heard.stopped.add(channel)).as(told).isTrue();
            } else if (told.startsWith("go")) {
                assertThat(heard.stopped.remove(channel)).as(told).isTrue();
            } else if (told.startsWith("blocked") || told.equals("unblocked")) {
                assertThat(heard.blocked).isEqualTo(told.equals("unblocked"));
                heard.blocked = !heard.blocked;
            } else if (told.startsWith("close-ok")) {
                assertThat(heard.closing.remove(channel)).as(told).isTrue();
                heard.stopped.remove(channel);
                open.add(channel);
            } else if (!told.startsWith("opened")) {
                assertThat(told).startsWith("closed, 506");
                heard.stopped.remove(channel);
                heard.closes++;
                client.peer.send(RawFrames.channelCloseOk(channel));
                if (!heard.closing.contains(channel)) {
                    open.add(channel);
                }
            }
        }
        open.forEach(channel -> client.peer.send(RawFrames.channelOpen(channel)));
    }
}
