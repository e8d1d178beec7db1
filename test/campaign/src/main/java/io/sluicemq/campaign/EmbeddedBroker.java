package io.sluicemq.campaign;

import io.sluicemq.broker.engine.BrokerCounters;
import io.sluicemq.broker.flow.AddressState;
import io.sluicemq.server.AddressSetting;
import io.sluicemq.server.SluiceMQ;
import io.sluicemq.server.SluiceMQBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** A SluiceMQ in this JVM, on a port that nobody else has, with a data folder for its life, and what it writes to its log. */
public final class EmbeddedBroker implements BrokerUnderTest {

    private final SluiceMQ broker;
    private final BrokerLog log;
    private final Path data;

    private EmbeddedBroker(SluiceMQ broker, BrokerLog log, Path data) {
        this.broker = broker;
        this.log = log;
        this.data = data;
    }

    /** Starts one that lets clients in without a name, too. */
    public static EmbeddedBroker start() {
        return start(builder -> builder.anonymousLogin(true));
    }

    /** Starts one with settings of its own. */
    public static EmbeddedBroker start(UnaryOperator<SluiceMQBuilder> settings) {
        try {
            Path data = Files.createTempDirectory("sluicemq-embedded-");
            BrokerLog log = BrokerLog.listen();
            return new EmbeddedBroker(settings.apply(SluiceMQ.builder().port(0).data(data)).start(), log, data);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The broker's numbers now. */
    public BrokerCounters counters() {
        return broker.counters();
    }

    /** Gives addresses limits, in place of those that they had. */
    public void addressSettings(List<AddressSetting> settings) {
        broker.addressSettings(settings);
    }

    /** What an address of the default virtual host holds, and who waits for it. It takes a quarter of a second. */
    public AddressState address(String name) {
        return broker.addressStates().stream().filter(each -> each.address().equals(name)).findFirst().orElseThrow();
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
        try {
            delete(data);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Deletes a folder with all that is in it. */
    static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    @Override
    public String toString() {
        return "an embedded SluiceMQ at " + describe();
    }
}
