package io.sluicemq.protocol.amqp091;

import io.sluicemq.api.Broker;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.ClientEvents;
import io.sluicemq.api.Completion;
import io.sluicemq.api.Consumer;
import io.sluicemq.api.ConsumerSink;
import io.sluicemq.api.ConsumerSpec;
import io.sluicemq.api.CreditLine;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Hold;
import io.sluicemq.api.Message;
import io.sluicemq.api.Producer;
import io.sluicemq.api.Reply;
import io.sluicemq.base.Loop;
import io.sluicemq.testkit.ManualLoop;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A broker of one client that does nothing by itself: requests wait until a test answers them, publishes are noted,
 * deliveries come when a test sends them.
 */
final class FakeClient implements Broker, Client {

    /** A request and where its answer goes. */
    record Asked(Object request, Reply<Object> reply) {}

    private final ManualLoop loop;
    ClientSpec spec;
    ClientEvents events;
    BrokerError refuseConnect;
    final List<Asked> asked = new ArrayList<>();
    final List<Message> published = new ArrayList<>();
    final List<Completion> completions = new ArrayList<>();
    final List<FakeDelivery> settled = new ArrayList<>();
    final Map<String, FakeConsumer> consumers = new LinkedHashMap<>();
    final List<FakeTransaction> transactions = new ArrayList<>();
    final List<FakeReplyAddress> replyAddresses = new ArrayList<>();
    /** How many queues a publish reaches. */
    int queues = 1;
    /** Whether a publish's completion is met by a test, and not at once. */
    boolean holdCompletions;
    /** Routing keys of addresses that have no room: publishes to them are parked until a test says what becomes of them. */
    final Map<String, Hold> full = new HashMap<>();
    final ArrayDeque<Parked> parked = new ArrayDeque<>();
    /** Where the latest message was published from. */
    Producer producer;
    long fairShareBytes = Long.MAX_VALUE;
    boolean congested;
    Runnable resume;
    int channels;
    boolean closed;

    FakeClient(ManualLoop loop) {
        this.loop = loop;
    }

    @Override
    public void connect(ClientSpec wanted, Loop on, Reply<Client> reply) {
        spec = wanted;
        events = wanted.events();
        if (refuseConnect != null) {
            reply.failed(refuseConnect);
        } else {
            reply.done(this);
        }
    }

    @SuppressWarnings("unchecked")
    private <T> void ask(Object request, Reply<T> reply) {
        if (closed) {
            throw new IllegalStateException("asked after close: " + request);
        }
        asked.add(new Asked(request, (Reply<Object>) reply));
    }

    /** The oldest request not yet answered. */
    Object request() {
        return asked.getFirst().request();
    }

    void answer(Object result) {
        loop.run(() -> asked.removeFirst().reply().done(result));
    }

    void refuse(BrokerError error) {
        loop.run(() -> asked.removeFirst().reply().failed(error));
    }

    // ---- topology

    record Find(String kind, String name) {}

    record Delete(String kind, String name, boolean ifUnused, boolean ifEmpty) {}

    record Bind(BindingSpec binding) {}

    record Unbind(BindingSpec binding) {}

    record IsBound(String exchange, String queue, String key) {}

    record Purge(String queue) {}

    record Get(String queue, boolean settled) {}

    record Cancel(String tag) {}

    record Commit(FakeTransaction transaction) {}

    record FindReply(String name) {}

    record Close() {}

    @Override
    public Loop loop() {
        return loop;
    }

    @Override
    public void kept(int links, int deliveries) {}

    @Override
    public Loop home() {
        return loop;
    }

    @Override
    public String virtualHost() {
        return "/";
    }

    @Override
    public void channelsChanged(int difference) {
        channels += difference;
    }

    @Override
    public void declareExchange(ExchangeSpec exchange, Reply<Void> reply) {
        ask(exchange, reply);
    }

    private static IllegalStateException notAsked() {
        return new IllegalStateException("no session of AMQP 0-9-1 asks for that");
    }

    @Override
    public void describeExchange(String name, Reply<ExchangeSpec> reply) {
        throw notAsked();
    }

    @Override
    public void describeQueue(String name, Reply<QueueSpec> reply) {
        throw notAsked();
    }

    @Override
    public void declareBoundQueue(QueueSpec spec, String exchange, String routingKey, Reply<QueueStatus> reply) {
        throw notAsked();
    }

    @Override
    public CreditLine openCredit(String exchange, String routingKey, Producer producer, CreditLine.Sink sink) {
        throw notAsked();
    }

    @Override
    public void findExchange(String name, Reply<Void> reply) {
        ask(new Find("exchange", name), reply);
    }

    @Override
    public void deleteExchange(String name, boolean ifUnused, Reply<Void> reply) {
        ask(new Delete("exchange", name, ifUnused, false), reply);
    }

    @Override
    public void bind(BindingSpec binding, Reply<Void> reply) {
        ask(new Bind(binding), reply);
    }

    @Override
    public void unbind(BindingSpec binding, Reply<Void> reply) {
        ask(new Unbind(binding), reply);
    }

    @Override
    public void isBound(String exchange, String queue, String routingKey, Reply<Bound> reply) {
        ask(new IsBound(exchange, queue, routingKey), reply);
    }

    @Override
    public void declareQueue(QueueSpec queue, Reply<QueueStatus> reply) {
        ask(queue, reply);
    }

    @Override
    public void findQueue(String name, Reply<QueueStatus> reply) {
        ask(new Find("queue", name), reply);
    }

    @Override
    public void deleteQueue(String name, boolean ifUnused, boolean ifEmpty, Reply<Long> reply) {
        ask(new Delete("queue", name, ifUnused, ifEmpty), reply);
    }

    @Override
    public void purgeQueue(String name, Reply<Long> reply) {
        ask(new Purge(name), reply);
    }

    // ---- publishing

    @Override
    public int publish(Message message, Completion completion, Producer producer) {
        this.producer = producer;
        Hold hold = full.get(message.routingKey());
        if (hold != null) {
            park(new Parked(message, completion, producer), hold);
            return queues;
        }
        published.add(message);
        if (queues > 0 && completion != null) {
            completion.hold();
            if (holdCompletions) {
                completions.add(completion);
            } else {
                completion.met(loop);
            }
        }
        return queues;
    }

    /** A publish that waits for room. */
    record Parked(Message message, Completion completion, Producer producer) {
        int bytes() {
            return message.body().length;
        }
    }

    private void park(Parked publish, Hold hold) {
        parked.add(publish);
        if (publish.completion != null) {
            publish.completion.hold();
        }
        publish.producer.parked(hold, publish.bytes());
    }

    long parkedBytes() {
        return parked.stream().mapToLong(Parked::bytes).sum();
    }

    /** There is room for the next so many publishes that wait, in one turn. */
    void store(int count) {
        loop.run(() -> {
            for (int i = 0; i < count; i++) {
                Parked next = parked.remove();
                published.add(next.message);
                next.producer.unparked(next.bytes());
                if (next.completion != null) {
                    next.completion.met(loop);
                }
            }
        });
        loop.runAll();
    }

    void storeAll() {
        store(parked.size());
    }

    /** There is room for all that waits, and it is on its way to its queues: it waits no more, and is not stored yet. */
    List<Completion> admitAll() {
        List<Completion> underWay = new ArrayList<>();
        loop.run(() -> {
            while (!parked.isEmpty()) {
                Parked next = parked.remove();
                published.add(next.message);
                next.producer.unparked(next.bytes());
                if (next.completion != null) {
                    underWay.add(next.completion);
                }
            }
        });
        loop.runAll();
        return underWay;
    }

    /** What was on its way is stored. */
    void stored(List<Completion> completions) {
        loop.run(() -> completions.forEach(each -> each.met(loop)));
        loop.runAll();
    }

    /** The next publish that waits has waited for too long. */
    void refuseParked() {
        loop.run(() -> {
            Parked next = parked.remove();
            BrokerError error =
                    new BrokerError.AddressFull(next.message.routingKey(), "/", "max-size 1, hold-limit 5s");
            next.producer.unparked(next.bytes());
            if (next.completion != null) {
                next.completion.refused(loop, error);
            } else {
                next.producer.refused(error);
            }
        });
        loop.runAll();
    }

    @Override
    public long fairShareBytes() {
        return fairShareBytes;
    }

    List<String> publishedBodies() {
        return published.stream().map(FakeClient::text).toList();
    }

    static String text(Message message) {
        return new String(message.body(), StandardCharsets.UTF_8);
    }

    void met(int index) {
        loop.run(() -> completions.get(index).met(loop));
    }

    void refused(int index) {
        loop.run(() -> completions.get(index).refused(loop, new BrokerError.LimitReached("messages", "q", "/", 1)));
    }

    @Override
    public int checkExchange(String exchange) {
        return Math.min(queues, 0);
    }

    @Override
    public boolean congested(Runnable onResume) {
        if (congested) {
            resume = onResume;
        }
        return congested;
    }

    @Override
    public FakeTransaction begin() {
        FakeTransaction transaction = new FakeTransaction();
        transactions.add(transaction);
        return transaction;
    }

    final class FakeTransaction implements Transaction {
        final List<Message> messages = new ArrayList<>();
        final Map<Delivery, Delivery.Outcome> ends = new LinkedHashMap<>();

        @Override
        public int publish(Message message) {
            messages.add(message);
            return queues;
        }

        @Override
        public void settle(List<Delivery> deliveries, Delivery.Outcome outcome) {
            deliveries.forEach(each -> ends.put(each, outcome));
        }

        @Override
        public void discard() {
            messages.clear();
            ends.clear();
        }

        @Override
        public void commit(Reply<Void> reply) {
            ask(new Commit(this), reply);
        }

        /** Does at a commit what a broker does before it answers. */
        void carryOut() {
            published.addAll(messages);
            loop.run(() -> ends.forEach(Delivery::settle));
        }
    }

    // ---- consuming

    @Override
    public void subscribe(ConsumerSpec wanted, ConsumerSink sink, Reply<Consumer> reply) {
        ask(new FakeConsumer(wanted, sink), reply);
    }

    /** Accepts the subscription at hand. */
    FakeConsumer accept() {
        FakeConsumer consumer = (FakeConsumer) request();
        consumers.put(consumer.spec.tag(), consumer);
        answer(consumer);
        return consumer;
    }

    final class FakeConsumer implements Consumer {
        final ConsumerSpec spec;
        final ConsumerSink sink;
        final List<Long> written = new ArrayList<>();
        int granted;
        boolean paused;
        boolean cancelled;

        FakeConsumer(ConsumerSpec spec, ConsumerSink sink) {
            this.spec = spec;
            this.sink = sink;
        }

        FakeDelivery deliver(String body) {
            return deliver(message(body));
        }

        FakeDelivery deliver(Message message) {
            FakeDelivery delivery = new FakeDelivery(message, spec.settled(), settled);
            loop.run(() -> sink.deliver(delivery));
            return delivery;
        }

        @Override
        public void cancel(Reply<Void> reply) {
            cancelled = true;
            ask(new Cancel(spec.tag()), reply);
        }

        @Override
        public void grant(int messages) {
            granted += messages;
        }

        @Override
        public void written(long bytes) {
            if (cancelled) {
                throw new IllegalStateException("written after cancel");
            }
            written.add(bytes);
        }

        @Override
        public void pause(Pause wanted) {
            paused = wanted != Pause.NONE;
        }

        @Override
        public void refuse(Delivery delivery, Reply<Void> reply) {
            throw notAsked();
        }

        @Override
        public void limit(long deliveries) {
            throw notAsked();
        }

        @Override
        public void drain(Reply<Void> reply) {
            throw notAsked();
        }
    }

    static Message message(String body) {
        return message(body, new byte[2]);
    }

    static Message message(String body, byte[] properties) {
        return new Message(
                Amqp091Format.INSTANCE,
                "ex",
                "key",
                List.of(),
                properties,
                body.getBytes(StandardCharsets.UTF_8),
                false,
                0,
                Message.NO_TTL,
                null);
    }

    FakeDelivery delivery(String body) {
        return new FakeDelivery(message(body), false, settled);
    }

    @Override
    public void get(String queue, boolean wantsSettled, Reply<Delivery> reply) {
        ask(new Get(queue, wantsSettled), reply);
    }

    @Override
    public ReplyAddress openReplyAddress(ConsumerSink sink) {
        FakeReplyAddress address = new FakeReplyAddress(sink);
        replyAddresses.add(address);
        return address;
    }

    final class FakeReplyAddress implements ReplyAddress {
        final ConsumerSink sink;
        long written;
        boolean closedByClient;

        FakeReplyAddress(ConsumerSink sink) {
            this.sink = sink;
        }

        FakeDelivery deliver(String body) {
            FakeDelivery delivery = new FakeDelivery(message(body), true, settled);
            loop.run(() -> sink.deliver(delivery));
            return delivery;
        }

        @Override
        public String name() {
            return PREFIX + "0.secret";
        }

        @Override
        public void written(long bytes) {
            written += bytes;
        }

        @Override
        public void close() {
            closedByClient = true;
        }
    }

    @Override
    public void findReplyAddress(String name, Reply<Boolean> reply) {
        ask(new FindReply(name), reply);
    }

    /** Whether commits that are not answered wait for room, rather than being carried out. */
    boolean commitsWait;

    /** As the engine does: commits that wait for room fail, as an event of their own. */
    @Override
    public void abandon() {
        for (Asked each : List.copyOf(asked)) {
            if (commitsWait && each.request() instanceof Commit) {
                loop.execute(() -> {
                    asked.remove(each);
                    each.reply().failed(new BrokerError.Unavailable("the client has gone"));
                });
            }
        }
    }

    @Override
    public void close(Reply<Void> reply) {
        ask(new Close(), reply);
        closed = true;
    }
}
