package io.sluicemq.simulation;

import io.sluicemq.store.LogOptions;
import java.util.random.RandomGenerator;

/**
 * What one run is like: each seed has its own sizes, and does some things often and others never, so that all runs together
 * reach more than equal ones would. Immutable.
 *
 * @param log small measures, so that segments, buffers and reads end often
 * @param memoryBytes the budget for messages
 * @param publish how often messages are published, compared to the other numbers
 * @param settle how often deliveries are settled
 * @param consume how often consumers come and go
 * @param transact how often transactions are made
 * @param topology how often queues come, go and are purged
 * @param disturb in 10,000 steps: crashes, faults of the disk and orderly restarts
 * @param audit in 10,000 steps: looks at what a crash at this moment would leave
 * @param loopTurns in 100 steps: turns of loops; the rest is divided among clients, the disk and time
 * @param workerTurns in 100 steps: turns of the log's workers
 * @param mostBodyBytes of usual messages
 */
record Plan(
        int loops,
        int clients,
        LogOptions log,
        long memoryBytes,
        int publish,
        int settle,
        int consume,
        int transact,
        int topology,
        int disturb,
        int audit,
        int loopTurns,
        int workerTurns,
        int mostBodyBytes) {

    static Plan of(RandomGenerator random) {
        LogOptions log = LogOptions.defaults()
                .withSegmentBytes(oneOf(random, 16, 16, 32, 64) << 10)
                .withBuffers(oneOf(random, 2, 3, 8), oneOf(random, 512, 2048, 8192))
                .withReads(1 + random.nextInt(2), oneOf(random, 1, 2, 8), oneOf(random, 512, 4096, 65536),
                        oneOf(random, 256, 4096))
                .withCompaction(random.nextInt(4) == 0 ? 0 : 0.25 + random.nextDouble() * 0.7,
                        oneOf(random, 64, 1024, 16384) << 10);
        return new Plan(
                1 + random.nextInt(3),
                2 + random.nextInt(4),
                log,
                oneOf(random, 64, 256, 1024, 16384) * 1024L,
                oneOf(random, 5, 20, 40),
                oneOf(random, 0, 10, 30),
                oneOf(random, 1, 5, 10),
                oneOf(random, 0, 2, 10),
                oneOf(random, 0, 1, 4),
                oneOf(random, 0, 10, 40, 100),
                oneOf(random, 20, 60),
                oneOf(random, 20, 40, 60),
                oneOf(random, 4, 20, 40),
                oneOf(random, 16, 400, 3000));
    }

    static int oneOf(RandomGenerator random, int... values) {
        return values[random.nextInt(values.length)];
    }
}
