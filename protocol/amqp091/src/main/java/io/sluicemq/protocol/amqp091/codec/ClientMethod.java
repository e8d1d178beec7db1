package io.sluicemq.protocol.amqp091.codec;

/** A method that a client may send, except the four that have callbacks of their own in {@link FrameHandler}. */
public sealed interface ClientMethod permits ConnectionMethod, ChannelMethod {

    /** Which method this is, one of {@link MethodId}: for the class and method id of a close. */
    int id();
}
