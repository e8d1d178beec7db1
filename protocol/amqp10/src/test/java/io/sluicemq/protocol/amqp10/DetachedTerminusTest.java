package io.sluicemq.protocol.amqp10;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.DeleteOnClose;
import org.apache.qpid.protonj2.types.messaging.DeleteOnNoLinks;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.messaging.Terminus;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;
import org.apache.qpid.protonj2.types.transport.Attach;
import org.apache.qpid.protonj2.types.transport.Detach;
import org.apache.qpid.protonj2.types.transport.End;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a terminus when its link was detached and its name is attached again (1.0 §2.6.5, §3.5.3, §3.5.10). */
class DetachedTerminusTest {

    private static final Symbol LIFETIME = Symbol.valueOf("lifetime-policy");

    private final Lab lab = new Lab();
    private final Peer peer = Peer.connected(lab, 1);

    private long queues() {
        return lab.counters().queues();
    }

    private static Attach dynamic(Object lifetime) {
        return Peer.sender(0, "l", null).setTarget(
                new Target().setDynamic(true).setDynamicNodeProperties(Map.of(LIFETIME, lifetime)));
    }

    private String create(Object lifetime) {
        peer.send(dynamic(lifetime));
        return peer.expect(Attach.class).<Target>getTarget().getAddress();
    }

    private void detach(int channel, int handle, boolean closed) {
        peer.send(channel, new Detach().setHandle(handle).setClosed(closed));
        assertThat(peer.expect(channel, Detach.class).getClosed()).isEqualTo(closed);
    }

    private void attach(int channel, Attach attach) {
        peer.send(channel, attach);
        Attach answer = peer.expect(channel, Attach.class);
        assertThat(answer.<Terminus>getTarget()).isNotNull();
        assertThat(answer.getSource()).isNotNull();
    }

    @Test
    void shouldEndANodeWithItsLastLinkAlsoIfThatWasDetachedBefore() {
        String node = create(DeleteOnNoLinks.getInstance());
        for (int i = 0; i < 3; i++) {
            detach(0, 0, false);
            attach(0, Peer.sender(0, "l", node));
        }
        detach(0, 0, true);
        assertThat(queues()).isZero();
    }

    @Test
    void shouldEndANodeWithTheLinkItWasMadeForAlsoIfThatWasDetachedBefore() {
        String node = create(DeleteOnClose.getInstance());
        detach(0, 0, false);
        attach(0, Peer.sender(0, "l", node));
        attach(0, Peer.sender(1, "other", node));
        detach(0, 1, true);
        assertThat(queues()).isEqualTo(1);
        detach(0, 0, true);
        assertThat(queues()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldEndANodeWhoseLinkHasComeBackToAnotherOne(boolean toANewOne) {
        create(DeleteOnClose.getInstance());
        detach(0, 0, false);
        attach(0, toANewOne ? dynamic(DeleteOnClose.getInstance()) : Peer.sender(0, "l", "q"));
        assertThat(queues()).isEqualTo(1);
        detach(0, 0, true);
        assertThat(queues()).isEqualTo(toANewOne ? 0 : 1);
    }

    /** It is the session in which a link was last attached that its terminus ends with. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldKeepANodeWhoseLinkHasComeBackInAnotherSession(boolean closed) {
        String node = create(DeleteOnClose.getInstance());
        detach(0, 0, false);
        peer.begin(1);
        attach(1, Peer.sender(0, "l", node));
        peer.send(new End());
        peer.expect(End.class);
        assertThat(queues()).isEqualTo(1);
        detach(1, 0, closed);
        assertThat(queues()).isEqualTo(closed ? 0 : 1);
        peer.send(1, new End());
        peer.expect(1, End.class);
        assertThat(queues()).isZero();
    }

    @Test
    void shouldEndASubscriptionWhoseLinkHasComeBackToSomethingElse() {
        attach(0, Peer.receiver(0, "l", "topic://t"));
        assertThat(queues()).isEqualTo(1);
        detach(0, 0, false);
        assertThat(queues()).isEqualTo(1);
        attach(0, Peer.receiver(0, "l", "queue://q"));
        assertThat(queues()).isEqualTo(1);
    }

    /** So also if it would have outlived its session. */
    @Test
    void shouldEndASubscriptionOfAnEndedSessionWhoseLinkHasComeBackToSomethingElse() {
        attach(0, Peer.receiver(0, "l", null).setSource(
                new Source().setAddress("topic://t").setExpiryPolicy(TerminusExpiryPolicy.CONNECTION_CLOSE)));
        detach(0, 0, false);
        peer.send(new End());
        peer.expect(End.class);
        assertThat(queues()).isEqualTo(1);
        peer.begin(0);
        attach(0, Peer.receiver(0, "l", "queue://q"));
        assertThat(queues()).isEqualTo(1);
    }

    @Test
    void shouldKeepASubscriptionWhoseLinkHasComeBackInVain() {
        attach(0, Peer.receiver(0, "l", "topic://t"));
        detach(0, 0, false);
        peer.send(Peer.receiver(0, "l", "/queues/missing"));
        peer.expect(Attach.class);
        peer.expect(Detach.class);
        peer.send(new Detach().setHandle(0).setClosed(true));
        assertThat(queues()).isEqualTo(1);
        attach(0, Peer.receiver(0, "l", "topic://t"));
        assertThat(queues()).isEqualTo(1);
        detach(0, 0, false);
        peer.send(new End());
        peer.expect(End.class);
        assertThat(queues()).isZero();
    }
}
