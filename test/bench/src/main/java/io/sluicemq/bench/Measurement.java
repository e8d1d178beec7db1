package io.sluicemq.bench;

import tools.jackson.databind.JsonNode;

/**
 * What one run of the load found on one broker.
 *
 * @param confirmedPerSecond  messages acked by the broker; 0 without confirms
 * @param consumedPerSecond   deliveries, where each message has several
 * @param brokerCpuMicros     user and system time for one consumed message
 * @param p50Millis           from publish, or from its intended time, to delivery
 * @param p99Millis           the same
 * @param confirmP99Millis    from publish to confirm; 0 without confirms
 * @param brokerRssBytes      highest in the measured time
 * @param backlogPeak         highest number of deliveries owed
 * @param clientCpuMicros     the load tool's own time for one consumed message
 * @param problem             why the run does not count, or null
 */
record Measurement(
        double publishedPerSecond,
        double confirmedPerSecond,
        double consumedPerSecond,
        double brokerCpuMicros,
        double p50Millis,
        double p99Millis,
        double confirmP99Millis,
        double brokerRssBytes,
        double backlogPeak,
        double clientCpuMicros,
        String problem) {

    static Measurement failed(String problem) {
        return new Measurement(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, problem);
    }

    /** Reads the load tool's JSON. */
    static Measurement of(JsonNode result) {
        JsonNode problem = result.path("problem");
        return new Measurement(
                result.path("publishedPerSecond").asDouble(),
                result.path("confirmedPerSecond").asDouble(),
                result.path("consumedPerSecond").asDouble(),
                result.path("brokerCpuMicrosPerMessage").asDouble(),
                result.path("latency").path("p50Millis").asDouble(),
                result.path("latency").path("p99Millis").asDouble(),
                result.path("confirmLatency").path("p99Millis").asDouble(),
                result.path("brokerRssBytes").asDouble(),
                result.path("backlogPeak").asDouble(),
                result.path("clientCpuMicrosPerMessage").asDouble(),
                problem.isString() ? problem.asString() : null);
    }
}
