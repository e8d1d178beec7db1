package io.sluicemq.management.console;

import io.sluicemq.management.http.Answer;
import io.sluicemq.management.http.Call;
import io.sluicemq.management.http.Route;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The web console's files, each of them a route of its own. They say nothing about the broker, so whoever has no login gets them, too.
 * Stateless.
 *
 * <p>Invariant: what a request names is looked up among the routes and nowhere else, so no path leads to another file.
 */
public final class Console {

    /** All files, as they are named in this package's resources, but {@code index.html}. */
    static final List<String> FILES = List.of(
            "api.js",
            "app.js",
            "chart.js",
            "console.css",
            "dom.js",
            "format.js",
            "icon.svg",
            "pages/acts.js",
            "pages/addresses.js",
            "pages/connections.js",
            "pages/events.js",
            "pages/exchanges.js",
            "pages/flow.js",
            "pages/overview.js",
            "pages/queue.js",
            "pages/queues.js",
            "pages/settings.js",
            "pages/why.js",
            "parts.js",
            "poll.js");

    static final String INDEX = "index.html";

    /** Nothing but files of this server is loaded, no script or style stands in a page, and no text becomes markup. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
            + " require-trusted-types-for 'script'; trusted-types 'none'";

    private Console() {}

    /** The page at {@code /}, and its files below {@code /console}. */
    public static List<Route> routes() {
        Route page = Route.open("/", "The web console", serve(INDEX));
        return Stream.concat(Stream.of(page), FILES.stream()
                .map(name -> Route.open(
                        "/console/" + name, "A file of the web console", serve(name))))
                .toList();
    }

    private static Route.Handler serve(String name) {
        StaticFile file = StaticFile.read(name);
        return call -> answer(file, call);
    }

    /** A browser asks each time whether it has the file still, which costs next to nothing and never shows an old one. */
    private static Answer answer(StaticFile file, Call call) {
        Map<String, String> headers = Map.of(
                "ETag", file.tag(),
                "Cache-Control", "no-cache",
                "Content-Security-Policy", POLICY,
                "Cross-Origin-Opener-Policy", "same-origin",
                "Cross-Origin-Resource-Policy", "same-origin");
        return file.isNamedBy(call.header("If-None-Match"))
                ? new Answer(304, null, new byte[0], headers)
                : new Answer(200, file.contentType(), file.bytes(), headers);
    }
}
