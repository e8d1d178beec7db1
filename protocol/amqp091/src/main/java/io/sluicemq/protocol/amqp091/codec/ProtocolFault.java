package io.sluicemq.protocol.amqp091.codec;

/**
 * Why a peer's bytes were refused, in the words of connection.close or channel.close. Immutable data.
 *
 * @param code       the reply code
 * @param text       the reply text; the encoder cuts it to 255 bytes
 * @param classId    the class of the method that failed, 0 if none did
 * @param methodId   the method that failed, 0 if none did
 * @param streamLost whether the frame boundaries can no longer be trusted: then no close-ok can be read either, so
 *                   the connection may be told of the fault but must not be waited for
 */
public record ProtocolFault(ReplyCode code, String text, int classId, int methodId, boolean streamLost) {

    /** A fault in well delimited bytes, at the given method ({@link MethodId}; 0 for none). */
    public static ProtocolFault at(int method, ReplyCode code, String text) {
        return new ProtocolFault(code, text, MethodId.classOf(method), MethodId.methodOf(method), false);
    }

    /** Whether the connection, and not only the channel, has to be closed. */
    public boolean hard() {
        return code.hard();
    }
}
