package io.sluicemq.cli.bench;

import java.io.IOException;

/**
 * One run's way to a broker: a client library, used as an application would use it. Its methods are called by the
 * thread of the run, but for {@link Sender#send}, which belongs to the producer's thread. What goes wrong on the
 * library's own threads it reports to the {@link FirstFailure} that it was opened with.
 */
public interface LoadClient extends AutoCloseable {

    /** Opens a client for a run. */
    @FunctionalInterface
    interface Opener {
        LoadClient open(BenchPlan plan, FirstFailure failure) throws BenchFailure;
    }

    /** One producer's channel or session. */
    @FunctionalInterface
    interface Sender {
        /**
         * Publishes a message; it may wait for the socket and for nothing else.
         *
         * @param target which of the producer's queues, a position in {@link BenchPlan#targetsOf}
         * @param body   the producer's, which it changes as soon as this returns
         */
        void send(int target, byte[] body) throws IOException;
    }

    /** Creates the queues of the run, under names that no other run has. */
    void declare() throws BenchFailure;

    /**
     * Deletes what was declared.
     *
     * @throws BenchFailure if the broker refuses, with what stays behind
     */
    void delete() throws BenchFailure;

    /**
     * Sets up a producer.
     *
     * @param confirms gets the broker's answers, numbered from 1 in the order of {@link Sender#send}; null if the plan
     *                 has no confirms
     * @param returned to be called for each message that came back as unroutable
     */
    Sender sender(int producer, ConfirmWindow confirms, Runnable returned) throws BenchFailure;

    /**
     * Sets up a consumer, which begins to get messages.
     *
     * @param subscriber is told of each message, by one thread at a time, and says when to acknowledge
     */
    void receive(int consumer, Subscriber subscriber) throws BenchFailure;

    /** From now on nothing that ends is a failure. */
    void expectEnd();

    /** Times the broker has told a connection that it is blocked. */
    long blockedEvents();

    /** Connections that are blocked at the moment. */
    int blockedNow();

    @Override
    void close();
}
