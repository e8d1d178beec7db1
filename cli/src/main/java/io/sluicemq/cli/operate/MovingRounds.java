package io.sluicemq.cli.operate;

import io.sluicemq.cli.http.Api;
import io.sluicemq.cli.http.BrokerAccess;
import io.sluicemq.cli.text.Printable;
import io.sluicemq.cli.text.Structured;
import io.sluicemq.cli.text.Units;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Has messages moved a part at a time, so that one can see how far it has come: as many as were there at its start, or fewer. A queue that is
 * filled meanwhile, be it by what was moved, doesn't keep it busy for ever. For one thread.
 */
final class MovingRounds {

    /** So many at a time; the broker moves them in smaller batches. */
    private static final long ROUND = 5_000;

    private MovingRounds() {}

    /**
     * What it has come to.
     *
     * @param remaining how many are ready in the queue
     * @param stopped why not all have moved; empty if nothing was wrong
     */
    record Moved(long moved, long remaining, String stopped) {

        ObjectNode json() {
            return Structured.object().put("moved", moved).put("remaining", remaining).put("stopped", stopped);
        }

        /** Says so, and returns the exit code. */
        int finish(CommandSpec spec, OutputForm output, String verb) {
            output.print(json(), List::of);
            spec.commandLine().getErr().println(Printable.text(
                    Units.count(moved, "message") + " " + verb + ", " + remaining + " left"
                            + (stopped.isEmpty() ? "" : ": " + stopped)));
            return stopped.isEmpty() ? 0 : BrokerAccess.EXIT_REFUSED;
        }
    }

    /**
     * @param path what is asked
     * @param body what is asked for, without a count
     * @param most how many at most
     */
    static Moved run(Api api, String queue, String path, ObjectNode body, long most, Progress progress) {
        long there = api.get(Api.path("queues", api.virtualHost(), queue)).path("messages_ready").asLong();
        long wanted = Math.min(there, most);
        long moved = 0;
        Moved so = new Moved(0, there, "");
        while (moved < wanted) {
            JsonNode answer = api.post(path, body.deepCopy().put("count", Math.min(ROUND, wanted - moved)));
            long part = answer.path("moved").asLong();
            moved += part;
            String stopped = answer.path("stopped").asString("");
            so = new Moved(moved, answer.path("remaining").asLong(), stopped);
            // One that has only taken its time has moved some: the rest is asked for again.
            if (part == 0 || !stopped.isEmpty() && part < ROUND && !isTimeOver(stopped)) {
                break;
            }
            progress.at(moved, wanted, "messages");
        }
        progress.end();
        return isTimeOver(so.stopped()) && moved >= wanted ? new Moved(moved, so.remaining(), "") : so;
    }

    private static boolean isTimeOver(String stopped) {
        return stopped.contains("ask again");
    }
}
