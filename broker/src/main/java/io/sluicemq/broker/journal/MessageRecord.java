package io.sluicemq.broker.journal;

import io.sluicemq.api.Death;
import io.sluicemq.api.Message;
import io.sluicemq.api.MessageFormat;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A message as it was published, once for all the queues that it went to.
 *
 * <pre>
 *  0       1          2            4           8                 16          24
 *  +-------+----------+------------+-----------+-----------------+-----------+- - - - - - - - - - -+
 *  | flags | priority | queueCount | bodyBytes | publishedMillis | ttlMillis | queueCount ids (i64) |
 *  |  u8   |    u8    |    u16     |    i32    |       i64       |    i64    |                      |
 *  +-------+----------+------------+-----------+-----------------+-----------+- - - - - - - - - - -+
 *  +- - - - - - - - - - - - -+- - - -+- - - - - - -+- - - - - -+-------------------+- - - - +- - - +
 *  | [notBeforeMillis (i64)] | names | [extraKeys] | [deaths]  | headerBytes (i32) | header | body |
 *  +- - - - - - - - - - - - -+- - - -+- - - - - - -+- - - - - -+-------------------+- - - - +- - - +
 *
 *  flags      1: there are extraKeys; 2: there are deaths; 4: not persistent; 8: it is of a group, which its header names;
 *             16: there is notBeforeMillis
 *  ttlMillis  -1: none
 *  names      format(text) exchange(text) routingKey(text)
 *  extraKeys  count(varint) text*
 *  deaths     count(varint) death*, the latest first
 *  death      flags(u8; 1: claimed, 2: with an originalExpiration) reason(u8) count(varint) firstTimeMillis(i64)
 *             queue(text) exchange(text) routingKeyCount(varint) routingKey(text)* [originalExpiration(text)]
 *  reason     1 rejected, 2 expired, 3 maxlen, 4 delivery_limit
 *  text       bytes(varint) UTF-8
 *  body       the rest, bodyBytes long
 * </pre>
 *
 * <p>What recovery needs is at fixed places, so that it reads neither names nor body. The publisher and the hidden keys are not
 * kept: they matter to nothing after the routing. Pure.
 */
public final class MessageRecord {

    private static final int PRIORITY_AT = 1;
    private static final int QUEUE_COUNT_AT = 2;
    private static final int BODY_BYTES_AT = 4;
    private static final int PUBLISHED_AT = 8;
    private static final int TTL_AT = 16;
    private static final int QUEUES_AT = 24;

    private static final int EXTRA_KEYS = 1;
    private static final int DEATHS = 2;
    private static final int TRANSIENT = 4;
    private static final int GROUPED = 8;
    private static final int DELAYED = 16;

    private static final int CLAIMED = 1;
    private static final int EXPIRATION = 2;

    private static final int MAX_PRIORITY = 0xFF;
    /** The most queues that a record has room to name. */
    public static final int MAX_QUEUES = 0xFFFF;

    private MessageRecord() {}

    // ---- writing -------------------------------------------------------------------------------------------------------

    /** The encoded names: the same for all messages of a format with the same exchange and routing key. */
    public static byte[] names(Message message) {
        String format = message.format().name();
        ByteBuffer names = ByteBuffer.allocate(Numbers.textBytes(format)
                + Numbers.textBytes(message.exchange())
                + Numbers.textBytes(message.routingKey()));
        Numbers.putText(names, format);
        Numbers.putText(names, message.exchange());
        Numbers.putText(names, message.routingKey());
        return names.array();
    }

    /** Bytes of the payload. */
    public static int length(Message message, byte[] names, int queues) {
        int length = QUEUES_AT + Long.BYTES * queues + names.length + Integer.BYTES;
        if (message.notBeforeMillis() != 0) {
            length += Long.BYTES;
        }
        if (!message.extraKeys().isEmpty()) {
            length += textsBytes(message.extraKeys());
        }
        if (!message.deaths().isEmpty()) {
            length += deathsBytes(message.deaths());
        }
        return Math.addExact(length, Math.addExact(message.header().length, message.body().length));
    }

    private static int textsBytes(List<String> texts) {
        int bytes = Numbers.varintBytes(texts.size());
        for (int i = 0; i < texts.size(); i++) {
            bytes += Numbers.textBytes(texts.get(i));
        }
        return bytes;
    }

    private static int deathsBytes(List<Death> deaths) {
        int bytes = Numbers.varintBytes(deaths.size());
        for (Death death : deaths) {
            bytes += 2
                    + Numbers.varintBytes(death.count())
                    + Long.BYTES
                    + Numbers.textBytes(death.queue())
                    + Numbers.textBytes(death.exchange())
                    + textsBytes(death.routingKeys());
            if (death.originalExpiration() != null) {
                bytes += Numbers.textBytes(death.originalExpiration());
            }
        }
        return bytes;
    }

    /**
     * Writes the payload at the position of {@code target}, which moves behind it.
     *
     * @param names what {@link #names} returns for such a message
     * @param queueIds the queues it goes to, in the first {@code queues} elements
     * @param publishedMillis when it was published, in milliseconds since 1970
     * @throws IllegalArgumentException if there are more than {@link #MAX_QUEUES} queues, or the priority is above 255
     */
    public static void encode(
            ByteBuffer target, Message message, byte[] names, long[] queueIds, int queues, long publishedMillis) {
        if (queues > MAX_QUEUES || message.priority() < 0 || message.priority() > MAX_PRIORITY) {
            throw new IllegalArgumentException(
                    "no record for " + queues + " queues and the priority " + message.priority());
        }
        boolean extraKeys = !message.extraKeys().isEmpty();
        boolean deaths = !message.deaths().isEmpty();
        target.put((byte) ((extraKeys ? EXTRA_KEYS : 0) | (deaths ? DEATHS : 0) | (message.durable() ? 0 : TRANSIENT)
                | (message.group() == null ? 0 : GROUPED)
                | (message.notBeforeMillis() == 0 ? 0 : DELAYED)));
        target.put((byte) message.priority());
        Numbers.putShort(target, queues);
        Numbers.putInt(target, message.body().length);
        Numbers.putLong(target, publishedMillis);
        Numbers.putLong(target, message.ttlMillis());
        for (int i = 0; i < queues; i++) {
            Numbers.putLong(target, queueIds[i]);
        }
        if (message.notBeforeMillis() != 0) {
            Numbers.putLong(target, message.notBeforeMillis());
        }
        target.put(names);
        if (extraKeys) {
            putTexts(target, message.extraKeys());
        }
        if (deaths) {
            putDeaths(target, message.deaths());
        }
        Numbers.putInt(target, message.header().length);
        target.put(message.header());
        target.put(message.body());
    }

    private static void putTexts(ByteBuffer target, List<String> texts) {
        Numbers.putVarint(target, texts.size());
        for (int i = 0; i < texts.size(); i++) {
            Numbers.putText(target, texts.get(i));
        }
    }

    private static void putDeaths(ByteBuffer target, List<Death> deaths) {
        Numbers.putVarint(target, deaths.size());
        for (Death death : deaths) {
            String expiration = death.originalExpiration();
            target.put((byte) ((death.claimed() ? CLAIMED : 0) | (expiration == null ? 0 : EXPIRATION)));
            target.put(code(death.reason()));
            Numbers.putVarint(target, death.count());
            Numbers.putLong(target, death.firstTimeMillis());
            Numbers.putText(target, death.queue());
            Numbers.putText(target, death.exchange());
            putTexts(target, death.routingKeys());
            if (expiration != null) {
                Numbers.putText(target, expiration);
            }
        }
    }

    private static byte code(Death.Reason reason) {
        return switch (reason) {
            case REJECTED -> 1;
            case EXPIRED -> 2;
            case MAX_LENGTH -> 3;
            case DELIVERY_LIMIT -> 4;
        };
    }

    // ---- reading what is at fixed places; the payload is from p's position to its limit, and neither changes ---------------

    /**
     * Checks that the parts at fixed places are there, which the methods after this one take for granted.
     *
     * @throws BadRecord if the payload is too short for them and for the body, or they make no sense
     */
    public static void check(ByteBuffer p) throws BadRecord {
        Numbers.require(p, QUEUES_AT);
        int bodyBytes = bodyBytes(p);
        if (bodyBytes < 0 || namesAt(p) + bodyBytes > p.remaining()) {
            throw new BadRecord("a message to " + queueCount(p) + " queues with a body of " + bodyBytes + " bytes in "
                    + p.remaining() + " bytes");
        }
        if (ttlMillis(p) < Message.NO_TTL) {
            throw new BadRecord("a message that lives for " + ttlMillis(p) + " ms");
        }
    }

    public static int queueCount(ByteBuffer p) {
        return Numbers.unsignedShortAt(p, p.position() + QUEUE_COUNT_AT);
    }

    /** The id of the queue {@code i}, from 0 to {@link #queueCount} − 1. */
    public static long queueId(ByteBuffer p, int i) {
        return Numbers.longAt(p, p.position() + QUEUES_AT + Long.BYTES * i);
    }

    public static int bodyBytes(ByteBuffer p) {
        return Numbers.intAt(p, p.position() + BODY_BYTES_AT);
    }

    public static int priority(ByteBuffer p) {
        return p.get(p.position() + PRIORITY_AT) & 0xFF;
    }

    /** When it was published, in milliseconds since 1970. */
    public static long publishedMillis(ByteBuffer p) {
        return Numbers.longAt(p, p.position() + PUBLISHED_AT);
    }

    /** Milliseconds it may wait in a queue, or {@link Message#NO_TTL}. */
    public static long ttlMillis(ByteBuffer p) {
        return Numbers.longAt(p, p.position() + TTL_AT);
    }

    /** When it may be delivered first, in milliseconds since 1970; 0 for at once. */
    public static long notBeforeMillis(ByteBuffer p) {
        return isDelayed(p) ? Numbers.longAt(p, p.position() + QUEUES_AT + Long.BYTES * queueCount(p)) : 0;
    }

    private static boolean isDelayed(ByteBuffer p) {
        return (p.get(p.position()) & DELAYED) != 0;
    }

    /** Where the names begin, from the payload's start. */
    private static long namesAt(ByteBuffer p) {
        return QUEUES_AT + (long) Long.BYTES * queueCount(p) + (isDelayed(p) ? Long.BYTES : 0);
    }

    // ---- reading what is behind the names ------------------------------------------------------------------------------

    /**
     * The length of the header.
     *
     * @throws BadRecord if the payload, which was {@linkplain #check checked}, ends before it or has none like that
     */
    public static int headerBytes(ByteBuffer p) throws BadRecord {
        int start = p.position();
        try {
            int flags = p.get(start);
            p.position(start + (int) namesAt(p));
            for (int names = 0; names < 3; names++) {
                Numbers.skipText(p);
            }
            if ((flags & EXTRA_KEYS) != 0) {
                skipTexts(p);
            }
            if ((flags & DEATHS) != 0) {
                readDeaths(p);
            }
            int bytes = Numbers.readInt(p);
            if (bytes < 0 || bytes > p.remaining()) {
                throw new BadRecord("a header of " + bytes + " bytes where " + p.remaining() + " are left");
            }
            return bytes;
        } finally {
            p.position(start);
        }
    }

    private static void skipTexts(ByteBuffer p) throws BadRecord {
        for (int left = Numbers.readVarint(p, p.remaining()); left > 0; left--) {
            Numbers.skipText(p);
        }
    }

    // ---- reading all ----------------------------------------------------------------------------------------------------

    /**
     * The message, without a publisher.
     *
     * @param formats the format of a name, or null if there is none
     * @throws BadRecord if the payload is malformed, or of a format that is not known
     */
    public static Message decode(ByteBuffer p, Function<String, MessageFormat> formats) throws BadRecord {
        int start = p.position();
        try {
            return read(p, formats);
        } finally {
            p.position(start);
        }
    }

    private static Message read(ByteBuffer p, Function<String, MessageFormat> formats) throws BadRecord {
        check(p);
        int flags = p.get(p.position());
        if ((flags & ~(EXTRA_KEYS | DEATHS | TRANSIENT | GROUPED | DELAYED)) != 0) {
            throw new BadRecord("a message with the flags " + (flags & 0xFF));
        }
        int bodyBytes = bodyBytes(p);
        int priority = priority(p);
        long ttlMillis = ttlMillis(p);
        long notBeforeMillis = notBeforeMillis(p);
        long publishedMillis = publishedMillis(p);
        p.position(p.position() + (int) namesAt(p));
        String formatName = Numbers.readText(p);
        MessageFormat format = formats.apply(formatName);
        if (format == null) {
            throw new BadRecord("a message of the format '" + formatName + "', which is not known");
        }
        String exchange = Numbers.readText(p);
        String routingKey = Numbers.readText(p);
        List<String> extraKeys = (flags & EXTRA_KEYS) == 0 ? List.of() : readTexts(p);
        List<Death> deaths = (flags & DEATHS) == 0 ? List.of() : readDeaths(p);
        byte[] header = Numbers.readBytes(p, Numbers.readInt(p));
        if (p.remaining() != bodyBytes) {
            throw new BadRecord("a body of " + bodyBytes + " bytes where " + p.remaining() + " are left");
        }
        byte[] body = Numbers.readBytes(p, bodyBytes);
        Message message = new Message(
                format, exchange, routingKey, extraKeys, header, body, (flags & TRANSIENT) == 0, priority, ttlMillis,
                null);
        if ((flags & GROUPED) != 0) {
            message.group(format.group(message));
        }
        message.notBefore(notBeforeMillis);
        if (deaths.isEmpty()) {
            return message.published(publishedMillis);
        }
        if (ttlMillis != Message.NO_TTL) {
            throw new BadRecord("a message that has died and lives for " + ttlMillis + " ms");
        }
        return message.afterDeath(exchange, routingKey, extraKeys, deaths).published(publishedMillis);
    }

    private static List<String> readTexts(ByteBuffer p) throws BadRecord {
        // Each takes a byte at least.
        int count = Numbers.readVarint(p, p.remaining());
        List<String> texts = new ArrayList<>(Math.min(count, 16));
        for (int i = 0; i < count; i++) {
            texts.add(Numbers.readText(p));
        }
        return List.copyOf(texts);
    }

    private static List<Death> readDeaths(ByteBuffer p) throws BadRecord {
        int count = Numbers.readVarint(p, p.remaining());
        List<Death> deaths = new ArrayList<>(Math.min(count, 16));
        for (int i = 0; i < count; i++) {
            deaths.add(readDeath(p));
        }
        return List.copyOf(deaths);
    }

    private static Death readDeath(ByteBuffer p) throws BadRecord {
        int flags = Numbers.readByte(p);
        if ((flags & ~(CLAIMED | EXPIRATION)) != 0) {
            throw new BadRecord("a death with the flags " + (flags & 0xFF));
        }
        Death.Reason reason = reason(Numbers.readByte(p));
        long count = Numbers.readVarint(p);
        long firstTimeMillis = Numbers.readLong(p);
        String queue = Numbers.readText(p);
        String exchange = Numbers.readText(p);
        List<String> routingKeys = readTexts(p);
        String expiration = (flags & EXPIRATION) == 0 ? null : Numbers.readText(p);
        return new Death(
                queue, reason, count, firstTimeMillis, exchange, routingKeys, expiration, (flags & CLAIMED) != 0);
    }

    private static Death.Reason reason(int code) throws BadRecord {
        return switch (code) {
            case 1 -> Death.Reason.REJECTED;
            case 2 -> Death.Reason.EXPIRED;
            case 3 -> Death.Reason.MAX_LENGTH;
            case 4 -> Death.Reason.DELIVERY_LIMIT;
            default -> throw new BadRecord("a death for the reason " + code);
        };
    }
}
