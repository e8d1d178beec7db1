package io.sluicemq.protocol.amqp10.message;

/** The codes of the sections (part 3 §3.2), which are in the order of the sections, and the fields of two of them. */
final class Section {

    static final int HEADER = 0x70;
    static final int DELIVERY_ANNOTATIONS = 0x71;
    static final int MESSAGE_ANNOTATIONS = 0x72;
    static final int PROPERTIES = 0x73;
    static final int APPLICATION_PROPERTIES = 0x74;
    static final int DATA = 0x75;
    static final int AMQP_SEQUENCE = 0x76;
    static final int AMQP_VALUE = 0x77;
    static final int FOOTER = 0x78;

    /** Fields of the header (§3.2.1). */
    static final int DURABLE = 0;

    static final int PRIORITY = 1;
    static final int TTL = 2;
    static final int FIRST_ACQUIRER = 3;
    static final int DELIVERY_COUNT = 4;
    static final int HEADER_FIELDS = 5;

    /** Fields of the properties (§3.2.4). */
    static final int MESSAGE_ID = 0;

    static final int USER_ID = 1;
    static final int TO = 2;
    static final int SUBJECT = 3;
    static final int REPLY_TO = 4;
    static final int CORRELATION_ID = 5;
    static final int CONTENT_TYPE = 6;
    static final int CONTENT_ENCODING = 7;
    static final int ABSOLUTE_EXPIRY_TIME = 8;
    static final int CREATION_TIME = 9;
    static final int GROUP_ID = 10;
    static final int GROUP_SEQUENCE = 11;
    static final int REPLY_TO_GROUP_ID = 12;
    static final int PROPERTIES_FIELDS = 13;

    private static final String[] NAMES = {
        "header",
        "delivery-annotations",
        "message-annotations",
        "properties",
        "application-properties",
        "data",
        "amqp-sequence",
        "amqp-value",
        "footer"
    };

    private Section() {}

    static boolean isSection(long code) {
        return code >= HEADER && code <= FOOTER;
    }

    static boolean isBody(int code) {
        return code >= DATA && code <= AMQP_VALUE;
    }

    static String name(int code) {
        return NAMES[code - HEADER];
    }

    /** The code whose symbolic descriptor (such as {@code amqp:header:list}) is in the range; −1 if none. */
    static int codeOf(byte[] bytes, int from, int to) {
        for (int code = HEADER; code <= FOOTER; code++) {
            if (Encoded.isAscii(bytes, from, to, symbol(code))) {
                return code;
            }
        }
        return -1;
    }

    /** The section's symbolic descriptor. */
    static String symbol(int code) {
        return switch (code) {
            case HEADER, PROPERTIES -> "amqp:" + name(code) + ":list";
            case DATA -> "amqp:data:binary";
            case AMQP_SEQUENCE -> "amqp:amqp-sequence:list";
            case AMQP_VALUE -> "amqp:amqp-value:*";
            default -> "amqp:" + name(code) + ":map";
        };
    }
}
