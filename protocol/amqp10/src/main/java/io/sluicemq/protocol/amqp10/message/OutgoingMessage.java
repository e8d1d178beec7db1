package io.sluicemq.protocol.amqp10.message;

import io.netty.buffer.ByteBuf;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.LateBytes;
import io.sluicemq.api.Message;
import io.sluicemq.api.PortableMessage;
import java.nio.ByteBuffer;

/**
 * A message as it is sent for a {@link Delivery}: a header section of our own (§3.2.1), and all that its sender wrote, byte by
 * byte. Only a message that has died is changed beyond the header: its history is put into the message-annotations, and the
 * absolute-expiry-time, at which its receiver would drop it, is taken out of the properties. Messages of other formats are put
 * into the form of this one.
 *
 * <p>It consists of three parts that lie one behind the other: {@code prefix}, which is made here, and ranges of the message's
 * own header and body, which are not copied before they are written. One instance may serve one delivery after the other; for
 * bytes that are written late there has to be one of their own. Used by one loop.
 */
public final class OutgoingMessage implements LateBytes {

    /** Bytes of a header with all that it may have, and some. */
    private static final int HEADER_BYTES = 32;

    private static final long MAX_TTL = 0xFFFF_FFFFL;
    private static final byte[] NO_BYTES = {};

    private final ValueWriter prefix = new ValueWriter(HEADER_BYTES);
    private byte[] head = NO_BYTES;
    private int headFrom;
    private int headTo;
    private byte[] body = NO_BYTES;
    private int bodyFrom;
    private int bodyTo;

    /**
     * Becomes what is sent for {@code delivery}.
     *
     * @param nowMillis the present time in milliseconds since 1970
     */
    public OutgoingMessage of(Delivery delivery, long nowMillis) {
        Message message = delivery.message();
        prefix.clear();
        if (message.format() == Amqp10Format.INSTANCE) {
            ownFormat(delivery, message, nowMillis);
        } else {
            otherFormat(delivery, message, nowMillis);
        }
        return this;
    }

    /** Lets go of the message, which may be a large one, when it is written. */
    public void clear() {
        prefix.clear();
        head = NO_BYTES;
        headFrom = 0;
        headTo = 0;
        body = NO_BYTES;
        bodyFrom = 0;
        bodyTo = 0;
    }

    private void otherFormat(Delivery delivery, Message message, long nowMillis) {
        PortableMessage portable = message.format().portable(message);
        header(delivery, portable.priority() == null ? -1 : portable.priority(), nowMillis);
        FromPortable.writeBeforeBody(prefix, portable, message);
        PortableMessage.Body.Data own = FromPortable.writeBody(prefix, portable.body());
        head = NO_BYTES;
        headFrom = 0;
        headTo = 0;
        body = own.bytes();
        bodyFrom = own.from();
        bodyTo = own.from() + own.length();
    }

    private void ownFormat(Delivery delivery, Message message, long nowMillis) {
        head = message.header();
        headTo = head.length;
        body = message.body();
        bodyFrom = 0;
        bodyTo = body.length;
        int header = head.length > 0 && Encoded.section(head, 0) == Section.HEADER ? Encoded.end(head, 1) : -1;
        int priorityAt = header < 0 ? -1 : Encoded.field(head, header, Section.PRIORITY);
        header(delivery, priorityAt < 0 ? -1 : message.priority(), nowMillis);
        headFrom = header < 0 ? 0 : Encoded.end(head, header);
        if (!message.deaths().isEmpty()) {
            addDeaths(message);
        }
    }

    /** @param priority -1 to leave it out */
    private void header(Delivery delivery, int priority, long nowMillis) {
        long ttl = timeLeft(delivery, nowMillis);
        int count = delivery.deliveryCount();
        int fields = count > 0 ? 5 : 4;
        prefix.section(Section.HEADER).octet(TypeCode.LIST_8).octet(0).octet(fields);
        int start = prefix.length();
        prefix.bool(delivery.message().durable());
        if (priority < 0) {
            prefix.nothing();
        } else {
            prefix.ubyte(priority);
        }
        if (ttl < 0) {
            prefix.nothing();
        } else {
            // Always as long: a delivery of several frames has the same length whenever it is asked for.
            prefix.octet(TypeCode.UINT).fourOctets((int) ttl);
        }
        prefix.bool(!delivery.acquiredBefore() && count == 0);
        if (count > 0) {
            prefix.uint(count);
        }
        prefix.bytes()[start - 2] = (byte) (prefix.length() - start + 1);
    }

    /** What is left of the time-to-live that the message was sent with, in milliseconds; -1 if it has none, or too much. */
    private static long timeLeft(Delivery delivery, long nowMillis) {
        if (delivery.message().ttlMillis() == Message.NO_TTL || delivery.expiresAtMillis() == Delivery.NEVER) {
            return -1;
        }
        long left = Math.max(0, delivery.expiresAtMillis() - nowMillis);
        return left > MAX_TTL ? -1 : left;
    }

    // ---- what a death changes

    private void addDeaths(Message message) {
        int at = headFrom;
        int annotations = -1;
        if (at < headTo && Encoded.section(head, at) == Section.MESSAGE_ANNOTATIONS) {
            annotations = Encoded.end(head, at + 1);
            at = Encoded.end(head, annotations);
        }
        prefix.section(Section.MESSAGE_ANNOTATIONS);
        int map = prefix.open(TypeCode.MAP_32);
        int kept = annotations < 0 ? 0 : keepAnnotations(annotations);
        prefix.close(map, kept + DeathAnnotations.write(prefix, message.deaths()));
        headFrom = at;
        if (at < headTo && Encoded.section(head, at) == Section.PROPERTIES) {
            int properties = Encoded.end(head, at + 1);
            if (Encoded.field(head, properties, Section.ABSOLUTE_EXPIRY_TIME) >= 0) {
                withoutExpiry(properties);
                headFrom = Encoded.end(head, properties);
            }
        }
    }

    private int keepAnnotations(int map) {
        int kept = 0;
        int at = Encoded.firstItem(head, map);
        for (int left = Encoded.items(head, map); left > 0; left -= 2) {
            int end = Encoded.end(head, Encoded.end(head, at));
            if (!DeathAnnotations.isOne(head, at)) {
                prefix.copy(head, at, end);
                kept += 2;
            }
            at = end;
        }
        return kept;
    }

    private void withoutExpiry(int properties) {
        prefix.section(Section.PROPERTIES);
        int list = prefix.open(TypeCode.LIST_32);
        int items = Encoded.items(head, properties);
        int at = Encoded.firstItem(head, properties);
        for (int i = 0; i < items; i++) {
            int end = Encoded.end(head, at);
            if (i == Section.ABSOLUTE_EXPIRY_TIME) {
                prefix.nothing();
            } else {
                prefix.copy(head, at, end);
            }
            at = end;
        }
        prefix.close(list, items);
    }

    // ---- the bytes

    @Override
    public long length() {
        return (long) prefix.length() + (headTo - headFrom) + (bodyTo - bodyFrom);
    }

    @Override
    public void copy(long position, ByteBuffer target) {
        long at = position;
        at += copy(at, prefix.bytes(), 0, prefix.length(), target);
        at += copy(at - prefix.length(), head, headFrom, headTo, target);
        copy(at - prefix.length() - (headTo - headFrom), body, bodyFrom, bodyTo, target);
    }

    private static int copy(long position, byte[] part, int from, int to, ByteBuffer target) {
        if (position < 0 || position >= to - from) {
            return 0;
        }
        int start = from + (int) position;
        int length = Math.min(to - start, target.remaining());
        target.put(part, start, length);
        return length;
    }

    /** Writes {@code length} of the bytes from {@code position} on, all of which there have to be. */
    public void write(long position, int length, ByteBuf out) {
        long at = position;
        int left = length;
        int written = write(at, prefix.bytes(), 0, prefix.length(), left, out);
        at += written;
        left -= written;
        written = write(at - prefix.length(), head, headFrom, headTo, left, out);
        at += written;
        left -= written;
        left -= write(at - prefix.length() - (headTo - headFrom), body, bodyFrom, bodyTo, left, out);
        if (left != 0) {
            throw new IndexOutOfBoundsException("there are no " + length + " bytes from " + position);
        }
    }

    private static int write(long position, byte[] part, int from, int to, int most, ByteBuf out) {
        if (position < 0 || position >= to - from) {
            return 0;
        }
        int start = from + (int) position;
        int length = Math.min(to - start, most);
        out.writeBytes(part, start, length);
        return length;
    }
}
