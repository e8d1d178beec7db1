package io.sluicemq.api.operate;

import io.sluicemq.api.ClientDetails;

/**
 * A client that a protocol has brought in.
 *
 * @param name by which it can be closed: {@code 127.0.0.1:50123 -> 127.0.0.1:5672}, and what it calls itself
 * @param protocol such as {@code AMQP 0-9-1}
 * @param product what it says it is; empty if it says nothing
 * @param identity what it calls itself in its virtual host; empty if it doesn't
 * @param connectedMillis since when it is in its virtual host, in milliseconds since 1970
 * @param consumers how many consumers it has
 */
public record ConnectionView(
        String name,
        String virtualHost,
        String user,
        String protocol,
        String product,
        String identity,
        long connectedMillis,
        int loop,
        int consumers,
        ClientDetails details) {}
