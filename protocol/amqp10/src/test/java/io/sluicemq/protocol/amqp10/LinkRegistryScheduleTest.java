package io.sluicemq.protocol.amqp10;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.protocol.amqp10.codec.Frames.Frame;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.Transfer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A receiving link that several connections of a container attach, steal, detach and lose in any order: every message comes to an
 * end once, and in the end nothing is held by anybody.
 */
class LinkRegistryScheduleTest {

    private static final int MESSAGES = 40;

    static List<Integer> seeds() {
        return IntStream.range(0, 200).boxed().toList();
    }

    /** What a connection knows of the link it had. */
    private static final class Client {
        Peer peer;
        boolean attached;
        /** Deliveries that it has and has not settled: tags by delivery-ids. */
        final Map<Long, Long> held = new HashMap<>();
    }

    private final Lab lab = new Lab();
    /** Tags of the link's deliveries that its receiver, whichever connection that is, has not settled. */
    private final Map<Long, String> unsettled = new HashMap<>();
    private final Set<String> done = new HashSet<>();

    private static Attach attach(Map<Long, String> unsettled) {
        Map<Binary, DeliveryState> map = new HashMap<>();
        for (long tag : unsettled.keySet()) {
            map.put(new Binary(ByteBuffer.allocate(Long.BYTES).putLong(tag).array()), null);
        }
        return Peer.receiver(0, "r", null)
                .setSource(new Source().setAddress("q").setExpiryPolicy(TerminusExpiryPolicy.NEVER))
                .setUnsettled(map);
    }

    private void read(Client client) {
        for (Frame frame : client.peer.frames()) {
            switch (frame.performative()) {
                case Transfer transfer -> {
                    long tag = ByteBuffer.wrap(transfer.getDeliveryTag().tagBytes()).getLong();
                    String text = Peer.text(frame.payload());
                    if (transfer.getResume()) {
                        assertThat(unsettled).as("resumed").containsEntry(tag, text);
                    } else {
                        assertThat(unsettled.put(tag, text)).as("a tag that is in use").isNull();
                    }
                    client.held.put(transfer.getDeliveryId(), tag);
                }
                case Detach detach -> {
                    client.attached = false;
                    client.held.clear();
                    client.peer.send(new Detach().setHandle(0).setClosed(true));
                }
                case Attach answer -> {
                    // What the broker does not know any more is settled, or another's.
                    Set<Long> known = new HashSet<>();
                    if (answer.getUnsettled() != null) {
                        answer.getUnsettled().keySet().forEach(
                                tag -> known.add(ByteBuffer.wrap(tag.asByteArray()).getLong()));
                    }
                    unsettled.keySet().retainAll(known);
                }
                default -> {}
            }
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldLoseNothingAndKeepNothing(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Peer publisher = Peer.opened(lab, 1, Lab.OPTIONS, Peer.open().setContainerId("publisher"));
        publisher.begin(0);
        publisher.attachSender(0, "q");
        for (int i = 0; i < MESSAGES; i++) {
            publisher.send(Peer.send(0, i, "" + i));
        }
        publisher.cutSocket();
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Client client = new Client();
            client.peer = Peer.connected(lab, i % 2);
            clients.add(client);
        }
        for (int step = 0; step < 120; step++) {
            int index = random.nextInt(clients.size());
            Client client = clients.get(index);
            switch (random.nextInt(6)) {
                case 0 -> {
                    client.peer.cutSocket();
                    client.peer = Peer.connected(lab, random.nextInt(2));
                    client.attached = false;
                    client.held.clear();
                }
                case 1 -> {
                    if (client.attached) {
                        client.peer.send(new Detach().setHandle(0));
                        client.attached = false;
                        client.held.clear();
                    }
                }
                case 2 -> {
                    if (!client.attached) {
                        client.peer.send(attach(unsettled));
                        client.attached = true;
                        clients.forEach(this::read); // the one it was stolen from, too
                    }
                }
                case 3 -> {
                    if (client.attached) {
                        client.peer.send(Peer.credit(0, 0, random.nextInt(1, 60)));
                    }
                }
                default -> {
                    List<Long> ids = new ArrayList<>(client.held.keySet());
                    if (!ids.isEmpty()) {
                        long id = ids.get(random.nextInt(ids.size()));
                        assertThat(done.add(unsettled.remove(client.held.remove(id)))).as("once").isTrue();
                        client.peer.send(Peer.settle(Role.RECEIVER, id, id, Accepted.getInstance()));
                    }
                }
            }
            read(client);
        }
        clients.forEach(each -> each.peer.cutSocket());
        Peer last = Peer.connected(lab, 0);
        last.send(attach(Map.of()));
        last.expect(Attach.class);
        last.send(new Detach().setHandle(0).setClosed(true));
        last.expect(Detach.class);
        last.cutSocket();
        var counters = lab.counters();
        assertThat(counters.unsettledMessages()).isZero();
        assertThat(counters.readyMessages()).isEqualTo(MESSAGES - done.size());
        assertThat(counters.consumers()).isZero();
        assertThat(counters.connections()).isZero();
    }
}
