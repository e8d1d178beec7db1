package io.sluicemq.management.http;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Which columns of a row are wanted: names, and names within objects with dots between them. Immutable. */
final class Columns {

    private static final int MOST = 100;

    /** The names of each; empty for all there are. */
    private final List<String[]> wanted;

    private Columns(List<String[]> wanted) {
        this.wanted = wanted;
    }

    static Columns of(Call call) {
        String text = call.query("columns");
        List<String[]> wanted = new ArrayList<>();
        if (text != null) {
            for (String each : text.split(",", MOST + 1)) {
                if (!each.isBlank()) {
                    wanted.add(each.strip().split("\\.", 8));
                }
            }
            if (wanted.size() > MOST) {
                throw ApiError.badRequest("columns has more than " + MOST + " names");
            }
        }
        return new Columns(wanted);
    }

    /** A row with what is wanted of it; a column that it doesn't have is left out. */
    ObjectNode chosen(ObjectNode row) {
        if (wanted.isEmpty()) {
            return row;
        }
        ObjectNode chosen = Json.object();
        for (String[] names : wanted) {
            copy(row, chosen, names, 0);
        }
        return chosen;
    }

    private static void copy(ObjectNode from, ObjectNode to, String[] names, int at) {
        JsonNode value = from.get(names[at]);
        if (value == null) {
            return;
        }
        if (at == names.length - 1) {
            to.set(names[at], value);
        } else if (value instanceof ObjectNode inner) {
            ObjectNode into = to.get(names[at]) instanceof ObjectNode there ? there : Json.object();
            to.set(names[at], into);
            copy(inner, into, names, at + 1);
        }
    }
}
