package io.sluicemq.cli.operate;

import io.sluicemq.cli.http.Api;
import io.sluicemq.cli.http.BrokerAccess;
import io.sluicemq.cli.text.Structured;
import io.sluicemq.cli.text.Table;
import io.sluicemq.cli.text.Table.Column;
import io.sluicemq.cli.text.Units;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** {@code sluicemq browse}: shows a queue's messages and leaves them where they are. Runs on the thread of the command line. */
@Command(
        name = "browse",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Show a queue's first messages and leave them where they are.",
        footer = {
            "",
            "It counts as no delivery. -o json has all of each message, up to --body-size of its body.",
            "",
            "  sluicemq browse orders --count 3",
            "  sluicemq browse orders.dead -o yaml"
        })
public final class BrowseCommand implements Callable<Integer> {

    /** So much of a body stands in a table. */
    private static final int SHOWN = 60;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "QUEUE", description = "Which one.")
    private String queue;

    @Option(names = "--count", paramLabel = "N", defaultValue = "10",
            description = "How many, 1 to 1000 (default: ${DEFAULT-VALUE}).")
    private int count;

    @Option(names = "--body-size", paramLabel = "BYTES", defaultValue = "50000",
            description = "How much of each body, 0 to 1048576 (default: ${DEFAULT-VALUE}).")
    private int bodySize;

    @Mixin
    private OutputForm output;

    @Mixin
    private BrokerAccess broker;

    @Override
    public Integer call() {
        if (count < 1 || count > 1000) {
            throw new ParameterException(spec.commandLine(), "--count is " + count + ": expected 1 to 1000");
        }
        if (bodySize < 0 || bodySize > 1 << 20) {
            throw new ParameterException(spec.commandLine(), "--body-size is " + bodySize + ": expected 0 to 1048576");
        }
        return broker.ask(api -> {
            JsonNode messages = api.post(
                    Api.path("queues", api.virtualHost(), queue, "browse"),
                    Structured.object().put("count", count).put("truncate", bodySize));
            output.print(messages, table(messages));
            if (messages.isEmpty() && !output.isStructured()) {
                spec.commandLine().getErr().println("There are no ready messages.");
            }
            return 0;
        });
    }

    private Table table(JsonNode messages) {
        List<Column> columns = new ArrayList<>(List.of(
                Column.number("#"), Column.text("PUBLISHED"), Column.text("EXCHANGE"), Column.text("KEY"),
                Column.number("BYTES")));
        if (output.isWide()) {
            columns.addAll(List.of(Column.number("DELIVERED"), Column.text("FORMAT"), Column.text("PROPERTIES")));
        }
        columns.add(Column.text("BODY"));
        Table table = new Table(columns);
        int number = 0;
        for (JsonNode message : messages) {
            List<String> row = new ArrayList<>(List.of(
                    Integer.toString(++number), Cell.time("published").apply(message),
                    Cell.text("exchange").apply(message), Cell.text("routing_key").apply(message),
                    Units.bytes(message.path("payload_bytes").asLong())));
            if (output.isWide()) {
                row.add(Cell.text("delivery_count").apply(message));
                row.add(Cell.text("format").apply(message));
                row.add(Cell.text("properties").apply(message));
            }
            row.add(body(message));
            table.add(row);
        }
        return table;
    }

    private static String body(JsonNode message) {
        if (message.path("payload_encoding").asString().equals("base64")) {
            return "(not text)";
        }
        String text = message.path("payload").asString();
        return text.codePointCount(0, text.length()) > SHOWN
                ? text.substring(0, text.offsetByCodePoints(0, SHOWN)) + "…"
                : text;
    }
}
