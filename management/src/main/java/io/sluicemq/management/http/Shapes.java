package io.sluicemq.management.http;

import io.sluicemq.api.operate.LimitsView;
import io.sluicemq.api.operate.Rates;
import java.util.Locale;
import tools.jackson.databind.node.ObjectNode;

/** Shapes that several answers have. Stateless. */
final class Shapes {

    private Shapes() {}

    /** RabbitMQ's {@code message_stats}. */
    static ObjectNode stats(Rates rates) {
        ObjectNode stats = Json.object();
        stat(stats, "publish", rates.in(), rates.inRate());
        stat(stats, "deliver_get", rates.out(), rates.outRate());
        stat(stats, "ack", rates.acknowledged(), rates.acknowledgedRate());
        return stats;
    }

    private static void stat(ObjectNode stats, String name, long sum, double rate) {
        stats.put(name, sum);
        stats.putObject(name + "_details").put("rate", rounded(rate));
    }

    /** With one digit behind the point: more is noise. */
    static double rounded(double rate) {
        return Math.round(rate * 10) / 10.0;
    }

    static ObjectNode limits(LimitsView limits) {
        ObjectNode json = Json.object().put("policy", limits.policy());
        limit(json, "max_size_bytes", limits.maxBytes());
        limit(json, "max_messages", limits.maxMessages());
        limit(json, "page_limit_bytes", limits.pageLimitBytes());
        return json;
    }

    /** A number that isn't there, which is negative, is null. */
    static void limit(ObjectNode json, String name, long value) {
        if (value < 0) {
            json.putNull(name);
        } else {
            json.put(name, value);
        }
    }

    /** An enum's name as the API writes it. */
    static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
