package io.sluicemq.management.http;

import io.sluicemq.api.users.Role;
import java.util.ArrayList;
import java.util.List;

/**
 * One thing that can be asked for. Immutable.
 *
 * @param method {@code GET}, {@code PUT}, {@code POST} or {@code DELETE}; {@code HEAD} goes with {@code GET}
 * @param path as in {@code /api/queues/{vhost}/{name}}: a name in braces stands for one segment, decoded; one that ends in {@code *} for
 *     all that is left
 * @param role what the user must be; null for everybody, without a login
 * @param summary in one line, for the OpenAPI document
 * @param query what it takes behind the question mark
 * @param body what it takes as its body, in words; null for none
 * @param handler finds the answer, on a thread that may wait
 */
public record Route(
        String method, String path, Role role, String summary, List<Parameter> query, String body, Handler handler) {

    public Route {
        query = List.copyOf(query);
    }

    /** A parameter of the query. */
    public record Parameter(String name, String type, String summary) {}

    /** Finds the answer to a request. */
    public interface Handler {

        /** @throws ApiError if there is another answer than what was asked for */
        Answer handle(Call call);
    }

    /** One for everybody. */
    public static Route open(String path, String summary, Handler handler) {
        return new Route("GET", path, null, summary, List.of(), null, handler);
    }

    public static Route get(String path, Role role, String summary, Handler handler) {
        return new Route("GET", path, role, summary, List.of(), null, handler);
    }

    public static Route put(String path, Role role, String summary, String body, Handler handler) {
        return new Route("PUT", path, role, summary, List.of(), body, handler);
    }

    public static Route post(String path, Role role, String summary, String body, Handler handler) {
        return new Route("POST", path, role, summary, List.of(), body, handler);
    }

    public static Route delete(String path, Role role, String summary, Handler handler) {
        return new Route("DELETE", path, role, summary, List.of(), null, handler);
    }

    /** The same with one more parameter. */
    public Route with(String name, String type, String about) {
        List<Parameter> more = new ArrayList<>(query);
        more.add(new Parameter(name, type, about));
        return new Route(method, path, role, summary, more, body, handler);
    }

    /** The same with the parameters that every list takes. */
    Route paged() {
        return with("page", "integer", "which page, from 1; without it there is one list of all")
                .with("page_size", "integer", "how many a page, 1 to 500; 100 if nothing is said")
                .with("name", "string", "only those whose name has this in it")
                .with("use_regex", "boolean", "whether `name` is a regular expression")
                .with("sort", "string", "the column to sort by")
                .with("sort_reverse", "boolean", "whether the largest comes first")
                .with("columns", "string", "which columns to answer, with commas between them");
    }

    /** Whether it needs no login. */
    public boolean isOpen() {
        return role == null;
    }

    List<String> segments() {
        return List.of(path.substring(1).split("/", -1));
    }
}
