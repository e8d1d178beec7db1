package io.sluicemq.interop.security;

import com.rabbitmq.client.ConnectionFactory;
import io.sluicemq.api.users.PermissionPatterns;
import io.sluicemq.api.users.Role;
import io.sluicemq.api.users.UserChange;
import io.sluicemq.api.users.UserDirectory;
import io.sluicemq.server.SluiceMQ;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import javax.jms.JMSException;
import org.apache.qpid.client.AMQConnection;
import org.apache.qpid.jms.JmsConnectionFactory;

/**
 * A broker with stored users: {@code boss}, who may do everything, and {@code ann}, who may do what a test grants; with the virtual hosts
 * {@code /} and {@code other}, into which ann may not go. For one test class, and one thread.
 */
final class SecuredBroker implements AutoCloseable {

    static final String BOSS = "boss";
    static final String ANN = "ann";
    static final String PASSWORD = "correct horse";

    private static final String BY = "the test";

    final SluiceMQ broker;

    SecuredBroker(Path folder) {
        this(folder, "{}");
    }

    /** @param configuration more of it, in YAML */
    SecuredBroker(Path folder, String configuration) {
        broker = SluiceMQ.builder().config(file(folder, configuration)).port(0).data(folder.resolve("data"))
                .virtualHosts("/", "other", "/other").start();
        users().put(BOSS, new UserChange(Optional.of(PASSWORD), Optional.of(Role.ADMINISTRATOR), null), BY);
        users().put(ANN, new UserChange(Optional.of(PASSWORD), null, null), BY);
        var all = new PermissionPatterns(List.of("#"), List.of("#"), List.of("#"));
        users().grant(BOSS, "/", all, BY);
        users().grant(BOSS, "other", all, BY);
        grant("", "", "");
    }

    private static Path file(Path folder, String configuration) {
        try {
            return Files.writeString(folder.resolve("sluicemq.yaml"), configuration);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    UserDirectory users() {
        return broker.users();
    }

    /** What ann may do from now on: a pattern each, empty for nothing. */
    void grant(String configure, String write, String read) {
        users().grant(ANN, "/", new PermissionPatterns(patterns(configure), patterns(write), patterns(read)), BY);
    }

    private static List<String> patterns(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split(" "));
    }

    /** Connections of AMQP 0-9-1. */
    ConnectionFactory rabbit(String user, String password) {
        var factory = new ConnectionFactory();
        factory.setHost("127.0.0.1");
        factory.setPort(broker.amqpPort());
        factory.setUsername(user);
        factory.setPassword(password);
        factory.setAutomaticRecoveryEnabled(false);
        return factory;
    }

    com.rabbitmq.client.Connection rabbit(String user) throws Exception {
        return rabbit(user, PASSWORD).newConnection();
    }

    /** A started connection of AMQP 1.0. */
    jakarta.jms.Connection jms(String user, String password, String options) throws Exception {
        var factory = new JmsConnectionFactory(user, password, "amqp://127.0.0.1:" + broker.amqpPort() + options);
        jakarta.jms.Connection connection = factory.createConnection();
        try {
            connection.start();
        } catch (jakarta.jms.JMSException e) {
            connection.close();
            throw e;
        }
        return connection;
    }

    jakarta.jms.Connection jms(String user) throws Exception {
        return jms(user, PASSWORD, "");
    }

    /** A started connection of the Qpid client for AMQP 0-9-1. */
    javax.jms.Connection qpid(String user, String password, String virtualHost) throws Exception {
        String secret = password.replace(" ", "%20");
        // This client sends the whole path as the virtual host.
        var connection = new AMQConnection("amqp://" + user + ":" + secret + "@" + virtualHost
                + "?retries='0'&brokerlist='tcp://127.0.0.1:" + broker.amqpPort() + "?retries='0'&connectdelay='0''");
        try {
            connection.start();
        } catch (JMSException e) {
            connection.close();
            throw e;
        }
        return connection;
    }

    @Override
    public void close() {
        broker.close();
    }
}
