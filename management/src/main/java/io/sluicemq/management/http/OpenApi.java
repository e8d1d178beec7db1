package io.sluicemq.management.http;

import io.sluicemq.api.users.Role;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The API's own description (OpenAPI 3.1), made from its routes, so that none can be missing. Stateless. */
final class OpenApi {

    static final String PATH = "/api/openapi.json";

    private static final Pattern NAME = Pattern.compile("\\{([^}]*)}");

    private OpenApi() {}

    /** @param routes all of them, with this one, asked when it is asked for */
    static Route route(String version, Supplier<List<Route>> routes) {
        return Route.get(PATH, Role.MONITOR, "This description",
                call -> Answer.of(document(version, routes.get())));
    }

    static ObjectNode document(String version, List<Route> routes) {
        ObjectNode document = Json.object().put("openapi", "3.1.0");
        document.putObject("info")
                .put("title", "SluiceMQ")
                .put("version", version)
                .put("description",
                        "What a broker has and does. Paths and shapes are those of RabbitMQ's HTTP API where that"
                                + " has the same thing.");
        document.putObject("components")
                .putObject("securitySchemes")
                .putObject("basic")
                .put("type", "http")
                .put("scheme", "basic");
        ObjectNode paths = document.putObject("paths");
        for (Route route : routes) {
            if (route.path().equals("/") || route.path().startsWith("/console/")) {
                continue; // pages for people
            }
            String path = route.path().replace("*}", "}");
            ObjectNode at = paths.get(path) instanceof ObjectNode there ? there : paths.putObject(path);
            describe(at.putObject(route.method().toLowerCase(java.util.Locale.ROOT)), route);
        }
        return document;
    }

    private static void describe(ObjectNode operation, Route route) {
        operation.put("summary", route.summary());
        operation.put("x-role", route.isOpen() ? "none" : route.role().word());
        ArrayNode security = operation.putArray("security");
        if (!route.isOpen()) {
            security.addObject().putArray("basic");
        }
        ArrayNode parameters = operation.putArray("parameters");
        Matcher names = NAME.matcher(route.path());
        while (names.find()) {
            parameters.addObject()
                    .put("name", names.group(1).replace("*", ""))
                    .put("in", "path")
                    .put("required", true)
                    .putObject("schema")
                    .put("type", "string");
        }
        route.query().forEach(each -> parameters.addObject()
                .put("name", each.name())
                .put("in", "query")
                .put("description", each.summary())
                .putObject("schema")
                .put("type", each.type()));
        if (route.body() != null) {
            ObjectNode body = operation.putObject("requestBody").put("description", route.body());
            body.putObject("content").putObject(Answer.JSON).putObject("schema").put("type", "object");
        }
        ObjectNode responses = operation.putObject("responses");
        responses.putObject("2XX").put("description", "Done");
        responses.putObject("default").put("description", "An object with `error` and `reason`");
    }
}
