package io.sluicemq.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.users.Role;
import io.sluicemq.server.SluiceMQ;
import io.sluicemq.server.config.HttpSection;
import io.sluicemq.server.config.LimitsSection;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Who gets what over HTTP, and what becomes of requests that are none. */
class HttpAccessTest {

    private static SluiceMQ broker;
    private static Http http;

    @BeforeAll
    static void start() {
        broker = SluiceMQ.builder()
                .port(0)
                .httpPort(0)
                .http(HttpSection.HTTP_MAX_REQUEST_SIZE, 64L << 10)
                .http(HttpSection.HTTP_REQUEST_TIME_LIMIT, Duration.ofSeconds(2))
                // All of these tests come from one address, and fail to log in on purpose.
                .limit(LimitsSection.LOGIN_FAILURES, 10_000)
                .virtualHosts("/", "shop")
                .user("ann", "secret")
                .role("ann", Role.ADMINISTRATOR)
                .user("shopper", "s p:ä", Set.of("shop"))
                .role("shopper", Role.OPERATOR)
                .user("looker", "look")
                .role("looker", Role.MONITOR)
                .user("client", "only")
                .start();
        http = new Http(broker).as("ann", "secret");
    }

    @AfterAll
    static void stop() {
        http.close();
        broker.close();
    }

    private static String raw(String request) throws IOException {
        URI uri = URI.create(broker.httpUri().orElseThrow());
        try (Socket socket = new Socket(uri.getHost(), uri.getPort())) {
            socket.setSoTimeout(20_000);
            OutputStream out = socket.getOutputStream();
            out.write(request.getBytes(StandardCharsets.ISO_8859_1));
            out.flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Health, and metrics where the server listens for this machine alone. */
    private static final Set<String> OPEN = Set.of("/metrics", "/health/live", "/health/ready");

    @Test
    void shouldWantALoginForEveryRouteThatIsDescribedButThoseThatAreOpen() {
        JsonNode paths = http.get("/api/openapi.json").json().path("paths");
        assertThat(paths.size()).isGreaterThan(40);
        paths.forEachEntry((path, methods) -> methods.forEachEntry((method, operation) -> assertThat(
                operation.path("security").isEmpty()).as(path).isEqualTo(OPEN.contains(path))));
        try (Http nobody = new Http(broker).as(null, null); Http wrong = new Http(broker).as("ann", "guess")) {
            paths.forEachEntry((path, methods) -> methods.forEachEntry((method, operation) -> {
                String filled = path.replaceAll("\\{[^}]*}", "x");
                if (OPEN.contains(path)) {
                    assertThat(nobody.get(path).status()).as(path).isEqualTo(200);
                    return;
                }
                Http.Response refused = nobody.send(method.toUpperCase(java.util.Locale.ROOT), filled, "{}");
                assertThat(refused.status()).as(method + " " + path).isEqualTo(401);
                assertThat(refused.header("WWW-Authenticate")).startsWith("Basic ");
                assertThat(wrong.send(method.toUpperCase(java.util.Locale.ROOT), filled, "{}").status())
                        .as(method + " " + path).isEqualTo(401);
            }));
        }
    }

    @Test
    void shouldAnswerEveryRouteThatIsDescribed() {
        http.get("/api/openapi.json").json().path("paths").forEachEntry((path, methods) -> {
            String filled = path.replaceAll("\\{[^}]*}", "x");
            methods.forEachEntry((method, operation) -> {
                int status = http.send(method.toUpperCase(java.util.Locale.ROOT), filled, "{}").status();
                assertThat(status).as(method + " " + path).isIn(200, 201, 204, 400, 404, 409);
                assertThat(operation.path("summary").asString()).isNotEmpty();
            });
            Http.Response wrong = http.send("PATCH", filled, "{}");
            assertThat(wrong.status()).as("PATCH " + path).isEqualTo(405);
            assertThat(wrong.header("Allow")).isNotEmpty();
        });
        assertThat(broker.failedTasks()).isZero();
    }

    @Test
    void shouldShowAUserTheirVirtualHostsAlone() {
        try (Http shopper = new Http(broker).as("shopper", "s p:ä")) {
            http.put("/api/queues/shop/theirs", "{}");
            http.put("/api/queues/%2F/others", "{}");

            assertThat(shopper.get("/api/vhosts").json()).hasSize(1);
            assertThat(shopper.get("/api/queues?columns=name").http().body()).isEqualTo("[{\"name\":\"theirs\"}]");
            Http.Response closed = shopper.get("/api/queues/%2F");
            assertThat(closed.status()).isEqualTo(403);
            assertThat(closed.reason()).startsWith("user 'shopper' may not use vhost '/': an administrator lets them by"
                    + " 'sluicemq user grant shopper --virtual-host /'");
            assertThat(shopper.get("/api/queues/nix").status()).as("whether it is there").isEqualTo(403);
            assertThat(shopper.get("/api/queues/%2F/others").status()).isEqualTo(403);
            assertThat(shopper.put("/api/queues/%2F/new", "{}").status()).isEqualTo(403);
            assertThat(shopper.delete("/api/queues/%2F/others").status()).isEqualTo(403);
            assertThat(shopper.get("/api/addresses").http().body()).doesNotContain("others");
            assertThat(shopper.get("/api/bindings").http().body()).doesNotContain("others");
            assertThat(shopper.get("/api/definitions").status()).isEqualTo(403);
        }
    }

    @Test
    void shouldSayToAnAdministratorThatAVirtualHostIsNotThere() {
        Http.Response missing = http.get("/api/queues/nix");
        assertThat(missing.status()).isEqualTo(404);
        assertThat(missing.reason()).isEqualTo("no vhost 'nix'");
    }

    @Test
    void shouldTellAnyoneWhereHealthIs() {
        try (Http nobody = new Http(broker).as(null, null)) {
            for (String path : new String[] {"/health", "/health/"}) {
                Http.Response found = nobody.get(path);
                assertThat(found.status()).isEqualTo(404);
                assertThat(found.reason()).isEqualTo("health is at /health/live and at /health/ready");
            }
        }
    }

    @Test
    void shouldLetEachRoleDoWhatItIsForAndNoMore() {
        http.put("/api/queues/%2F/roles", "{}");
        try (Http looker = new Http(broker).as("looker", "look"); Http client = new Http(broker).as("client", "only")) {
            assertThat(looker.get("/api/queues/%2F/roles").status()).isEqualTo(200);
            assertThat(looker.post("/api/queues/%2F/roles/get", "{}").status()).isEqualTo(403);
            assertThat(looker.delete("/api/queues/%2F/roles").status()).isEqualTo(403);
            assertThat(looker.get("/api/users").status()).isEqualTo(403);
            assertThat(client.get("/api/overview").status()).isEqualTo(403);
            assertThat(client.get("/api/overview").reason()).isEqualTo(
                    "user 'client' is not allowed to: it needs the role monitor, which an administrator gives by"
                            + " 'sluicemq user alter client --role monitor'");
        }
        assertThat(http.get("/api/users").json()).hasSize(4);
        assertThat(http.get("/api/users/looker").json().path("tags").toString()).isEqualTo("[\"monitor\"]");
        assertThat(http.get("/api/permissions/shop/shopper").json().path("write").asString()).isEqualTo(".*");
        assertThat(http.get("/api/permissions/%2F/shopper").status()).isEqualTo(404);
        Http.Response fixed = http.put("/api/users/looker", "{\"tags\":\"administrator\"}");
        assertThat(fixed.status()).as("they stand in the configuration").isEqualTo(409);
        assertThat(http.put("/api/users/new", "{\"tags\":\"king\"}").status()).isEqualTo(400);
    }

    @Test
    void shouldSendHeadersThatKeepBrowsersFromHarm() {
        Http.Response overview = http.get("/api/overview");

        assertThat(overview.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(overview.header("Content-Security-Policy")).contains("frame-ancestors 'none'");
        assertThat(overview.header("Cache-Control")).isEqualTo("no-store");
        assertThat(overview.header("Content-Type")).isEqualTo("application/json");
        assertThat(overview.header("Set-Cookie")).isNull();
        assertThat(overview.header("Server")).isNull();
        assertThat(overview.header("Access-Control-Allow-Origin")).isNull();
    }

    @Test
    void shouldRefuseWhatAnotherSiteSends() {
        String path = "/api/queues/%2F/evil";
        assertThat(http.send("PUT", path, "{}", "Origin", "https://evil.example").status()).isEqualTo(403);
        assertThat(http.send("PUT", path, "{}", "Sec-Fetch-Site", "cross-site").status()).isEqualTo(403);
        assertThat(http.send("POST", path + "/get", "{}", "Content-Type", "text/plain").status()).isEqualTo(415);
        assertThat(http.get(path).status()).isEqualTo(404);
        String own = broker.httpUri().orElseThrow();
        assertThat(http.send("PUT", path, "{}", "Origin", own, "Sec-Fetch-Site", "same-origin").status())
                .isEqualTo(201);
        assertThat(http.delete(path).status()).isEqualTo(204);
    }

    @Test
    void shouldAnswerNobodyWhoCallsItByAnotherName() throws IOException {
        assertThat(raw("GET /api/overview HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 421 ");
        assertThat(raw("GET /api/overview HTTP/1.1\r\nHost: localhost:1\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 401 ");
    }

    @Test
    void shouldServeNoFiles() throws IOException {
        for (String path : new String[] {
            "/..%2f..%2fetc/passwd", "/%2e%2e/etc/passwd", "/../etc/passwd", "/api/..%2f..%2f", "//etc/passwd",
            "/api/queues/%2F/..%2f..%2fetc%2fpasswd", "/api/%00", "/api/queues/%c0%ae"
        }) {
            String answer =
                    raw("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Basic YW5uOnNlY3JldA==\r\n"
                            + "Connection: close\r\n\r\n");
            assertThat(answer).as(path).matches("(?s)HTTP/1\\.1 40[04] .*").doesNotContain("root:");
        }
    }

    @Test
    void shouldRefuseWhatIsTooLarge() throws IOException {
        Http.Response tooLarge =
                http.put("/api/queues/%2F/large", "{\"arguments\":{\"x\":\"" + "a".repeat(70_000) + "\"}}");
        assertThat(tooLarge.status()).isEqualTo(413);
        assertThat(raw("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: " + "a".repeat(20_000) + "\r\n\r\n"))
                .startsWith("HTTP/1.1 431 ");
        StringBuilder deep = new StringBuilder();
        deep.append("{\"arguments\":".repeat(100)).append("1").append("}".repeat(100));
        assertThat(http.put("/api/queues/%2F/deep", deep.toString()).status()).isEqualTo(400);
    }

    @Test
    void shouldAnswerWhatIsNoHttpWithAnErrorOfItsOwn() throws IOException {
        assertThat(raw("AMQP\0\0\u0009\u0001 hello\r\n\r\n")).contains(" 400 ").contains("\"error\"");
    }

    @Test
    void shouldCutWhoTricklesARequest() throws Exception {
        URI uri = URI.create(broker.httpUri().orElseThrow());
        try (Socket socket = new Socket(uri.getHost(), uri.getPort())) {
            socket.setSoTimeout(100);
            OutputStream out = socket.getOutputStream();
            out.write("GET /api/overview HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ".getBytes(StandardCharsets.US_ASCII));
            long begun = System.nanoTime();
            boolean cut = false;
            while (!cut && System.nanoTime() - begun < Duration.ofSeconds(20).toNanos()) {
                try {
                    out.write('a');
                    cut = socket.getInputStream().read() < 0;
                } catch (java.net.SocketTimeoutException e) {
                    cut = false; // nothing was said yet: one more byte
                } catch (IOException e) {
                    cut = true;
                }
            }
            assertThat(cut).isTrue();
        }
    }

    @Test
    void shouldAnswerAHeadRequestWithoutABody() throws IOException {
        String answer = raw("HEAD /api/whoami HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Basic YW5uOnNlY3JldA==\r\n"
                + "Connection: close\r\n\r\n");
        assertThat(answer).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\n");
    }

    /** More strangers than there is room for bodies at a time, each of whom says that theirs is of the largest size, and sends none of it. */
    @Test
    void shouldTakeNoBodyFromWhoHasNotLoggedIn() throws IOException {
        URI uri = URI.create(broker.httpUri().orElseThrow());
        List<Socket> strangers = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                Socket socket = new Socket(uri.getHost(), uri.getPort());
                strangers.add(socket);
                socket.getOutputStream().write(("PUT /api/queues/%2F/x HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                        + "Authorization: Basic YW5uOmd1ZXNz\r\nContent-Length: 65536\r\n\r\n{")
                        .getBytes(StandardCharsets.US_ASCII));
            }
            assertThat(http.put("/api/queues/%2F/known", "{}").status()).isIn(201, 204);
        } finally {
            for (Socket each : strangers) {
                each.close();
            }
        }
        try (Http wrong = new Http(broker).as("ann", "guess")) {
            assertThat(wrong.put("/api/queues/%2F/x", " ".repeat(60_000)).status())
                    .as("who sends on is told all the same").isEqualTo(401);
        }
        assertThat(raw("PUT /api/queues/%2F/x HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 100-continue\r\n"
                + "Content-Length: 60000\r\n\r\n")).as("who waits to be asked for it").startsWith("HTTP/1.1 401 ");
    }
}
