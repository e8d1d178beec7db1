package io.sluicemq.store;

/**
 * What the log asks its owner when it empties a segment that holds little that is still needed. Both are called on the log's
 * housekeeping thread and must only hand the question on: the answer may come later, from any thread.
 */
public interface Liveness {

    /** Asks which records are still needed: {@link Candidates#keep} for each that is, then {@link Candidates#answer} once. */
    void examine(Candidates candidates);

    /**
     * Tells that records have been copied, and that the copies are durable. Whoever refers to a record by its old position is
     * to refer to the new one, and to {@link Log#retain} that and {@link Log#release} the old, unless the record was released
     * meanwhile. When all that is done, {@link Moves#applied} is called once.
     */
    void moved(Moves moves);
}
