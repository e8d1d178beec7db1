package io.sluicemq.management.http;

import io.sluicemq.api.operate.Actor;
import io.sluicemq.api.operate.Login;
import io.sluicemq.api.operate.Refused;
import io.sluicemq.api.users.Role;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A request that is being answered; used by the one thread that does. */
public final class Call {

    private final Route route;
    private final Map<String, String> path;
    private final Map<String, String> query;
    private final Map<String, String> headers;
    private final byte[] body;
    private final Login login;
    private final String peer;
    private final Supplier<List<String>> virtualHosts;
    private final long deadlineNanos;
    private ObjectNode json;

    /**
     * @param path the values of the path's names
     * @param query the first value of each parameter
     * @param headers by their names in lower case
     * @param login null if the route needs none
     * @param peer the remote address, for people
     * @param virtualHosts all there are
     */
    Call(
            Route route, Map<String, String> path, Map<String, String> query, Map<String, String> headers, byte[] body,
            Login login, String peer, Supplier<List<String>> virtualHosts, Duration limit) {
        this.route = route;
        this.path = path;
        this.query = query;
        this.headers = headers;
        this.body = body;
        this.login = login;
        this.peer = peer;
        this.virtualHosts = virtualHosts;
        this.deadlineNanos = System.nanoTime() + limit.toNanos();
    }

    public Route route() {
        return route;
    }

    /** Who asks; null if the route needs no login. */
    public Login login() {
        return login;
    }

    /** Who asks, for the broker. */
    public Actor actor() {
        return new Actor(login.user(), peer);
    }

    /** A segment of the path, by its name in the route. */
    public String path(String name) {
        String value = path.get(name);
        if (value == null) {
            throw new IllegalArgumentException(route.path() + " has no " + name);
        }
        return value;
    }

    /** The virtual host of the path, which the user may use. Whether it is there, only an administrator is told who may not. */
    public String virtualHost() {
        String name = path("vhost");
        if (!login.user().mayUse(name)) {
            if (login.may(Role.ADMINISTRATOR) && !virtualHosts.get().contains(name)) {
                throw ApiError.notFound("no vhost '" + name + "'");
            }
            String user = login.user().name();
            throw ApiError.forbidden("user '" + user + "' may not use vhost '" + name + "': an administrator lets them"
                    + " by 'sluicemq user grant " + user + " --virtual-host " + name + "', with --configure, --write or"
                    + " --read for more than to look");
        }
        return name;
    }

    /** A parameter of the query; null if it isn't there, or is empty. */
    public String query(String name) {
        String value = query.get(name);
        return value == null || value.isEmpty() ? null : value;
    }

    public boolean flag(String name) {
        String value = query(name);
        if (value == null || value.equals("false")) {
            return false;
        }
        if (value.equals("true")) {
            return true;
        }
        throw ApiError.badRequest(name + " is '" + value + "': expected true or false");
    }

    /** A number of the query, within bounds. */
    public int number(String name, int least, int most, int otherwise) {
        String value = query(name);
        if (value == null) {
            return otherwise;
        }
        try {
            int number = Integer.parseInt(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw ApiError.badRequest(name + " is '" + value + "': expected a number from " + least + " to " + most);
        }
        throw ApiError.badRequest(name + " is " + value + ": expected a number from " + least + " to " + most);
    }

    /** A header of the request; null if it isn't there. */
    public String header(String name) {
        return headers.get(name.toLowerCase(java.util.Locale.ROOT));
    }

    /** The body's bytes. */
    public byte[] body() {
        return body;
    }

    /** The body as a JSON object; an empty one if there is no body. */
    public ObjectNode json() {
        if (json == null) {
            json = Json.read(body);
        }
        return json;
    }

    /** A text of the body. */
    public String text(String name, String otherwise) {
        JsonNode value = json().path(name);
        if (value.isMissingNode() || value.isNull()) {
            return otherwise;
        }
        if (!value.isString()) {
            throw ApiError.badRequest(name + " is " + value + ": expected a string");
        }
        return value.asString();
    }

    /** A text of the body that has to be there. */
    public String text(String name) {
        String value = text(name, null);
        if (value == null) {
            throw ApiError.badRequest(name + " is missing in the body");
        }
        return value;
    }

    /** A flag of the body; also as text, as some tools write it. */
    public boolean flag(String name, boolean otherwise) {
        JsonNode value = json().path(name);
        if (value.isMissingNode() || value.isNull()) {
            return otherwise;
        }
        if (value.isBoolean()) {
            return value.asBoolean();
        }
        if (value.isString() && (value.asString().equals("true") || value.asString().equals("false"))) {
            return value.asString().equals("true");
        }
        throw ApiError.badRequest(name + " is " + value + ": expected true or false");
    }

    /** A number of the body, within bounds; also as text, as some tools write it. */
    public long bodyNumber(String name, long least, long most, long otherwise) {
        JsonNode value = json().path(name);
        if (value.isMissingNode() || value.isNull()) {
            return otherwise;
        }
        long number = least - 1;
        if (value.isIntegralNumber() && value.canConvertToLong()) {
            number = value.asLong();
        } else if (value.isString() && value.asString().matches("-?\\d{1,18}")) {
            number = Long.parseLong(value.asString());
        }
        if (number < least || number > most) {
            throw ApiError.badRequest(name + " is " + value + ": expected a number from " + least + " to " + most);
        }
        return number;
    }

    /** An object of the body, as clients of protocols send such; empty if it isn't there. */
    public Map<String, Object> arguments(String name) {
        JsonNode value = json().path(name);
        if (value.isMissingNode() || value.isNull() || value.isArray() && value.isEmpty()) {
            return Map.of();
        }
        if (!value.isObject()) {
            throw ApiError.badRequest(name + " is " + value + ": expected an object");
        }
        return Json.plainMap(value);
    }

    /** Waits for what the broker answers. One that takes too long is given up. */
    public <T> T await(CompletableFuture<T> answer) {
        try {
            return answer.get(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            answer.cancel(false);
            Thread.currentThread().interrupt();
            throw new ApiError(503, "unavailable", "the server stops");
        } catch (TimeoutException e) {
            answer.cancel(false);
            throw new ApiError(
                    503, "timeout", "the broker has not answered in time; what was asked for is given up");
        } catch (ExecutionException e) {
            throw cause(e.getCause());
        }
    }

    private static RuntimeException cause(Throwable failure) {
        return switch (failure) {
            case Refused refused -> ApiError.of(refused.error());
            case CompletionException e when e.getCause() != null -> cause(e.getCause());
            case RuntimeException e -> e;
            default -> new IllegalStateException("the broker has failed: this is a defect", failure);
        };
    }

    /** The virtual hosts of {@code all} that the user may use. */
    public List<String> visible(List<String> all) {
        return all.stream().filter(login.user()::mayUse).toList();
    }
}
