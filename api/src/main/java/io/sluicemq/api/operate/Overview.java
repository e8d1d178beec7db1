package io.sluicemq.api.operate;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The broker's numbers.
 *
 * @param counters the broker's counters by their names: what there is now, and sums since the start
 * @param rates what all queues do together
 * @param memoryBytes bytes of memory that messages take
 * @param memoryLimitBytes bytes that they may take
 * @param shortage what all publishers wait for; empty if they needn't
 * @param loops how much each loop has, by its index
 */
public record Overview(
        Map<String, Long> counters, Rates rates, long memoryBytes, long memoryLimitBytes,
        Optional<ShortageView> shortage, List<LoopView> loops) {

    /**
     * An event loop.
     *
     * @param lagNanos how long it took until it got round to answer
     */
    public record LoopView(int index, long queues, long connections, long lagNanos) {}
}
