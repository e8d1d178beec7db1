package io.sluicemq.management.http;

import io.sluicemq.api.Authenticator.Peer;
import io.sluicemq.api.operate.Login;
import io.sluicemq.api.operate.Operations;
import io.sluicemq.api.operate.Refused;
import io.sluicemq.api.operate.ServerOperations;
import io.sluicemq.api.users.Role;
import io.sluicemq.base.LogEvent;
import io.sluicemq.base.LogLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All that can be asked over HTTP, and how each request comes to its answer: who asks, which route that is, whether they may. It
 * knows no socket. Called by any thread, which it may keep waiting.
 */
public final class HttpApi {

    private static final Logger LOG = LoggerFactory.getLogger(HttpApi.class);
    private static final Duration LOGIN_KNOWN_FOR = Duration.ofSeconds(30);

    private final Router router;
    private final Logins logins;
    private final Duration limit;
    private final Supplier<List<String>> virtualHosts;
    private final LogLimit failures = new LogLimit(TimeUnit.SECONDS.toNanos(10), 10);

    /**
     * @param more routes beside those of the API
     * @param limit how long an answer may take
     */
    public HttpApi(Operations broker, ServerOperations server, List<Route> more, Duration limit) {
        this.limit = limit;
        this.virtualHosts = () -> broker.virtualHosts();
        this.logins = new Logins(server, LOGIN_KNOWN_FOR, limit);
        Survey survey = new Survey(broker);
        List<Route> routes = new ArrayList<>();
        routes.addAll(new BrokerRoutes(broker, server).routes());
        routes.addAll(new UserRoutes(broker, server.users(), logins::forget).routes());
        routes.addAll(new LimitRoutes(broker, server).routes());
        routes.addAll(new QueueRoutes(broker, survey, server.nodeName()).routes());
        routes.addAll(new ExchangeRoutes(broker).routes());
        routes.addAll(new BindingRoutes(broker).routes());
        routes.addAll(new ConnectionRoutes(broker, survey, server.nodeName()).routes());
        routes.addAll(new FlowRoutes(broker, survey, server).routes());
        routes.addAll(new FlowMapRoutes(broker, survey).routes());
        routes.addAll(more);
        routes.add(OpenApi.route(server.version(), () -> router().routes()));
        this.router = new Router(routes);
    }

    private Router router() {
        return router;
    }

    /** All routes. */
    public List<Route> routes() {
        return router.routes();
    }

    /** Users have changed: who was let in has to prove again who they are. */
    public void usersChanged() {
        logins.forget();
    }

    /** The body of a request, which is read only for somebody who may ask what they ask. */
    public interface Body {

        /** A request without one. */
        Body NONE = () -> new byte[0];

        /**
         * Reads it; once.
         *
         * @throws ApiError if it is too large, or there is no room for it
         */
        byte[] read();
    }

    /**
     * A request as it arrived: its body may still be on its way.
     *
     * @param rawPath the path, not decoded
     * @param query the first value of each parameter, decoded
     * @param headers by their names in lower case, the first of each
     */
    public record Request(
            String method, String rawPath, Map<String, String> query, Map<String, String> headers, Body body,
            Peer peer) {}

    /** Where somebody may look who only wants to know whether the broker is well, and need not say who they are. */
    private static final Set<String> HEALTH = Set.of("/health", "/health/");

    /** Answers a request; never fails. */
    public Answer answer(Request request) {
        try {
            return found(request);
        } catch (Router.MethodNotAllowed e) {
            return e.answer();
        } catch (ApiError e) {
            return answer(e);
        } catch (Refused e) {
            return answer(ApiError.of(e.error()));
        } catch (RuntimeException e) {
            long times = failures.take(System.nanoTime());
            if (times > 0) {
                LogEvent.REQUEST_FAILED.log(LOG, "{} {} failed: this is a defect of the broker{}", request.method(),
                        printable(request.rawPath()), times == 1
                                ? ""
                                : " (requests have failed " + (times - 1) + " more times since the last such line)",
                        e);
            }
            return Answer.error(500, "internal_error", "the request has failed; the broker's log says more");
        }
    }

    private static Answer answer(ApiError error) {
        Answer answer = error.answer();
        return error.status() == 401 ? answer.with("WWW-Authenticate", "Basic realm=\"SluiceMQ\"") : answer;
    }

    private Answer found(Request request) {
        Router.Match match;
        try {
            match = router.find(request.method(), request.rawPath());
        } catch (ApiError | Router.MethodNotAllowed e) {
            if (HEALTH.contains(request.rawPath())) {
                throw ApiError.notFound("health is at /health/live and at /health/ready");
            }
            // What there is, and what not, is nobody's business who may not see it.
            logins.of(request.headers().get("authorization"), request.peer());
            throw e;
        }
        Route route = match.route();
        Login login = null;
        if (!route.isOpen()) {
            login = logins.of(request.headers().get("authorization"), request.peer());
            if (!login.may(route.role())) {
                throw ApiError.forbidden(lacking(login.user().name(), route.role()));
            }
        }
        SameOrigin.check(request);
        // From strangers nothing is taken that would have to be kept.
        Body body = login == null ? Body.NONE : request.body();
        return route.handler().handle(new Call(
                route, match.path(), request.query(), request.headers(), body.read(), login,
                request.peer().address(), virtualHosts, limit));
    }

    private static String lacking(String user, Role role) {
        return "user '" + user + "' is not allowed to: it needs the role " + role.word() + ", which an administrator"
                + " gives by 'sluicemq user alter " + user + " --role " + role.word() + "'";
    }

    private static String printable(String path) {
        String shown = path.length() > 200 ? path.substring(0, 200) + "…" : path;
        return shown.replaceAll("[^\\x20-\\x7e…]", "?");
    }
}
