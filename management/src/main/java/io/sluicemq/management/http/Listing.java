package io.sluicemq.management.http;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import tools.jackson.databind.node.ObjectNode;

/**
 * A list as it was asked for: which of the things, in which order, which page of them, which columns. It works on what was gathered before, on
 * the request's thread. Immutable.
 *
 * @param <T> the things
 */
final class Listing<T> {

    /** A list that is not paged has no more than this. */
    static final int MOST_UNPAGED = 20_000;

    private static final int MOST_PAGE_SIZE = 500;
    private static final int PAGE_SIZE = 100;
    private static final int MOST_PAGES = 1_000_000;

    private final Function<T, String> name;
    private final Map<String, Function<T, Comparable<?>>> keys = new LinkedHashMap<>();
    private final Comparator<T> natural;

    /**
     * @param name what things are found by
     * @param natural the order in which they come unless another is asked for; no two are alike
     */
    Listing(Function<T, String> name, Comparator<T> natural) {
        this.name = name;
        this.natural = natural;
    }

    /** Things can be sorted by this column; a null comes first. */
    Listing<T> key(String column, Function<T, Comparable<?>> value) {
        keys.put(column, value);
        return this;
    }

    /** What a column is sorted by. */
    Function<T, Comparable<?>> key(String column) {
        return keys.get(column);
    }

    boolean hasKey(String column) {
        return keys.containsKey(column);
    }

    /** A page of things. */
    record Page<T>(List<T> items, int total, int filtered, int number, int size) {

        boolean isAll() {
            return size == 0;
        }

        /** The same page of other things. */
        <R> Page<R> of(List<R> others) {
            return new Page<>(others, total, filtered, number, size);
        }

        /** An array of all, or an object around a page. Each row becomes bytes before the next one is made: there may be many. */
        Answer answer(Function<T, ObjectNode> row, Columns columns) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            if (!isAll()) {
                byte[] head = Json.bytes(Json.object()
                        .put("page", number)
                        .put("page_size", size)
                        .put("page_count", Math.max(1, (filtered + size - 1) / size))
                        .put("item_count", items.size())
                        .put("filtered_count", filtered)
                        .put("total_count", total));
                bytes.write(head, 0, head.length - 1); // without its last brace
                bytes.writeBytes(",\"items\":".getBytes(StandardCharsets.UTF_8));
            }
            char before = '[';
            for (T each : items) {
                bytes.write(before);
                before = ',';
                bytes.writeBytes(Json.bytes(columns.chosen(row.apply(each))));
            }
            bytes.writeBytes((items.isEmpty() ? "[]" : "]").getBytes(StandardCharsets.UTF_8));
            if (!isAll()) {
                bytes.write('}');
            }
            return Answer.of(Answer.JSON, bytes.toByteArray());
        }
    }

    /** The things that the query asks for. */
    Page<T> page(Call call, List<T> all) {
        NameFilter filter = NameFilter.of(call.query("name"), call.flag("use_regex"));
        List<T> found = all.stream().filter(each -> filter.test(name.apply(each))).sorted(order(call)).toList();
        if (call.query("page") == null) {
            if (found.size() > MOST_UNPAGED) {
                throw ApiError.badRequest(
                        "there are " + found.size() + ", more than one answer may have (" + MOST_UNPAGED
                                + "): ask for them by page and page_size, or by name");
            }
            return new Page<>(found, all.size(), found.size(), 1, 0);
        }
        int number = call.number("page", 1, MOST_PAGES, 1);
        int size = call.number("page_size", 1, MOST_PAGE_SIZE, PAGE_SIZE);
        long from = Math.min(found.size(), (number - 1L) * size);
        if (number > 1 && from >= found.size()) {
            throw ApiError.badRequest("page " + number + " is behind the last one");
        }
        return new Page<>(
                found.subList((int) from, (int) Math.min(found.size(), from + size)), all.size(), found.size(), number,
                size);
    }

    /** The order that the query asks for. */
    Comparator<T> order(Call call) {
        String column = call.query("sort");
        if (column == null) {
            return natural;
        }
        Function<T, Comparable<?>> key = keys.get(column);
        if (key == null) {
            throw ApiError.badRequest(
                    "sort is '" + column + "': expected one of " + String.join(", ", keys.keySet()));
        }
        Comparator<T> by = (a, b) -> compare(key.apply(a), key.apply(b));
        return (call.flag("sort_reverse") ? by.reversed() : by).thenComparing(natural);
    }

    @SuppressWarnings("unchecked") // a column's values are of one type
    private static int compare(Comparable<?> a, Comparable<?> b) {
        if (a == null || b == null) {
            return Boolean.compare(a != null, b != null);
        }
        return ((Comparable<Object>) a).compareTo(b);
    }
}
