package io.sluicemq.management.http;

import io.sluicemq.api.operate.Operations;
import io.sluicemq.api.users.PermissionPatterns;
import io.sluicemq.api.users.Role;
import io.sluicemq.api.users.UserChange;
import io.sluicemq.api.users.UserDirectory;
import io.sluicemq.api.users.UserRefused;
import io.sluicemq.api.users.UserView;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Who may log in, and what they may do: seen, and changed as far as it stands in the broker's file of users. */
final class UserRoutes {

    private static final String USER = "/api/users/{name}";
    private static final String PERMISSION = "/api/permissions/{vhost}/{name}";
    private static final String REGEX = "regex:";
    private static final PermissionPatterns ALL =
            new PermissionPatterns(List.of("#"), List.of("#"), List.of("#"));

    private final Operations broker;
    private final UserDirectory users;
    private final Runnable changed;

    /** @param changed run when users have changed */
    UserRoutes(Operations broker, UserDirectory users, Runnable changed) {
        this.broker = broker;
        this.users = users;
        this.changed = changed;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/api/users", Role.ADMINISTRATOR, "All users who may log in", this::all),
                Route.get(USER, Role.ADMINISTRATOR, "A user", this::one),
                Route.put(USER, Role.ADMINISTRATOR, "Makes a user, or changes one",
                        "`password`, `tags` (monitor, operator or administrator; empty for none), `loopback_only`",
                        this::put),
                Route.delete(USER, Role.ADMINISTRATOR, "Removes a user", this::delete),
                Route.get(USER + "/permissions", Role.ADMINISTRATOR, "What a user may do", this::ofUser),
                Route.get("/api/permissions", Role.ADMINISTRATOR, "What all users may do", this::permissions),
                Route.get(PERMISSION, Role.ADMINISTRATOR, "What a user may do in a virtual host", this::permission),
                Route.put(PERMISSION, Role.ADMINISTRATOR, "Says what a user may do in a virtual host",
                        "`configure`, `write`, `read`: regular expressions of names", this::grant),
                Route.delete(PERMISSION, Role.ADMINISTRATOR, "Takes all permissions in a virtual host", this::revoke));
    }

    private static String by(Call call) {
        return call.login().user().name() + " (" + call.actor().peer() + ")";
    }

    private UserView find(Call call) {
        return users.find(call.path("name"))
                .orElseThrow(() -> ApiError.notFound("no user '" + call.path("name") + "'"));
    }

    private Answer change(Runnable change, int status) {
        try {
            change.run();
        } catch (UserRefused e) {
            throw switch (e.reason()) {
                case NOT_FOUND -> ApiError.notFound(e.getMessage());
                case INVALID -> ApiError.badRequest(e.getMessage());
                case EXISTS, NOT_CHANGEABLE -> new ApiError(409, "conflict", e.getMessage());
            };
        }
        changed.run();
        return Answer.of(status);
    }

    // ---- users

    private Answer all(Call call) {
        ArrayNode all = Json.array();
        users.list().forEach(user -> all.add(json(user)));
        return Answer.of(all);
    }

    private Answer one(Call call) {
        return Answer.of(json(find(call)));
    }

    private static ObjectNode json(UserView user) {
        ObjectNode json = Json.object().put("name", user.name());
        ArrayNode tags = json.putArray("tags");
        user.role().ifPresent(role -> tags.add(Shapes.word(role)));
        return json.put("loopback_only", user.loopbackOnly())
                .put("has_password", user.hasPassword())
                .put("changeable", user.changeable());
    }

    private Answer put(Call call) {
        boolean there = users.find(call.path("name")).isPresent();
        String password = call.text("password", null);
        JsonNode loopback = call.json().path("loopback_only");
        UserChange change = new UserChange(
                password == null ? null : Optional.of(password), role(call.json().path("tags")),
                loopback.isMissingNode() ? null : (Boolean) call.flag("loopback_only", false));
        return change(() -> users.put(call.path("name"), change, by(call)), there ? 204 : 201);
    }

    /** The highest that tags name, those of RabbitMQ among them; null if there are none. */
    private static Optional<Role> role(JsonNode tags) {
        if (tags.isMissingNode()) {
            return null;
        }
        List<String> names = new ArrayList<>();
        if (tags.isArray()) {
            tags.forEach(each -> names.add(each.asString("")));
        } else {
            names.addAll(List.of(tags.asString("").split(",")));
        }
        Role highest = null;
        for (String name : names) {
            Role role = switch (name.strip().toLowerCase(Locale.ROOT)) {
                case "administrator" -> Role.ADMINISTRATOR;
                case "operator", "management", "policymaker" -> Role.OPERATOR;
                case "monitor", "monitoring" -> Role.MONITOR;
                case "" -> null;
                default -> throw ApiError.badRequest(
                        "there is no tag '" + name.strip() + "': expected monitor, operator or administrator");
            };
            if (role != null && (highest == null || role.includes(highest))) {
                highest = role;
            }
        }
        return Optional.ofNullable(highest);
    }

    private Answer delete(Call call) {
        find(call);
        return change(() -> users.remove(call.path("name"), by(call)), 204);
    }

    // ---- permissions

    private List<ObjectNode> permissionsOf(UserView user) {
        List<ObjectNode> all = new ArrayList<>();
        for (String host : broker.virtualHosts()) {
            PermissionPatterns patterns = user.permissions().isEmpty() ? ALL : user.permissions().get().get(host);
            if (patterns != null) {
                all.add(json(user.name(), host, patterns));
            }
        }
        return all;
    }

    private ObjectNode json(String user, String host, PermissionPatterns patterns) {
        return Json.object()
                .put("user", user)
                .put("vhost", host)
                .put("configure", regex(patterns.configure()))
                .put("write", regex(patterns.write()))
                .put("read", regex(patterns.read()));
    }

    private String regex(List<String> patterns) {
        return patterns.equals(List.of("#")) ? ".*" : users.regex(patterns);
    }

    private Answer ofUser(Call call) {
        return Answer.of(Json.array().addAll(permissionsOf(find(call))));
    }

    private Answer permissions(Call call) {
        ArrayNode all = Json.array();
        users.list().forEach(user -> all.addAll(permissionsOf(user)));
        return Answer.of(all);
    }

    private Answer permission(Call call) {
        return Answer.of(permissionsOf(find(call)).stream()
                .filter(each -> each.path("vhost").asString().equals(call.path("vhost")))
                .findFirst()
                .orElseThrow(() -> ApiError.notFound(
                        "user '" + call.path("name") + "' has no permissions in vhost '" + call.path("vhost") + "'")));
    }

    private Answer grant(Call call) {
        String host = call.path("vhost");
        if (!broker.virtualHosts().contains(host)) {
            throw ApiError.notFound("no vhost '" + host + "'");
        }
        UserView user = find(call);
        boolean there = user.permissions().map(Map::keySet).map(hosts -> hosts.contains(host)).orElse(true);
        PermissionPatterns patterns = new PermissionPatterns(
                patterns(call.text("configure")), patterns(call.text("write")), patterns(call.text("read")));
        return change(() -> users.grant(user.name(), host, patterns, by(call)), there ? 204 : 201);
    }

    /** A regular expression as patterns: none for one that means no name. */
    private static List<String> patterns(String regex) {
        return switch (regex) {
            case "", "^$" -> List.of();
            case ".*" -> List.of("#");
            default -> List.of(REGEX + regex);
        };
    }

    private Answer revoke(Call call) {
        find(call);
        return change(() -> users.revoke(call.path("name"), call.path("vhost"), by(call)), 204);
    }
}
