package io.sluicemq.test.console;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A headless Chromium with one page, told what to do by the DevTools protocol. It remembers all that the page complains of: errors, warnings,
 * violations of its content security policy. For one thread.
 */
final class Browser implements AutoCloseable {

    private static final JsonMapper JSON = new JsonMapper();
    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome");
    private static final String LISTENS = "DevTools listening on ";
    private static final long SECONDS = 20;

    private final Process process;
    private final Path profile;
    private final HttpClient http = HttpClient.newHttpClient();
    private final WebSocket socket;
    private final AtomicInteger ids = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> asked = new ConcurrentHashMap<>();
    private final List<String> complaints = new CopyOnWriteArrayList<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final String session;

    /** The program, if this machine has it. */
    static Optional<Path> program() {
        return Stream.of(System.getenv("PATH").split(":"))
                .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private Browser(Process process, Path profile, String uri) {
        this.process = process;
        this.profile = profile;
        this.socket = http.newWebSocketBuilder().buildAsync(URI.create(uri), new Inbox()).join();
        String target = send(null, "Target.createTarget", Map.of("url", "about:blank")).path("targetId").asString();
        this.session = send(null, "Target.attachToTarget", Map.of("targetId", target, "flatten", true))
                .path("sessionId").asString();
        List.of("Page", "Runtime", "Log", "Network").forEach(each -> send(each + ".enable", Map.of()));
    }

    static Browser start(Path program) throws IOException {
        Path profile = Files.createTempDirectory("chromium");
        ProcessBuilder builder = new ProcessBuilder(
                program.toString(), "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
                "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
                "--hide-scrollbars", "--remote-debugging-port=0", "--user-data-dir=" + profile, "about:blank")
                .redirectErrorStream(true);
        builder.environment().put("TMPDIR", profile.toString()); // what it leaves behind goes with the profile
        Process process = builder.start();
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        while (line != null && !line.startsWith(LISTENS)) {
            line = out.readLine();
        }
        if (line == null) {
            throw new IOException(program + " has ended without a word of where it listens");
        }
        Thread.ofVirtual().start(() -> out.lines().forEach(each -> {})); // so that it never waits to be read
        return new Browser(process, profile, line.substring(LISTENS.length()));
    }

    // ---- the protocol

    private final class Inbox implements WebSocket.Listener {

        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
            text.append(part);
            if (last) {
                JsonNode message = JSON.readTree(text.toString());
                text.setLength(0);
                received(message);
            }
            from.request(1);
            return null;
        }
    }

    private void received(JsonNode message) {
        if (message.has("id")) {
            asked.remove(message.path("id").asInt()).complete(message);
            return;
        }
        JsonNode of = message.path("params");
        switch (message.path("method").asString()) {
            case "Log.entryAdded" -> {
                JsonNode entry = of.path("entry");
                if (List.of("error", "warning").contains(entry.path("level").asString())) {
                    complaints.add(entry.path("text").asString() + " " + entry.path("url").asString());
                }
            }
            case "Runtime.exceptionThrown" -> complaints.add(of.path("exceptionDetails").toString());
            case "Runtime.consoleAPICalled" -> {
                if (List.of("error", "warning", "assert").contains(of.path("type").asString())) {
                    complaints.add(of.path("args").toString());
                }
            }
            case "Network.requestWillBeSent" -> requests.add(of.path("request").path("url").asString());
            default -> {
                // Other events say nothing that a test asks for.
            }
        }
    }

    private JsonNode send(String method, Map<String, ?> parameters) {
        return send(session, method, parameters);
    }

    private JsonNode send(String to, String method, Map<String, ?> parameters) {
        int id = ids.incrementAndGet();
        ObjectNode message = JSON.createObjectNode().put("id", id).put("method", method);
        message.set("params", JSON.valueToTree(parameters));
        if (to != null) {
            message.put("sessionId", to);
        }
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        asked.put(id, answer);
        socket.sendText(message.toString(), true).join();
        try {
            JsonNode answered = answer.get(SECONDS, TimeUnit.SECONDS);
            if (answered.has("error")) {
                throw new AssertionError(method + ": " + answered.path("error"));
            }
            return answered.path("result");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(method, e);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError(method + " got no answer", e);
        }
    }

    // ---- the page

    void open(String url) {
        send("Page.navigate", Map.of("url", url));
    }

    /** The value of an expression; waits if it is a promise. */
    JsonNode eval(String expression) {
        JsonNode answer = send(
                "Runtime.evaluate",
                Map.of("expression", expression, "returnByValue", true, "awaitPromise", true, "userGesture", true));
        if (answer.has("exceptionDetails")) {
            throw new AssertionError(expression + ": " + answer.path("exceptionDetails"));
        }
        return answer.path("result").path("value");
    }

    /** All the text that the page shows. */
    String text() {
        return eval("document.body.innerText").asString();
    }

    /** In pixels of CSS. */
    void size(int width, int height) {
        send(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 500));
    }

    void dark(boolean dark) {
        send("Emulation.setEmulatedMedia", Map.of("features", List.of(
                Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"),
                Map.of("name", "prefers-reduced-motion", "value", "reduce"))));
    }

    void offline(boolean offline) {
        send("Network.emulateNetworkConditions", Map.of(
                "offline", offline, "latency", 0, "downloadThroughput", -1, "uploadThroughput", -1));
    }

    /** Presses a key such as {@code Tab} or {@code Enter}. */
    void press(String key) {
        int code = key.equals("Tab") ? 9 : key.equals("Enter") ? 13 : 27;
        Map<String, Object> down = Map.of(
                "type", "keyDown", "key", key, "code", key, "windowsVirtualKeyCode", code,
                "text", key.equals("Enter") ? "\r" : "");
        send("Input.dispatchKeyEvent", down);
        send("Input.dispatchKeyEvent", Map.of("type", "keyUp", "key", key, "code", key, "windowsVirtualKeyCode", code));
    }

    /** Writes where the focus is. */
    void type(String text) {
        send("Input.insertText", Map.of("text", text));
    }

    void screenshot(Path file) throws IOException {
        Files.createDirectories(file.getParent());
        JsonNode size = send("Page.getLayoutMetrics", Map.of()).path("cssContentSize");
        String data = send("Page.captureScreenshot", Map.of(
                "format", "png", "captureBeyondViewport", true, "clip",
                Map.of("x", 0, "y", 0, "width", size.path("width").asInt(), "height",
                        Math.min(4000, size.path("height").asInt()), "scale", 1)))
                .path("data").asString();
        Files.write(file, Base64.getDecoder().decode(data));
    }

    /** What the page has complained of since it was asked before. */
    List<String> complaints() {
        List<String> all = List.copyOf(complaints);
        complaints.clear();
        return all;
    }

    /** All URLs that were asked for. */
    List<String> requests() {
        return List.copyOf(requests);
    }

    @Override
    public void close() throws IOException {
        socket.abort();
        http.close();
        List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(each -> each.onExit().orTimeout(SECONDS, TimeUnit.SECONDS).join());
        try (Stream<Path> files = Files.walk(profile)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        }
    }
}
