package io.sluicemq.protocol.amqp10;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.protocol.amqp10.codec.Frames;
import io.sluicemq.protocol.amqp10.codec.Frames.Frame;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.ReceiverSettleMode;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.Transfer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A sending and a receiving link that connections on two loops take from each other, while frames, claims and ends are under way at the
 * same time, the turns of the loops in any order: nobody waits for a name for ever, and in the end nothing is held by anybody.
 */
class LinkRegistryRaceTest {

    private static final int RECEIVER = 0;
    private static final int SENDER = 1;

    static List<Integer> seeds() {
        return IntStream.range(0, 200).boxed().toList();
    }

    /** A connection, and what it has said on its two handles. */
    private static final class Client {
        final Peer peer;
        /** Whether we have sent an attach and no detach since, by handles. */
        final boolean[] attached = new boolean[2];
        /** How many of our attaches are not answered by an attach. */
        final int[] unanswered = new int[2];
        /** Ours by the broker's. */
        final Map<Long, Integer> handles = new HashMap<>();
        long nextId;

        Client(Peer peer) {
            this.peer = peer;
        }
    }

    private final Lab lab = new Lab(new AddressSettings(List.of(new AddressSettings.Rule(
            "full", null, 2L, FullPolicy.BLOCK, null, null, null, null))));
    private final Map<Binary, DeliveryState> receivedTags = new HashMap<>();
    private long lastTag;

    private Attach attach(int handle) {
        return handle == RECEIVER
                ? Peer.receiver(RECEIVER, "r", null)
                        .setSource(new Source().setAddress("q").setExpiryPolicy(TerminusExpiryPolicy.NEVER))
                        .setUnsettled(new HashMap<>(receivedTags))
                : Peer.sender(SENDER, "s", null)
                        .setTarget(new Target().setExpiryPolicy(TerminusExpiryPolicy.NEVER))
                        .setReceiverSettleMode(ReceiverSettleMode.SECOND)
                        .setUnsettled(sentTags());
    }

    private static Binary tag(long number) {
        return new Binary(("t" + number).getBytes(StandardCharsets.US_ASCII));
    }

    private Map<Binary, DeliveryState> sentTags() {
        Map<Binary, DeliveryState> tags = new HashMap<>();
        for (long i = Math.max(0, lastTag - 20); i < lastTag; i++) {
            tags.put(tag(i), null);
        }
        return tags;
    }

    private void read(Client client) {
        for (Frame frame : Frames.read(client.peer.wire.writtenBytes())) {
            switch (frame.performative()) {
                case Attach answer -> {
                    int handle = answer.getName().equals("r") ? RECEIVER : SENDER;
                    client.handles.put(answer.getHandle(), handle);
                    client.unanswered[handle]--;
                }
                case Transfer transfer -> receivedTags.put(
                        new Binary(transfer.getDeliveryTag().tagBytes()), null);
                case Detach detach -> {
                    int handle = client.handles.get(detach.getHandle());
                    if (client.attached[handle]) {
                        client.attached[handle] = false;
                        say(client, new Detach().setHandle(handle).setClosed(true));
                    }
                }
                default -> {}
            }
        }
    }

    private void say(Client client, Object performative) {
        client.peer.wire.arrive(Frames.frame(0, performative));
    }

    private void transfer(Client client, boolean resumes, long number, String to) {
        byte[] address = Frames.encode(new Properties().setTo(to));
        Transfer transfer = Peer.transfer(SENDER, client.nextId++)
                .setDeliveryTag(tag(number).asByteArray())
                .setResume(resumes);
        client.peer.wire.arrive(Frames.frame(0, transfer, Frames.join(address, Peer.message("" + number))));
    }

    private void step(Client client, SplittableRandom random) {
        int handle = random.nextInt(2);
        switch (random.nextInt(8)) {
            case 0, 1 -> {
                if (!client.attached[handle]) {
                    client.attached[handle] = true;
                    client.unanswered[handle]++;
                    say(client, attach(handle));
                }
            }
            case 2 -> {
                if (client.attached[handle]) {
                    client.attached[handle] = false;
                    say(client, new Detach().setHandle(handle).setClosed(random.nextInt(4) == 0));
                }
            }
            case 3, 4 -> {
                if (client.attached[SENDER] && client.unanswered[SENDER] == 0) {
                    boolean resumes = lastTag > 0 && random.nextInt(4) == 0;
                    transfer(client, resumes, resumes ? random.nextLong(Math.max(0, lastTag - 20), lastTag) : lastTag++,
                            random.nextBoolean() ? "q" : "full");
                }
            }
            case 5 -> {
                if (client.attached[RECEIVER]) {
                    say(client, Peer.credit(RECEIVER, 0, random.nextInt(1, 20)));
                }
            }
            default -> say(client, Peer.settle(
                    random.nextBoolean() ? Role.RECEIVER : Role.SENDER, 0, random.nextInt(20), Accepted.getInstance()));
        }
    }

    private static void cut(Client client) {
        client.peer.wire.abort();
        client.peer.loop.run(client.peer.session::closed);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldLeaveNobodyWaitingAndNothingHeld(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        ArrayDeque<Client> spare = new ArrayDeque<>();
        for (int i = 0; i < 12; i++) {
            spare.add(new Client(Peer.connected(lab, i % 2)));
        }
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            clients.add(spare.poll());
        }
        Peer drain = Peer.connected(lab, 0);
        drain.send(Peer.receiver(7, "drain", "full"));
        drain.send(Peer.credit(7, 0, 1_000));
        for (int step = 0; step < 200; step++) {
            int index = random.nextInt(clients.size());
            Client client = clients.get(index);
            if (!spare.isEmpty() && random.nextInt(20) == 0) {
                cut(client);
                clients.set(index, spare.poll());
            } else if (!client.peer.wire.ended()) {
                step(client, random);
            }
            if (random.nextInt(10) == 0) {
                drain.wire.arrive(Frames.frame(
                        0, Peer.settle(Role.RECEIVER, 0, random.nextInt(60), Accepted.getInstance())));
            }
            for (int turns = random.nextInt(4); turns > 0; turns--) {
                var loop = lab.loops.get(random.nextInt(2));
                if (loop.isReady()) {
                    loop.runTurn();
                }
            }
            clients.forEach(this::read);
        }
        for (int i = 0; i < 10; i++) {
            lab.loops.runAll(random);
            clients.forEach(this::read);
        }
        for (Client client : clients) {
            if (!client.peer.wire.ended()) {
                assertThat(client.unanswered).as("attaches without an answer").containsOnly(0);
            }
        }
        clients.forEach(LinkRegistryRaceTest::cut);
        spare.forEach(LinkRegistryRaceTest::cut);
        lab.loops.runAll(random);
        Peer last = Peer.connected(lab, 0);
        for (int handle : new int[] {RECEIVER, SENDER}) {
            last.send(attach(handle).setUnsettled((Map<Binary, DeliveryState>) null));
            last.expect(Attach.class);
            last.send(new Detach().setHandle(handle).setClosed(true));
            last.expect(Detach.class);
        }
        last.cutSocket();
        drain.cutSocket();
        lab.deleteQueue("q");
        lab.deleteQueue("full");
        var counters = lab.counters();
        assertThat(counters.unsettledMessages()).isZero();
        assertThat(counters.consumers()).isZero();
        assertThat(counters.connections()).isZero();
        assertThat(counters.parkedMessages()).isZero();
        assertThat(counters.messageBytes()).isZero();
    }
}
