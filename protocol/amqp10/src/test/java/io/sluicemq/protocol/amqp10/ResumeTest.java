package io.sluicemq.protocol.amqp10;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.protocol.amqp10.codec.Frames;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.messaging.Accepted;
import org.apache.qpid.protonj2.types.transport.AmqpError;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Begin;
import org.apache.qpid.protonj2.types.transport.DeliveryState;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.Disposition;
import org.apache.qpid.protonj2.types.transport.End;
import org.apache.qpid.protonj2.types.transport.Flow;
import org.apache.qpid.protonj2.types.transport.ReceiverSettleMode;
import org.apache.qpid.protonj2.types.transport.Role;
import org.apache.qpid.protonj2.types.transport.Transfer;
import org.junit.jupiter.api.Test;

/** Links that come back with deliveries that are not settled (1.0 §2.6.5, §2.6.13; C063). */
class ResumeTest {

    private final Lab lab = new Lab(new AddressSettings(List.of(new AddressSettings.Rule(
            "full", null, 1L, FullPolicy.BLOCK, null, null, null, null))));
    private final Peer peer = Peer.connected(lab);

    private static Binary tag(long id) {
        return new Binary(("tag " + id).getBytes(StandardCharsets.US_ASCII));
    }

    private static Map<Binary, DeliveryState> unsettled(int first, int last) {
        Map<Binary, DeliveryState> map = new HashMap<>();
        for (int id = first; id <= last; id++) {
            map.put(tag(id), null);
        }
        return map;
    }

    private static Map<String, DeliveryState> told(Attach attach) {
        Map<String, DeliveryState> told = new HashMap<>();
        attach.getUnsettled().forEach(
                (tag, state) -> told.put(new String(tag.asByteArray(), StandardCharsets.US_ASCII), state));
        return told;
    }

    private static Attach second(Attach attach) {
        return attach.setReceiverSettleMode(ReceiverSettleMode.SECOND);
    }

    /** Ten deliveries that the peer has not settled, whose link is then detached. */
    private void tenUnsettled() {
        peer.send(second(Peer.sender(0, "s", "q")));
        peer.expect(Attach.class);
        for (int id = 0; id < 10; id++) {
            peer.send(Peer.send(0, id, "" + id));
        }
        peer.frames();
        peer.send(new Detach().setHandle(0));
        assertThat(peer.expect(Detach.class).getClosed()).isFalse();
    }

    private void resume(long id, int tag) {
        peer.send(Frames.frame(
                0, Peer.transfer(0, id).setDeliveryTag(tag(tag).asByteArray()).setResume(true),
                Peer.message("" + tag)));
    }

    @Test
    void shouldStoreNothingTwiceThatIsResumed() {
        tenUnsettled();
        peer.send(second(Peer.sender(0, "s", "q")).setUnsettled(unsettled(0, 11)));
        Attach attach = peer.expect(Attach.class);
        assertThat(told(attach)).hasSize(10).containsEntry("tag 3", Accepted.getInstance());
        assertThat(attach.getIncompleteUnsettled()).isFalse();
        for (int i = 0; i < 10; i++) {
            resume(10 + i, i);
            Disposition outcome = peer.expect(Disposition.class);
            assertThat(outcome.getFirst()).isEqualTo(10 + i);
            assertThat(outcome.getState()).isEqualTo(Accepted.getInstance());
        }
        assertThat(lab.counters().readyMessages()).isEqualTo(10);
        peer.send(Peer.settle(Role.SENDER, 10, 19, Accepted.getInstance()));
        peer.send(Frames.frame(0, Peer.transfer(0, 20).setDeliveryTag(tag(3).asByteArray()), Peer.message("new")));
        assertThat(peer.expect(Disposition.class).getFirst()).isEqualTo(20);
        assertThat(lab.counters().readyMessages()).isEqualTo(11);
    }

    @Test
    void shouldIgnoreWhatIsResumedAndNotKnown() {
        tenUnsettled();
        peer.send(second(Peer.sender(0, "s", "q")).setUnsettled(unsettled(0, 11)));
        peer.expect(Attach.class);
        resume(10, 11);
        peer.send(
                Frames.frame(0,
                        Peer.transfer(0, 12).setDeliveryTag(tag(12).asByteArray()).setResume(true).setMore(true),
                        Peer.message("x")),
                Frames.frame(0, new Transfer().setHandle(0).setResume(true), new byte[50]));
        peer.expectNothing();
        assertThat(lab.counters().readyMessages()).isEqualTo(10);
        peer.send(Frames.frame(0, Peer.transfer(0, 13), Peer.message("new")));
        assertThat(peer.expect(Disposition.class).getFirst()).isEqualTo(13);
    }

    @Test
    void shouldForgetWhatThePeerHasForgotten() {
        tenUnsettled();
        peer.send(Peer.sender(0, "s", "q"));
        assertThat(peer.expect(Attach.class).getUnsettled()).isNullOrEmpty();
        peer.send(Frames.frame(0, Peer.transfer(0, 10).setDeliveryTag(tag(3).asByteArray()), Peer.message("new")));
        assertThat(peer.expect(Disposition.class).getState()).isEqualTo(Accepted.getInstance());
        assertThat(lab.counters().readyMessages()).isEqualTo(11);
    }

    @Test
    void shouldForgetWhatIsResumedAsSettled() {
        tenUnsettled();
        peer.send(second(Peer.sender(0, "s", "q")).setUnsettled(unsettled(0, 9)));
        peer.expect(Attach.class);
        peer.send(Frames.frame(0, Peer.transfer(0, 10).setDeliveryTag(tag(0).asByteArray()).setResume(true)
                .setSettled(true)));
        peer.send(Frames.frame(0, Peer.transfer(0, 11).setDeliveryTag(tag(1).asByteArray()).setResume(true)
                .setAborted(true)));
        peer.expectNothing();
        peer.send(Frames.frame(0, Peer.transfer(0, 12).setDeliveryTag(tag(0).asByteArray()), Peer.message("new")));
        assertThat(peer.expect(Disposition.class).getFirst()).isEqualTo(12);
        peer.send(Frames.frame(0, Peer.transfer(0, 13).setDeliveryTag(tag(5).asByteArray()), Peer.message("twice")));
        peer.expectDetach(AmqpError.NOT_ALLOWED);
    }

    @Test
    void shouldForgetWhatAClosedLinkHad() {
        tenUnsettled();
        peer.send(second(Peer.sender(0, "s", "q")).setUnsettled(unsettled(0, 9)));
        peer.expect(Attach.class);
        peer.send(new Detach().setHandle(0).setClosed(true));
        peer.expect(Detach.class);
        peer.send(second(Peer.sender(0, "s", "q")).setUnsettled(unsettled(0, 9)));
        assertThat(peer.expect(Attach.class).getUnsettled()).isNullOrEmpty();
    }

    @Test
    void shouldResumeInAnotherSession() {
        peer.send(1, Peer.begin());
        peer.expect(1, Begin.class);
        tenUnsettled();
        peer.send(new End());
        peer.expect(End.class);
        peer.send(1, second(Peer.sender(0, "s", "q")).setUnsettled(unsettled(0, 9)));
        assertThat(peer.expect(1, Attach.class).getUnsettled()).hasSize(10);
    }

    /** Its outcome comes when there is room, on the link that has come back. */
    @Test
    void shouldTellTheOutcomeThatComesAfterTheResumption() {
        peer.send(Peer.sender(0, "s", null));
        peer.expect(Attach.class);
        byte[] to = Frames.encode(new org.apache.qpid.protonj2.types.messaging.Properties().setTo("full"));
        for (int id = 0; id < 2; id++) {
            peer.send(Frames.frame(0, Peer.transfer(0, id), Frames.join(to, Peer.message("" + id))));
        }
        peer.expectOutcome(0, 0, Accepted.class);
        peer.send(new Detach().setHandle(0));
        peer.expect(Detach.class);
        peer.send(Peer.sender(0, "s", null).setUnsettled(unsettled(1, 1)));
        Attach attach = peer.expect(Attach.class);
        assertThat(told(attach)).hasSize(1).containsEntry("tag 1", null);
        resume(2, 1);
        peer.expectNothing();
        Peer receiver = Peer.connected(lab, 1);
        receiver.attachReceiver(0, "full");
        receiver.send(Peer.credit(0, 0, 10));
        assertThat(receiver.receive(0, 0)).isEqualTo("0");
        receiver.send(Peer.settle(Role.RECEIVER, 0, 0, Accepted.getInstance()));
        peer.expectOutcome(2, 2, Accepted.class);
        assertThat(receiver.receive(0, 1)).isEqualTo("1");
    }

    /** What does not fit into the peer's frames is not told, but known. */
    @Test
    void shouldSayThatItsUnsettledMapIsIncomplete() {
        Peer small = Peer.opened(lab, 0, Lab.OPTIONS, Peer.open().setMaxFrameSize(512));
        small.begin(0);
        small.send(second(Peer.sender(0, "s", "q")));
        small.expect(Attach.class);
        for (int id = 0; id < 100; id++) {
            small.send(Peer.send(0, id, "" + id));
        }
        small.frames();
        small.send(new Detach().setHandle(0));
        small.expect(Detach.class);
        small.send(second(Peer.sender(0, "s", "q")).setUnsettled(unsettled(0, 99)));
        Attach attach = small.expect(Attach.class);
        assertThat(attach.getIncompleteUnsettled()).isTrue();
        assertThat(attach.getUnsettled()).hasSizeBetween(3, 50);
        small.expect(Flow.class);
    }

    /** What is kept is bounded over all links, and seen as memory that is in use. */
    @Test
    void shouldKeepALimitedNumberOfDeliveries() {
        int each = 800;
        int links = SuspendedLinks.MOST_DELIVERIES / each;
        long id = 0;
        long perLink = 0;
        for (int link = 0; link <= links; link++) {
            peer.send(second(Peer.sender(0, "s" + link, "topic://nobody")));
            peer.expect(Attach.class);
            java.util.ArrayList<byte[]> frames = new java.util.ArrayList<>();
            for (int i = 0; i < each; i++, id++) {
                frames.add(Frames.frame(
                        0, Peer.transfer(0, id).setDeliveryTag(tag(i).asByteArray()), Peer.message("x")));
                if (frames.size() == 100) {
                    peer.send(frames.toArray(byte[][]::new));
                    peer.frames();
                    frames.clear();
                }
            }
            peer.send(new Detach().setHandle(0));
            peer.expect(Detach.class);
            long held = lab.counters().messageBytes();
            if (link == 0) {
                perLink = held;
                assertThat(perLink).isPositive();
            }
            assertThat(held).isEqualTo(perLink * Math.min(link + 1, links));
        }
        peer.send(second(Peer.sender(0, "s0", "topic://nobody")).setUnsettled(unsettled(0, 9)));
        assertThat(peer.expect(Attach.class).getUnsettled()).isNullOrEmpty();
        peer.send(second(Peer.sender(1, "s1", "topic://nobody")).setUnsettled(unsettled(0, 9)));
        assertThat(peer.expect(Attach.class).getUnsettled()).hasSize(10);
        peer.cutSocket();
        assertThat(lab.counters().messageBytes()).isZero();
    }
}
