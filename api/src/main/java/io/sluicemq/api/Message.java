package io.sluicemq.api;

import io.sluicemq.base.Shares;
import java.util.List;
import java.util.Map;

/**
 * A message as it passes through the broker: the sender's header and body bytes untouched, and beside them the few facts
 * that routing and queueing need. Immutable, so any loop may read it and many queues share it.
 *
 * <p>What the broker adds on the way (the dead-letter history) stands beside the bytes as data; a format renders it when the
 * message is sent to a client.
 */
public final class Message {

    /** Bytes that a message takes beside its header and body: this object, its arrays' heads and a queue's entry. */
    public static final int OVERHEAD_BYTES = 220;

    /** Bytes that each further queue's entry takes if several hold it. */
    public static final int ENTRY_BYTES = 106;

    /** {@link #ttlMillis}: it lives as long as its queue lets it. */
    public static final long NO_TTL = -1;

    private final MessageFormat format;
    private final String exchange;
    private final String routingKey;
    private final List<String> extraKeys;
    private final byte[] header;
    private final byte[] body;
    private final boolean durable;
    private final byte priority;
    private final long ttlMillis;
    private final Object publisher;
    private final List<Death> deaths;
    private List<String> hiddenKeys = List.of();
    /** The queues that hold it, if it went to several; set before it is handed to them. */
    private Shares shares;
    /** What it counts for beside its queues; null for nothing. */
    private Charge charge;
    private long notBeforeMillis;
    private long publishedMillis;
    private String group;

    /**
     * @param exchange the exchange it is published to; empty for the default exchange
     * @param extraKeys further routing keys; accessed by index
     * @param header the format's own header bytes; not copied, never changed
     * @param body the body's bytes; not copied, never changed
     * @param priority from 0 to 255
     * @param ttlMillis milliseconds it may wait in a queue, or {@link #NO_TTL}
     * @param publisher the {@link Client} that publishes it, for consumers that want none of their own
     */
    public Message(
            MessageFormat format,
            String exchange,
            String routingKey,
            List<String> extraKeys,
            byte[] header,
            byte[] body,
            boolean durable,
            int priority,
            long ttlMillis,
            Object publisher) {
        this(
                format,
                exchange,
                routingKey,
                extraKeys,
                header,
                body,
                durable,
                priority,
                ttlMillis,
                publisher,
                List.of());
    }

    private Message(
            MessageFormat format,
            String exchange,
            String routingKey,
            List<String> extraKeys,
            byte[] header,
            byte[] body,
            boolean durable,
            int priority,
            long ttlMillis,
            Object publisher,
            List<Death> deaths) {
        this.format = format;
        this.exchange = exchange;
        this.routingKey = routingKey;
        this.extraKeys = extraKeys;
        this.header = header;
        this.body = body;
        this.durable = durable;
        this.priority = (byte) Math.min(priority, 0xFF);
        this.ttlMillis = ttlMillis;
        this.publisher = publisher;
        this.deaths = deaths;
    }

    /** The same message as it is published again after a death: no time-to-live, no publisher, the history given. */
    public Message afterDeath(String exchange, String routingKey, List<String> extraKeys, List<Death> deaths) {
        return new Message(
                format, exchange, routingKey, extraKeys, header, body, durable, priority(), NO_TTL, null, deaths)
                .group(group);
    }

    /** Says, before it is published, when it may be delivered first, in milliseconds since 1970. */
    public Message notBefore(long millis) {
        notBeforeMillis = millis;
        return this;
    }

    /** When it may be delivered first, in milliseconds since 1970; 0 for at once. */
    public long notBeforeMillis() {
        return notBeforeMillis;
    }

    /** Says, before it is handed out, when it was published, in milliseconds since 1970. */
    public Message published(long millis) {
        publishedMillis = millis;
        return this;
    }

    /** When it was published, in milliseconds since 1970; 0 if that is not known. */
    public long publishedMillis() {
        return publishedMillis;
    }

    /** Says, before it is published, which group of messages it belongs to: those go to one consumer, in their order. */
    public Message group(String name) {
        group = name;
        return this;
    }

    /** The group of messages that it belongs to; null for none. */
    public String group() {
        return group;
    }

    public MessageFormat format() {
        return format;
    }

    public String exchange() {
        return exchange;
    }

    public String routingKey() {
        return routingKey;
    }

    /** Adds, before it is published, routing keys that leave no trace in the message. */
    public Message hiddenKeys(List<String> keys) {
        hiddenKeys = keys;
        return this;
    }

    /** Routing keys that no consumer and no dead-letter history gets to see. */
    public List<String> hiddenKeys() {
        return hiddenKeys;
    }

    /** Routing keys beside {@link #routingKey}. */
    public List<String> extraKeys() {
        return extraKeys;
    }

    /** Not to be changed. */
    public byte[] header() {
        return header;
    }

    /** Not to be changed. */
    public byte[] body() {
        return body;
    }

    public boolean durable() {
        return durable;
    }

    public int priority() {
        return priority & 0xFF;
    }

    public long ttlMillis() {
        return ttlMillis;
    }

    public Object publisher() {
        return publisher;
    }

    /** Its deaths, the latest first; empty for a message that never died. */
    public List<Death> deaths() {
        return deaths;
    }

    /** Says, before it is handed out, that {@code holders} will each {@linkplain #releaseShare release} it. */
    public void share(int holders) {
        shares = new Shares(holders);
    }

    /** Whether several hold it, so that its bytes are counted once for all of them. */
    public boolean isShared() {
        return shares != null;
    }

    /** One of several holders lets it go; returns whether it was the last. */
    public boolean releaseShare() {
        return shares.releaseOne();
    }

    /** Says, before it is handed out, what it counts for beside the queues that hold it. */
    public Message charge(Charge counted) {
        charge = counted;
        return this;
    }

    /** What it counts for beside the queues that hold it; null for nothing. */
    public Charge charge() {
        return charge;
    }

    public Map<String, Object> headers() {
        return format.headers(this);
    }

    /** Bytes of memory it takes while it is queued, once. */
    public int sizeBytes() {
        return header.length + body.length + OVERHEAD_BYTES;
    }
}
