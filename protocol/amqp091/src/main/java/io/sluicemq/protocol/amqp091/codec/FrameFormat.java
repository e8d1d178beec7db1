package io.sluicemq.protocol.amqp091.codec;

/** The constants of the frame layout (spec §4.2.3): {@code type(1) channel(2) size(4) payload(size) 0xCE}. */
public final class FrameFormat {

    /** Frame type of a method. */
    public static final int METHOD = 1;
    /** Frame type of a content header. */
    public static final int HEADER = 2;
    /** Frame type of a piece of content body. */
    public static final int BODY = 3;
    /** Frame type of a heartbeat. */
    public static final int HEARTBEAT = 8;
    /** The octet after every payload. */
    public static final byte END = (byte) 0xCE;

    /** Bytes before the payload. */
    public static final int PREFIX = 7;
    /** Bytes of a frame that are not payload. */
    public static final int OVERHEAD = PREFIX + 1;
    /** The frame size every peer accepts before and whatever tuning, in bytes. */
    public static final int MIN_FRAME_MAX = 4096;
    /** Bytes of a content header payload before the property flags: class, weight, body size. */
    static final int CONTENT_HEADER_FIXED = 12;

    private FrameFormat() {}
}
