package io.sluicemq.protocol.amqp10.terminus;

import io.sluicemq.api.Client.QueueSpec;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * What a subscription is to, and which of its messages it wants. They are arguments of the subscription's queue, so that they live
 * as long as it does, and the queue keeps only what is wanted:
 *
 * <pre>
 * x-topic      the topic, or the exchange
 * x-key        the key it was bound with, if one was asked for
 * x-filter     a selector, as text
 * x-no-local   the container whose messages are not wanted
 * x-shared     true, if several links may share it
 * </pre>
 *
 * @param key null for all
 * @param selector null for all
 * @param noLocal null if all are wanted
 */
record Terms(String topic, String key, String selector, String noLocal, boolean shared) {

    private static final String TOPIC = QueueSpec.SUBSCRIBES_TO;
    private static final String KEY = QueueSpec.SUBSCRIBES_WITH_KEY;
    private static final String FILTER = "x-filter";
    private static final String NO_LOCAL = "x-no-local";
    private static final String SHARED = "x-shared";

    /** The terms of a queue; its topic is null if it is no subscription's. */
    static Terms of(Map<String, Object> arguments) {
        return new Terms(
                text(arguments, TOPIC), text(arguments, KEY), text(arguments, FILTER), text(arguments, NO_LOCAL),
                Boolean.TRUE.equals(arguments.get(SHARED)));
    }

    private static String text(Map<String, Object> arguments, String name) {
        return Objects.toString(arguments.get(name), null);
    }

    Map<String, Object> arguments() {
        Map<String, Object> arguments = new HashMap<>(NewQueues.WITH_PRIORITIES);
        arguments.put(TOPIC, topic);
        put(arguments, KEY, key);
        put(arguments, FILTER, selector);
        put(arguments, NO_LOCAL, noLocal);
        put(arguments, SHARED, shared ? true : null);
        return arguments;
    }

    private static void put(Map<String, Object> arguments, String name, Object value) {
        if (value != null) {
            arguments.put(name, value);
        }
    }
}
