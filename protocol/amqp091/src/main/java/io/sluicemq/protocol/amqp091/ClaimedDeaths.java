package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.Death;
import io.sluicemq.api.value.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Reads the dead-letter history that a client has put into a message itself, by sending on the headers of one it received.
 * Entries that are none are left out, for a client may write anything there. Stateless.
 */
final class ClaimedDeaths {

    /** More queues than any message passes; keeps a made-up history from costing much. */
    private static final int MOST = 64;

    private ClaimedDeaths() {}

    /** @param header the value of x-death, or null */
    static List<Death> of(Object header) {
        if (!(header instanceof List<?> entries)) {
            return List.of();
        }
        List<Death> deaths = new ArrayList<>();
        for (Object entry : entries) {
            if (entry instanceof Map<?, ?> table && deaths.size() < MOST) {
                Death death = of(table);
                if (death != null) {
                    deaths.add(death);
                }
            }
        }
        return deaths;
    }

    private static Death of(Map<?, ?> table) {
        Death.Reason reason = reason(table.get("reason"));
        if (reason == null
                || !(table.get("queue") instanceof String queue)
                || !(table.get("exchange") instanceof String exchange)
                || !(table.get("count") instanceof Long count)
                || count < 1
                || !(table.get("time") instanceof Timestamp time)) {
            return null;
        }
        List<String> keys = table.get("routing-keys") instanceof List<?> list
                ? list.stream().filter(String.class::isInstance).map(String.class::cast).toList()
                : List.of();
        String expiration = table.get("original-expiration") instanceof String text ? text : null;
        return new Death(queue, reason, count, TimeUnit.SECONDS.toMillis(time.epochSeconds()), exchange, keys,
                expiration, true);
    }

    private static Death.Reason reason(Object word) {
        for (Death.Reason reason : Death.Reason.values()) {
            if (reason.word().equals(word)) {
                return reason;
            }
        }
        return null;
    }
}
