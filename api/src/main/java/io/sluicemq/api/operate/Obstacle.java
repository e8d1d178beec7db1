package io.sluicemq.api.operate;

/** Why a broker can't take messages now. */
public enum Obstacle {
    /** It is being stopped. */
    STOPPING("the broker stops"),
    /** The log has failed: nothing is durable any more. */
    LOG_FAILED("the log has failed"),
    /** There is no room on the disk, or the log has reached its limit. */
    LOG_FULL("there is no room in the log"),
    /** Messages take all the memory that they may. */
    MEMORY_SHORTAGE("messages take all the memory that they may"),
    /** A loop has not answered in time. */
    LOOPS_STUCK("a loop has not answered in time");

    private final String words;

    Obstacle(String words) {
        this.words = words;
    }

    /** For people. */
    public String words() {
        return words;
    }
}
