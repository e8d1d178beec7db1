package io.sluicemq.simulation;

/**
 * A message in one queue, as the clients' knowledge allows to say: it is there for certain, gone for certain, or one of the two
 * that only the broker knows.
 */
final class Copy {

    final Sent sent;
    final QueueModel queue;
    /** Whether its publisher knows that the queue has it. */
    boolean certain;
    /** Whether it was ever delivered. */
    boolean delivered;
    /** Whether something was begun that may have taken it out. */
    boolean mayBeGone;
    /** Whether it was rejected, so that it may be among the dead letters instead. */
    boolean rejected;
    /** Whether it must not be seen again. */
    boolean gone;
    /** Why, for people. */
    String goneWhy;
    /** Whether it is gone, but the log need not have heard of that: after a crash it may be there once more. */
    boolean mayReturn;
    /** The transaction that is to accept it. */
    Work ending;
    /** Whether it is there only if it died elsewhere. */
    boolean letter;
    /** The life of the broker in which its queue was deleted. */
    int deletedIn = -1;
    /** The oldest limits that may have taken it out. */
    int limitsFrom;
    /** The limits that may have kept it out end before these. */
    int limitsEnd = Integer.MAX_VALUE;
    /** When it may expire first; {@link Long#MAX_VALUE} for never. */
    long expiresNanos = Long.MAX_VALUE;
    /** The client that holds it unsettled, if that is known. */
    Peer holder;
    /** The life of the broker in which it was accepted. */
    int acceptedIn = -1;

    Copy(Sent sent, QueueModel queue) {
        this.sent = sent;
        this.queue = queue;
        this.limitsFrom = sent.limitsFrom;
    }

    boolean isDurable() {
        return sent.durable && queue.durable;
    }

    boolean mayBeExpired(long nowNanos) {
        return nowNanos >= expiresNanos;
    }

    void gone(String why) {
        gone = true;
        goneWhy = why;
    }

    @Override
    public String toString() {
        return sent + " in queue " + queue.name + (sent.work == null ? "" : " by " + sent.work);
    }
}
