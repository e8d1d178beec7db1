package io.sluicemq.cli.operate;

import io.sluicemq.base.option.Nearest;
import io.sluicemq.cli.http.Api;
import io.sluicemq.cli.http.ApiRefused;
import io.sluicemq.cli.http.BrokerAccess;
import io.sluicemq.cli.text.FileFailure;
import io.sluicemq.cli.text.Printable;
import io.sluicemq.cli.text.Structured;
import io.sluicemq.cli.text.Units;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code sluicemq send}: publishes messages over HTTP, each when the one before is stored. Runs on the thread of the command line.
 */
@Command(
        name = "send",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Send messages to a queue or an exchange.",
        footer = {
            "",
            "It ends with 0 when all are stored, and with 1 if one has reached no queue.",
            "Properties: content_type, content_encoding, correlation_id, reply_to, message_id, type, app_id,",
            "user_id, priority, expiration (ms), timestamp (s).",
            "",
            "  sluicemq send orders 'two espressos'",
            "  sluicemq send orders.new --exchange events --file order.json -p content_type=application/json",
            "  sluicemq send orders --lines < orders.txt",
            "  sluicemq send orders again -H attempt=2 --persistent --count 10"
        })
public final class SendCommand implements Callable<Integer> {

    private static final List<String> PROPERTIES = List.of(
            "content_type", "content_encoding", "correlation_id", "reply_to", "message_id", "type", "app_id", "user_id",
            "priority", "expiration", "timestamp", "delivery_mode");
    private static final int NOT_FOUND = 404;
    private static final int TIMEOUT = 503;

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "KEY", description = "The queue; with --exchange the routing key.")
    private String key;

    @Parameters(index = "1", arity = "0..1", paramLabel = "BODY", description = "Its body (default: standard input).")
    private String text;

    @Option(names = "--exchange", paramLabel = "EXCHANGE", defaultValue = "amq.default",
            description = "The exchange (default: that which sends to the queue of the name).")
    private String exchange;

    @Option(names = "--file", paramLabel = "FILE", description = "A file with its body.")
    private Path file;

    @Option(names = "--lines", description = "Each line of the file, or of standard input, is a message.")
    private boolean lines;

    @Option(names = "--persistent", description = "It outlives the broker, in a durable queue.")
    private boolean persistent;

    @Option(names = {"-p", "--property"}, paramLabel = "NAME=VALUE", description = "A property; may be given again.")
    private Map<String, String> properties = Map.of();

    @Option(names = {"-H", "--header"}, paramLabel = "NAME=VALUE",
            description = "A header, a number if it reads as one; may be given again.")
    private Map<String, String> headers;

    @Option(names = "--count", paramLabel = "N", defaultValue = "1", description = "So often (default: once).")
    private long count;

    @Mixin
    private BrokerAccess broker;

    private final InputStream in;
    private final boolean typed;
    private final Duration patience;

    public SendCommand() {
        this(System.in, Terminal.isThere(), WaitWatch.PATIENCE);
    }

    /**
     * @param typed whether somebody at a terminal is what is read from
     * @param patience after this time it is said that a message waits
     */
    SendCommand(InputStream in, boolean typed, Duration patience) {
        this.in = in;
        this.typed = typed;
        this.patience = patience;
    }

    @Override
    public Integer call() throws IOException {
        if (text != null && (file != null || lines)) {
            throw new ParameterException(spec.commandLine(),
                    "the body is said twice: expected BODY, --file or neither");
        }
        if (count < 1) {
            throw new ParameterException(spec.commandLine(), "--count is " + count + ": expected at least 1");
        }
        for (String name : properties.keySet()) {
            if (!PROPERTIES.contains(name)) {
                throw new ParameterException(spec.commandLine(), "there is no property " + name
                        + Nearest.of(name, PROPERTIES)
                                .map(nearest -> ", did you mean " + nearest + "?")
                                .orElse(": expected one of " + String.join(", ", PROPERTIES)));
            }
        }
        List<byte[]> bodies;
        try {
            bodies = bodies();
        } catch (IOException e) {
            spec.commandLine().getErr().println(spec.qualifiedName() + ": the body can't be read: "
                    + Printable.text(FileFailure.words(e)));
            return BrokerAccess.EXIT_REFUSED;
        }
        return broker.ask(api -> send(api, bodies));
    }

    private List<byte[]> bodies() throws IOException {
        if (typed && text == null && file == null) {
            spec.commandLine().getErr().println(lines
                    ? "Each line of standard input is a message; Ctrl-D ends it."
                    : "The body is read from standard input until Ctrl-D.");
        }
        byte[] all = text != null
                ? text.getBytes(StandardCharsets.UTF_8)
                : file != null ? Files.readAllBytes(file) : in.readAllBytes();
        if (!lines) {
            return List.of(all);
        }
        List<byte[]> each = new ArrayList<>();
        int from = 0;
        for (int i = 0; i <= all.length; i++) {
            if (i == all.length ? from < i : all[i] == '\n') {
                int to = i > from && all[i - 1] == '\r' ? i - 1 : i;
                each.add(java.util.Arrays.copyOfRange(all, from, to));
                from = i + 1;
            }
        }
        return each;
    }

    private int send(Api api, List<byte[]> bodies) {
        String path =
                Api.path("exchanges", api.virtualHost(), exchange.isEmpty() ? "amq.default" : exchange, "publish");
        ObjectNode message = Structured.object().put("routing_key", key);
        ObjectNode said = message.putObject("properties").put("delivery_mode", persistent ? 2 : 1);
        properties.forEach(said::put);
        if (headers != null) {
            said.set("headers", TypedValue.object(headers));
        }
        PrintWriter err = spec.commandLine().getErr();
        Progress progress = new Progress(err);
        WaitWatch watch = new WaitWatch(
                api.access(), isByQueue() ? key : null, "the broker has not taken the next message yet", err, patience);
        long all = count * bodies.size();
        long sent = 0;
        long lost = 0;
        try (watch) {
            for (byte[] body : bodies) {
                payload(message, body);
                for (long i = 0; i < count; i++) {
                    watch.begin();
                    if (!api.post(path, message).path("routed").asBoolean()) {
                        lost++;
                    }
                    watch.end();
                    sent++;
                    progress.at(sent, all, "messages");
                }
            }
        } catch (ApiRefused e) {
            String full = e.status() == TIMEOUT ? watch.reason() : "";
            throw new ApiRefused(e.status(), e.getMessage()
                    + (sent == 0 ? "" : " (" + sent + " of " + all + " were sent)")
                    + (full.isEmpty() ? "" : "; " + full + "; see 'sluicemq why'"));
        } finally {
            progress.end();
        }
        err.println(Printable.text(lost == 0
                ? Units.count(sent, "message") + " stored"
                : lost + " of " + Units.count(sent, "message") + " reached no queue" + (isByQueue() && isMissing(api)
                        ? ": there is no queue '" + key + "' in virtual host '" + api.virtualHost()
                                + "', which 'sluicemq declare queue " + key + "' makes"
                        : "")));
        return lost == 0 ? 0 : BrokerAccess.EXIT_REFUSED;
    }

    /** Whether the key is a queue's name. */
    private boolean isByQueue() {
        return exchange.isEmpty() || exchange.equals("amq.default");
    }

    private boolean isMissing(Api api) {
        try {
            api.get(Api.path("queues", api.virtualHost(), key));
            return false;
        } catch (ApiRefused e) {
            return e.status() == NOT_FOUND; // who may send need not be one who may look
        }
    }

    private static void payload(ObjectNode message, byte[] body) {
        try {
            message.put("payload", StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString())
                    .put("payload_encoding", "string");
        } catch (CharacterCodingException e) {
            message.put("payload", Base64.getEncoder().encodeToString(body)).put("payload_encoding", "base64");
        }
    }
}
