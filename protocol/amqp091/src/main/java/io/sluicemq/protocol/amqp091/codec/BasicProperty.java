package io.sluicemq.protocol.amqp091.codec;

/**
 * The properties of a message (spec §1.8.3, class basic) in the order of the wire; the n-th has flag bit 15 − n.
 */
public enum BasicProperty {
    CONTENT_TYPE(Kind.SHORT_STRING),
    CONTENT_ENCODING(Kind.SHORT_STRING),
    HEADERS(Kind.TABLE),
    DELIVERY_MODE(Kind.OCTET),
    PRIORITY(Kind.OCTET),
    CORRELATION_ID(Kind.SHORT_STRING),
    REPLY_TO(Kind.SHORT_STRING),
    EXPIRATION(Kind.SHORT_STRING),
    MESSAGE_ID(Kind.SHORT_STRING),
    TIMESTAMP(Kind.TIMESTAMP),
    TYPE(Kind.SHORT_STRING),
    USER_ID(Kind.SHORT_STRING),
    APP_ID(Kind.SHORT_STRING),
    /** Reserved; was the cluster id. Passed through. */
    CLUSTER_ID(Kind.SHORT_STRING);

    /** How a property is laid out. */
    enum Kind {
        SHORT_STRING,
        TABLE,
        OCTET,
        TIMESTAMP
    }

    final Kind kind;
    final int flag;

    BasicProperty(Kind kind) {
        this.kind = kind;
        this.flag = 0x8000 >>> ordinal();
    }
}
