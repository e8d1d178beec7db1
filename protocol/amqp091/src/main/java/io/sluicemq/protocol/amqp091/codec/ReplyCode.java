package io.sluicemq.protocol.amqp091.codec;

/**
 * The reply codes of AMQP 0-9-1 (spec §1.8.1 and the RabbitMQ extensions), immutable.
 *
 * <p>The soft/hard split is the specification's: a soft error closes the channel, a hard one the connection.
 */
public enum ReplyCode {
    /** Not an error: the code of an orderly close. */
    REPLY_SUCCESS(200, false),
    CONTENT_TOO_LARGE(311, false),
    /** Of basic.return only: no queue was bound for a mandatory message (a RabbitMQ and 0-8 code). */
    NO_ROUTE(312, false),
    NO_CONSUMERS(313, false),
    CONNECTION_FORCED(320, true),
    INVALID_PATH(402, true),
    ACCESS_REFUSED(403, false),
    NOT_FOUND(404, false),
    RESOURCE_LOCKED(405, false),
    PRECONDITION_FAILED(406, false),
    FRAME_ERROR(501, true),
    SYNTAX_ERROR(502, true),
    COMMAND_INVALID(503, true),
    CHANNEL_ERROR(504, true),
    UNEXPECTED_FRAME(505, true),
    /** Hard in the specification, though brokers also send it in channel.close; the sender chooses. */
    RESOURCE_ERROR(506, true),
    NOT_ALLOWED(530, true),
    NOT_IMPLEMENTED(540, true),
    INTERNAL_ERROR(541, true);

    private final int code;
    private final boolean hard;

    ReplyCode(int code, boolean hard) {
        this.code = code;
        this.hard = hard;
    }

    /** The number on the wire. */
    public int code() {
        return code;
    }

    /** Whether the specification closes the connection (true) or only the channel (false) for it. */
    public boolean hard() {
        return hard;
    }
}
