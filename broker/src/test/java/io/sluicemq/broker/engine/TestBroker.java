package io.sluicemq.broker.engine;

import io.sluicemq.api.Access;
import io.sluicemq.api.Broker.ClientSpec;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.ClientEvents;
import io.sluicemq.api.Completion;
import io.sluicemq.api.ConsumerSink;
import io.sluicemq.api.ConsumerSpec;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Message;
import io.sluicemq.api.MessageFormat;
import io.sluicemq.api.Principal;
import io.sluicemq.api.Reply;
import io.sluicemq.store.LogState;
import io.sluicemq.testkit.ManualLoop;
import io.sluicemq.testkit.ManualLoops;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** The real engine on hand-driven loops, and clients for it whose calls return when all loops are idle. */
class TestBroker {

    final ManualLoops loops;
    final BrokerEngine engine;
    /** Chooses the schedule of the loops; null for one after the other. */
    RandomGenerator schedule;

    private int names;

    TestBroker(int loopCount) {
        this(loopCount, 1L << 40);
    }

    TestBroker(int loopCount, long memoryBudgetBytes) {
        loops = new ManualLoops(loopCount);
        engine = new BrokerEngine(
                new BrokerConfig(List.of("/"), memoryBudgetBytes, () -> "name-" + names++), all(loops));
    }

    /** With a store, and what else the configuration says. */
    TestBroker(ManualLoops loops, BrokerConfig config, BrokerStore store, Consumer<LogState> storeWatch) {
        this.loops = loops;
        engine = new BrokerEngine(config, all(loops), store, storeWatch);
    }

    private static List<ManualLoop> all(ManualLoops loops) {
        List<ManualLoop> all = new ArrayList<>();
        for (int i = 0; i < loops.size(); i++) {
            all.add(loops.get(i));
        }
        return all;
    }

    void settle() {
        if (schedule == null) {
            loops.runAll();
        } else {
            loops.runAll(schedule);
        }
    }

    BrokerCounters counters() {
        CompletableFuture<BrokerCounters> counters = engine.counters();
        settle();
        return counters.join();
    }

    TestClient connect(int loop) {
        return connect(loop, "/");
    }

    TestClient connect(int loop, String virtualHost) {
        return connect(loop, virtualHost, "");
    }

    TestClient connect(int loop, String virtualHost, String identity) {
        return connect(loop, virtualHost, identity, Principal.named("guest", Access.ALL));
    }

    /** Somebody who may not do everything. */
    TestClient connect(int loop, Principal user) {
        return connect(loop, "/", "", user);
    }

    private TestClient connect(int loop, String virtualHost, String identity, Principal user) {
        TestClient client = new TestClient(this, loops.get(loop));
        client.client = connecting(client, virtualHost, identity, user).result();
        return client;
    }

    /** The answer to one who connects. */
    Answer<Client> connecting(TestClient client, String virtualHost, String identity, Principal user) {
        return client.asks(reply -> engine.connect(
                new ClientSpec(virtualHost, user, "test", "test", "test", identity, false, client), client.loop,
                reply));
    }

    /** An answer that has come, or not yet. */
    static class Answer<T> implements Reply<T> {
        boolean done;
        T result;
        BrokerError error;

        @Override
        public void done(T value) {
            if (done) {
                throw new IllegalStateException("answered twice");
            }
            done = true;
            result = value;
        }

        @Override
        public void failed(BrokerError why) {
            done(null);
            error = why;
        }

        T result() {
            if (!done || error != null) {
                throw new AssertionError(done ? "failed: " + error : "no answer");
            }
            return result;
        }

        BrokerError error() {
            if (!done || error == null) {
                throw new AssertionError(done ? "no error" : "no answer");
            }
            return error;
        }
    }

    /** A message with its text as its body and the headers of {@link TestFormat} for the asking. */
    static Message message(String exchange, String key, String text) {
        return message(exchange, key, text, 0, Message.NO_TTL);
    }

    /** One that is to outlive the broker. */
    static Message persistent(String exchange, String key, String text) {
        return message(exchange, key, text, true, 0, Message.NO_TTL);
    }

    static Message message(String exchange, String key, String text, int priority, long ttlMillis) {
        return message(exchange, key, text, false, priority, ttlMillis);
    }

    static Message message(
            String exchange, String key, String text, boolean durable, int priority, long ttlMillis) {
        return new Message(
                TestFormat.INSTANCE,
                exchange,
                key,
                List.of(),
                new byte[0],
                text.getBytes(StandardCharsets.UTF_8),
                durable,
                priority,
                ttlMillis,
                null);
    }

    /** A message of a group. */
    static Message grouped(String key, String group, String text, boolean durable) {
        Message message = new Message(
                TestFormat.INSTANCE, "", key, List.of(), group.getBytes(StandardCharsets.UTF_8),
                text.getBytes(StandardCharsets.UTF_8), durable, 0, Message.NO_TTL, null);
        return message.group(TestFormat.INSTANCE.group(message));
    }

    static String text(Delivery delivery) {
        return new String(delivery.message().body(), StandardCharsets.UTF_8);
    }

    enum TestFormat implements MessageFormat {
        INSTANCE;

        @Override
        public Map<String, Object> headers(Message message) {
            return Map.of();
        }

        @Override
        public List<io.sluicemq.api.Death> claimedDeaths(Message message) {
            return List.of();
        }

        @Override
        public String originalExpiration(Message message) {
            return message.ttlMillis() == Message.NO_TTL ? null : Long.toString(message.ttlMillis());
        }

        /** The header is the name of the group. */
        @Override
        public String group(Message message) {
            return message.header().length == 0 ? null : new String(message.header(), StandardCharsets.UTF_8);
        }
    }

    /** One client; its calls drive the loops until all are idle. */
    static final class TestClient implements ClientEvents {
        final TestBroker broker;
        final ManualLoop loop;
        Client client;
        int lowCalls;
        int recoveredCalls;
        String lowReason;
        /** Whether the broker may want it closed, and why it does. */
        boolean mayBeClosed;
        String closedFor;

        TestClient(TestBroker broker, ManualLoop loop) {
            this.broker = broker;
            this.loop = loop;
        }

        <T> Answer<T> asks(Consumer<Reply<T>> request) {
            Answer<T> answer = asksLater(request);
            broker.settle();
            return answer;
        }

        /** As {@link #asks}, but leaves the loops alone. */
        <T> Answer<T> asksLater(Consumer<Reply<T>> request) {
            Answer<T> answer = new Answer<>();
            loop.execute(() -> request.accept(answer));
            return answer;
        }

        void does(Runnable task) {
            loop.execute(task);
            broker.settle();
        }

        String declares(String queue, Map<String, Object> arguments) {
            return this.<Client.QueueStatus>asks(
                    reply -> client.declareQueue(new QueueSpec(queue, false, false, false, arguments), reply))
                    .result()
                    .name();
        }

        /** Declares a queue that outlives the broker. */
        void declaresDurable(String queue, Map<String, Object> arguments) {
            this.<Client.QueueStatus>asks(reply -> declareDurable(queue, arguments, reply)).result();
        }

        void declareDurable(String queue, Map<String, Object> arguments, Reply<Client.QueueStatus> reply) {
            client.declareQueue(new QueueSpec(queue, true, false, false, arguments), reply);
        }

        void binds(String exchange, String queue) {
            this.<Void>asks(reply -> client.bind(
                    new Client.BindingSpec(exchange, queue, false, "", Map.of()), reply)).result();
        }

        int publishes(Message message) {
            int[] routed = new int[1];
            does(() -> routed[0] = client.publish(message, null));
            return routed[0];
        }

        /** Publishes and tells how it was answered: {@code error} is null if all queues took it. */
        Answer<Void> publishesConfirmed(Message message) {
            return asks(reply -> publish(message, reply));
        }

        /** On the client's loop: publishes, and has {@code reply} tell how it was answered. */
        void publish(Message message, Reply<Void> reply) {
            Completion completion = completion(reply);
            client.publish(message, completion);
            completion.handedOut();
        }

        /** One of this client that answers {@code reply}, on this client's loop. */
        Completion completion(Reply<Void> reply) {
            return new Completion(loop) {
                @Override
                protected void complete(BrokerError refusal) {
                    loop.assertCurrent();
                    if (refusal == null) {
                        reply.done(null);
                    } else {
                        reply.failed(refusal);
                    }
                }
            };
        }

        /** Settles one delivery; the answer comes when that is final. */
        Answer<Void> settles(Delivery delivery, Delivery.Outcome outcome) {
            return settlesAll(List.of(delivery), outcome);
        }

        /** Settles deliveries with one completion for all. */
        Answer<Void> settlesAll(List<Delivery> deliveries, Delivery.Outcome outcome) {
            return asks(reply -> {
                Completion completion = completion(reply);
                for (Delivery delivery : deliveries) {
                    completion.hold();
                    delivery.settle(outcome, completion);
                }
                completion.handedOut();
            });
        }

        TestConsumer consumes(String queue, int prefetch) {
            return consumes(new ConsumerSpec(queue, "tag", false, false, false, prefetch, false, 0, Map.of()));
        }

        TestConsumer consumes(ConsumerSpec spec) {
            return subscribes(spec, new TestConsumer(this));
        }

        /** Has {@code consumer} take part in a queue; it knows its port when the first delivery comes. */
        TestConsumer subscribes(ConsumerSpec spec, TestConsumer consumer) {
            Answer<io.sluicemq.api.Consumer> answer = new Answer<>() {
                @Override
                public void done(io.sluicemq.api.Consumer port) {
                    super.done(port);
                    consumer.port = port;
                }
            };
            does(() -> client.subscribe(spec, consumer, answer));
            answer.result();
            return consumer;
        }

        long depth(String queue) {
            return this.<Client.QueueStatus>asks(reply -> client.findQueue(queue, reply)).result().readyMessages();
        }

        Delivery gets(String queue) {
            return this.<Delivery>asks(reply -> client.get(queue, false, reply)).result();
        }

        void closes() {
            this.<Void>asks(client::close).result();
        }

        @Override
        public void closeRequested(String reason) {
            if (!mayBeClosed) {
                throw new AssertionError("asked to close: " + reason);
            }
            closedFor = reason;
        }

        @Override
        public void resourcesLow(String reason) {
            lowCalls++;
            lowReason = reason;
        }

        @Override
        public void resourcesRecovered() {
            recoveredCalls++;
        }
    }

    /** A consumer that keeps what it gets. */
    static class TestConsumer implements ConsumerSink {
        final TestClient client;
        final List<Delivery> deliveries = new ArrayList<>();
        io.sluicemq.api.Consumer port;
        int creditWanted;
        int creditReturned;
        String cancelledFor;
        /** How it is to be cut; null as long as it isn't. */
        Cut tooSlow;
        /** What it does then. */
        Runnable onTooSlow = () -> {};
        long sentBytes;
        /** Does something with each delivery as it comes. */
        BiConsumer<TestConsumer, Delivery> onDelivery = (consumer, delivery) -> {};

        TestConsumer(TestClient client) {
            this.client = client;
        }

        List<String> texts() {
            return deliveries.stream().map(TestBroker::text).toList();
        }

        void settles(int index, Delivery.Outcome outcome) {
            client.does(() -> deliveries.get(index).settle(outcome));
        }

        @Override
        public void deliver(Delivery delivery) {
            if (cancelledFor != null) {
                throw new AssertionError("delivered after the end");
            }
            deliveries.add(delivery);
            onDelivery.accept(this, delivery);
        }

        @Override
        public void cancelled(String reason) {
            cancelledFor = reason;
        }

        @Override
        public void tooSlow(Cut cut) {
            tooSlow = cut;
            onTooSlow.run();
        }

        @Override
        public long sentBytes() {
            return sentBytes;
        }

        @Override
        public void creditWanted() {
            creditWanted++;
        }

        @Override
        public void creditReturned(int messages) {
            creditReturned += messages;
        }
    }
}
