package io.sluicemq.interop.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.jms.Connection;
import javax.jms.JMSException;
import javax.jms.Session;
import org.apache.qpid.AMQConnectionFailureException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The same by the client of Qpid for AMQP 0-9-1. */
class QpidPermissionsTest {

    @TempDir
    private static Path folder;

    private static SecuredBroker broker;

    @BeforeAll
    static void start() throws Exception {
        broker = new SecuredBroker(folder);
        try (var boss = broker.rabbit(SecuredBroker.BOSS); var setup = boss.createChannel()) {
            setup.queueDeclare("q", true, false, false, null);
            setup.queueBind("q", "amq.direct", "q");
        }
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @Test
    void shouldRefuseToConsume() throws Exception {
        broker.grant("q", "q amq.direct", "");
        Connection connection = broker.qpid(SecuredBroker.ANN, SecuredBroker.PASSWORD, "/");
        try {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            assertThatThrownBy(() -> session.createConsumer(session.createQueue("q")))
                    .isInstanceOf(JMSException.class).hasStackTraceContaining("access to");
        } finally {
            connection.close();
        }
    }

    @Test
    void shouldRefuseToPublish() throws Exception {
        broker.grant("q", "", "q");
        Connection connection = broker.qpid(SecuredBroker.ANN, SecuredBroker.PASSWORD, "/");
        try {
            BlockingQueue<JMSException> problems = new LinkedBlockingQueue<>();
            connection.setExceptionListener(problems::add);
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            var producer = session.createProducer(session.createQueue("ADDR:q"));
            producer.send(session.createMessage());
            assertThat(problems.poll(10, TimeUnit.SECONDS)).hasStackTraceContaining("write access to");
        } catch (JMSException e) {
            assertThat(e).hasStackTraceContaining("write access to");
        } finally {
            connection.close();
        }
    }

    @Test
    void shouldSendAndReceiveWithThePermissions() throws Exception {
        broker.grant("q", "q amq.direct", "q amq.direct");
        Connection connection = broker.qpid(SecuredBroker.ANN, SecuredBroker.PASSWORD, "/");
        try {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            session.createProducer(session.createQueue("q")).send(session.createMessage());
            assertThat(session.createConsumer(session.createQueue("q")).receive(10_000)).isNotNull();
        } finally {
            connection.close();
        }
    }

    @Test
    void shouldRefuseAWrongPasswordAndAVirtualHostThatIsNotAllowed() {
        assertThatThrownBy(() -> broker.qpid(SecuredBroker.ANN, "wrong", "/"))
                .isInstanceOf(AMQConnectionFailureException.class);
        assertThatThrownBy(() -> broker.qpid(SecuredBroker.ANN, SecuredBroker.PASSWORD, "/other"))
                .isInstanceOf(AMQConnectionFailureException.class).hasMessageContaining("/other");
    }
}
