package io.sluicemq.api.operate;

/**
 * A queue at a moment. Bytes are of header, body and a little more for each message.
 *
 * @param readyMessages messages that wait for a consumer
 * @param readyBytes bytes of these, in memory or not
 * @param unsettledMessages messages that consumers hold
 * @param delayedMessages messages that are not to be delivered yet
 * @param residentMessages ready messages that are in memory; the others wait in the log
 * @param residentBytes bytes of these
 * @param consumers those that take messages or look at them
 * @param oldestMillis for how long the oldest ready message has been there; -1 if there is none, or it isn't known as it waits in the log
 * @param paused whether deliveries were stopped by an operator
 * @param limits what it may hold
 * @param waitingProducers producers that wait for room in it
 */
public record QueueView(
        QueueFacts facts,
        long readyMessages,
        long readyBytes,
        long unsettledMessages,
        long unsettledBytes,
        long delayedMessages,
        long delayedBytes,
        long residentMessages,
        long residentBytes,
        int consumers,
        long oldestMillis,
        boolean paused,
        long usedBytes,
        long usedMessages,
        LimitsView limits,
        long droppedMessages,
        long refusedMessages,
        int waitingProducers,
        Rates rates) {

    public String name() {
        return facts.name();
    }

    /** All of its messages. */
    public long messages() {
        return readyMessages + unsettledMessages + delayedMessages;
    }

    /** {@code running}, {@code paused}, or {@code flow} while a producer waits for it. */
    public String state() {
        return paused ? "paused" : waitingProducers > 0 ? "flow" : "running";
    }
}
