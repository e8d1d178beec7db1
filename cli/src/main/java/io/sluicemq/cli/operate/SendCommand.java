package io.sluicemq.cli.operate;

import io.sluicemq.cli.http.Api;
import io.sluicemq.cli.http.ApiRefused;
import io.sluicemq.cli.http.BrokerAccess;
import io.sluicemq.cli.text.Printable;
import io.sluicemq.cli.text.Structured;
import io.sluicemq.cli.text.Units;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
            "priority, expiration (ms), timestamp (s).",
            "",
            "  sluicemq send orders 'two espressos'",
            "  sluicemq send orders.new --exchange events --file order.json -p content_type=application/json",
            "  sluicemq send orders --lines < orders.txt",
            "  sluicemq send orders again -H attempt=2 --persistent --count 10"
        })
public final class SendCommand implements Callable<Integer> {

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

    public SendCommand() {
        this(System.in);
    }

    SendCommand(InputStream in) {
        this.in = in;
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
        List<byte[]> bodies;
        try {
            bodies = bodies();
        } catch (IOException e) {
            spec.commandLine().getErr().println(spec.qualifiedName() + ": the body can't be read: "
                    + Printable.text(e.toString()));
            return BrokerAccess.EXIT_REFUSED;
        }
        return broker.ask(api -> send(api, bodies));
    }

    private List<byte[]> bodies() throws IOException {
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
        Progress progress = new Progress(spec.commandLine().getErr());
        long all = count * bodies.size();
        long sent = 0;
        long lost = 0;
        try {
            for (byte[] body : bodies) {
                payload(message, body);
                for (long i = 0; i < count; i++) {
                    if (!api.post(path, message).path("routed").asBoolean()) {
                        lost++;
                    }
                    sent++;
                    progress.at(sent, all, "messages");
                }
            }
        } catch (ApiRefused e) {
            throw sent == 0
                    ? e
                    : new ApiRefused(e.status(), e.getMessage() + " (" + sent + " of " + all + " were sent)");
        } finally {
            progress.end();
        }
        spec.commandLine().getErr().println(Printable.text(lost == 0
                ? Units.count(sent, "message") + " stored"
                : lost + " of " + Units.count(sent, "message") + " reached no queue"));
        return lost == 0 ? 0 : BrokerAccess.EXIT_REFUSED;
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
