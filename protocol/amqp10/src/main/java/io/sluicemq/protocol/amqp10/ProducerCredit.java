package io.sluicemq.protocol.amqp10;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.CreditLine;
import io.sluicemq.api.Producer;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.protocol.amqp10.terminus.Destination;

/**
 * The credit of a link on which the peer sends (part 2, §2.6.7). Owned by the connection's loop.
 *
 * <p>It comes out of the reservation of the address ({@link CreditLine}); a link to the anonymous relay, whose messages name their
 * addresses themselves, has credit of its own. Invariant: the peer has credit for no more than {@code credit} messages, and for none
 * that it was not granted.
 */
@LoopOwned
final class ProducerCredit {

    /** What a message's size is taken for before one has come, in bytes. */
    private static final int FIRST_ESTIMATE = 1024;

    private static final int ESTIMATE_WEIGHT = 8;

    private final ProducerLink link;
    private final LinkProducer producer;

    private CreditLine line;
    private int deliveryCount;
    private int credit;
    /** Behind this delivery-count the peer has never had credit. */
    private int highestLimit;
    private int estimateBytes = FIRST_ESTIMATE;
    private boolean estimated;
    private boolean paced;
    /** Bytes of messages whose addresses are being looked up. */
    private long lookedUpBytes;

    ProducerCredit(ProducerLink link, int initialDeliveryCount) {
        this.link = link;
        this.producer = new LinkProducer();
        this.deliveryCount = initialDeliveryCount;
        this.highestLimit = initialDeliveryCount;
    }

    private ConnectionSession connection() {
        return link.connection();
    }

    /** The link as the broker sees it. */
    Producer producer() {
        return producer;
    }

    /** All that comes has one address. */
    void openLine(Destination to) {
        line = connection().client().openCredit(to.exchange(), to.routingKey(), producer, new LineSink());
    }

    /** How many messages the peer may still send. */
    int left() {
        return credit;
    }

    /** Whether the peer has no credit, and has been put down for some. */
    boolean isAsking() {
        return credit == 0 && line != null && line.isAsking();
    }

    boolean isZero() {
        return credit == 0;
    }

    /** Whether the peer may send one more delivery. */
    boolean isLeft() {
        return deliveryCount - highestLimit < 0;
    }

    // ---- given

    private int wanted() {
        if (!estimated && line != null && line.isLimited()) {
            // Room for many messages of which nobody knows how large they are may be room for few of them.
            return 1;
        }
        int byBytes = connection().options().windowBytes() / Math.max(1, estimateBytes);
        return Math.max(1, Math.min(connection().options().windowMessages(), byBytes));
    }

    /** Gives more, if that is the case. */
    void regulate() {
        if (!link.takesMore() || paced || connection().resourcesLow()) {
            return;
        }
        int wanted = wanted();
        if (credit > wanted / 2) {
            return;
        }
        if (line == null) {
            if (producer.parkedBytes() + lookedUpBytes < connection().options().windowBytes()) {
                grant(wanted - credit);
            }
        } else if (!line.isAsking()) {
            int granted = line.ask(wanted - credit, estimateBytes);
            if (granted > 0) {
                grant(granted);
            }
        }
    }

    private void grant(int messages) {
        credit += messages;
        if (deliveryCount + credit - highestLimit > 0) {
            highestLimit = deliveryCount + credit;
        }
        tell();
    }

    void tell() {
        link.session().sendFlow(link.handle(), deliveryCount, credit, false);
    }

    /** What the broker says of the credit line. */
    private final class LineSink implements CreditLine.Sink {
        @Override
        public void granted(int messages) {
            if (link.attached()) {
                grant(messages);
                regulate();
            }
        }

        @Override
        public void revoked(int messages) {
            if (link.attached()) {
                credit = Math.max(0, credit - messages);
                tell();
                regulate();
            }
        }
    }

    private final class LinkProducer extends Producer {

        LinkProducer() {
            super(connection().loop());
        }

        @Override
        public String description() {
            return "link '" + link.name() + "' of session " + link.session().channel();
        }

        @Override
        protected void parkedChanged() {
            regulate();
        }

        @Override
        public void refused(BrokerError error) {
            // It was sent settled: there is no outcome to tell, and the address counts it.
            connection().log().debug("a settled message on link '{}' was refused: {}", link.name(), error);
        }

        @Override
        protected void paced(boolean hold) {
            paced = hold;
            if (!hold) {
                regulate();
            }
        }
    }

    // ---- spent

    /** A delivery has come. */
    void spend() {
        deliveryCount++;
        credit = Math.max(0, credit - 1);
    }

    /** A delivery was aborted. Whether that takes credit is left open (§2.6.14): the sender may send one more than we think. */
    void spendOnAborted() {
        spend();
        highestLimit++;
        forgo();
    }

    /** What was spent on a delivery that is not published is room for others. */
    void forgo() {
        if (line != null) {
            line.forgo(1);
        }
    }

    /** Larger messages count at once, and smaller ones little by little: what is too much credit can't be taken back in time. */
    void estimate(int sizeBytes) {
        estimated = true;
        if (sizeBytes > estimateBytes) {
            estimateBytes = sizeBytes;
        } else {
            estimateBytes -= (estimateBytes - sizeBytes) / ESTIMATE_WEIGHT;
        }
    }

    /** So many more bytes of messages wait for their addresses to be looked up (fewer, if negative). */
    void lookedUp(int differenceBytes) {
        lookedUpBytes += differenceBytes;
        connection().holdsMemory(differenceBytes);
    }

    /** The link ends. */
    void close() {
        if (line != null) {
            line.close();
            line = null;
        }
    }
}
