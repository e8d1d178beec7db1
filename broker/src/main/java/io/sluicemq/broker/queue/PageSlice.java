package io.sluicemq.broker.queue;

/**
 * How much may leave memory in one turn of a loop, so that nothing else on it waits for long: {@value #MESSAGES} messages, or
 * {@value #BYTES} bytes written. Owned by the loop.
 */
public final class PageSlice {

    private static final int MESSAGES = 2048;
    private static final long BYTES = 1 << 20;

    private int messages = MESSAGES;
    private long bytes = BYTES;
    private boolean noRoom;

    /** Whether it has to end here, by what was done or since the log has no room. */
    public boolean isUsedUp() {
        return messages <= 0 || bytes <= 0 || noRoom;
    }

    /** Whether the log had no room for more. */
    public boolean foundNoRoom() {
        return noRoom;
    }

    void noRoom() {
        noRoom = true;
    }

    void done(long writtenBytes) {
        messages--;
        bytes -= writtenBytes;
    }
}
