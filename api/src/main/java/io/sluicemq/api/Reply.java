package io.sluicemq.api;

/**
 * The answer to a request that may take a while. Exactly one of the two methods is called, exactly once, on the loop of the
 * client that asked; perhaps before the request's method returns.
 */
public interface Reply<T> {

    void done(T result);

    void failed(BrokerError error);
}
