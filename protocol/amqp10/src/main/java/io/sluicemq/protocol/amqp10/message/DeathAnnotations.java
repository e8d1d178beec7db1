package io.sluicemq.protocol.amqp10.message;

import io.sluicemq.api.Death;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The dead-letter history as an annotation of a message, in RabbitMQ's form: {@code x-opt-deaths}, an array of maps with the
 * latest death first, and beside it {@code x-first-death-*} and {@code x-last-death-*}.
 *
 * <pre>
 *  queue         string                     first-time    timestamp
 *  reason        symbol                     exchange      string
 *  count         ulong                      routing-keys  array of strings
 *                                           ttl           uint, if it was sent with one
 * </pre>
 */
final class DeathAnnotations {

    private static final byte[] DEATHS = IncomingMessage.ascii("x-opt-deaths");
    private static final byte[] QUEUE = IncomingMessage.ascii("queue");
    private static final byte[] REASON = IncomingMessage.ascii("reason");
    private static final byte[] COUNT = IncomingMessage.ascii("count");
    private static final byte[] FIRST_TIME = IncomingMessage.ascii("first-time");
    private static final byte[] EXCHANGE = IncomingMessage.ascii("exchange");
    private static final byte[] ROUTING_KEYS = IncomingMessage.ascii("routing-keys");
    private static final byte[] TTL = IncomingMessage.ascii("ttl");

    /** The names of what a history consists of. */
    private static final List<byte[]> NAMES = List.of(
            DEATHS,
            IncomingMessage.ascii("x-first-death-queue"),
            IncomingMessage.ascii("x-first-death-reason"),
            IncomingMessage.ascii("x-first-death-exchange"),
            IncomingMessage.ascii("x-last-death-queue"),
            IncomingMessage.ascii("x-last-death-reason"),
            IncomingMessage.ascii("x-last-death-exchange"));

    /** More queues than any message passes; keeps a made-up history from costing much. */
    private static final int MOST = 64;

    private static final long MAX_UINT = 0xFFFF_FFFFL;
    private static final int LONGEST_UINT = 10;

    private DeathAnnotations() {}

    /** Whether the symbol at {@code key} names a part of a history. */
    static boolean isOne(byte[] bytes, int key) {
        if (!TypeCode.isSymbol(Encoded.code(bytes, key))) {
            return false;
        }
        for (byte[] name : NAMES) {
            if (Encoded.isText(bytes, key, name)) {
                return true;
            }
        }
        return false;
    }

    /** Whether an annotation of this name is a part of a history. */
    static boolean isOne(String name) {
        for (byte[] part : NAMES) {
            if (Encoded.isAscii(part, 0, part.length, name)) {
                return true;
            }
        }
        return false;
    }

    // ---- writing

    /** Writes the keys and values of a history, which is not empty, into an open map; returns how many items that is. */
    static int write(ValueWriter out, List<Death> deaths) {
        Death last = deaths.getFirst();
        Death first = deaths.getLast();
        out.symbol("x-opt-deaths");
        int array = out.open(TypeCode.ARRAY_32);
        out.octet(TypeCode.MAP_32);
        for (Death death : deaths) {
            write(out, death);
            if (death.firstTimeMillis() < first.firstTimeMillis()) {
                first = death;
            }
        }
        out.close(array, deaths.size());
        out.symbol("x-first-death-queue").string(first.queue());
        out.symbol("x-first-death-reason").string(first.reason().word());
        out.symbol("x-first-death-exchange").string(first.exchange());
        out.symbol("x-last-death-queue").string(last.queue());
        out.symbol("x-last-death-reason").string(last.reason().word());
        out.symbol("x-last-death-exchange").string(last.exchange());
        return 2 * NAMES.size();
    }

    private static void write(ValueWriter out, Death death) {
        int map = out.openElement();
        int items = 12;
        out.symbol("queue").string(death.queue());
        out.symbol("reason").symbol(death.reason().word());
        out.symbol("count").ulong(death.count());
        out.symbol("first-time").timestamp(death.firstTimeMillis());
        out.symbol("exchange").string(death.exchange());
        out.symbol("routing-keys");
        writeTexts(out, death.routingKeys());
        long ttl = milliseconds(death.originalExpiration());
        if (ttl >= 0 && ttl <= MAX_UINT) {
            out.symbol("ttl").uint(ttl);
            items += 2;
        }
        out.close(map, items);
    }

    private static void writeTexts(ValueWriter out, List<String> texts) {
        int array = out.open(TypeCode.ARRAY_32);
        out.octet(TypeCode.STRING_32);
        for (String text : texts) {
            byte[] octets = text.getBytes(StandardCharsets.UTF_8);
            out.fourOctets(octets.length).copy(octets, 0, octets.length);
        }
        out.close(array, texts.size());
    }

    private static long milliseconds(String expiration) {
        if (expiration == null || expiration.isEmpty() || expiration.length() > LONGEST_UINT) {
            return -1;
        }
        long value = 0;
        for (int i = 0; i < expiration.length(); i++) {
            int digit = expiration.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            value = value * 10 + digit;
        }
        return value;
    }

    // ---- reading what a sender claims

    /** The deaths in the message-annotations at {@code map}, or −1 for none; what makes no sense is left out. */
    static List<Death> claimed(byte[] bytes, int map) {
        int array = map < 0 ? -1 : Encoded.mapped(bytes, map, DEATHS);
        if (array < 0) {
            return List.of();
        }
        int code = Encoded.code(bytes, array);
        List<Death> deaths = new ArrayList<>();
        if (TypeCode.isArray(code)) {
            int constructor = Encoded.firstItem(bytes, array);
            int element = Encoded.code(bytes, constructor);
            int at = constructor + 1;
            for (int left = TypeCode.isMap(element) ? Math.min(MOST, Encoded.items(bytes, array)) : 0; left > 0;
                    left--) {
                // The map lies as it would behind its own constructor, only that another octet is there.
                add(deaths, bytes, at - 1, element);
                at = Encoded.end(bytes, at, element);
            }
        } else if (TypeCode.isList(code)) {
            int at = Encoded.firstItem(bytes, array);
            for (int left = Math.min(MOST, Encoded.items(bytes, array)); left > 0; left--) {
                if (TypeCode.isMap(Encoded.code(bytes, at))) {
                    add(deaths, bytes, at, Encoded.code(bytes, at));
                }
                at = Encoded.end(bytes, at);
            }
        }
        return deaths;
    }

    private static void add(List<Death> deaths, byte[] bytes, int map, int code) {
        int first = TypeCode.width(code) == TypeCode.SIZE_8 ? map + 3 : map + 1 + 2 * Integer.BYTES;
        int items = TypeCode.width(code) == TypeCode.SIZE_8
                ? Encoded.code(bytes, map + 2)
                : Encoded.intAt(bytes, map + 1 + Integer.BYTES);
        String queue = null;
        Death.Reason reason = null;
        long count = 0;
        long time = 0;
        String exchange = "";
        List<String> keys = List.of();
        String ttl = null;
        int at = first;
        for (int left = items; left > 0; left -= 2) {
            int value = Encoded.end(bytes, at);
            boolean named = isText(bytes, at);
            if (named && isText(bytes, value)) {
                if (Encoded.isText(bytes, at, QUEUE)) {
                    queue = Encoded.text(bytes, value);
                } else if (Encoded.isText(bytes, at, REASON)) {
                    reason = reason(Encoded.text(bytes, value));
                } else if (Encoded.isText(bytes, at, EXCHANGE)) {
                    exchange = Encoded.text(bytes, value);
                }
            } else if (named && Encoded.isInteger(bytes, value)) {
                if (Encoded.isText(bytes, at, COUNT)) {
                    count = Encoded.integer(bytes, value);
                } else if (Encoded.isText(bytes, at, FIRST_TIME)) {
                    time = Encoded.integer(bytes, value);
                } else if (Encoded.isText(bytes, at, TTL)) {
                    ttl = Long.toString(Encoded.integer(bytes, value));
                }
            } else if (named && Encoded.isText(bytes, at, ROUTING_KEYS) && Texts.isAt(bytes, value)) {
                keys = Texts.at(bytes, value);
            }
            at = Encoded.end(bytes, value);
        }
        if (queue != null && reason != null && count > 0) {
            deaths.add(new Death(queue, reason, count, time, exchange, keys, ttl, true));
        }
    }

    private static boolean isText(byte[] bytes, int at) {
        int code = Encoded.code(bytes, at);
        return TypeCode.isString(code) || TypeCode.isSymbol(code);
    }

    private static Death.Reason reason(String word) {
        for (Death.Reason reason : Death.Reason.values()) {
            if (reason.word().equals(word)) {
                return reason;
            }
        }
        return null;
    }
}
