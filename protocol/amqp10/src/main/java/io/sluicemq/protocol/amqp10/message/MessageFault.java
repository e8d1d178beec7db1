package io.sluicemq.protocol.amqp10.message;

/** That bytes are no message of AMQP 1.0; its text is for the client, with the condition {@code amqp:decode-error}. */
public final class MessageFault extends Exception {

    private static final long serialVersionUID = 1L;

    MessageFault(String message) {
        super(message, null, false, false);
    }
}
