package io.sluicemq.broker.flow;

import io.sluicemq.api.Charge;
import io.sluicemq.api.Message;
import io.sluicemq.base.Loop;
import io.sluicemq.base.Shares;

/**
 * A message in the account of the exchange that it came by: counted once, and an entry for each further queue that holds it.
 * Queues of several loops let it go.
 */
public final class SharedCharge implements Charge {

    private final Account account;
    private final int sizeBytes;
    private final Shares queues;

    /** @param queues how many of them hold it; {@link #bytes} were reserved for it */
    public SharedCharge(Account account, int sizeBytes, int queues) {
        this.account = account;
        this.sizeBytes = sizeBytes;
        this.queues = new Shares(queues);
    }

    /** What a message of that size counts for in so many queues. */
    public static long bytes(long sizeBytes, int queues) {
        return queues == 0 ? 0 : sizeBytes + (queues - 1L) * Message.ENTRY_BYTES;
    }

    @Override
    public void left(Loop here) {
        if (queues.releaseOne()) {
            account.left(here, sizeBytes, 1);
        } else {
            account.left(here, Message.ENTRY_BYTES, 0);
        }
    }
}
