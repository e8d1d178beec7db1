package io.sluicemq.interop.qpid;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.campaign.EmbeddedBroker;
import io.sluicemq.interop.lab.Lab;
import io.sluicemq.interop.lab.Spec;
import io.sluicemq.server.AddressSetting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.jms.BytesMessage;
import javax.jms.Connection;
import javax.jms.DeliveryMode;
import javax.jms.JMSException;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Queue;
import javax.jms.Session;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * JMS producers that are held, also for longer than this client waits by itself. They have a broker of their own and run beside
 * all other tests, since the wait takes longer than most of these together.
 */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(180)
class HeldJmsTest {

    private static final int LIMIT = 50;
    private static final int BODY_BYTES = 1_000;
    /** After this a send fails by itself. */
    private static final Duration CLIENT_LIMIT = Duration.ofSeconds(60);

    private static EmbeddedBroker start(String queue) {
        return EmbeddedBroker.start(builder -> builder
                .addressSettings(AddressSetting.match(queue).maxMessages(LIMIT).fullPolicy(FullPolicy.BLOCK)));
    }

    private static Connection connect(Lab lab) throws Exception {
        return QpidClient.connect(lab);
    }

    private static Queue queue(Session session, String name) throws JMSException {
        return session.createQueue("BURL:direct://amq.direct//" + name + "?durable='true'");
    }

    private static void declare(Lab lab, String queue) throws Exception {
        lab.channel().queueDeclare(lab.forget(queue), true, false, false, null);
        lab.bind(queue, "amq.direct", queue);
    }

    private static BytesMessage message(Session session, int number) throws JMSException {
        BytesMessage message = session.createBytesMessage();
        message.setIntProperty("number", number);
        message.writeBytes(new byte[BODY_BYTES]);
        return message;
    }

    /** Takes so many messages, which must be numbered and in order. */
    private static void drain(Connection connection, String name, int count) throws JMSException {
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        MessageConsumer consumer = session.createConsumer(queue(session, name));
        for (int i = 0; i < count; i++) {
            javax.jms.Message next = consumer.receive(10_000);
            assertThat(next).as("message %s", i).isNotNull();
            assertThat(next.getIntProperty("number")).isEqualTo(i);
        }
        session.close();
    }

    private interface Sending {
        void run(AtomicInteger sent) throws JMSException;
    }

    private static CompletableFuture<Void> inBackground(AtomicInteger sent, Sending sending) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                sending.run(sent);
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
        return done;
    }

    /**
     * Consumers of the connection go on meanwhile. Nobody else of it can send or open a session, since this client holds a lock of
     * the connection while a send waits.
     */
    @Test
    @Spec("0-9-1 channel.flow")
    void shouldHoldASendForLongerThanItsClientWaits() throws Exception {
        String name = "held";
        int messages = 10_000;
        try (EmbeddedBroker broker = start(name)) {
            Lab lab = Lab.at(broker);
            declare(lab, name);
            Connection connection = connect(lab);
            BlockingQueue<JMSException> problems = QpidClient.problems(connection);
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            MessageProducer producer = session.createProducer(queue(session, name));
            producer.setDeliveryMode(DeliveryMode.PERSISTENT);
            Session other = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            declare(lab, "other");
            MessageConsumer taking = other.createConsumer(queue(other, "other"));
            AtomicInteger sent = new AtomicInteger();
            List<Long> gaps = new ArrayList<>();
            CompletableFuture<Void> sending = inBackground(sent, count -> {
                for (int i = 0; i < messages; i++) {
                    long before = System.nanoTime();
                    producer.send(message(session, i));
                    gaps.add(System.nanoTime() - before);
                    count.incrementAndGet();
                }
            });
            Lab.until("it is held", () -> lab.counters().parkedMessages() > 0);
            long end = System.nanoTime() + CLIENT_LIMIT.plusSeconds(5).toNanos();
            while (System.nanoTime() < end) {
                assertThat(sending).isNotDone();
                lab.send("other", "m");
                assertThat(taking.receive(10_000)).isNotNull();
                // Nothing else comes: the wait for it is the pause between rounds.
                assertThat(taking.receive(500)).isNull();
            }
            assertThat(sent.get()).isLessThan(messages);
            assertThat(problems).isEmpty();

            drain(connect(lab), name, messages);

            sending.get(10, TimeUnit.SECONDS);
            assertThat(gaps).as("some sends took long, and none the client's limit")
                    .anyMatch(nanos -> nanos > Duration.ofSeconds(20).toNanos())
                    .allMatch(nanos -> nanos < CLIENT_LIMIT.toNanos());
            assertThat(problems).isEmpty();
            lab.leave();
        }
    }

    @Test
    @Spec("0-9-1 tx.commit")
    void shouldHoldACommit() throws Exception {
        String name = "committed";
        try (EmbeddedBroker broker = start(name)) {
            Lab lab = Lab.at(broker);
            declare(lab, name);
            Connection connection = connect(lab);
            BlockingQueue<JMSException> problems = QpidClient.problems(connection);
            Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
            MessageProducer producer = session.createProducer(queue(session, name));
            AtomicInteger commits = new AtomicInteger();
            CompletableFuture<Void> sending = inBackground(commits, count -> {
                for (int i = 0; i < 200; i++) {
                    producer.send(message(session, i));
                    if (i % 20 == 19) {
                        session.commit();
                        count.incrementAndGet();
                    }
                }
            });
            lab.awaitParked(1);
            assertThat(commits).hasValue(LIMIT / 20);
            assertThat(lab.depth(name)).isEqualTo(40);

            drain(connect(lab), name, 200);

            sending.get(10, TimeUnit.SECONDS);
            assertThat(commits).hasValue(10);
            assertThat(problems).isEmpty();
            lab.leave();
        }
    }
}
