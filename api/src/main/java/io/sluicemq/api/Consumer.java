package io.sluicemq.api;

import io.sluicemq.base.LoopOwned;

/** A consumer as its client holds it; owned by the client's loop. */
@LoopOwned
public interface Consumer {

    /** Ends it. Deliveries may still come until the reply, none after it; unsettled ones stay with the client. */
    void cancel(Reply<Void> reply);

    /**
     * Gives credit for {@code messages} more deliveries; only for a consumer with {@link ConsumerSpec#sharedCredit shared
     * credit}, as the answer to {@link ConsumerSink#creditWanted}.
     */
    void grant(int messages);

    /**
     * Sets how many deliveries a consumer with a {@link ConsumerSpec.Credit#LIMIT limit} may have had since it began, all
     * together; also to fewer than before. Those that are under way then still come.
     */
    void limit(long deliveries);

    /**
     * Asks a consumer with a limit to be given all that there is for it, up to the limit, and then no more: the answer comes behind
     * the last of these deliveries, and from then on the limit is what it has had. A limit that is set after this was asked,
     * whether before the answer or behind it, holds nevertheless.
     */
    void drain(Reply<Void> reply);

    /**
     * Says that it is not to be given that message, a delivery of another consumer before it that its client has now and that is not settled
     * yet. The reply comes when that holds: whatever the delivery is settled with then. No effect if the delivery is of another queue.
     */
    void refuse(Delivery delivery, Reply<Void> reply);

    /** Says that {@code bytes} of its deliveries have left for the socket, and it may be sent as many again. */
    void written(long bytes);

    /** Whether deliveries are to come, and if not, why. */
    enum Pause {
        /** They are. */
        NONE,
        /** Not while the client holds as many as it may, beside what the consumer's own prefetch says. */
        FULL,
        /** Not until the client wants some again: it has said so. */
        WISHED
    }

    /** Stops or resumes deliveries. Some may be under way. */
    void pause(Pause pause);
}
