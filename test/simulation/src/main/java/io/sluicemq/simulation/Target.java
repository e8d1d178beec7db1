package io.sluicemq.simulation;

import java.util.List;

/** Where a publish goes. */
record Target(String exchange, String key, List<QueueModel> queues) {

    /** What the order depends on beside the client: 0-9-1 §4.7 promises it for one exchange. */
    String path() {
        return exchange.isEmpty() ? "" : " by " + exchange;
    }
}
