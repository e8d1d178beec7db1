package io.sluicemq.crash;

import java.util.List;

/** A broker that has ended instead of being ready: its exit code, and its log. */
final class BrokerRefused extends Exception {

    private static final long serialVersionUID = 1L;

    private final int exitCode;
    private final String said;

    BrokerRefused(int exitCode, List<String> log) {
        super("the broker has not started, exit code " + exitCode + ": "
                + String.join(" / ", log.subList(Math.max(0, log.size() - 5), log.size())));
        this.exitCode = exitCode;
        this.said = String.join("\n", log);
    }

    int exitCode() {
        return exitCode;
    }

    /** All of its log. */
    String said() {
        return said;
    }
}
