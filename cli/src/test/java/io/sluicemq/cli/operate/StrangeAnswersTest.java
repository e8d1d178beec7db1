package io.sluicemq.cli.operate;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.sluicemq.cli.OneLineErrors;
import io.sluicemq.testkit.TestCertificates;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What commands make of answers that no broker gives in a test of its own. */
class StrangeAnswersTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final List<String> asked = new ArrayList<>();
    private HttpServer server;
    private int status = 200;
    private final List<String> answers = new ArrayList<>();

    @BeforeEach
    void open() throws IOException {
        serve(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
    }

    private void serve(HttpServer made) {
        server = made;
        server.createContext("/", exchange -> {
            asked.add(exchange.getRequestMethod() + " " + exchange.getRequestURI().getRawPath());
            byte[] body = answers.get(Math.min(asked.size(), answers.size()) - 1).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void close() {
        server.stop(0);
    }

    private int run(Callable<Integer> command, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of(
                "--url", (server instanceof HttpsServer ? "https" : "http") + "://127.0.0.1:"
                        + server.getAddress().getPort()));
        return new CommandLine(command)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .setParameterExceptionHandler(new OneLineErrors())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .execute(all.toArray(String[]::new));
    }

    @Test
    void shouldSayWhatABrokerIsShortOf() {
        answers.add("{\"status\": \"not ready\", \"reasons\": [{\"reason\": \"log-full\", \"text\": \"no room\"}]}");
        answers.add("""
                {"product_version": "1", "shortage": {"reason": "the disk is full", "sinceMillis": 4200},
                 "loops": [{"index": 1, "lagNanos": 3000000000}],
                 "counters": {"parkedMessages": 3, "slowConsumers": 1, "failedChecks": 1}}
                """);

        assertThat(run(new StatusCommand())).isEqualTo(1);

        assertThat(out.toString())
                .contains(": not well\n  no room\n")
                .contains("whoever publishes waits, for 4.2 s now: the disk is full")
                .contains("loop 1 has taken 3.0 s to answer")
                .contains("checks have failed")
                .contains("3 messages wait for room")
                .contains("1 consumer too slow");
        out.getBuffer().setLength(0);
        asked.clear();
        assertThat(run(new StatusCommand(), "-o", "json")).isEqualTo(1);
        assertThat(out.toString()).contains("\"healthy\" : false");
    }

    @Test
    void shouldNotWaitForTheNumbersOfABrokerWhoseLoopsDoNotAnswer() {
        answers.add("{\"reasons\": [{\"reason\": \"loops-stuck\", \"text\": \"a loop has not answered in time\"}]}");

        assertThat(run(new StatusCommand())).isEqualTo(1);

        assertThat(asked).containsExactly("GET /health/ready");
        assertThat(out.toString()).endsWith(": not well\n  a loop has not answered in time\n");
    }

    @Test
    void shouldSayThatItIsNoBrokerThatAnswers() {
        answers.add("<html>It works!</html>");

        assertThat(run(new StatusCommand())).isEqualTo(1);

        assertThat(err.toString()).contains("is no SluiceMQ: HTTP 200 and no JSON");
    }

    @Test
    void shouldSendNoPasswordToWhereItIsSentOn() {
        status = 302;
        answers.add("{\"reason\": \"go\\u001b there\"}");

        assertThat(run(new StatusCommand())).isEqualTo(1);

        assertThat(asked).containsExactly("GET /health/ready", "GET /api/overview");
        assertThat(err.toString()).contains("go\\u001b there");
    }

    @Test
    void shouldGoOnWhereAMoveHasTakenItsTimeAndEndWhereItHasStopped() {
        answers.add("{\"name\": \"a\"}");
        answers.add("{\"messages_ready\": 12000}");
        answers.add(
                "{\"moved\": 4000, \"remaining\": 8000, \"stopped\": \"it has taken its time: ask again for the rest\"}");
        answers.add("{\"moved\": 5000, \"remaining\": 3000, \"stopped\": \"\"}");
        answers.add("{\"moved\": 100, \"remaining\": 2900, \"stopped\": \"'b' is full\"}");

        assertThat(run(new MoveCommand(), "a", "--to", "b")).isEqualTo(1);

        assertThat(asked).hasSize(5);
        assertThat(err.toString()).endsWith("9100 messages moved, 2900 left: 'b' is full\n");
    }

    @Test
    void shouldSayWhatAMessageWaitsForWhileItDoes() throws Exception {
        server.stop(0);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/api/why", exchange -> answer(exchange, 200, """
                {"shortage": null, "addresses": [
                  {"vhost": "/", "address": "orders", "kind": "queue", "used_bytes": 900, "used_messages": 20,
                   "limits": {"max_size_bytes": null, "max_messages": 20, "policy": "block"},
                   "waiting": [{"connection": "HTTP", "producer": "p", "limit": "max-messages 20", "waiting_ms": 9}]}]}
                """));
        server.createContext("/api/exchanges", exchange -> {
            asked.add("publish");
            if (asked.size() == 1) {
                answer(exchange, 200, "{\"routed\": true}");
            } else {
                Awaitility.await().until(() -> err.toString().contains("waiting: "));
                answer(exchange, 503, "{\"reason\": \"the broker has not answered in time\"}");
            }
        });
        server.start();

        int code = run(
                new SendCommand(InputStream.nullInputStream(), false, Duration.ofMillis(20)), "orders", "x", "--count",
                "3");

        assertThat(code).isEqualTo(1);
        String full = "queue orders is full: 20 of 20 messages, policy block; see 'sluicemq why'\n";
        assertThat(err.toString()).isEqualTo("waiting: " + full
                + "send: the broker has not answered in time (1 of 3 were sent); " + full);
    }

    private static void answer(HttpExchange exchange, int status, String json) throws IOException {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Test
    void shouldSayHowToMoveAPartOfWhatDoesNotFit() {
        status = 503;
        answers.add("{\"reason\": \"the client has gone while its commit waited for room\"}");

        assertThat(run(new MoveCommand(), "a", "--exchange", "e", "--key", "k")).isEqualTo(1);

        assertThat(err.toString()).endsWith(
                "waited for room: if not all fit in there, --count N moves no more than so many\n");
    }

    @Test
    void shouldSayThatItReadsWhatIsTyped() {
        answers.add("{\"routed\": true}");

        assertThat(run(new SendCommand(new ByteArrayInputStream("a\nb\n".getBytes(StandardCharsets.UTF_8)), true,
                Duration.ofMinutes(1)), "q")).isZero();
        assertThat(run(new SendCommand(new ByteArrayInputStream("a\nb\n".getBytes(StandardCharsets.UTF_8)), true,
                Duration.ofMinutes(1)), "q", "--lines")).isZero();
        assertThat(run(new SendCommand(InputStream.nullInputStream(), true, Duration.ofMinutes(1)), "q", "x")).isZero();

        assertThat(err.toString().lines()).containsExactly(
                "The body is read from standard input until Ctrl-D.", "1 message stored",
                "Each line of standard input is a message; Ctrl-D ends it.", "2 messages stored", "1 message stored");
    }

    @Test
    void shouldCutAScreenToItsSize() {
        String screen = TopCommand.screen(
                List.of("a😀bcd", "two", "heading", "row", "no more"), new Terminal.Size(5, 4), new Style(true));

        assertThat(screen).isEqualTo("\u001b[1ma😀bc\u001b[0m\u001b[K\ntwo\u001b[K\n\u001b[7mhead\u001b[0m\u001b[K\n"
                + "row\u001b[K\n\u001b[J");
        assertThat(TopCommand.screen(List.of("a"), new Terminal.Size(5, 4), new Style(false)))
                .isEqualTo("a\u001b[K\n\u001b[J");
    }

    @Test
    void shouldSayHowABrokerIsTrustedThatHasAnIssuerOfItsOwn(@TempDir Path folder) throws Exception {
        TestCertificates certificates = TestCertificates.in(folder).addIssuer("other");
        server.stop(0);
        HttpsServer secure = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        secure.setHttpsConfigurator(new HttpsConfigurator(certificates.client("server")));
        serve(secure);
        answers.add("{\"name\": \"ann\", \"tags\": [\"monitor\"]}");

        assertThat(run(new StatusCommand())).isEqualTo(3);
        assertThat(err.toString()).contains("its certificate is not to be trusted").contains("--ca FILE");
        assertThat(run(new StatusCommand(), "--ca", certificates.certificate("other").toString())).isEqualTo(3);
        assertThat(err.toString()).contains("has not who issued it");
        assertThat(asked).as("nothing was said to whom nobody trusts").isEmpty();

        run(new StatusCommand(), "--ca", certificates.certificate("ca").toString());
        assertThat(asked).contains("GET /health/ready");
    }
}
