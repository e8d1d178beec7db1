package io.sluicemq.interop.amqp10;

import static io.sluicemq.interop.amqp10.JmsClient.shouldBeEmpty;
import static io.sluicemq.interop.amqp10.JmsClient.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.interop.lab.Spec;
import io.sluicemq.server.SluiceMQ;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.apache.qpid.jms.JmsTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** No-local of a durable subscription whose messages wait on the disk, and over a restart. */
@Timeout(60)
@DisabledIfSystemProperty(named = "interop.uri", matches = ".+", disabledReason = "starts its broker twice")
class JmsNoLocalTest {

    private static final Topic TOPIC = new JmsTopic("stocks");
    private static final String NAME = "foreign";
    /** More than a queue keeps in memory, in messages and in bytes. */
    private static final int COUNT = 5_000;

    private static final String FILLING = "x".repeat(2_000);

    private static Connection connect(SluiceMQ broker, String client) throws JMSException {
        String uri = "amqp://127.0.0.1:" + broker.amqpPort() + "?jms.forceAsyncSend=true&jms.prefetchPolicy.all=100";
        Connection connection = new JmsConnectionFactory("guest", "guest", uri).createConnection();
        connection.setClientID(client);
        connection.start();
        return connection;
    }

    private static void send(Session session, MessageProducer producer, String text) throws JMSException {
        producer.send(session.createTextMessage(text + FILLING));
    }

    private static String[] foreign(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "theirs " + i + FILLING).toArray(String[]::new);
    }

    @Test
    @Spec("1.0 §3.5.3")
    void shouldHoldForMessagesThatWaitOnTheDiskAndOverARestart(@TempDir Path data) throws Exception {
        try (SluiceMQ broker = SluiceMQ.builder().port(0).data(data).start()) {
            try (Connection own = connect(broker, "me"); Connection other = connect(broker, "other")) {
                Session session = own.createSession();
                session.createDurableConsumer(TOPIC, NAME, null, true).close();
                Session ofOther = other.createSession(Session.SESSION_TRANSACTED);
                Session ofOwn = own.createSession(Session.SESSION_TRANSACTED);
                MessageProducer theirs = ofOther.createProducer(TOPIC);
                MessageProducer mine = ofOwn.createProducer(TOPIC);
                for (int i = 0; i < COUNT; i++) {
                    send(ofOther, theirs, "theirs " + i);
                    if (i % 10 == 0) {
                        send(ofOwn, mine, "mine " + i);
                    }
                    if (i % 500 == 499) {
                        ofOther.commit();
                        ofOwn.commit();
                    }
                }
                assertThat(broker.counters().readyMessages()).isEqualTo(COUNT);
                assertThat(broker.counters().messageBytes()).as("most wait on the disk")
                        .isLessThan((long) COUNT * FILLING.length() / 2);
                try (var foreign = session.createDurableConsumer(TOPIC, NAME, null, true)) {
                    assertThat(texts(foreign, 1_000)).containsExactly(foreign(0, 1_000));
                }
            }
        }
        try (SluiceMQ broker = SluiceMQ.builder().port(0).data(data).start();
                Connection own = connect(broker, "me")) {
            Session session = own.createSession();
            MessageProducer mine = session.createProducer(TOPIC);
            send(session, mine, "mine after the restart");
            var foreign = session.createDurableConsumer(TOPIC, NAME, null, true);
            List<String> rest = texts(foreign, COUNT - 1_000);
            assertThat(rest).containsExactly(foreign(1_000, COUNT));
            send(session, mine, "mine");
            shouldBeEmpty(foreign);
        }
    }
}
