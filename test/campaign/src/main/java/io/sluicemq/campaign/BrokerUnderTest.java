package io.sluicemq.campaign;

import java.net.URI;

/**
 * The broker that tests and campaigns run against: SluiceMQ in this JVM, or any that listens somewhere already. Any thread
 * may ask.
 */
public sealed interface BrokerUnderTest extends AutoCloseable permits EmbeddedBroker, RunningBroker {

    String host();

    int port();

    String user();

    String password();

    String virtualHost();

    /** Where it is, without the password, for people. */
    default String describe() {
        return "amqp://" + host() + ":" + port();
    }

    @Override
    void close();

    /** The broker at an address, or, if it is null or blank, a new SluiceMQ in this JVM. */
    static BrokerUnderTest at(String uri) {
        if (uri == null || uri.isBlank()) {
            return EmbeddedBroker.start();
        }
        return RunningBroker.at(URI.create(uri));
    }
}
