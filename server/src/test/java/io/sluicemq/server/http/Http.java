package io.sluicemq.server.http;

import io.sluicemq.server.SluiceMQ;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Asks a broker over HTTP, as guest unless told otherwise. */
final class Http implements AutoCloseable {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();
    private final String base;
    private String user = "guest";
    private String password = "guest";

    Http(SluiceMQ broker) {
        this.base = broker.httpUri().orElseThrow();
    }

    Http as(String name, String secret) {
        user = name;
        password = secret;
        return this;
    }

    /** What came back. */
    record Response(int status, HttpResponse<String> http) {

        JsonNode json() {
            return JSON.readTree(http.body());
        }

        String header(String name) {
            return http.headers().firstValue(name).orElse(null);
        }

        String reason() {
            return json().path("reason").asString();
        }
    }

    static String encoded(String name) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    }

    Response get(String path) {
        return send("GET", path, null);
    }

    Response put(String path, String json) {
        return send("PUT", path, json);
    }

    Response post(String path, String json) {
        return send("POST", path, json);
    }

    Response delete(String path) {
        return send("DELETE", path, null);
    }

    Response send(String method, String path, String json, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path))
                .timeout(Duration.ofSeconds(60))
                .method(method, json == null
                        ? HttpRequest.BodyPublishers.noBody()
                        : HttpRequest.BodyPublishers.ofString(json));
        if (user != null) {
            request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(
                    (user + ":" + password).getBytes(StandardCharsets.UTF_8)));
        }
        if (json != null) {
            request.header("Content-Type", "application/json");
        }
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        try {
            HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return new Response(response.statusCode(), response);
        } catch (IOException e) {
            throw new AssertionError(method + " " + path + " got no answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
