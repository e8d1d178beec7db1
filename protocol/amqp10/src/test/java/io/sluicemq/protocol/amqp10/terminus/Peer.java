package io.sluicemq.protocol.amqp10.terminus;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.Access;
import io.sluicemq.api.Broker.ClientSpec;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.Client.ExchangeSpec;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.Client.QueueStatus;
import io.sluicemq.api.ClientEvents;
import io.sluicemq.api.Consumer;
import io.sluicemq.api.ConsumerSink;
import io.sluicemq.api.Death;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Message;
import io.sluicemq.api.MessageFilter;
import io.sluicemq.api.MessageFormat;
import io.sluicemq.api.Principal;
import io.sluicemq.api.Reply;
import io.sluicemq.broker.engine.BrokerConfig;
import io.sluicemq.broker.engine.BrokerEngine;
import io.sluicemq.broker.engine.BrokerStore;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.store.LogOptions;
import io.sluicemq.store.sim.ManualWorkers;
import io.sluicemq.store.sim.SimulatedDisk;
import io.sluicemq.store.sim.SimulatedDisk.Loss;
import io.sluicemq.testkit.ManualLoop;
import io.sluicemq.testkit.ManualLoops;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Source;
import org.apache.qpid.protonj2.types.messaging.Target;
import org.apache.qpid.protonj2.types.messaging.TerminusDurability;
import org.apache.qpid.protonj2.types.messaging.TerminusExpiryPolicy;

/** A client of the real broker with its termini; calls return when all loops are idle. */
final class Peer {

    /** A broker on loops driven by hand, with a log on a simulated disk. */
    static final class Lab {

        final ManualLoops loops = new ManualLoops(2);
        final BrokerEngine broker;
        private final SimulatedDisk disk;
        private final AddressSettings settings;
        private final ManualWorkers workers = new ManualWorkers(loops::nanoTime);
        private final BrokerStore store;
        private int names;

        Lab() {
            this(AddressSettings.NONE);
        }

        Lab(AddressSettings settings) {
            this(new SimulatedDisk(), settings);
        }

        private Lab(SimulatedDisk disk, AddressSettings settings) {
            this.settings = settings;
            this.disk = disk;
            try {
                store = BrokerStore.open(
                        disk, LogOptions.defaults().withSegmentBytes(64 << 10).withMaxRecordBytes(64 << 10), workers);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            broker = new BrokerEngine(
                    new BrokerConfig(List.of("/"), 1 << 30, this::name).withFilters(Selector::of)
                            .withAddressSettings(settings),
                    IntStream.range(0, 2).mapToObj(loops::get).toList(), store, state -> {});
            settle();
        }

        /** Takes the power away, and starts anew with what is on the disk. */
        Lab crashAndReopen() {
            disk.crash(new SplittableRandom(1), Loss.ALL);
            return new Lab(disk, settings);
        }

        void settle() {
            do {
                loops.runAll();
            } while (workers.runAll());
        }

        /** As {@link #settle}, but {@code random} chooses whose turn it is. */
        void settle(RandomGenerator random) {
            do {
                loops.runAll(random);
            } while (workers.step(random));
        }

        String name() {
            return "name-" + names++;
        }

        Peer connect(int loop, String container) {
            return connect(loop, container, true);
        }

        Peer connect(int loop, String container, boolean autoCreateQueues) {
            return new Peer(this, loops.get(loop), container, autoCreateQueues);
        }
    }

    /** An attach's answer: one of the two. */
    record Attached<T>(T node, TerminusError error) {

        T ok() {
            assertThat(error).isNull();
            return node;
        }

        Symbol refusal() {
            assertThat(node).isNull();
            return error.condition();
        }
    }

    /** A selector that is its own text; those with a "!" are invalid. Everything matches. */
    record Selector(String text) implements MessageFilter {

        static MessageFilter of(String text) {
            if (text.contains("!")) {
                throw new IllegalArgumentException("'!' is no operator");
            }
            return new Selector(text);
        }

        @Override
        public boolean matches(Message message) {
            return true;
        }
    }

    final Lab lab;
    final ManualLoop loop;
    final Client client;
    final Termini termini;

    private Peer(Lab lab, ManualLoop loop, String container, boolean autoCreateQueues) {
        this.lab = lab;
        this.loop = loop;
        this.client = this.<Client>reply(reply -> lab.broker.connect(
                new ClientSpec("/", Principal.named("guest", Access.ALL), container, "AMQP 1.0", "", new Quiet()), loop,
                reply));
        this.termini = new Termini(client, container, new TerminusOptions(autoCreateQueues, Selector::of, lab::name));
    }

    private static final class Quiet implements ClientEvents {

        @Override
        public void closeRequested(String reason) {
            throw new AssertionError(reason);
        }

        @Override
        public void resourcesLow(String reason) {
            throw new AssertionError(reason);
        }

        @Override
        public void resourcesRecovered() {}
    }

    // ---- what the broker says

    <T> T reply(java.util.function.Consumer<Reply<T>> question) {
        List<T> answers = new ArrayList<>();
        loop.run(() -> question.accept(new Reply<>() {
            @Override
            public void done(T result) {
                answers.add(result);
            }

            @Override
            public void failed(BrokerError error) {
                throw new AssertionError(error.toString());
            }
        }));
        lab.settle();
        assertThat(answers).hasSize(1);
        return answers.getFirst();
    }

    /** The error of a request that is to fail. */
    BrokerError failure(java.util.function.Consumer<Reply<?>> question) {
        List<BrokerError> errors = new ArrayList<>();
        loop.run(() -> question.accept(new Reply<Object>() {
            @Override
            public void done(Object result) {
                throw new AssertionError("" + result);
            }

            @Override
            public void failed(BrokerError error) {
                errors.add(error);
            }
        }));
        lab.settle();
        assertThat(errors).hasSize(1);
        return errors.getFirst();
    }

    <T> Attached<T> ask(java.util.function.Consumer<Answer<T>> question) {
        List<Attached<T>> answers = new ArrayList<>();
        loop.run(() -> question.accept(new Answer<>() {
            @Override
            public void done(T result) {
                answers.add(new Attached<>(result, null));
            }

            @Override
            public void refused(TerminusError error) {
                answers.add(new Attached<>(null, error));
            }
        }));
        lab.settle();
        assertThat(answers).hasSize(1);
        return answers.getFirst();
    }

    // ---- attaching

    Attached<TargetNode> target(Target wanted) {
        return ask(answer -> termini.target("link", wanted, answer));
    }

    Attached<TargetNode> target(String address, String... capabilities) {
        return target(new Target().setAddress(address).setCapabilities(symbols(capabilities)));
    }

    Destination destination(String address, String... capabilities) {
        return ((TargetNode.Fixed) target(address, capabilities).ok()).destination();
    }

    Attached<SourceNode> source(String link, Source wanted) {
        return ask(answer -> termini.source(link, wanted, answer));
    }

    Attached<SourceNode> source(String address, String... capabilities) {
        return source("link", new Source().setAddress(address).setCapabilities(symbols(capabilities)));
    }

    Attached<Void> end(SourceNode source, LinkEnd how) {
        return ask(answer -> termini.ended(source, how, answer));
    }

    Attached<Void> end(TargetNode target, LinkEnd how) {
        return ask(answer -> termini.ended(target, how, answer));
    }

    void close() {
        loop.run(termini::clientGone);
        this.<Void>reply(client::close);
    }

    static Symbol[] symbols(String... names) {
        return List.of(names).stream().map(Symbol::valueOf).toArray(Symbol[]::new);
    }

    /** A durable subscription as Qpid JMS asks for it. */
    static Source durable(String topic, String... more) {
        List<String> capabilities = new ArrayList<>(List.of("topic"));
        capabilities.addAll(List.of(more));
        return new Source()
                .setAddress(topic)
                .setDurable(TerminusDurability.UNSETTLED_STATE)
                .setExpiryPolicy(TerminusExpiryPolicy.NEVER)
                .setDistributionMode(Symbol.valueOf("copy"))
                .setCapabilities(symbols(capabilities.toArray(String[]::new)));
    }

    /** A subscription that goes with its link, as Qpid JMS asks for it. */
    static Source volatileOne(String topic, String... more) {
        return durable(topic, more)
                .setDurable(TerminusDurability.NONE)
                .setExpiryPolicy(TerminusExpiryPolicy.LINK_DETACH)
                .setDistributionMode(null);
    }

    // ---- topology

    void declareQueue(String name) {
        this.<QueueStatus>reply(
                reply -> client.declareQueue(new QueueSpec(name, true, false, false, Map.of()), reply));
    }

    void declareExchange(String name, String type) {
        this.<Void>reply(reply -> client.declareExchange(
                new ExchangeSpec(name, type, true, false, name.startsWith("internal"), Map.of()), reply));
    }

    boolean queueExists(String name) {
        boolean[] found = new boolean[1];
        loop.run(() -> client.describeQueue(name, new On<>(spec -> found[0] = true, error -> {})));
        return found[0];
    }

    Map<String, Object> arguments(String queue) {
        return this.<QueueSpec>reply(reply -> client.describeQueue(queue, reply)).arguments();
    }

    long ready(String queue) {
        return this.<QueueStatus>reply(reply -> client.findQueue(queue, reply)).readyMessages();
    }

    // ---- messages

    int publish(Destination destination, String subject) {
        int[] reached = new int[1];
        loop.run(() -> reached[0] = client.publish(
                new Message(
                        new Plain(), destination.exchange(), destination.keyOf(subject), List.of(), new byte[0],
                        "body".getBytes(StandardCharsets.UTF_8), false, 4, Message.NO_TTL, client),
                null));
        lab.settle();
        return reached[0];
    }

    /** Consumes as the node says and accepts all, or fails. */
    Receiver consume(SourceNode node) {
        Receiver receiver = new Receiver();
        receiver.consumer = this.<Consumer>reply(reply -> client.subscribe(node.consumer(false, 0), receiver, reply));
        loop.run(() -> receiver.consumer.limit(1_000));
        lab.settle();
        return receiver;
    }

    void cancel(Receiver receiver) {
        this.<Void>reply(receiver.consumer::cancel);
    }

    /** A receiving link's consumer. */
    static final class Receiver implements ConsumerSink {

        Consumer consumer;
        int received;
        boolean cancelled;

        @Override
        public void deliver(Delivery delivery) {
            received++;
            if (!delivery.settled()) {
                delivery.settle(Delivery.Outcome.ACCEPTED);
            }
        }

        @Override
        public void cancelled(String reason) {
            cancelled = true;
        }

        @Override
        public void tooSlow(Cut cut) {
            throw new AssertionError("it is not too slow");
        }

        @Override
        public long sentBytes() {
            return 0;
        }

        @Override
        public void creditWanted() {
            throw new AssertionError("its credit is a limit");
        }

        @Override
        public void creditReturned(int messages) {
            throw new AssertionError("its credit is a limit");
        }
    }

    private static final class Plain implements MessageFormat {

        @Override
        public String name() {
            return "plain";
        }

        @Override
        public Map<String, Object> headers(Message message) {
            return Map.of();
        }

        @Override
        public List<Death> claimedDeaths(Message message) {
            return List.of();
        }

        @Override
        public String originalExpiration(Message message) {
            return null;
        }
    }
}
