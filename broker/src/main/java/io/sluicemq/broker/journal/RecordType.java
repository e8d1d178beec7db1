package io.sluicemq.broker.journal;

/** The types of the broker's records in the log. Their numbers are part of the format. */
public final class RecordType {

    /** A {@link MessageRecord}: published to the queues that it names. */
    public static final int MESSAGE = 1;
    /** A {@link MessageRecord} that means nothing before a {@link #COMMIT} names it. */
    public static final int BODY = 2;
    /** A {@link CommitRecord}. */
    public static final int COMMIT = 3;
    /** A {@link TurnRecord}. */
    public static final int TURN = 4;
    /** A {@link TopologyRecord}. */
    public static final int TOPOLOGY = 5;
    /** A {@link MessageRecord} that memory had no room for: of this process alone, a start drops it. */
    public static final int PAGED = 6;

    private RecordType() {}
}
