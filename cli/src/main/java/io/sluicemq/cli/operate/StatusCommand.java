package io.sluicemq.cli.operate;

import io.sluicemq.cli.http.Api;
import io.sluicemq.cli.http.BrokerAccess;
import io.sluicemq.cli.text.Printable;
import io.sluicemq.cli.text.Structured;
import io.sluicemq.cli.text.Units;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code sluicemq status}: says whether a broker is well, and how much it has to do. Runs on the thread of the command line. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Say whether a broker is well, and what it is short of.",
        footer = {
            "",
            "Exit codes: 0 it is well, 1 it is not or has refused to answer, 3 nobody has answered.",
            "",
            "  sluicemq status",
            "  sluicemq status --quiet && echo well"
        })
public final class StatusCommand implements Callable<Integer> {

    private static final String ALWAYS_THERE = "/";
    private static final int UNWELL = 1;

    /** A loop that takes longer to get round to a question has too much to do. */
    private static final long MOST_LAG_NANOS = 1_000_000_000L;

    @Option(names = {"-q", "--quiet"}, description = "Nothing but the exit code.")
    private boolean quiet;

    @Mixin
    private OutputForm output;

    @Mixin
    private BrokerAccess broker;

    @Override
    public Integer call() {
        return broker.ask(api -> {
            List<String> wrong = new ArrayList<>();
            JsonNode ready = api.state("/health/ready").orElseGet(Structured::object);
            ready.path("reasons").forEach(reason -> wrong.add(reason.path("text").asString()));
            // One whose loops don't answer has no numbers to tell, and asking would take long.
            boolean stuck = ready.path("reasons").valueStream()
                    .anyMatch(reason -> reason.path("reason").asString().equals("loops-stuck"));
            JsonNode overview = stuck ? Structured.object() : api.get(Api.path("overview"));
            if (!stuck && !api.virtualHost().equals(ALWAYS_THERE)) {
                api.get(Api.path("vhosts", api.virtualHost())); // a wrong name is told as such
            }
            addWrong(overview, wrong);
            if (!quiet) {
                output.print(json(api, overview, wrong), () -> lines(api, overview, wrong));
            }
            return wrong.isEmpty() ? 0 : UNWELL;
        });
    }

    /** What is wrong with it by its numbers, in sentences. */
    private static void addWrong(JsonNode overview, List<String> wrong) {
        JsonNode shortage = overview.path("shortage");
        if (shortage.isObject()) {
            wrong.add("whoever publishes waits, for " + Units.millis(shortage.path("sinceMillis").asLong()) + " now: "
                    + shortage.path("reason").asString());
        }
        overview.path("loops").forEach(loop -> {
            if (loop.path("lagNanos").asLong() > MOST_LAG_NANOS) {
                wrong.add("loop " + loop.path("index").asLong() + " has taken "
                        + Units.millis(loop.path("lagNanos").asLong() / 1_000_000) + " to answer");
            }
        });
        if (overview.path("counters").path("failedChecks").asLong() > 0) {
            wrong.add("checks have failed by a defect of the broker: its log says more");
        }
    }

    private static ObjectNode json(Api api, JsonNode overview, List<String> wrong) {
        ObjectNode json = Structured.object()
                .put("healthy", wrong.isEmpty())
                .put("url", api.access().url().toString())
                .put("version", overview.path("product_version").asString(""));
        wrong.forEach(json.putArray("wrong")::add);
        json.put("uptime_ms", overview.path("uptime").asLong());
        json.set("memory", overview.path("memory"));
        json.set("totals", overview.path("object_totals"));
        json.set("messages", overview.path("queue_totals"));
        json.set("rates", overview.path("message_stats"));
        json.set("loops", overview.path("loops"));
        return json;
    }

    private static List<String> lines(Api api, JsonNode overview, List<String> wrong) {
        List<String> lines = new ArrayList<>();
        JsonNode counters = overview.path("counters");
        lines.add("SluiceMQ " + Cell.text("product_version").apply(overview) + " at " + api.access().url() + ": "
                + (wrong.isEmpty() ? "well" : "not well"));
        wrong.forEach(each -> lines.add("  " + each));
        if (overview.isEmpty()) {
            return lines.stream().map(Printable::text).toList();
        }
        lines.add("  up for " + Units.millis(overview.path("uptime").asLong()));
        lines.add("  " + Units.count(total(overview, "connections"), "connection") + ", "
                + Units.count(total(overview, "channels"), "channel") + ", "
                + Units.count(total(overview, "consumers"), "consumer"));
        lines.add("  " + Units.count(total(overview, "queues"), "queue") + " with "
                + Units.count(overview.path("queue_totals").path("messages_ready").asLong(), "ready message") + ", "
                + overview.path("queue_totals").path("messages_unacknowledged").asLong() + " unacknowledged");
        lines.add("  in " + Cell.rate("message_stats.publish_details.rate").apply(overview) + " a second, out "
                + Cell.rate("message_stats.deliver_get_details.rate").apply(overview) + " a second");
        lines.add("  memory of messages: " + Cell.bytes("memory.message_bytes").apply(overview) + " of "
                + Cell.bytes("memory.message_limit_bytes").apply(overview));
        long parked = counters.path("parkedMessages").asLong();
        if (parked > 0) {
            lines.add("  " + Units.count(parked, "message")
                    + " wait for room in their addresses: 'sluicemq why' says more");
        }
        long slow = counters.path("slowConsumers").asLong();
        if (slow > 0) {
            lines.add("  " + Units.count(slow, "consumer")
                    + " too slow: 'sluicemq get consumers --sort slow_ms --reverse'");
        }
        return lines.stream().map(Printable::text).toList();
    }

    private static long total(JsonNode overview, String name) {
        return overview.path("object_totals").path(name).asLong();
    }
}
