package io.sluicemq.management.http;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Finds the route of a request. A path is split where it has a slash, and each part is decoded after that, so that a name may have slashes;
 * nothing is looked up in a file system. Immutable.
 */
final class Router {

    private final List<Route> routes;
    private final Map<Integer, List<Pattern>> byLength = new HashMap<>();
    private final List<Pattern> open = new ArrayList<>();

    private record Pattern(Route route, List<String> segments) {}

    /** A route, and what stands in its path. */
    record Match(Route route, Map<String, String> path) {}

    /** @throws IllegalArgumentException if there are two for the same */
    Router(List<Route> routes) {
        this.routes = List.copyOf(routes);
        TreeSet<String> seen = new TreeSet<>();
        for (Route route : routes) {
            if (!seen.add(route.method() + " " + route.path().replaceAll("\\{[^}]*}", "{}"))) {
                throw new IllegalArgumentException("two routes for " + route.method() + " " + route.path());
            }
            List<String> segments = route.segments();
            Pattern pattern = new Pattern(route, segments);
            if (segments.getLast().endsWith("*}")) {
                open.add(pattern);
            } else {
                byLength.computeIfAbsent(segments.size(), size -> new ArrayList<>()).add(pattern);
            }
        }
    }

    List<Route> routes() {
        return routes;
    }

    /**
     * @param method of the request
     * @param rawPath as it came, not decoded
     * @throws ApiError 404 or 405
     */
    Match find(String method, String rawPath) {
        List<String> segments = segments(rawPath);
        Match best = null;
        int bestLiteral = -1;
        TreeSet<String> others = new TreeSet<>();
        String wanted = method.equals("HEAD") ? "GET" : method;
        for (Pattern pattern : candidates(segments)) {
            Map<String, String> path = match(pattern, segments);
            if (path == null) {
                continue;
            }
            if (!pattern.route().method().equals(wanted)) {
                others.add(pattern.route().method());
                continue;
            }
            int literal = literal(pattern);
            if (literal > bestLiteral) {
                best = new Match(pattern.route(), path);
                bestLiteral = literal;
            }
        }
        if (best != null) {
            return best;
        }
        if (!others.isEmpty()) {
            throw new MethodNotAllowed(String.join(", ", others));
        }
        throw ApiError.notFound("there is nothing at this path");
    }

    /** There is something at the path, but for other methods. */
    static final class MethodNotAllowed extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final String allowed;

        MethodNotAllowed(String allowed) {
            super(null, null, false, false);
            this.allowed = allowed;
        }

        Answer answer() {
            return Answer.error(405, "method_not_allowed", "expected one of " + allowed).with("Allow", allowed);
        }
    }

    private List<Pattern> candidates(List<String> segments) {
        List<Pattern> all = new ArrayList<>(byLength.getOrDefault(segments.size(), List.of()));
        all.addAll(open);
        return all;
    }

    private static int literal(Pattern pattern) {
        int literal = 0;
        for (String segment : pattern.segments()) {
            literal = literal * 2 + (segment.startsWith("{") ? 0 : 1);
        }
        return literal;
    }

    private static Map<String, String> match(Pattern pattern, List<String> segments) {
        Map<String, String> path = new HashMap<>();
        List<String> expected = pattern.segments();
        for (int i = 0; i < expected.size(); i++) {
            String each = expected.get(i);
            if (each.endsWith("*}")) {
                path.put(each.substring(1, each.length() - 2), String.join("/", segments.subList(
                        Math.min(i, segments.size()), segments.size())));
                return segments.size() >= i ? path : null;
            }
            if (i >= segments.size()) {
                return null;
            }
            if (each.startsWith("{")) {
                path.put(each.substring(1, each.length() - 1), segments.get(i));
            } else if (!each.equals(segments.get(i))) {
                return null;
            }
        }
        return path;
    }

    /** The parts of a path, decoded; a slash at its end says nothing. */
    private static List<String> segments(String rawPath) {
        String path = rawPath.startsWith("/") ? rawPath.substring(1) : rawPath;
        if (path.endsWith("/")) {
            path = path.substring(0, path.length() - 1);
        }
        List<String> segments = new ArrayList<>();
        for (String each : path.split("/", -1)) {
            segments.add(decoded(each));
        }
        return segments;
    }

    private static String decoded(String segment) {
        if (segment.indexOf('%') < 0) {
            return segment;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < segment.length(); i++) {
            char c = segment.charAt(i);
            if (c == '%') {
                if (i + 2 >= segment.length() || Character.digit(segment.charAt(i + 1), 16) < 0
                        || Character.digit(segment.charAt(i + 2), 16) < 0) {
                    throw ApiError.badRequest("the path has a % that two hexadecimal digits don't follow");
                }
                bytes.write(Integer.parseInt(segment.substring(i + 1, i + 3), 16));
                i += 2;
            } else {
                bytes.writeBytes(String.valueOf(c).getBytes(StandardCharsets.UTF_8));
            }
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toByteArray())).toString();
        } catch (CharacterCodingException e) {
            throw ApiError.badRequest("the path is not UTF-8");
        }
    }
}
