package io.sluicemq.management.http;

import io.sluicemq.api.operate.Operations;
import io.sluicemq.api.operate.ServerOperations;
import io.sluicemq.api.users.Role;
import io.sluicemq.api.users.UserChange;
import io.sluicemq.api.users.UserDirectory;
import io.sluicemq.api.users.UserLimit;
import io.sluicemq.api.users.UserRefused;
import io.sluicemq.api.users.UserView;
import io.sluicemq.base.Quota;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Limits of users and of virtual hosts: seen, and changed. The paths and shapes are RabbitMQ's. */
final class LimitRoutes {

    private static final String OF_USER = "/api/user-limits/{name}/{limit}";
    private static final String OF_HOST = "/api/vhost-limits/{vhost}/{limit}";
    private static final String BODY = "`value`: a number; negative for none";

    private final Operations broker;
    private final ServerOperations server;
    private final UserDirectory users;

    LimitRoutes(Operations broker, ServerOperations server) {
        this.broker = broker;
        this.server = server;
        this.users = server.users();
    }

    List<Route> routes() {
        return List.of(
                Route.get("/api/user-limits", Role.ADMINISTRATOR, "The limits of all users who have some",
                        this::ofUsers),
                Route.get("/api/user-limits/{name}", Role.ADMINISTRATOR, "The limits of a user", this::ofUser),
                Route.put(OF_USER, Role.ADMINISTRATOR, "Sets a limit of a user", BODY, this::limitUser),
                Route.delete(OF_USER, Role.ADMINISTRATOR, "Takes a limit of a user away",
                        call -> change(call, Quota.UNLIMITED)),
                Route.get("/api/vhost-limits", Role.MONITOR, "The limits of all vhosts that have some",
                        this::ofHosts),
                Route.get("/api/vhost-limits/{vhost}", Role.MONITOR, "The limits of a vhost", this::ofHost),
                Route.put(OF_HOST, Role.ADMINISTRATOR,
                        "Sets a limit of a vhost, until the configuration is read again", BODY, this::limitHost),
                Route.delete(OF_HOST, Role.ADMINISTRATOR,
                        "Takes a limit of a vhost away, until the configuration is read again",
                        call -> change(call, Optional.empty())));
    }

    /** What the body says; negative for no limit. */
    private static long value(Call call) {
        JsonNode value = call.json().path("value");
        if (value.isMissingNode()) {
            throw ApiError.badRequest("value is missing in the body");
        }
        return call.bodyNumber("value", Long.MIN_VALUE + 1, Long.MAX_VALUE - 1, -1);
    }

    private static ObjectNode json(String what, String name, Map<String, Long> limits) {
        ObjectNode json = Json.object().put(what, name);
        ObjectNode values = json.putObject("value");
        limits.forEach(values::put);
        return json;
    }

    // ---- users

    private static Map<String, Long> limits(UserView user) {
        Map<String, Long> limits = new LinkedHashMap<>();
        user.limits().limits().forEach((limit, most) -> limits.put(limit.key(), most));
        return limits;
    }

    private Answer ofUsers(Call call) {
        ArrayNode all = Json.array();
        users.list().stream().filter(user -> !user.limits().limits().isEmpty())
                .forEach(user -> all.add(json("user", user.name(), limits(user))));
        return Answer.of(all);
    }

    private UserView user(Call call) {
        return users.find(call.path("name"))
                .orElseThrow(() -> ApiError.notFound("no user '" + call.path("name") + "'"));
    }

    private Answer ofUser(Call call) {
        UserView user = user(call);
        ArrayNode all = Json.array();
        if (!user.limits().limits().isEmpty()) {
            all.add(json("user", user.name(), limits(user)));
        }
        return Answer.of(all);
    }

    private Answer limitUser(Call call) {
        long most = value(call);
        return change(call, most < 0 ? Quota.UNLIMITED : most);
    }

    private Answer change(Call call, long most) {
        UserView user = user(call);
        UserLimit limit = UserLimit.called(call.path("limit")).orElseThrow(() -> ApiError.badRequest(
                "users have no limit '" + call.path("limit") + "': expected one of "
                        + Arrays.stream(UserLimit.values()).map(UserLimit::key).collect(Collectors.joining(", "))));
        if (limit == UserLimit.MESSAGE_BYTES && most == 0) {
            throw ApiError.badRequest(limit.key() + " is 0: expected a number from 1");
        }
        try {
            users.put(user.name(), new UserChange(null, null, null, Map.of(limit, most)), call.actor().toString());
        } catch (UserRefused e) {
            throw switch (e.reason()) {
                case NOT_FOUND -> ApiError.notFound(e.getMessage());
                case INVALID -> ApiError.badRequest(e.getMessage());
                case EXISTS, NOT_CHANGEABLE -> new ApiError(409, "conflict", e.getMessage());
            };
        }
        return Answer.of(204);
    }

    // ---- virtual hosts

    private Answer ofHosts(Call call) {
        ArrayNode all = Json.array();
        Map<String, Map<String, Long>> limits = server.virtualHostLimits();
        call.visible(broker.virtualHosts()).stream().filter(name -> !limits.get(name).isEmpty())
                .forEach(name -> all.add(json("vhost", name, limits.get(name))));
        return Answer.of(all);
    }

    private String host(Call call) {
        String name = call.virtualHost();
        if (!broker.virtualHosts().contains(name)) {
            throw ApiError.notFound("no vhost '" + name + "'");
        }
        return name;
    }

    private Answer ofHost(Call call) {
        String name = host(call);
        Map<String, Long> limits = server.virtualHostLimits().get(name);
        ArrayNode all = Json.array();
        if (!limits.isEmpty()) {
            all.add(json("vhost", name, limits));
        }
        return Answer.of(all);
    }

    private Answer limitHost(Call call) {
        long most = value(call);
        return change(call, most < 0 ? Optional.empty() : Optional.of(most));
    }

    private Answer change(Call call, Optional<Long> most) {
        String name = host(call);
        try {
            server.limitVirtualHost(call.actor(), name, call.path("limit"), most);
        } catch (IllegalArgumentException e) {
            throw ApiError.badRequest(e.getMessage());
        } catch (IllegalStateException e) {
            throw new ApiError(409, "conflict", e.getMessage());
        }
        return Answer.of(204);
    }
}
