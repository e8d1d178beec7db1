package io.sluicemq.api;

import io.sluicemq.base.Loop;

/** What a message counts for, once for all queues that hold it; kept with it until each has let it go. */
public interface Charge {

    /** One of the queues has let the message go; said from {@code here}, its loop. */
    void left(Loop here);
}
