package io.sluicemq.protocol.amqp10.terminus;

/**
 * The answer to a question about a terminus. Exactly one of the two methods is called, exactly once, on the client's loop; perhaps
 * before the question's method returns.
 */
public interface Answer<T> {

    void done(T result);

    void refused(TerminusError error);
}
