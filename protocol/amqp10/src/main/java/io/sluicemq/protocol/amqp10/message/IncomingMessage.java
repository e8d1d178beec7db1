package io.sluicemq.protocol.amqp10.message;

import io.sluicemq.api.Message;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * What the broker has to know of a message that a client sends: where its sections are (part 3 §3.2) and a few of their fields.
 * One instance reads one message after the other, without making an object; what it says holds until the next {@link #read}, as
 * long as the bytes do. Used by one loop.
 *
 * <p>Whatever the bytes are, they are a message or there is a {@link MessageFault}: sections in their order and number, values
 * well formed at every depth, header and properties with fields of the right types. A message without a body is one
 * for us: it is passed on as it came.
 */
public final class IncomingMessage {

    /** {@link #ttlMillis}, {@link #deliveryTimeMillis}, {@link #deliveryDelayMillis}, {@link #absoluteExpiryMillis}: none. */
    public static final long NONE = -1;

    /** What a message's priority is if it says nothing (§3.2.1). */
    public static final int DEFAULT_PRIORITY = 4;

    static final byte[] DELIVERY_TIME = ascii("x-opt-delivery-time");
    static final byte[] DELIVERY_DELAY = ascii("x-opt-delivery-delay");
    /** RabbitMQ's list of further routing keys. */
    static final byte[] CC = ascii("x-cc");

    /** What kind of node {@code to} is, as the clients of JMS say it. */
    static final byte[] JMS_DESTINATION = ascii("x-opt-jms-dest");

    private static final byte[] NO_BYTES = {};

    private final ValueCheck check = new ValueCheck();
    private final int[] properties = new int[Section.PROPERTIES_FIELDS];
    private byte[] bytes = NO_BYTES;
    private int from;
    private int to;
    private int deliveryAnnotationsFrom;
    private int deliveryAnnotationsTo;
    private int bodyFrom;
    private boolean hasBody;
    /** The body, if it has an array of its own already. */
    private byte[] ownBody;
    private boolean durable;
    private int priority;
    private long ttlMillis;
    private long deliveryCount;
    private int deliveryTimeAt;
    private int deliveryDelayAt;
    private int ccAt;
    private int destinationAt;

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Reads the message in {@code message[offset, offset + length)}.
     *
     * @throws MessageFault if there is none; what this instance says is then meaningless
     */
    public IncomingMessage read(byte[] message, int offset, int length) throws MessageFault {
        begin(message, offset, offset + length);
        scan(0);
        return this;
    }

    /** Reads a message whose sections from the first of the body on are in an array that is to be the message's own. */
    IncomingMessage read(byte[] head, int headLength, byte[] body, int bodyLength) throws MessageFault {
        begin(body, 0, bodyLength);
        scan(Section.APPLICATION_PROPERTIES);
        boolean withBody = hasBody;
        begin(head, 0, headLength);
        scan(0);
        hasBody |= withBody;
        if (bodyLength > 0) {
            ownBody = body.length == bodyLength ? body : Arrays.copyOf(body, bodyLength);
        }
        return this;
    }

    /** Lets go of the bytes, which may be many; what this instance says is then meaningless. */
    public void clear() {
        begin(NO_BYTES, 0, 0);
    }

    private void begin(byte[] message, int start, int end) {
        bytes = message;
        from = start;
        to = end;
        deliveryAnnotationsFrom = from;
        deliveryAnnotationsTo = from;
        bodyFrom = to;
        hasBody = false;
        ownBody = null;
        durable = false;
        priority = DEFAULT_PRIORITY;
        ttlMillis = NONE;
        deliveryCount = 0;
        deliveryTimeAt = -1;
        deliveryDelayAt = -1;
        ccAt = -1;
        destinationAt = -1;
        Arrays.fill(properties, -1);
        check.begin(bytes, to);
    }

    /** Reads the sections, which come after one of the code {@code before}. */
    private void scan(int before) throws MessageFault {
        int at = from;
        int last = before;
        while (at < to) {
            int section = check.section(at);
            checkOrder(last, section);
            if (section >= Section.DATA && bodyFrom == to) {
                bodyFrom = at;
                hasBody = Section.isBody(section);
            }
            int end = sectionEnd(section, check.sectionValue(at));
            if (section == Section.DELIVERY_ANNOTATIONS) {
                deliveryAnnotationsFrom = at;
                deliveryAnnotationsTo = end;
            }
            at = end;
            last = section;
        }
    }

    /** §3.2: the order of the sections; data and sequences may be several, and there is one kind of body. */
    private static void checkOrder(int last, int section) throws MessageFault {
        boolean another = section == last && (section == Section.DATA || section == Section.AMQP_SEQUENCE);
        if (section <= last && !another) {
            throw new MessageFault("a section " + Section.name(section) + " after a section " + Section.name(last));
        }
        if (!another && Section.isBody(section) && Section.isBody(last)) {
            throw new MessageFault("a message has both " + Section.name(last) + " and " + Section.name(section));
        }
    }

    private int sectionEnd(int section, int value) throws MessageFault {
        return switch (section) {
            case Section.HEADER -> header(value);
            case Section.PROPERTIES -> properties(value);
            case Section.DELIVERY_ANNOTATIONS, Section.MESSAGE_ANNOTATIONS, Section.FOOTER ->
                annotations(section, value);
            case Section.APPLICATION_PROPERTIES -> applicationProperties(value);
            case Section.DATA -> check.binaryEnd(value);
            case Section.AMQP_SEQUENCE -> check.listEnd(value);
            case Section.AMQP_VALUE -> check.end(value);
            default -> throw new IllegalArgumentException("no section");
        };
    }

    private int header(int list) throws MessageFault {
        int end = check.outerEnd(list, false);
        int items = Encoded.items(bytes, list);
        if (items > Section.HEADER_FIELDS) {
            throw new MessageFault("a header has " + items + " fields");
        }
        int at = Encoded.firstItem(bytes, list);
        for (int i = 0; i < items; i++) {
            int next = check.itemEnd(at, end);
            int code = Encoded.code(bytes, at);
            if (code != TypeCode.NULL) {
                headerField(i, code, at);
            }
            at = next;
        }
        check.filled(at, end);
        return end;
    }

    private void headerField(int field, int code, int at) throws MessageFault {
        boolean right = switch (field) {
            case Section.DURABLE, Section.FIRST_ACQUIRER -> TypeCode.isBoolean(code);
            case Section.PRIORITY -> code == TypeCode.UBYTE;
            default -> TypeCode.isUint(code);
        };
        if (!right) {
            throw wrongType("header", field);
        }
        switch (field) {
            case Section.DURABLE -> durable = Encoded.bool(bytes, at);
            case Section.PRIORITY -> priority = (int) Encoded.integer(bytes, at);
            case Section.TTL -> ttlMillis = Encoded.integer(bytes, at);
            case Section.DELIVERY_COUNT -> deliveryCount = Encoded.integer(bytes, at);
            default -> { /* who acquires it first is known here */ }
        }
    }

    private static MessageFault wrongType(String section, int field) {
        return new MessageFault("field " + (field + 1) + " of the " + section + " has a wrong type");
    }

    private int properties(int list) throws MessageFault {
        int end = check.outerEnd(list, false);
        int items = Encoded.items(bytes, list);
        if (items > Section.PROPERTIES_FIELDS) {
            throw new MessageFault("the properties have " + items + " fields");
        }
        int at = Encoded.firstItem(bytes, list);
        for (int i = 0; i < items; i++) {
            int next = check.itemEnd(at, end);
            int code = Encoded.code(bytes, at);
            if (code != TypeCode.NULL) {
                if (!fitsProperty(i, code)) {
                    throw wrongType("properties", i);
                }
                properties[i] = at;
            }
            at = next;
        }
        check.filled(at, end);
        return end;
    }

    private static boolean fitsProperty(int field, int code) {
        return switch (field) {
            case Section.MESSAGE_ID, Section.CORRELATION_ID ->
                TypeCode.isString(code) || TypeCode.isUlong(code) || code == TypeCode.UUID || TypeCode.isBinary(code);
            case Section.USER_ID -> TypeCode.isBinary(code);
            case Section.CONTENT_TYPE, Section.CONTENT_ENCODING -> TypeCode.isSymbol(code);
            case Section.ABSOLUTE_EXPIRY_TIME, Section.CREATION_TIME -> code == TypeCode.TIMESTAMP;
            case Section.GROUP_SEQUENCE -> TypeCode.isUint(code);
            default -> TypeCode.isString(code);
        };
    }

    /** Annotations and footers: keys are symbols, or numbers that are reserved (§3.2.10). */
    private int annotations(int section, int map) throws MessageFault {
        int end = check.outerEnd(map, true);
        int at = Encoded.firstItem(bytes, map);
        for (int left = Encoded.items(bytes, map); left > 0; left -= 2) {
            int value = check.itemEnd(at, end);
            int code = Encoded.code(bytes, at);
            if (!TypeCode.isSymbol(code) && !TypeCode.isUlong(code)) {
                throw new MessageFault("a key of the " + Section.name(section) + " is no symbol");
            }
            int next = check.itemEnd(value, end);
            if (section == Section.MESSAGE_ANNOTATIONS && TypeCode.isSymbol(code) && !Encoded.isNull(bytes, value)) {
                annotation(at, value);
            }
            at = next;
        }
        check.filled(at, end);
        return end;
    }

    private void annotation(int key, int value) throws MessageFault {
        if (Encoded.isText(bytes, key, DELIVERY_TIME)) {
            deliveryTimeAt = integerAt(value, "x-opt-delivery-time");
        } else if (Encoded.isText(bytes, key, DELIVERY_DELAY)) {
            deliveryDelayAt = integerAt(value, "x-opt-delivery-delay");
        } else if (Encoded.isText(bytes, key, JMS_DESTINATION)) {
            destinationAt = value;
        } else if (Encoded.isText(bytes, key, CC)) {
            if (!Texts.isAt(bytes, value)) {
                throw new MessageFault("the annotation x-cc is not a list of strings");
            }
            ccAt = value;
        }
    }

    private int integerAt(int value, String annotation) throws MessageFault {
        if (!Encoded.isInteger(bytes, value)) {
            throw new MessageFault("the annotation " + annotation + " is not a number of milliseconds");
        }
        return value;
    }

    private int applicationProperties(int map) throws MessageFault {
        int end = check.outerEnd(map, true);
        int at = Encoded.firstItem(bytes, map);
        for (int left = Encoded.items(bytes, map); left > 0; left -= 2) {
            int value = check.itemEnd(at, end);
            if (!TypeCode.isString(Encoded.code(bytes, at))) {
                throw new MessageFault("a key of the application-properties is no string");
            }
            at = check.itemEnd(value, end);
        }
        check.filled(at, end);
        return end;
    }

    // ---- what it says

    /** Whether it is to outlive the broker; false if it says nothing. */
    public boolean durable() {
        return durable;
    }

    /** 0 to 255, though more than 9 is undefined; {@link #DEFAULT_PRIORITY} if it says nothing. */
    public int priority() {
        return priority;
    }

    /** Its time-to-live, to 2^32 − 1 milliseconds; {@link #NONE} if it says nothing. */
    public long ttlMillis() {
        return ttlMillis;
    }

    /** How often, as the sender says, it was delivered in vain before. */
    public long deliveryCount() {
        return deliveryCount;
    }

    /** When it may be delivered first, in milliseconds since 1970; {@link #NONE} if it says nothing. */
    public long deliveryTimeMillis() {
        return deliveryTimeAt < 0 ? NONE : Math.max(0, Encoded.integer(bytes, deliveryTimeAt));
    }

    /** How long it is not to be delivered, in milliseconds; {@link #NONE} if it says nothing. */
    public long deliveryDelayMillis() {
        return deliveryDelayAt < 0 ? NONE : Math.max(0, Encoded.integer(bytes, deliveryDelayAt));
    }

    /** When it expires, in milliseconds since 1970; {@link #NONE} if it says nothing. */
    public long absoluteExpiryMillis() {
        int at = properties[Section.ABSOLUTE_EXPIRY_TIME];
        return at < 0 ? NONE : Math.max(0, Encoded.integer(bytes, at));
    }

    /** The node that it is for, or null. */
    public String to() {
        return text(Section.TO);
    }

    /** What it is about, or null; by convention the routing key on a link to an exchange. */
    public String subject() {
        return text(Section.SUBJECT);
    }

    /** The node that answers go to, or null. */
    public String replyTo() {
        return text(Section.REPLY_TO);
    }

    /** The group of messages that it belongs to, or null. */
    public String groupId() {
        return text(Section.GROUP_ID);
    }

    /** Who claims to have sent it, or null. */
    public byte[] userId() {
        int at = properties[Section.USER_ID];
        return at < 0 ? null : Encoded.octets(bytes, at);
    }

    private String text(int field) {
        int at = properties[field];
        return at < 0 ? null : Encoded.text(bytes, at);
    }

    /** The further routing keys of the annotation {@code x-cc}, which RabbitMQ's clients know. */
    public List<String> extraKeys() {
        return ccAt < 0 ? List.of() : Texts.at(bytes, ccAt);
    }

    /** What kind of node {@link #to} is by the annotation {@code x-opt-jms-dest}; null if that says nothing. */
    public Byte jmsDestination() {
        if (destinationAt < 0 || !Encoded.isInteger(bytes, destinationAt)) {
            return null;
        }
        return (byte) Encoded.integer(bytes, destinationAt);
    }

    /** Bytes that it takes. */
    public int sizeBytes() {
        return to - from + (ownBody == null ? 0 : ownBody.length);
    }

    /** The same with bytes of its own, which stay when those that were read are overwritten. */
    public IncomingMessage copy() throws MessageFault {
        byte[] own = Arrays.copyOfRange(bytes, from, to);
        return ownBody == null
                ? new IncomingMessage().read(own, 0, own.length)
                : new IncomingMessage().read(own, own.length, ownBody, ownBody.length);
    }

    /** Whether there is nothing but a body, and perhaps a footer. */
    boolean bodyOnly() {
        return bodyFrom == from && hasBody();
    }

    /** Whether there is a body section. */
    public boolean hasBody() {
        return hasBody;
    }

    // ---- the message

    /**
     * The message as it goes through the broker: its header holds the sections before the body, as they were sent but without
     * delivery-annotations, which are for us (§3.2.2); its body those from there on. It expires after its ttl or at its
     * absolute-expiry-time, whichever is sooner.
     *
     * @param publisher the {@link io.sluicemq.api.Client} that publishes it
     * @param nowMillis the present time in milliseconds since 1970
     */
    public Message toMessage(String exchange, String routingKey, Object publisher, long nowMillis) {
        byte[] body = ownBody == null ? Arrays.copyOfRange(bytes, bodyFrom, to) : ownBody;
        Message message = new Message(
                Amqp10Format.INSTANCE,
                exchange,
                routingKey,
                extraKeys(),
                header(),
                body,
                durable,
                priority,
                timeToLive(nowMillis),
                publisher);
        if (deliveryTimeAt >= 0) {
            message.notBefore(deliveryTimeMillis());
        } else if (deliveryDelayAt >= 0 && deliveryDelayMillis() > 0) {
            message.notBefore(later(nowMillis, deliveryDelayMillis()));
        }
        if (properties[Section.GROUP_ID] >= 0) {
            message.group(groupId());
        }
        return message;
    }

    private byte[] header() {
        int first = deliveryAnnotationsFrom - from;
        int second = bodyFrom - deliveryAnnotationsTo;
        byte[] header = new byte[first + second];
        System.arraycopy(bytes, from, header, 0, first);
        System.arraycopy(bytes, deliveryAnnotationsTo, header, first, second);
        return header;
    }

    private long timeToLive(long nowMillis) {
        int at = properties[Section.ABSOLUTE_EXPIRY_TIME];
        if (at < 0) {
            return ttlMillis == NONE ? Message.NO_TTL : ttlMillis;
        }
        long left = Math.max(0, absoluteExpiryMillis() - nowMillis);
        return ttlMillis == NONE ? left : Math.min(left, ttlMillis);
    }

    private static long later(long nowMillis, long delayMillis) {
        long time = nowMillis + delayMillis;
        return time < 0 ? Long.MAX_VALUE : time;
    }
}
