package io.sluicemq.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluicemq.broker.engine.BrokerCounters;
import io.sluicemq.server.SluiceMQ;
import io.sluicemq.server.config.LimitsSection;
import io.sluicemq.transport.ListenerCounters;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.slf4j.LoggerFactory;

/** A broker in this JVM, what it logs, and the question whether it came to harm. For one thread. */
final class TestBroker implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final SluiceMQ broker = SluiceMQ.builder()
            .port(0)
            .loops(2)
            // All peers come from one address; that one is held off after many failed logins is tested elsewhere.
            .limit(LimitsSection.LOGIN_FAILURES, 1_000_000)
            .start();
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.sluicemq");
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    TestBroker() {
        logger.setLevel(Level.INFO);
        logger.setAdditive(false);
        logger.addAppender(log);
        log.start();
    }

    int port() {
        return broker.amqpPort();
    }

    SluiceMQ broker() {
        return broker;
    }

    RawPeer peer() throws IOException {
        return RawPeer.withChannel(port());
    }

    /** The lines so far, without time and place. */
    List<String> lines() {
        synchronized (log) {
            return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
        }
    }

    void forgetLines() {
        synchronized (log) {
            log.list.clear();
        }
    }

    /** Waits until nothing is left of anybody, and checks that nothing failed and no trace was logged. */
    void isUnharmed() {
        await().pollInterval(Duration.ofMillis(5)).atMost(PATIENCE).untilAsserted(() -> {
            BrokerCounters now = broker.counters();
            assertThat(List.of(now.connections(), now.channels(), now.queues(), now.exchanges(), now.bindings(),
                    now.consumers(), now.readyMessages(), now.unsettledMessages(), now.messageBytes(),
                    now.replyAddresses())).as(now.toString()).containsOnly(0L);
            ListenerCounters sockets = broker.listenerCounters().get("amqp");
            assertThat(sockets.open() + sockets.unauthenticated()).as(sockets.toString()).isZero();
        });
        assertThat(broker.failedTasks()).isZero();
        assertThat(log.list).allMatch(line -> line.getThrowableProxy() == null).noneMatch(
                line -> line.getLevel() == Level.ERROR);
    }

    /** Another peer is served at once. */
    void servesOthers() throws IOException {
        try (RawPeer other = peer()) {
            other.send(
                    io.sluicemq.protocol.amqp091.codec.RawFrames.queueDeclare(1, "", none -> {}, false, false, true));
            other.expect(1, 50, 11);
            other.bye();
        }
    }

    @Override
    public void close() {
        logger.detachAppender(log);
        broker.close();
    }
}
