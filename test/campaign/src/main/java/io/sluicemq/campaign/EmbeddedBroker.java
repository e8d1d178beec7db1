package io.sluicemq.campaign;

import io.sluicemq.broker.engine.BrokerCounters;
import io.sluicemq.server.SluiceMQ;
import io.sluicemq.server.SluiceMQBuilder;
import java.util.function.UnaryOperator;

/** A SluiceMQ in this JVM, on a port that nobody else has, with everything in memory, and what it writes to its log. */
public final class EmbeddedBroker implements BrokerUnderTest {

    private final SluiceMQ broker;
    private final BrokerLog log;

    private EmbeddedBroker(SluiceMQ broker, BrokerLog log) {
        this.broker = broker;
        this.log = log;
    }

    /** Starts one that lets clients in without a name, too. */
    public static EmbeddedBroker start() {
        return start(builder -> builder.anonymousLogin(true));
    }

    /** Starts one with settings of its own. */
    public static EmbeddedBroker start(UnaryOperator<SluiceMQBuilder> settings) {
        BrokerLog log = BrokerLog.listen();
        return new EmbeddedBroker(settings.apply(SluiceMQ.builder().port(0)).start(), log);
    }

    /** The broker's numbers now. */
    public BrokerCounters counters() {
        return broker.counters();
    }

    /** How many of its tasks have failed by a defect of its own. */
    public long failedTasks() {
        return broker.failedTasks();
    }

    /** What it has written to its log above INFO since it started. */
    public BrokerLog log() {
        return log;
    }

    @Override
    public String host() {
        return "127.0.0.1";
    }

    @Override
    public int port() {
        return broker.amqpPort();
    }

    @Override
    public String user() {
        return "guest";
    }

    @Override
    public String password() {
        return "guest";
    }

    @Override
    public String virtualHost() {
        return "/";
    }

    @Override
    public void close() {
        broker.close();
        log.close();
    }

    @Override
    public String toString() {
        return "an embedded SluiceMQ at " + describe();
    }
}
