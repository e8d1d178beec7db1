package io.sluicemq.hostile.large;

import java.io.IOException;
import java.util.function.LongConsumer;

/**
 * One connection on which small messages go to a queue and come back, or large ones, or both, each kind on a session or channel of its
 * own. What is opened is opened before anything is sent. Then one thread may send small messages while another works with large
 * ones; a thread of the connection's own reads, and tells of small ones.
 */
sealed interface Conversation extends AutoCloseable permits Amqp10Conversation, Amqp091Conversation {

    /**
     * Opens what small messages need.
     *
     * @param arrived gets the number that a message was sent with
     */
    void openSmall(LongConsumer arrived) throws IOException;

    /** Opens what large messages need. */
    void openLarge() throws IOException;

    /** All is open: reads from now on. */
    void begin();

    /** Sends a small transient message with a number in it; waits first if the broker has given no credit for it. */
    void sendSmall(long number) throws IOException, InterruptedException;

    /** Sends a large message, and waits until the broker has said that it has it. */
    void sendLarge(int bytes, boolean durable) throws IOException, InterruptedException;

    /** Receives a large message and acknowledges it. */
    void receiveLarge(int bytes) throws IOException, InterruptedException;

    @Override
    void close() throws IOException;

    /** The protocol of one. */
    enum Protocol {
        AMQP_1_0("AMQP 1.0"),
        AMQP_0_9_1("AMQP 0-9-1");

        private final String inWords;

        Protocol(String inWords) {
            this.inWords = inWords;
        }

        Conversation open(int port) throws IOException {
            return switch (this) {
                case AMQP_1_0 -> new Amqp10Conversation(port);
                case AMQP_0_9_1 -> new Amqp091Conversation(port);
            };
        }

        @Override
        public String toString() {
            return inWords;
        }
    }
}
