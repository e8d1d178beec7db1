package io.sluicemq.cli.operate;

import io.sluicemq.cli.http.Api;
import io.sluicemq.cli.http.ApiRefused;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** Finds a connection by its name or, since such names are long, by a part of it that no other has. Stateless. */
final class ConnectionName {

    private static final int NAMED = 5;

    private ConnectionName() {}

    /** @throws ApiRefused if there is none, or more than one */
    static JsonNode find(Api api, String name) {
        try {
            return api.get(Api.path("connections", name));
        } catch (ApiRefused e) {
            if (e.status() != 404) {
                throw e;
            }
        }
        Api.Listed found = api.list(Api.path("connections"), Map.of("name", name, "columns", "name"), NAMED + 1);
        List<String> names = found.items().stream().map(each -> each.path("name").asString()).toList();
        if (names.isEmpty()) {
            throw new ApiRefused(404, "no connection has '" + name + "' in its name");
        }
        if (names.size() > 1) {
            throw new ApiRefused(400, found.all() + " connections have '" + name + "' in their names: "
                    + names.stream().limit(NAMED).collect(Collectors.joining(", "))
                    + (names.size() > NAMED ? ", …" : ""));
        }
        return api.get(Api.path("connections", names.getFirst()));
    }
}
