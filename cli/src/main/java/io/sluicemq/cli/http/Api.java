package io.sluicemq.cli.http;

import io.sluicemq.cli.text.Structured;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Asks a broker over HTTP, one request after the other. For one thread; keeps its connection. */
public final class Api implements AutoCloseable {

    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);
    /** Longer than a broker takes that has something to wait for. */
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(75);
    private static final int CREATED = 201;

    /** As much as a list can have in one page. */
    private static final int PAGE = 500;

    private final Access access;
    private final String authorization;
    private final HttpClient client;

    public Api(Access access) {
        this.access = access;
        HttpClient.Builder made = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER) // a password goes where it was meant to go
                .connectTimeout(CONNECT_LIMIT);
        this.client = (access.trust() == null ? made : made.sslContext(access.trust())).build();
        this.authorization = "Basic " + Base64.getEncoder().encodeToString(
                (access.user() + ":" + access.password()).getBytes(StandardCharsets.UTF_8));
    }

    public Access access() {
        return access;
    }

    /** The virtual host that is meant. */
    public String virtualHost() {
        return access.virtualHost();
    }

    /** A path below {@code /api} of names, whatever is in them. */
    public static String path(String... names) {
        StringBuilder path = new StringBuilder("/api");
        for (String name : names) {
            path.append('/').append(encoded(name));
        }
        return path.toString();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** @throws ApiRefused if the broker doesn't do it; all others, too */
    public JsonNode get(String path) {
        return get(path, Map.of());
    }

    public JsonNode get(String path, Map<String, String> query) {
        return send("GET", path + query(query), null, Map.of());
    }

    /** What a path answers that says by 503 that something is not well; empty if it answers anything else. */
    public Optional<JsonNode> state(String path) {
        HttpResponse<byte[]> response = exchange(request("GET", path, null, Map.of()));
        try {
            return response.statusCode() == 200 || response.statusCode() == 503
                    ? Optional.of(Structured.read(response.body()))
                    : Optional.empty();
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    public JsonNode put(String path, JsonNode body) {
        return send("PUT", path, body, Map.of());
    }

    /** Puts something there, and tells whether it wasn't there before. */
    public boolean make(String path, JsonNode body) {
        HttpResponse<byte[]> response = exchange(request("PUT", path, body, Map.of()));
        answer(response);
        return response.statusCode() == CREATED;
    }

    public JsonNode post(String path, JsonNode body) {
        return send("POST", path, body, Map.of());
    }

    public JsonNode delete(String path, Map<String, String> query, Map<String, String> headers) {
        return send("DELETE", path + query(query), null, headers);
    }

    private static String query(Map<String, String> query) {
        StringBuilder text = new StringBuilder();
        query.forEach((name, value) -> text.append(text.isEmpty() ? '?' : '&').append(encoded(name)).append('=')
                .append(encoded(value)));
        return text.toString();
    }

    /**
     * The things of a list that the broker gives in pages.
     *
     * @param most how many at most
     * @param query what else is said about the list
     */
    public Listed list(String path, Map<String, String> query, long most) {
        List<JsonNode> found = new ArrayList<>();
        long filtered = 0;
        for (long page = 1, pages = 1; page <= pages && found.size() < most; page++) {
            // Pages are of one size, or they would overlap.
            long size = Math.min(PAGE, most);
            Map<String, String> all = new java.util.LinkedHashMap<>(query);
            all.put("page", Long.toString(page));
            all.put("page_size", Long.toString(size));
            JsonNode answer;
            try {
                answer = get(path, all);
            } catch (ApiRefused e) {
                if (page > 1 && e.status() == 400 && e.getMessage().contains("behind the last")) {
                    break; // what was there has gone meanwhile
                }
                throw e;
            }
            pages = answer.path("page_count").asLong(1);
            filtered = answer.path("filtered_count").asLong(0);
            answer.path("items").forEach(each -> {
                if (found.size() < most) {
                    found.add(each);
                }
            });
        }
        return new Listed(found, Math.max(filtered, found.size()));
    }

    /**
     * What a list has.
     *
     * @param all how many there are, those left out included
     */
    public record Listed(List<JsonNode> items, long all) {}

    private JsonNode send(String method, String path, JsonNode body, Map<String, String> headers) {
        return answer(exchange(request(method, path, body, headers)));
    }

    private HttpRequest request(String method, String path, JsonNode body, Map<String, String> headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(access.url() + path))
                .timeout(ANSWER_LIMIT)
                .header("Authorization", authorization)
                .header("Accept", "application/json");
        if (body == null) {
            request.method(method, BodyPublishers.noBody());
        } else {
            request.header("Content-Type", "application/json")
                    .method(method, BodyPublishers.ofByteArray(Structured.bytes(body)));
        }
        headers.forEach(request::header);
        return request.build();
    }

    private HttpResponse<byte[]> exchange(HttpRequest request) {
        try {
            return client.send(request, BodyHandlers.ofByteArray());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiUnreachable("interrupted while " + access.url() + " was asked", List.of());
        } catch (IOException e) {
            throw unreachable(e);
        }
    }

    private ApiUnreachable unreachable(IOException failure) {
        String where = "can't reach a broker at " + access.url();
        String other = "another address is said by --url, by SLUICEMQ_URL or in the context file";
        String started =
                "is it running? 'sluicemq serve' says its addresses when it is ready, that with http:// is the one";
        if (failure instanceof HttpConnectTimeoutException) {
            return new ApiUnreachable(
                    where + ": nothing has answered within " + CONNECT_LIMIT.toSeconds() + " s",
                    List.of("is it the right host, and does a firewall let you through?", other));
        }
        if (failure instanceof HttpTimeoutException) {
            return new ApiUnreachable(
                    where + ": it took the connection, but has not answered within " + ANSWER_LIMIT.toSeconds()
                            + " s",
                    List.of("is it a broker that listens there? its log may say more"));
        }
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof UnresolvedAddressException) {
                return new ApiUnreachable(
                        where + ": no host is called " + access.url().getHost(), List.of(other));
            }
            if (each instanceof CertPathBuilderException
                    || each instanceof CertPathValidatorException && each.getCause() == null) {
                return new ApiUnreachable(where + ": its certificate is not to be trusted", access.untrusted());
            }
            if (each instanceof CertificateException && each.getCause() == null) {
                return new ApiUnreachable(
                        where + ": its certificate is for somebody else, or at another time: " + each.getMessage(),
                        List.of("say the name by which the certificate knows the broker", other));
            }
            if (each instanceof SSLException && each.getCause() == null) {
                return new ApiUnreachable(
                        where + ": TLS has failed, or isn't what is spoken there",
                        List.of("without TLS the URL begins with http://: try " + withScheme("http")));
            }
        }
        if (failure instanceof ConnectException) {
            return new ApiUnreachable(
                    where + ": nothing listens there", List.of(started, "http.enabled, http.host and http.port say"
                            + " where it listens", other));
        }
        List<String> hints = new ArrayList<>();
        if ("http".equals(access.url().getScheme())) {
            hints.add("with TLS the URL begins with https://: try " + withScheme("https"));
        }
        hints.add("is it the port of HTTP, usually 15672? that of AMQP, usually 5672, is another");
        hints.add(other);
        return new ApiUnreachable(where + ": what answered doesn't speak HTTP, or broke off", hints);
    }

    private String withScheme(String scheme) {
        String url = access.url().toString();
        return scheme + url.substring(url.indexOf(':'));
    }

    private JsonNode answer(HttpResponse<byte[]> response) {
        int status = response.statusCode();
        if (status == 204 || response.body().length == 0 && status < 300) {
            return Structured.object();
        }
        JsonNode json;
        try {
            json = Structured.read(response.body());
        } catch (JacksonException e) {
            throw new ApiRefused(status, "what answers at " + access.url() + " is no SluiceMQ: HTTP " + status
                    + " and no JSON");
        }
        if (status < 300) {
            return json;
        }
        String reason = json.path("reason").asString(json.path("error").asString("HTTP " + status));
        throw new ApiRefused(status, switch (status) {
            case 401 -> access.url() + " has not let '" + access.user() + "' in (" + reason
                    + "): is the name right (--user), and the password (SLUICEMQ_PASSWORD, --password-file)?";
            case 403 -> "not permitted: " + reason;
            default -> reason;
        });
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
