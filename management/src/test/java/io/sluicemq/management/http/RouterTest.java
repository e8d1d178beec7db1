package io.sluicemq.management.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class RouterTest {

    private static Route route(String method, String path) {
        return new Route(method, path, null, "s", List.of(), null, call -> Answer.of(204));
    }

    private final Router router = new Router(List.of(
            route("GET", "/api/queues"),
            route("GET", "/api/queues/{vhost}"),
            route("GET", "/api/queues/{vhost}/{name}"),
            route("PUT", "/api/queues/{vhost}/{name}"),
            route("GET", "/api/queues/{vhost}/bindings"),
            route("GET", "/ui/{file*}")));

    private Router.Match get(String path) {
        return router.find("GET", path);
    }

    @Test
    void shouldDecodeWhatStandsBetweenSlashes() {
        assertThat(get("/api/queues/%2F/a%2Fb%20%C3%BC").path()).isEqualTo(Map.of("vhost", "/", "name", "a/b ü"));
        assertThat(get("/api/queues/%252F/x").path()).containsEntry("vhost", "%2F");
        assertThat(get("/api/queues/").route().path()).isEqualTo("/api/queues");
        assertThat(get("/api/queues/..%2f/x").path()).containsEntry("vhost", "../");
    }

    @Test
    void shouldPreferARouteThatSaysMore() {
        assertThat(get("/api/queues/v/bindings").route().path()).isEqualTo("/api/queues/{vhost}/bindings");
        assertThat(get("/api/queues/v/x").route().path()).isEqualTo("/api/queues/{vhost}/{name}");
        assertThat(get("/ui/a/b.js").path()).isEqualTo(Map.of("file", "a/b.js"));
    }

    @Test
    void shouldTellWhichMethodsWouldDo() {
        assertThatThrownBy(() -> router.find("DELETE", "/api/queues/v/x"))
                .isInstanceOfSatisfying(Router.MethodNotAllowed.class, e -> {
                    assertThat(e.answer().status()).isEqualTo(405);
                    assertThat(e.answer().headers()).containsEntry("Allow", "GET, PUT");
                });
        assertThat(router.find("HEAD", "/api/queues").route().method()).isEqualTo("GET");
        assertThatThrownBy(() -> get("/nothing")).isInstanceOf(ApiError.class);
        assertThatThrownBy(() -> get("/api/queues/%zz")).isInstanceOf(ApiError.class);
        assertThatThrownBy(() -> get("/api/queues/%c0%ae")).isInstanceOf(ApiError.class);
        assertThatThrownBy(() -> get("/api/queues/%2")).isInstanceOf(ApiError.class);
    }

    @Test
    void shouldNotTakeTwoRoutesForTheSame() {
        assertThatThrownBy(() -> new Router(List.of(route("GET", "/a/{b}"), route("GET", "/a/{c}"))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Property(tries = 300)
    void shouldFindAnyNameAsItWasEncoded(@ForAll String name) {
        String encoded = java.net.URLEncoder.encode(name, java.nio.charset.StandardCharsets.UTF_8).replace("+", "%20");
        String clean = java.net.URLDecoder.decode(encoded, java.nio.charset.StandardCharsets.UTF_8);
        org.assertj.core.api.Assumptions.assumeThat(clean).isNotEmpty();
        assertThat(get("/api/queues/v/" + encoded.replace("bindings", "bindingz")).path().get("name"))
                .isEqualTo(clean.replace("bindings", "bindingz"));
    }
}
