package io.sluicemq.server;

import io.sluicemq.base.option.Entry;
import io.sluicemq.server.config.ServerOptions;
import java.nio.file.Path;
import java.util.List;

/**
 * What has come of reading the configuration again.
 *
 * @param file that was read
 * @param applied keys whose values have changed and hold now; behind them limits that were set at run time and hold no more by that, each with
 *     the words "undone" and "set at run time"
 * @param needRestart keys whose values are others than the broker was started with, and hold after a restart
 */
public record Reload(Path file, List<String> applied, List<String> needRestart) {

    /** What holds at once. */
    static final List<String> AT_ONCE = ServerOptions.AT_ONCE.stream().map(Entry::key).toList();

    public Reload {
        applied = List.copyOf(applied);
        needRestart = List.copyOf(needRestart);
    }

    /** In one line. */
    @Override
    public String toString() {
        String changed = applied.isEmpty() ? "nothing to change" : "changed " + String.join(", ", applied);
        String later = needRestart.isEmpty() ? "" : "; needs a restart: " + String.join(", ", needRestart);
        return "read " + file + " again: " + changed + later;
    }
}
