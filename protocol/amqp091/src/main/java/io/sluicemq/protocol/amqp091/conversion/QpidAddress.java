package io.sluicemq.protocol.amqp091.conversion;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * The binding URLs that Qpid JMS 0-x puts into reply-to, as addresses that others can send to. Pure.
 *
 * <pre>
 *  class "://" exchange "/" [routing key] "/" [queue] [ "?" option "='" value "'" { "&amp;" ... } ]
 * </pre>
 */
final class QpidAddress {

    private static final String KEY = "routingkey='";

    private QpidAddress() {}

    /** A queue's name for a URL of a queue, the address form of RabbitMQ 4 for another; what is no such URL stays as it is. */
    static String toPlain(String address) {
        if (address == null) {
            return null;
        }
        int scheme = address.indexOf("://");
        if (scheme <= 0) {
            return address;
        }
        int options = address.indexOf('?', scheme);
        String[] parts =
                address.substring(scheme + 3, options < 0 ? address.length() : options).split("/", -1);
        if (parts.length != 3) {
            return address;
        }
        String key = parts[1].isEmpty() ? option(address, options) : parts[1];
        boolean queues = parts[0].isEmpty() || parts[0].equals("amq.direct");
        if (queues) {
            String queue = parts[2].isEmpty() ? key : parts[2];
            return queue.isEmpty() ? address : queue;
        }
        return "/exchanges/" + encoded(parts[0]) + (key.isEmpty() ? "" : "/" + encoded(key));
    }

    private static String option(String address, int options) {
        int from = options < 0 ? -1 : address.indexOf(KEY, options);
        int to = from < 0 ? -1 : address.indexOf('\'', from + KEY.length());
        return to < 0 ? "" : address.substring(from + KEY.length(), to);
    }

    private static String encoded(String segment) {
        return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** The queue's name in an address of RabbitMQ 4's form, {@code /queues/name}; another address stays as it is. */
    static String fromAddress(String address) {
        String prefix = "/queues/";
        if (!address.startsWith(prefix) || address.indexOf('/', prefix.length()) >= 0) {
            return address;
        }
        try {
            return URLDecoder.decode(
                    address.substring(prefix.length()).replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return address;
        }
    }
}
