package io.sluicemq.protocol.amqp10;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Completion;
import java.nio.ByteBuffer;
import org.apache.qpid.protonj2.types.transport.DeliveryState;

/**
 * A delivery that the peer has sent and that is not settled yet: what is owed for it is its outcome (part 2, §2.6.12). Owned by the
 * connection's loop.
 */
final class Received extends Completion {

    /** What is told its outcome; another one of the same name when it comes back. */
    private ProducerLink link;
    private int id;
    private final ByteBuffer tag;
    /** Whether it is settled by us only when the peer has settled it (§2.8.3, second). */
    private final boolean second;
    private boolean told;
    private DeliveryState outcome;
    private boolean over;
    /** What stands for it where it is kept over connections; null if it isn't. */
    private KeptLink.Arrived kept;

    Received(ProducerLink link, int id, ByteBuffer tag, boolean second) {
        super(link.connection().loop());
        this.link = link;
        this.id = id;
        this.tag = tag;
        this.second = second;
    }

    int id() {
        return id;
    }

    ByteBuffer tag() {
        return tag;
    }

    ProducerLink link() {
        return link;
    }

    boolean settlesSecond() {
        return second;
    }

    /** Whether the peer has been told its outcome and is to settle it. */
    boolean isTold() {
        return told;
    }

    void told() {
        told = true;
    }

    /** Its outcome, if it has come to one and the peer has not settled it; else null. */
    DeliveryState outcome() {
        return outcome;
    }

    /** It has come to an outcome, but is not settled. */
    void outcome(DeliveryState state) {
        outcome = state;
    }

    /** The peer resumes it on a link that it has attached again, by another id. */
    void resumed(ProducerLink on, int newId) {
        link = on;
        id = newId;
        told = false;
    }

    KeptLink.Arrived kept() {
        return kept;
    }

    /** It is kept, or was. */
    void keptAs(KeptLink.Arrived arrived) {
        kept = arrived;
    }

    /** Whether nobody is to be told its outcome any more. */
    boolean isOver() {
        return over;
    }

    /** It is settled. */
    void over() {
        over = true;
    }

    /** The peer forgets about it, whatever has become of it. */
    void settledByPeer() {
        link.forget(this);
    }

    @Override
    protected void complete(BrokerError refusal) {
        link.resolved(this, refusal);
    }
}
