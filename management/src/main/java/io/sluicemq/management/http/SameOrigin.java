package io.sluicemq.management.http;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Map;

/**
 * Keeps pages of other origins from acting with what a browser remembers of its user's password. A browser sends that along by itself; but it
 * tells where a request comes from, and it asks first before it sends one that no form could. Stateless.
 *
 * <p>So a request that changes something is refused if {@code Sec-Fetch-Site} or {@code Origin} says that another site sends it; and a
 * POST must be JSON, which no form can send. Tools send neither header, and are not touched.
 */
final class SameOrigin {

    private SameOrigin() {}

    /** @throws ApiError if another origin wants to change something */
    static void check(HttpApi.Request request) {
        if (request.method().equals("GET") || request.method().equals("HEAD")) {
            return;
        }
        Map<String, String> headers = request.headers();
        String site = headers.get("sec-fetch-site");
        if (site != null && !site.equals("same-origin") && !site.equals("none")) {
            throw ApiError.forbidden("the request comes from another site");
        }
        String origin = headers.get("origin");
        if (origin != null && !isOf(origin, headers.get("host"))) {
            throw ApiError.forbidden("the request comes from another origin");
        }
        if (request.method().equals("POST") && !isJson(headers.get("content-type"))) {
            throw new ApiError(415, "unsupported_media_type", "expected Content-Type: application/json");
        }
    }

    private static boolean isOf(String origin, String host) {
        try {
            String authority = new URI(origin).getRawAuthority();
            return authority != null && authority.equalsIgnoreCase(host);
        } catch (URISyntaxException e) {
            return false;
        }
    }

    private static boolean isJson(String type) {
        return type != null && type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT).equals("application/json");
    }
}
