package io.sluicemq.management.metrics;

import io.sluicemq.api.operate.Operations;
import io.sluicemq.api.operate.ServerOperations;
import io.sluicemq.api.users.Role;
import io.sluicemq.management.http.Answer;
import io.sluicemq.management.http.ApiError;
import io.sluicemq.management.http.Call;
import io.sluicemq.management.http.Route;
import java.util.List;

/** {@code /metrics}. Called by any thread, which may wait. */
public final class MetricsRoutes implements AutoCloseable {

    private final Operations broker;
    private final MetricsOptions options;
    private final Gatherer gatherer;
    private final JvmMetrics jvm = new JvmMetrics();

    public MetricsRoutes(Operations broker, ServerOperations server, MetricsOptions options) {
        this.broker = broker;
        this.options = options;
        this.gatherer = new Gatherer(broker, server, options);
    }

    public List<Route> routes() {
        String summary = "What is measured, in the text format of Prometheus, or of OpenMetrics for who accepts that";
        return List.of(options.open()
                ? Route.open("/metrics", summary, this::metrics)
                : Route.get("/metrics", Role.MONITOR, summary, this::metrics));
    }

    private Answer metrics(Call call) {
        if (!options.open() && !broker.virtualHosts().stream().allMatch(call.login().user()::mayUse)) {
            throw ApiError.forbidden("the metrics tell of all virtual hosts, and user '" + call.login().user().name()
                    + "' may not use all of them");
        }
        Exposition format = Exposition.accepted(call.header("accept"));
        Gathered gathered = call.await(gatherer.gather());
        return Answer.of(format.contentType(), format.bytes(gathered, jvm.scrape()));
    }

    /** Ends what it has begun in the JVM. */
    @Override
    public void close() {
        jvm.close();
    }
}
