package io.sluicemq.protocol.amqp10;

import io.sluicemq.api.Access;
import io.sluicemq.api.Broker.ClientSpec;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.ClientEvents;
import io.sluicemq.api.Message;
import io.sluicemq.api.MessageFilter;
import io.sluicemq.api.Principal;
import io.sluicemq.api.Reply;
import io.sluicemq.broker.engine.BrokerConfig;
import io.sluicemq.broker.engine.BrokerCounters;
import io.sluicemq.broker.engine.BrokerEngine;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.protocol.amqp10.terminus.TerminusOptions;
import io.sluicemq.testkit.ManualLoop;
import io.sluicemq.testkit.ManualLoops;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** The real broker, on loops driven by hand. */
final class Lab {

    /** Queues that are named are made; no selector matches anything. */
    static final Amqp10Options OPTIONS = Amqp10Options.defaults(
            "1.2.3", Set.of("/", "other"), new TerminusOptions(true, Nothing::new, () -> "made up"));

    /** A selector that nothing matches. */
    private record Nothing(String text) implements MessageFilter {

        @Override
        public boolean matches(Message message) {
            return false;
        }
    }

    final ManualLoops loops = new ManualLoops(2);
    final BrokerEngine broker;
    /** Of all connections that the broker's protocol has. */
    final LinkRegistry links;

    Lab() {
        this(AddressSettings.NONE);
    }

    Lab(AddressSettings settings) {
        broker = new BrokerEngine(
                new BrokerConfig(List.of("/", "other"), 64 << 20)
                        .withFormats(List.of(io.sluicemq.protocol.amqp10.message.Amqp10Format.INSTANCE))
                        .withAddressSettings(settings),
                IntStream.range(0, 2).mapToObj(loops::get).toList());
        links = new LinkRegistry(broker);
    }

    /** Deletes a queue, as somebody else does. */
    void deleteQueue(String name) {
        ManualLoop loop = loops.get(0);
        loop.run(() -> broker.connect(
                new ClientSpec("/", Principal.named("admin", Access.ALL), "admin", "test", "", new Unconcerned()), loop,
                new Reply<>() {
                    @Override
                    public void done(Client client) {
                        client.deleteQueue(name, false, false, new Reply<>() {
                            @Override
                            public void done(Long messages) {
                                client.close(new Reply<>() {
                                    @Override
                                    public void done(Void result) {}

                                    @Override
                                    public void failed(BrokerError error) {
                                        throw new AssertionError(error.toString());
                                    }
                                });
                            }

                            @Override
                            public void failed(BrokerError error) {
                                throw new AssertionError(error.toString());
                            }
                        });
                    }

                    @Override
                    public void failed(BrokerError error) {
                        throw new AssertionError(error.toString());
                    }
                }));
        loops.runAll();
    }

    private static final class Unconcerned implements ClientEvents {

        @Override
        public void closeRequested(String reason) {}

        @Override
        public void resourcesLow(String reason) {}

        @Override
        public void resourcesRecovered() {}
    }

    BrokerCounters counters() {
        var counters = broker.counters();
        loops.runAll();
        return counters.join();
    }
}
