package io.sluicemq.store;

/** What a loop is told by the log, always as an event on that loop. */
public interface LogListener {

    /**
     * The log is durable up to {@code position} (exclusive): every record at a lower position is. Comes once for each {@link
     * LogPort#await} that returned true, so at most once a sync.
     */
    void durable(long position);

    /** A claim that found no room may find it now. Comes once for claims that failed, however many did. */
    void room();

    /** What the log takes has changed. After {@code FAILED}, {@link #durable} comes no more. */
    void stateChanged(LogState state);
}
