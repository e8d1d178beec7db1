package io.sluicemq.management.http;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluicemq.api.Authenticator.Peer;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SameOriginTest {

    private static void check(String method, String... headers) {
        Map<String, String> all = new HashMap<>(Map.of("host", "127.0.0.1:15672"));
        for (int i = 0; i < headers.length; i += 2) {
            all.put(headers[i], headers[i + 1]);
        }
        SameOrigin.check(new HttpApi.Request(method, "/", Map.of(), all, HttpApi.Body.NONE, new Peer("p", true)));
    }

    @Test
    void shouldLetToolsAndOwnPagesAct() {
        assertThatCode(() -> check("PUT")).doesNotThrowAnyException();
        assertThatCode(() -> check("DELETE", "origin", "http://127.0.0.1:15672")).doesNotThrowAnyException();
        assertThatCode(() -> check("POST", "content-type", "application/json; charset=utf-8"))
                .doesNotThrowAnyException();
        assertThatCode(() -> check("GET", "origin", "https://evil.example")).doesNotThrowAnyException();
    }

    @Test
    void shouldLetNoOtherPageAct() {
        assertThatThrownBy(() -> check("PUT", "origin", "https://evil.example")).isInstanceOf(ApiError.class);
        assertThatThrownBy(() -> check("PUT", "origin", "null")).isInstanceOf(ApiError.class);
        assertThatThrownBy(() -> check("PUT", "origin", "http://127.0.0.1:80")).isInstanceOf(ApiError.class);
        assertThatThrownBy(() -> check("DELETE", "sec-fetch-site", "same-site")).isInstanceOf(ApiError.class);
        assertThatThrownBy(() -> check("POST", "content-type", "text/plain")).isInstanceOf(ApiError.class);
        assertThatThrownBy(() -> check("POST")).isInstanceOf(ApiError.class);
    }
}
