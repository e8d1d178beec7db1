package io.sluicemq.broker.queue;

import io.sluicemq.api.Consumer;
import io.sluicemq.api.ConsumerSink;
import io.sluicemq.api.ConsumerSpec;
import io.sluicemq.api.Message;
import io.sluicemq.base.Loop;

/**
 * A consumer as its queue sees it, owned by the queue's loop: how many more deliveries it may have. It may have one while it
 * has credit (its prefetch less what it holds unsettled, what was granted from a shared allowance, its limit less what it has
 * had), its window is open (bytes sent to its connection that have not left for the socket, which bounds what a connection
 * buffers), and it is not paused.
 */
public final class QueueConsumer {

    /** Bytes that may be on their way from a queue to one consumer's socket. */
    public static final int WINDOW_BYTES = 256 * 1024;

    /** The argument of a consumer that is an operator's; no protocol passes on one of that name. */
    public static final String OPERATES = "";

    private static final int UNLIMITED = Integer.MAX_VALUE;

    private final ConsumerSpec spec;
    private final ConsumerSink sink;
    private final Loop clientLoop;
    private final Object client;
    private int credit;
    private int granted;
    private boolean creditAsked;
    /** How many deliveries it may have had since it began. */
    private long limit;

    private long given;
    private int limitChanges;
    private long windowBytes = WINDOW_BYTES;
    private Consumer.Pause paused = Consumer.Pause.NONE;
    /** Whether its queue gives it nothing, since an operator has stopped that. */
    private boolean queuePaused;
    private boolean ended;
    private int unsettled;
    private long settledMessages;
    private long unsettledBytes;
    /** What is seen of how fast it is; null if nobody looks. */
    ConsumerWatch watch;
    /** Whether its client has set its limit so that nothing more may come. */
    private boolean limitStops;
    /** How many messages of the queue it is not to have again. */
    int refusals;
    /** How many buckets of groups are its own. */
    int groups;
    /** What it has looked at; null for one that takes all. */
    private Outlook outlook;
    /** Whether there may be a message for it that it has not looked at, if it looks for those that it may have. */
    boolean mayFind = true;
    /** Whether it stands in the line of those that may have a delivery. */
    boolean inLine;

    /** @param client the identity of the connection it belongs to */
    public QueueConsumer(ConsumerSpec spec, ConsumerSink sink, Loop clientLoop, Object client) {
        this.spec = spec;
        this.sink = sink;
        this.clientLoop = clientLoop;
        this.client = client;
        this.credit = settles() || spec.prefetch() == 0 ? UNLIMITED : spec.prefetch();
        this.limit = spec.credit() == ConsumerSpec.Credit.LIMIT ? 0 : Long.MAX_VALUE;
        this.limitStops = limit == 0;
    }

    public ConsumerSpec spec() {
        return spec;
    }

    ConsumerSink sink() {
        return sink;
    }

    Loop clientLoop() {
        return clientLoop;
    }

    /** Whether its deliveries count as accepted when sent. */
    boolean settles() {
        return spec.settled() || spec.browses();
    }

    /** Whether it leaves messages where they are. */
    boolean browses() {
        return spec.browses();
    }

    /** Whether it is an operator's, for whom a queue that was paused is not. */
    boolean operates() {
        return spec.arguments().containsKey(OPERATES);
    }

    int unsettled() {
        return unsettled;
    }

    /** How many messages it has settled, or was given settled. */
    long settledMessages() {
        return settledMessages;
    }

    public Object client() {
        return client;
    }

    boolean hasEnded() {
        return ended;
    }

    void end() {
        ended = true;
    }

    /** Whether it takes only some messages. */
    boolean filters() {
        return spec.noLocal() || refusals > 0 || spec.filter() != null || spec.browses();
    }

    /** Whether it may have this message at all. */
    boolean accepts(QueueEntry entry) {
        return wants(entry)
                && (entry.message.group() == null || browses() || entry.queue.groups().allows(entry, this));
    }

    /** Whether the message is for it, were there no groups. */
    boolean wants(QueueEntry entry) {
        Message message = entry.message;
        return (!spec.noLocal() || message.publisher() != client)
                && (spec.filter() == null || spec.filter().matches(message))
                && !entry.isRefusedBy(this);
    }

    /** Whether it is to look at more messages, when they were read or in another turn. */
    boolean waits() {
        return outlook != null && (outlook.waits() || outlook.pauses);
    }

    /** What it has looked at, if it doesn't take all. */
    Outlook outlook() {
        if (outlook == null) {
            outlook = new Outlook();
        }
        return outlook;
    }

    /** Sets how many deliveries it may have had since it began. */
    void limit(long deliveries) {
        limit = deliveries;
        limitChanges++;
        limitStops = limit <= given;
        if (limitStops && watch != null) {
            watch.stopped();
        }
    }

    /** How often its limit was set. */
    int limitChanges() {
        return limitChanges;
    }

    /** It may have no more than it has had, unless its limit was set since it had been set so often. */
    void limitToGiven(int changes) {
        if (limitChanges == changes) {
            limit = given;
            limitStops = true;
            if (watch != null) {
                watch.stopped();
            }
        }
    }

    /** Whether nothing but its window and shared credit stand between it and a delivery. */
    boolean wantsMore() {
        return !ended && paused == Consumer.Pause.NONE && !queuePaused && credit > 0 && given < limit;
    }

    boolean isWindowOpen() {
        return windowBytes > 0;
    }

    /** Whether it may have a delivery now. */
    boolean canTake() {
        return wantsMore() && windowBytes > 0 && (!spec.sharedCredit() || granted > 0);
    }

    /** Asks for shared credit, once, if that is all it lacks while messages wait. */
    void askForCredit(Loop here) {
        if (spec.sharedCredit() && granted == 0 && !creditAsked && wantsMore() && windowBytes > 0) {
            creditAsked = true;
            here.send(clientLoop, sink::creditWanted);
        }
    }

    void grant(int messages) {
        creditAsked = false;
        granted += messages;
    }

    /** Gives back shared credit for which there is no message or no use now. */
    void returnUnused(Loop here) {
        if (granted > 0) {
            int unused = granted;
            granted = 0;
            here.send(clientLoop, () -> sink.creditReturned(unused));
        }
    }

    /** It is given a message. */
    void taken(int bytes) {
        windowBytes -= bytes;
        given++;
        if (spec.sharedCredit()) {
            granted--;
        }
        if (settles()) {
            settledMessages++;
        } else {
            unsettled++;
            unsettledBytes += bytes;
            if (credit != UNLIMITED) {
                credit--;
            }
        }
    }

    /** It has settled one. */
    void settledOne(int bytes) {
        unsettled--;
        unsettledBytes -= bytes;
        settledMessages++;
        if (credit != UNLIMITED) {
            credit++;
        }
    }

    /** Bytes on their way to its socket. */
    long unwrittenBytes() {
        return WINDOW_BYTES - windowBytes;
    }

    void written(long bytes) {
        windowBytes += bytes;
    }

    void pause(Consumer.Pause pause) {
        paused = pause;
        if (pause == Consumer.Pause.WISHED && watch != null) {
            watch.stopped();
        }
    }

    /** Its queue gives it nothing, or goes on. */
    void queuePaused(boolean pauses) {
        queuePaused = pauses;
        if (pauses && watch != null) {
            watch.stopped();
        }
    }

    /** Bytes of messages that it holds unsettled. */
    long unsettledBytes() {
        return unsettledBytes;
    }

    /** How many messages it was given since it began. */
    long given() {
        return given;
    }

    /** Whether its client has said that nothing is to come, or an operator. */
    boolean isStopped() {
        return paused == Consumer.Pause.WISHED || limitStops || queuePaused;
    }

    /** Whether it has used up the credit that its client gave it. */
    boolean isOutOfLimit() {
        return given >= limit;
    }
}
