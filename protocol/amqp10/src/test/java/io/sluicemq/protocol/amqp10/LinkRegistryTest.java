package io.sluicemq.protocol.amqp10;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Completion;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Message;
import io.sluicemq.base.Ceiling;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.protocol.amqp10.codec.Frames;
import io.sluicemq.protocol.amqp10.codec.Frames.Frame;
import io.sluicemq.testkit.ManualLoop;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedInteger;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.messaging.Modified;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Rejected;
import org.apache.qpid.protonj2.types.messaging.Released;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.messaging.TerminusDurability;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.LinkError;
import org.apache.qpid.protonj2.types.transport.ReceiverSettleMode;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.Transfer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Links that come back on another connection of their container (1.0 §2.6.1, §2.6.5, §2.6.13). */
class LinkRegistryTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Lab lab = new Lab(new AddressSettings(List.of(new AddressSettings.Rule(
            "full", null, 1L, FullPolicy.BLOCK, null, null, null, null))));

    // ---- the peer sends

    private static Attach sender(String address) {
        return Peer.sender(0, "s", null)
                .setTarget(new Target().setAddress(address).setExpiryPolicy(TerminusExpiryPolicy.NEVER))
                .setReceiverSettleMode(ReceiverSettleMode.SECOND);
    }

    private static Binary sendersTag(long id) {
        return new Binary(("tag " + id).getBytes(StandardCharsets.US_ASCII));
    }

    /** An unsettled map by its tags as text. */
    private static Map<String, DeliveryState> told(Attach attach) {
        Map<String, DeliveryState> told = new HashMap<>();
        if (attach.getUnsettled() != null) {
            attach.getUnsettled().forEach((tag, state) -> told.put(
                    new String(tag.asByteArray(), StandardCharsets.US_ASCII), state));
        }
        return told;
    }

    private static Map<Binary, DeliveryState> sendersMap(int first, int last) {
        Map<Binary, DeliveryState> map = new HashMap<>();
        for (int id = first; id <= last; id++) {
            map.put(sendersTag(id), null);
        }
        return map;
    }

    private static void resume(Peer peer, long id, int tag) {
        peer.send(Frames.frame(
                0, Peer.transfer(0, id).setDeliveryTag(sendersTag(tag).asByteArray()).setResume(true),
                Peer.message("" + tag)));
    }

    private Peer tenSent(Attach attach) {
        Peer peer = Peer.connected(lab, 1);
        peer.send(attach);
        peer.expect(Attach.class);
        for (int id = 0; id < 10; id++) {
            peer.send(Peer.send(0, id, "" + id));
        }
        peer.frames();
        return peer;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldTellASenderOnAnotherConnectionWhatHasBecomeOfItsDeliveries(int loop) {
        tenSent(sender("q")).cutSocket();
        Peer again = Peer.connected(lab, loop);
        again.send(sender("q").setUnsettled(sendersMap(0, 11)));
        Attach attach = again.expect(Attach.class);
        assertThat(told(attach)).hasSize(10).containsEntry("tag 3", Accepted.getInstance());
        assertThat(attach.getIncompleteUnsettled()).isFalse();
        for (int i = 0; i < 10; i++) {
            resume(again, i, i);
            Disposition outcome = again.expect(Disposition.class);
            assertThat(outcome.getFirst()).isEqualTo(i);
            assertThat(outcome.getState()).isEqualTo(Accepted.getInstance());
        }
        assertThat(lab.counters().readyMessages()).isEqualTo(10);
        again.send(Peer.settle(Role.SENDER, 0, 9, Accepted.getInstance()));
        again.cutSocket();
        Peer third = Peer.connected(lab, 1);
        third.send(sender("q").setUnsettled(sendersMap(0, 11)));
        assertThat(third.expect(Attach.class).getUnsettled()).isNullOrEmpty();
    }

    @Test
    void shouldForgetWhatASenderHasClosed() {
        Peer peer = tenSent(sender("q"));
        peer.send(new Detach().setHandle(0).setClosed(true));
        peer.cutSocket();
        Peer again = Peer.connected(lab, 0);
        again.send(sender("q").setUnsettled(sendersMap(0, 9)));
        assertThat(again.expect(Attach.class).getUnsettled()).isNullOrEmpty();
    }

    @Test
    void shouldKeepNothingOfOrdinaryLinksOverConnections() {
        tenSent(sender("q").setTarget(new Target().setAddress("q"))).cutSocket();
        Peer again = Peer.connected(lab, 0);
        again.send(sender("q").setUnsettled(sendersMap(0, 9)));
        assertThat(again.expect(Attach.class).getUnsettled()).isNullOrEmpty();
    }

    @Test
    void shouldKeepASendersDeliveriesAsLongAsItsTimeoutSays() {
        for (boolean late : new boolean[] {false, true}) {
            Attach attach = sender("q").setTarget(new Target()
                    .setAddress("q")
                    .setExpiryPolicy(TerminusExpiryPolicy.CONNECTION_CLOSE)
                    .setTimeout(UnsignedInteger.valueOf(30)));
            tenSent(attach).cutSocket();
            lab.loops.advance((late ? 31 : 29) * SECOND);
            Peer again = Peer.connected(lab, 0);
            again.send(attach.copy().setUnsettled(sendersMap(0, 9)));
            Attach answer = again.expect(Attach.class);
            assertThat(answer.<Target>getTarget().getTimeout()).isEqualTo(UnsignedInteger.valueOf(30));
            if (late) {
                assertThat(answer.getUnsettled()).isNullOrEmpty();
            } else {
                assertThat(answer.getUnsettled()).hasSize(10);
            }
            again.send(new Detach().setHandle(0).setClosed(true));
            again.cutSocket();
        }
    }

    /** Others of the same container id, but not the same user or virtual host, have nothing to do with it. */
    @Test
    void shouldTellContainersAndVirtualHostsApart() {
        tenSent(sender("q")).cutSocket();
        for (var open : List.of(
                Peer.open().setContainerId("another"), Peer.open().setHostname("vhost:other"))) {
            Peer other = Peer.opened(lab, 0, Lab.OPTIONS, open);
            other.begin(0);
            other.send(sender("q").setUnsettled(sendersMap(0, 9)));
            assertThat(other.expect(Attach.class).getUnsettled()).isNullOrEmpty();
        }
        Peer again = Peer.connected(lab, 0);
        again.send(sender("q").setUnsettled(sendersMap(0, 9)));
        assertThat(again.expect(Attach.class).getUnsettled()).hasSize(10);
    }

    private static byte[] toFull(long id) {
        byte[] to = Frames.encode(new Properties().setTo("full"));
        return Frames.frame(0, Peer.transfer(0, id), Frames.join(to, Peer.message("" + id)));
    }

    private Peer oneWaitsForRoom() {
        Peer peer = Peer.connected(lab, 1);
        peer.send(sender(null));
        peer.expect(Attach.class);
        peer.send(toFull(0), toFull(1));
        assertThat(peer.expect(Disposition.class).getFirst()).isZero();
        peer.expectNothing();
        return peer;
    }

    /** What waits for room is not stored when its connection is lost: the sender learns that, and may send it anew. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldReleaseWhatWaitedForRoomOnALostConnection(int loop) {
        oneWaitsForRoom().cutSocket();
        Peer again = Peer.connected(lab, loop);
        again.send(sender(null).setUnsettled(sendersMap(0, 1)));
        Attach attach = again.expect(Attach.class);
        assertThat(told(attach))
                .containsEntry("tag 0", Accepted.getInstance())
                .containsEntry("tag 1", Released.getInstance());
        resume(again, 0, 1);
        assertThat(again.expect(Disposition.class).getState()).isEqualTo(Released.getInstance());
    }

    /** An outcome finds its sender, on whatever connection and loop that is by now. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldTellAnOutcomeThatComesWhenTheLinkIsOnAnotherConnection(int loop) {
        Peer peer = oneWaitsForRoom();
        peer.send(new Detach().setHandle(0));
        peer.expect(Detach.class);
        Peer again = Peer.connected(lab, loop);
        again.send(sender(null).setUnsettled(sendersMap(1, 1)));
        assertThat(told(again.expect(Attach.class))).hasSize(1).containsEntry("tag 1", null);
        resume(again, 0, 1);
        again.expectNothing();
        Peer receiver = Peer.connected(lab, 0);
        receiver.attachReceiver(5, "full");
        receiver.send(Peer.credit(5, 0, 10));
        assertThat(receiver.receive(0, 0)).isEqualTo("0");
        receiver.send(Peer.settle(Role.RECEIVER, 0, 0, Accepted.getInstance()));
        Disposition outcome = again.expect(Disposition.class);
        assertThat(outcome.getFirst()).isZero();
        assertThat(outcome.getState()).isEqualTo(Accepted.getInstance());
        assertThat(receiver.receive(0, 1)).isEqualTo("1");
    }

    // ---- the peer receives

    private static Attach receiver() {
        return Peer.receiver(0, "r", null).setSource(
                new Source().setAddress("q").setExpiryPolicy(TerminusExpiryPolicy.NEVER));
    }

    private static Binary receiversTag(long tag) {
        return new Binary(ByteBuffer.allocate(Long.BYTES).putLong(tag).array());
    }

    private void publish(int messages) {
        Peer publisher = Peer.opened(lab, 1, Lab.OPTIONS, Peer.open().setContainerId("publisher"));
        publisher.begin(0);
        publisher.attachSender(0, "q");
        for (int i = 0; i < messages; i++) {
            publisher.send(Frames.frame(0, Peer.transfer(0, i).setSettled(true), Peer.message("" + i)));
        }
        publisher.cutSocket();
    }

    private Peer received(int loop, int messages) {
        publish(messages);
        Peer peer = Peer.connected(lab, loop);
        peer.send(receiver());
        peer.expect(Attach.class);
        peer.send(Peer.credit(0, 0, 100));
        assertThat(peer.frames()).hasSize(messages);
        return peer;
    }

    private static List<String> texts(List<Frame> frames) {
        List<String> texts = new ArrayList<>();
        for (Frame frame : frames) {
            Transfer transfer = (Transfer) frame.performative();
            texts.add((transfer.getResume() ? "again " : "") + Peer.text(frame.payload()));
        }
        return texts;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldResumeWhatAReceiverHasNotSettledOnAnotherConnection(int loop) {
        received(1, 5).cutSocket();
        assertThat(lab.counters().readyMessages()).as("kept for the receiver").isZero();
        assertThat(lab.counters().unsettledMessages()).isEqualTo(5);
        Peer again = Peer.connected(lab, loop);
        Map<Binary, DeliveryState> map = new HashMap<>();
        map.put(receiversTag(0), null);
        map.put(receiversTag(1), Accepted.getInstance());
        map.put(receiversTag(2), new Rejected());
        map.put(receiversTag(3), new org.apache.qpid.protonj2.types.messaging.Received()
                .setSectionNumber(UnsignedInteger.ZERO)
                .setSectionOffset(org.apache.qpid.protonj2.types.UnsignedLong.ZERO));
        map.put(receiversTag(77), null);
        again.send(receiver().setUnsettled(map));
        Attach attach = again.expect(Attach.class);
        Map<Long, DeliveryState> told = new HashMap<>();
        attach.getUnsettled().forEach((tag, state) -> told.put(
                ByteBuffer.wrap(tag.asByteArray()).getLong(), state));
        assertThat(told).containsOnlyKeys(0L, 1L, 2L, 3L);
        assertThat(told.get(1L)).isEqualTo(Accepted.getInstance());
        assertThat(told.get(0L)).isNull();
        // What it doesn't know is its queue's again; what it has dealt with has left.
        assertThat(lab.counters().readyMessages()).isEqualTo(1);
        assertThat(lab.counters().unsettledMessages()).isEqualTo(2);

        again.send(Peer.credit(0, 0, 4));
        List<Frame> frames = again.frames();
        assertThat(frames).hasSize(4).allSatisfy(
                frame -> assertThat(((Transfer) frame.performative()).getResume()).isTrue());
        for (int i = 0; i < 4; i++) {
            Transfer transfer = (Transfer) frames.get(i).performative();
            assertThat(transfer.getDeliveryTag().tagBytes()).isEqualTo(receiversTag(i).asByteArray());
            boolean over = i == 1 || i == 2;
            assertThat(transfer.getSettled()).isEqualTo(over);
            if (over) {
                assertThat(transfer.getState()).isInstanceOf(i == 1 ? Accepted.class : Rejected.class);
                assertThat(frames.get(i).payload()).isEmpty();
            } else {
                assertThat(Peer.text(frames.get(i).payload())).isEqualTo("" + i);
            }
        }
        again.send(Peer.credit(0, 4, 1));
        Frame unknown = again.next();
        assertThat(((Transfer) unknown.performative()).getResume()).isFalse();
        assertThat(Peer.text(unknown.payload())).isEqualTo("4");
        assertThat(((Transfer) unknown.performative()).getDeliveryTag().tagBytes()).isNotIn(
                receiversTag(0).asByteArray(), receiversTag(4).asByteArray());
        again.send(Peer.settle(Role.RECEIVER, 0, 4, Accepted.getInstance()));
        again.expectNothing();
        assertThat(lab.counters().readyMessages() + lab.counters().unsettledMessages()).isZero();
    }

    /** A link that comes back without an unsettled map has forgotten all. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldDeliverAnewWhatAReceiverHasForgotten(boolean orderly) {
        Peer peer = received(1, 3);
        if (orderly) {
            peer.send(new Detach().setHandle(0));
            peer.expect(Detach.class);
        }
        peer.cutSocket();
        Peer again = Peer.connected(lab, 0);
        again.send(receiver());
        assertThat(again.expect(Attach.class).getUnsettled()).isNullOrEmpty();
        again.send(Peer.credit(0, 0, 100));
        List<Frame> frames = again.frames();
        assertThat(texts(frames)).containsExactly("0", "1", "2");
        var header = (org.apache.qpid.protonj2.types.messaging.Header) Sections.read(frames.getFirst().payload())
                .getFirst();
        assertThat(header.getDeliveryCount()).isEqualTo(orderly ? 0 : 1);
    }

    /** §3.4.5: it is the link that the outcome's undeliverable-here is about, on whichever connection that is by then. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldNotDeliverAgainWhatAResumedLinkCannotUse(int loop) {
        received(1, 4).cutSocket();
        Peer again = Peer.connected(lab, loop);
        Map<Binary, DeliveryState> map = new HashMap<>();
        map.put(receiversTag(0), new Modified().setUndeliverableHere(true));
        for (int i = 1; i < 4; i++) {
            map.put(receiversTag(i), null);
        }
        again.send(receiver().setUnsettled(map));
        assertThat(again.expect(Attach.class).getUnsettled()).hasSize(4);
        again.send(Peer.credit(0, 0, 100));
        assertThat(again.frames()).hasSize(4);
        again.send(Peer.settle(Role.RECEIVER, 1, 1, new Modified().setUndeliverableHere(true)));
        again.send(Peer.settle(Role.RECEIVER, 2, 2, new Modified().setUndeliverableHere(true).setDeliveryFailed(true))
                .setSettled(false));
        assertThat(again.frames()).as("its outcome is settled, and nothing comes").hasSize(1);
        again.send(Peer.settle(Role.RECEIVER, 3, 3, new Modified()));
        assertThat(texts(again.frames())).as("what it may have again").containsExactly("3");
        assertThat(lab.counters().readyMessages()).isEqualTo(3);

        Peer other = Peer.connected(lab, 1);
        other.attachReceiver(0, "q");
        other.send(Peer.credit(0, 0, 100));
        assertThat(texts(other.frames())).containsExactly("0", "1", "2");
    }

    /** On a link whose deliveries are settled nothing can be resumed; what there is comes as new. */
    @Test
    void shouldDeliverAnewOnALinkThatSendsSettled() {
        received(1, 3).cutSocket();
        Peer again = Peer.connected(lab, 0);
        Map<Binary, DeliveryState> map = new HashMap<>();
        map.put(receiversTag(0), Accepted.getInstance());
        map.put(receiversTag(1), null);
        again.send(receiver().setUnsettled(map).setSenderSettleMode(
                org.apache.qpid.protonj2.types.transport.SenderSettleMode.SETTLED));
        assertThat(again.expect(Attach.class).getUnsettled()).hasSize(1);
        again.send(Peer.credit(0, 0, 10));
        List<Frame> frames = again.frames();
        assertThat(frames).hasSize(3).allMatch(frame -> ((Transfer) frame.performative()).getSettled());
        assertThat(texts(frames.subList(1, 3))).containsExactly("1", "2");
        assertThat(lab.counters().readyMessages() + lab.counters().unsettledMessages()).isZero();
    }

    @Test
    void shouldGiveBackWhatAReceiverHasClosed() {
        Peer peer = received(1, 3);
        peer.send(new Detach().setHandle(0).setClosed(true));
        peer.expect(Detach.class);
        assertThat(lab.counters().readyMessages()).isEqualTo(3);
    }

    @Test
    void shouldGiveBackWhatNobodyComesForInTime() {
        publish(3);
        Peer peer = Peer.connected(lab, 1);
        peer.send(receiver().setSource(new Source()
                .setAddress("q").setExpiryPolicy(TerminusExpiryPolicy.SESSION_END)
                .setTimeout(UnsignedInteger.valueOf(30))));
        assertThat(peer.expect(Attach.class).getSource().getTimeout()).isEqualTo(UnsignedInteger.valueOf(30));
        peer.send(Peer.credit(0, 0, 100));
        assertThat(peer.frames()).hasSize(3);
        peer.cutSocket();
        lab.loops.advance(29 * SECOND);
        assertThat(lab.counters().unsettledMessages()).isEqualTo(3);
        lab.loops.advance(2 * SECOND);
        assertThat(lab.counters().unsettledMessages()).isZero();
        assertThat(lab.counters().readyMessages()).isEqualTo(3);
    }

    /** What was only resumed, and not all of it sent, is kept when that connection is lost as well. */
    @Test
    void shouldKeepWhatIsResumedOverFurtherConnections() {
        received(1, 5).cutSocket();
        Map<Binary, DeliveryState> map = new HashMap<>();
        for (int i = 0; i < 5; i++) {
            map.put(receiversTag(i), null);
        }
        for (int i = 0; i < 4; i++) {
            Peer again = Peer.connected(lab, i % 2);
            again.send(receiver().setUnsettled(map));
            assertThat(again.expect(Attach.class).getUnsettled()).hasSize(5);
            again.send(Peer.credit(0, 0, i));
            assertThat(texts(again.frames())).hasSize(i).allMatch(text -> text.startsWith("again "));
            again.cutSocket();
        }
        Peer last = Peer.connected(lab, 0);
        last.send(receiver().setUnsettled(map));
        last.expect(Attach.class);
        last.send(Peer.credit(0, 0, 10));
        assertThat(texts(last.frames())).containsExactly("again 0", "again 1", "again 2", "again 3", "again 4");
        last.send(Peer.settle(Role.RECEIVER, 0, 4, Accepted.getInstance()));
        publish(2);
        assertThat(texts(last.frames())).containsExactly("0", "1");
        assertThat(lab.counters().unsettledMessages()).isEqualTo(2);
    }

    @Test
    void shouldResumeALargeDeliveryInManyFrames() {
        Peer publisher = Peer.opened(lab, 1, Lab.OPTIONS, Peer.open().setContainerId("publisher"));
        publisher.begin(0);
        publisher.attachSender(0, "q");
        byte[] large = new byte[400_000];
        publisher.send(Peer.inFrames(0, 0, Peer.message(large), 60_000));
        Peer peer = Peer.connected(lab, 1);
        peer.send(1, Peer.begin().setIncomingWindow(2));
        peer.frames();
        peer.send(1, receiver());
        peer.frames();
        peer.send(1, Peer.credit(0, 0, 10).setIncomingWindow(2));
        assertThat(peer.frames()).hasSize(2);
        peer.cutSocket();
        Peer again = Peer.connected(lab, 0);
        Map<Binary, DeliveryState> map = new HashMap<>();
        map.put(receiversTag(0), null);
        again.send(receiver().setUnsettled(map));
        assertThat(again.expect(Attach.class).getUnsettled()).hasSize(1);
        again.send(Peer.credit(0, 0, 10));
        List<Frame> frames = again.frames();
        byte[] whole = new byte[0];
        for (Frame frame : frames) {
            whole = Frames.join(whole, frame.payload());
        }
        assertThat(((Transfer) frames.getFirst().performative()).getResume()).isTrue();
        assertThat(((Transfer) frames.getLast().performative()).getMore()).isFalse();
        assertThat(Peer.data(whole)).isEqualTo(large);
    }

    /** What becomes of deliveries whose queue has gone matters to nobody, and harms nobody. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldLetGoOfDeliveriesWhoseQueueIsDeleted(boolean comesBack) {
        publish(3);
        Attach attach = receiver();
        attach.getSource().setExpiryPolicy(TerminusExpiryPolicy.CONNECTION_CLOSE)
                .setTimeout(UnsignedInteger.valueOf(10));
        Peer peer = Peer.connected(lab, 1);
        peer.send(attach);
        peer.expect(Attach.class);
        peer.send(Peer.credit(0, 0, 10));
        assertThat(peer.frames()).hasSize(3);
        peer.cutSocket();
        lab.deleteQueue("q");
        if (comesBack) {
            Peer again = Peer.connected(lab, 0);
            Map<Binary, DeliveryState> map = new HashMap<>();
            map.put(receiversTag(0), Accepted.getInstance());
            map.put(receiversTag(1), null);
            again.send(attach.copy().setUnsettled(map));
            assertThat(again.expect(Attach.class).getUnsettled()).hasSize(2);
            again.send(Peer.credit(0, 0, 10));
            assertThat(again.frames()).hasSize(2);
            again.send(Peer.settle(Role.RECEIVER, 0, 10, Accepted.getInstance()));
            again.cutSocket();
        } else {
            lab.loops.advance(11 * SECOND);
        }
        assertThat(lab.counters().unsettledMessages()).isZero();
        assertThat(lab.counters().messageBytes()).isZero();
    }

    /** The state of a durable subscription's deliveries is kept as well. */
    @Test
    void shouldResumeADurableSubscription() {
        Attach attach = receiver().setSource(new Source()
                .setAddress("t").setCapabilities(Symbol.valueOf("topic")).setDurable(TerminusDurability.UNSETTLED_STATE)
                .setExpiryPolicy(TerminusExpiryPolicy.NEVER));
        Peer peer = Peer.connected(lab, 1);
        peer.send(attach);
        peer.expect(Attach.class);
        peer.send(Peer.sender(1, "p", "topic://t"));
        peer.send(Peer.send(1, 0, "m"));
        peer.frames();
        peer.send(Peer.credit(0, 0, 10));
        assertThat(peer.frames()).hasSize(1);
        peer.cutSocket();
        Peer again = Peer.connected(lab, 0);
        Map<Binary, DeliveryState> map = new HashMap<>();
        map.put(receiversTag(0), null);
        again.send(attach.copy().setUnsettled(map));
        assertThat(again.expect(Attach.class).getUnsettled()).hasSize(1);
        again.send(Peer.credit(0, 0, 10));
        assertThat(texts(again.frames())).containsExactly("again m");
        again.send(new Detach().setHandle(0).setClosed(true));
        again.expect(Detach.class);
        assertThat(lab.counters().queues()).isZero();
    }

    /** What one link of a shared subscription has not settled is for the others. */
    @Test
    void shouldKeepNothingOfASharedSubscription() {
        Attach attach = receiver().setSource(new Source()
                .setAddress("t").setCapabilities(Symbol.valueOf("topic"), Symbol.valueOf("shared"))
                .setDurable(TerminusDurability.UNSETTLED_STATE).setExpiryPolicy(TerminusExpiryPolicy.NEVER));
        Peer peer = Peer.connected(lab, 1);
        peer.send(attach);
        peer.expect(Attach.class);
        peer.send(attach.copy().setName("r|2").setHandle(1));
        peer.expect(Attach.class);
        peer.send(Peer.sender(2, "p", "topic://t"));
        peer.send(Peer.send(2, 0, "m"));
        peer.frames();
        peer.send(Peer.credit(0, 0, 10));
        assertThat(peer.frames()).hasSize(1);
        peer.send(Peer.credit(1, 0, 10));
        peer.send(new Detach().setHandle(0));
        peer.expect(Detach.class);
        assertThat(texts(peer.frames())).containsExactly("m");
    }

    // ---- stealing

    /** §2.6.1: who attaches a link that another connection has takes it over, with what is not settled. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldTakeAReceivingLinkFromAnotherConnection(int loop) {
        Peer peer = received(1, 3);
        Peer thief = Peer.connected(lab, loop);
        Map<Binary, DeliveryState> map = new HashMap<>();
        for (int i = 0; i < 3; i++) {
            map.put(receiversTag(i), i == 1 ? Accepted.getInstance() : null);
        }
        thief.send(receiver().setUnsettled(map));
        peer.expectDetach(LinkError.STOLEN);
        assertThat(thief.expect(Attach.class).getUnsettled()).hasSize(3);
        peer.send(new Detach().setHandle(0).setClosed(true));
        peer.expectNothing();
        thief.send(Peer.credit(0, 0, 10));
        assertThat(thief.frames()).hasSize(3);
        assertThat(lab.counters().unsettledMessages()).isEqualTo(2);
        assertThat(lab.counters().consumers()).isEqualTo(1);
        thief.send(Peer.settle(Role.RECEIVER, 0, 2, Accepted.getInstance()));
        assertThat(lab.counters().unsettledMessages()).isZero();
        // And back again.
        peer.send(receiver());
        thief.expectDetach(LinkError.STOLEN);
        assertThat(peer.expect(Attach.class).getSource()).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldTakeASendingLinkFromAnotherConnection(int loop) {
        Peer peer = tenSent(sender("q"));
        Peer thief = Peer.connected(lab, loop);
        thief.send(sender("q").setUnsettled(sendersMap(0, 9)));
        peer.expectDetach(LinkError.STOLEN);
        assertThat(thief.expect(Attach.class).getUnsettled()).hasSize(10);
        peer.cutSocket();
        resume(thief, 0, 3);
        Disposition outcome = thief.expect(Disposition.class);
        assertThat(outcome.getFirst()).isZero();
        assertThat(outcome.getState()).isEqualTo(Accepted.getInstance());
        assertThat(lab.counters().readyMessages()).isEqualTo(10);
    }

    /** Of many who want a name at a time the last one gets it, and each of the others is told. */
    @Test
    void shouldGiveANameToTheLastOfManyConnections() {
        List<Peer> peers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            peers.add(Peer.connected(lab, 1));
        }
        for (Peer each : peers) {
            each.wire.arrive(Frames.frame(0, receiver()));
        }
        lab.loops.runAll();
        for (Peer each : peers) {
            boolean last = each == peers.getLast();
            List<Frame> frames = each.frames();
            assertThat(frames.stream().filter(frame -> frame.performative() instanceof Attach)).hasSize(1);
            assertThat(frames.stream().filter(frame -> frame.performative() instanceof Detach))
                    .hasSize(last ? 0 : 1);
        }
        assertThat(lab.counters().consumers()).isEqualTo(1);
        peers.forEach(Peer::cutSocket);
        assertThat(lab.counters().consumers()).isZero();
        assertThat(lab.counters().connections()).isZero();
    }

    /** A name is free again whatever its link was doing when it ended. */
    @Test
    void shouldFreeANameThatIsDetachedBeforeItsAttachIsAnswered() {
        for (boolean closed : new boolean[] {false, true}) {
            Peer peer = Peer.connected(lab, 1);
            peer.send(
                    Frames.frame(0, receiver()), Frames.frame(0, new Detach().setHandle(0).setClosed(closed)),
                    Frames.frame(0, sender("q").setHandle(1)),
                    Frames.frame(0, new Detach().setHandle(1).setClosed(closed)));
            peer.frames();
            Peer other = Peer.connected(lab, 0);
            other.send(receiver());
            assertThat(other.expect(Attach.class).getSource()).isNotNull();
            other.send(sender("q").setHandle(1));
            other.expect(Attach.class);
            peer.expectNothing();
            other.expectNothing();
            other.cutSocket();
        }
    }

    // ---- how much

    @Test
    void shouldKeepALimitedNumberOfDeliveriesOfALink() {
        int most = LinkRegistry.MOST_DELIVERIES_OF_LINK;
        publish(most + 10);
        Peer peer = Peer.connected(lab, 1);
        peer.send(receiver());
        peer.expect(Attach.class);
        peer.send(Peer.credit(0, 0, most + 10));
        peer.frames();
        assertThat(lab.counters().unsettledMessages()).isEqualTo(most + 10);
        assertThat(lab.counters().keptLinks()).isZero();
        peer.cutSocket();
        assertThat(lab.counters().unsettledMessages()).isEqualTo(most);
        assertThat(lab.counters().readyMessages()).isEqualTo(10);
        assertThat(lab.counters().keptLinks()).isEqualTo(1);
        assertThat(lab.counters().keptDeliveries()).isEqualTo(most);
        Peer again = Peer.connected(lab, 0);
        again.send(receiver());
        again.expect(Attach.class);
        assertThat(lab.counters().keptLinks()).isZero();
        assertThat(lab.counters().keptDeliveries()).isZero();
    }

    private final List<String> dropped = new ArrayList<>();

    /** A link of that name ends and leaves so many deliveries, each of which says the name when it is given back. */
    private void leave(String name, int deliveries) {
        leave("guest", new Ceiling(), name, deliveries);
    }

    private void leave(String user, Ceiling mostKept, String name, int deliveries) {
        LinkClaim.Holder holder = new LinkClaim.Holder() {
            @Override
            public void granted(KeptLink kept) {
                assertThat(kept).isNull();
            }

            @Override
            public void stolen(boolean granted) {
                throw new AssertionError(name);
            }

            @Override
            public void outcome(KeptLink.Arrived arrived, DeliveryState outcome) {
                throw new AssertionError(name);
            }
        };
        ManualLoop loop = lab.loops.get(1);
        LinkClaim claim = new LinkClaim(
                new LinkClaim.Key("/", user, "client", name, false), loop, mostKept, holder);
        Delivery delivery = new NamedDelivery(name);
        List<KeptLink.Sent> sent = new ArrayList<>();
        for (int i = 0; i < deliveries; i++) {
            sent.add(new KeptLink.Sent(i, delivery, loop, true));
        }
        loop.run(() -> lab.links.claim(loop, claim));
        lab.loops.runAll();
        loop.run(() -> lab.links.letGo(loop, claim, new KeptLink(List.of(), sent, 0, -1)));
        lab.loops.runAll();
    }

    private final class NamedDelivery implements Delivery {
        private final String name;

        NamedDelivery(String name) {
            this.name = name;
        }

        @Override
        public Message message() {
            throw new AssertionError(name);
        }

        @Override
        public String queue() {
            return "q";
        }

        @Override
        public boolean redelivered() {
            return false;
        }

        @Override
        public int deliveryCount() {
            return 0;
        }

        @Override
        public boolean counted() {
            return false;
        }

        @Override
        public boolean settled() {
            return false;
        }

        @Override
        public long remaining() {
            return 0;
        }

        @Override
        public int windowBytes() {
            return 1;
        }

        @Override
        public void settle(Outcome outcome, Completion completion) {
            dropped.add(name);
        }
    }

    @Test
    void shouldKeepALimitedNumberOfLinks() {
        for (int i = 0; i < LinkRegistry.MOST_LINKS; i++) {
            leave("link " + i, 1);
        }
        assertThat(lab.counters().keptLinks()).isEqualTo(LinkRegistry.MOST_LINKS);
        assertThat(dropped).isEmpty();
        leave("one more", 1);
        leave("and another", 2);
        assertThat(dropped).containsExactly("link 0", "link 1");
        assertThat(lab.counters().keptLinks()).isEqualTo(LinkRegistry.MOST_LINKS);
        assertThat(lab.counters().keptDeliveries()).isEqualTo(LinkRegistry.MOST_LINKS + 1);
    }

    /** Those of other users are not touched. */
    @Test
    void shouldKeepNoMoreLinksOfAUserThanTheyMayHave() {
        Ceiling most = new Ceiling();
        most.set(2);
        leave("other", new Ceiling(), "other's", 1);
        leave("user", most, "first", 1);
        leave("user", most, "second", 1);
        assertThat(dropped).isEmpty();
        leave("user", most, "third", 1);
        assertThat(dropped).containsExactly("first");
        most.set(0);
        assertThat(lab.counters().keptLinks()).as("what is there stays").isEqualTo(3);
        leave("user", most, "fourth", 1);
        assertThat(dropped).containsExactly("first", "second", "third", "fourth");
        assertThat(lab.counters().keptLinks()).isEqualTo(1);
        most.set(1);
        leave("user", most, "fifth", 1);
        assertThat(lab.counters().keptLinks()).isEqualTo(2);
    }

    @Test
    void shouldKeepALimitedNumberOfDeliveries() {
        int ofLink = LinkRegistry.MOST_DELIVERIES_OF_LINK;
        int links = LinkRegistry.MOST_DELIVERIES / ofLink;
        for (int i = 0; i < links; i++) {
            leave("link " + i, ofLink);
        }
        assertThat(lab.counters().keptDeliveries()).isEqualTo(LinkRegistry.MOST_DELIVERIES);
        assertThat(dropped).isEmpty();
        leave("one more", 1);
        assertThat(dropped).hasSize(ofLink).containsOnly("link 0");
        assertThat(lab.counters().keptLinks()).isEqualTo(links);
        assertThat(lab.counters().keptDeliveries()).isEqualTo(LinkRegistry.MOST_DELIVERIES - ofLink + 1);
    }
}
