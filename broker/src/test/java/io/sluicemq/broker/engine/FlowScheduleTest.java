package io.sluicemq.broker.engine;

import static io.sluicemq.broker.engine.TestBroker.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.Client.QueueSpec;
import io.sluicemq.api.Completion;
import io.sluicemq.api.Consumer;
import io.sluicemq.api.ConsumerSpec;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Message;
import io.sluicemq.api.Reply;
import io.sluicemq.broker.engine.TestBroker.Answer;
import io.sluicemq.broker.engine.TestBroker.TestClient;
import io.sluicemq.broker.engine.TestBroker.TestConsumer;
import io.sluicemq.broker.flow.Account;
import io.sluicemq.broker.flow.AddressLimits;
import io.sluicemq.broker.flow.AddressSettings;
import io.sluicemq.broker.flow.AddressSettings.Rule;
import io.sluicemq.broker.flow.FullPolicy;
import io.sluicemq.broker.flow.Ticket;
import io.sluicemq.broker.queue.Queue;
import io.sluicemq.testkit.ManualLoops;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random clients and full addresses on loops whose turns come in random order: whatever the order, no account holds more than
 * its limit, nobody waits without a reason, every publish is answered once, and in the end every account is at zero. A failure
 * names its seed, which alone makes the run.
 */
class FlowScheduleTest {

    private static final int STEPS = 250;
    private static final int CLIENTS = 4;
    private static final String[] QUEUES = {"q0", "q1", "q2", "q3", "q4", "q5"};
    private static final List<Map<String, Object>> ARGUMENTS = List.of(
            Map.of(),
            Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "q2", "x-message-ttl", 40),
            Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "q1", "x-max-priority", 3),
            Map.of("x-max-length", 3, "x-overflow", "reject-publish"),
            Map.of("x-max-length", 3, "x-dead-letter-exchange", "amq.fanout"),
            Map.of("x-max-length", 2, "x-overflow", "reject-publish-dlx", "x-dead-letter-exchange", "",
                    "x-dead-letter-routing-key", "q0"));

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 60);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldKeepAllLimitsAndReturnToZeroWhateverTheOrderOfTurns(long seed) {
        for (long part = 0; part < 4; part++) {
            Run run = new Run(seed * 10 + part);
            try {
                run.go();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + run.seed + ", step " + run.step + ": " + e.getMessage(), e);
            }
        }
    }

    private static final class Run {
        final long seed;
        final SplittableRandom random;
        final ManualLoops loops;
        final TestBroker broker;
        final VirtualHost host;
        /** Whether limits change in the middle of it; if not, no account may ever hold more than its limit. */
        final boolean changing;
        final TestClient admin;
        final List<TestClient> clients = new ArrayList<>();
        final List<TestConsumer> consumers = new ArrayList<>();
        final List<Delivery> held = new ArrayList<>();
        final Map<Delivery, TestClient> holders = new LinkedHashMap<>();
        final Map<TestClient, TestProducer> producers = new LinkedHashMap<>();
        final List<TestCredit> links = new ArrayList<>();
        final Map<Answer<Void>, TestClient> asked = new LinkedHashMap<>();
        /** All that there were, also those of queues that were deleted. */
        final Set<Account> accounts = new LinkedHashSet<>();
        int step;

        Run(long seed) {
            this.seed = seed;
            random = new SplittableRandom(seed);
            changing = random.nextBoolean();
            loops = new ManualLoops(2 + random.nextInt(2));
            BrokerConfig config = new BrokerConfig(List.of("/"), 1L << 40, () -> "name-" + random.nextLong());
            if (random.nextInt(3) == 0) {
                config = config.withVirtualHostLimits(Map.of("/", limits(rule("/", FullPolicy.BLOCK))));
            }
            broker = new TestBroker(loops, config, null, state -> {});
            broker.schedule = random;
            admin = broker.connect(0);
            host = ((ConnectedClient) admin.client).host();
        }

        private static AddressLimits limits(Rule rule) {
            return new AddressSettings(List.of(rule)).limitsOf(rule.match());
        }

        Rule rule(String match, FullPolicy policy) {
            boolean byBytes = random.nextInt(3) == 0;
            return new Rule(
                    match,
                    byBytes ? 800L + random.nextInt(2000) : null,
                    byBytes && random.nextBoolean() ? null : 1L + random.nextInt(6),
                    policy,
                    random.nextBoolean() ? null : random.nextInt(101),
                    policy == FullPolicy.PAGE && random.nextBoolean() ? 1000L : null,
                    random.nextInt(4) == 0 ? TimeUnit.MILLISECONDS.toNanos(30) : null,
                    null);
        }

        AddressSettings settings() {
            List<Rule> rules = new ArrayList<>();
            for (String queue : QUEUES) {
                if (random.nextInt(4) > 0) {
                    rules.add(rule(queue, policy()));
                }
            }
            if (random.nextBoolean()) {
                rules.add(rule("amq.fanout", policy()));
            }
            return new AddressSettings(rules);
        }

        private FullPolicy policy() {
            return random.nextInt(3) > 0
                    ? FullPolicy.BLOCK
                    : FullPolicy.values()[random.nextInt(FullPolicy.values().length)];
        }

        void go() {
            broker.engine.addressSettings(settings());
            broker.settle();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(connect());
            }
            for (int i = 0; i < QUEUES.length; i++) {
                declare(i);
            }
            broker.settle();
            for (step = 0; step < STEPS; step++) {
                step(random.nextInt(CLIENTS));
                for (int turns = random.nextInt(4); turns > 0; turns--) {
                    loops.get(random.nextInt(loops.size())).runTurn();
                    check();
                }
                if (random.nextInt(40) == 0) {
                    broker.settle();
                    checkAtRest();
                }
            }
            broker.settle();
            checkAtRest();
            drain();
            for (Map.Entry<Answer<Void>, TestClient> each : asked.entrySet()) {
                assertThat(each.getKey().done || !clients.contains(each.getValue())).as("answered").isTrue();
            }
            clients.forEach(TestClient::closes);
            checkAllZero();
        }

        private TestClient connect() {
            TestClient client = broker.connect(random.nextInt(loops.size()));
            producers.put(client, new TestProducer(client.loop));
            return client;
        }

        private void declare(int queue) {
            admin.<Client.QueueStatus>asksLater(reply -> admin.client.declareQueue(
                    new QueueSpec(QUEUES[queue], false, false, false, ARGUMENTS.get(queue)), reply));
            if (queue == 0 || queue == 1 || queue == 3) {
                admin.<Void>asksLater(reply -> admin.client.bind(
                        new Client.BindingSpec("amq.fanout", QUEUES[queue], false, "", Map.of()), reply));
            }
        }

        private void step(int index) {
            TestClient client = clients.get(index);
            String queue = QUEUES[random.nextInt(QUEUES.length)];
            switch (random.nextInt(28)) {
                case 0, 1, 2, 3, 4, 5 -> publish(client, "", queue);
                case 6, 7 -> publish(client, "amq.fanout", "");
                case 8, 9 -> transaction(client);
                case 10, 11 -> subscribe(client, queue);
                case 12 -> cancelOne();
                case 13, 14 -> get(client, queue);
                case 15, 16, 17 -> settleSome();
                case 18 -> loops.passTime(TimeUnit.MILLISECONDS.toNanos(random.nextInt(30)));
                case 19 -> {
                    switch (random.nextInt(3)) {
                        case 0 -> admin.<Long>asksLater(reply -> admin.client.purgeQueue(queue, reply));
                        case 1 -> {
                            admin.<Long>asksLater(reply -> admin.client.deleteQueue(queue, false, false, reply));
                            declare(List.of(QUEUES).indexOf(queue));
                        }
                        default -> {
                            if (!isCommitting(clients.get(index))) {
                                replace(index);
                            }
                        }
                    }
                }
                case 20, 21, 22, 23, 24, 25 -> credit(client);
                default -> {
                    if (changing) {
                        broker.engine.addressSettings(settings());
                        if (host.account() != null) {
                            broker.engine.virtualHostLimits(Map.of("/", limits(rule("/", policy()))));
                        }
                    } else {
                        settleSome();
                    }
                }
            }
        }

        private void publish(TestClient client, String exchange, String key) {
            Message message = message(exchange, key, "m".repeat(random.nextInt(200)), random.nextInt(4),
                    random.nextInt(5) == 0 ? random.nextInt(40) : Message.NO_TTL);
            boolean confirmed = random.nextBoolean();
            TestProducer producer = random.nextInt(5) == 0 ? null : producers.get(client);
            Answer<Void> answer = client.asksLater(reply -> {
                if (!confirmed) {
                    client.client.publish(message, null, producer);
                    reply.done(null);
                    return;
                }
                Completion completion = client.completion(reply);
                client.client.publish(message, completion, producer);
                completion.handedOut();
            });
            asked.put(answer, client);
        }

        /** Links that send within their credit, or not; that ask when they have none, or for more; that come and go. */
        private void credit(TestClient client) {
            List<TestCredit> own = links.stream().filter(each -> each.client == client).toList();
            if (own.size() < 2) {
                boolean fanout = random.nextInt(3) == 0;
                links.add(new TestCredit(
                        client, fanout ? "amq.fanout" : "", fanout ? "" : QUEUES[random.nextInt(QUEUES.length)]));
                return;
            }
            TestCredit link = own.get(random.nextInt(own.size()));
            int count = 1 + random.nextInt(6);
            switch (random.nextInt(12)) {
                case 0, 1, 2, 3 -> client.loop.execute(() -> {
                    if (links.contains(link) && !link.line.isAsking()) {
                        link.ask(count, 100L + random.nextInt(300));
                    }
                });
                case 4, 5, 6, 7, 8 -> client.loop.execute(() -> {
                    for (int i = 0; links.contains(link) && link.credit > 0 && i < count; i++) {
                        send(link);
                    }
                });
                case 9 -> client.loop.execute(() -> {
                    if (links.contains(link)) {
                        if (link.credit > 0 && link.line.messages() > 0 && random.nextBoolean()) {
                            link.credit--;
                            link.line.forgo(1);
                        } else {
                            send(link);
                        }
                    }
                });
                case 10 -> client.loop.execute(() -> {
                    if (links.contains(link)) {
                        Client.Transaction work = client.client.begin();
                        link.credit--;
                        link.sentWithout += link.line.messages() == 0 ? 1 : 0;
                        work.publish(message(link.exchange, link.key, "tx"), link.producer);
                        Answer<Void> answer = new Answer<>();
                        asked.put(answer, client);
                        work.commit(answer);
                    }
                });
                default -> client.loop.execute(() -> {
                    if (links.remove(link)) {
                        link.line.close();
                    }
                });
            }
        }

        private void send(TestCredit link) {
            Answer<Void> answer = new Answer<>();
            asked.put(answer, link.client);
            link.send(message(link.exchange, link.key, "m".repeat(random.nextInt(400)), random.nextInt(4),
                    random.nextInt(5) == 0 ? random.nextInt(40) : Message.NO_TTL), answer);
        }

        private void transaction(TestClient client) {
            List<Message> messages = new ArrayList<>();
            for (int i = random.nextInt(5); i > 0; i--) {
                boolean fanout = random.nextInt(4) == 0;
                messages.add(message(
                        fanout ? "amq.fanout" : "", fanout ? "" : QUEUES[random.nextInt(QUEUES.length)], "tx"));
            }
            List<Delivery> accepted = new ArrayList<>();
            for (Delivery delivery : List.copyOf(held)) {
                if (holders.get(delivery) == client && random.nextInt(3) == 0) {
                    accepted.add(delivery);
                    held.remove(delivery);
                }
            }
            boolean rolledBack = accepted.isEmpty() && random.nextInt(4) == 0;
            Answer<Void> answer = client.asksLater(reply -> {
                Client.Transaction work = client.client.begin();
                messages.forEach(work::publish);
                if (rolledBack) {
                    work.discard();
                    reply.done(null);
                    return;
                }
                work.settle(accepted, Outcome.ACCEPTED);
                work.commit(new Reply<>() {
                    @Override
                    public void done(Void nothing) {
                        accepted.forEach(holders::remove);
                        reply.done(null);
                    }

                    @Override
                    public void failed(BrokerError error) {
                        held.addAll(accepted);
                        reply.failed(error);
                    }
                });
            });
            inCommits.put(answer, accepted);
            asked.put(answer, client);
        }

        /** What transactions want to acknowledge that are not committed yet. */
        final Map<Answer<Void>, List<Delivery>> inCommits = new LinkedHashMap<>();

        private void subscribe(TestClient client, String queue) {
            TestConsumer consumer = new TestConsumer(client);
            boolean settled = random.nextInt(6) == 0;
            consumer.onDelivery = (to, delivery) -> {
                if (to.port != null) {
                    to.port.written(delivery.windowBytes());
                }
                if (!settled) {
                    hold(client, delivery);
                }
            };
            ConsumerSpec spec = new ConsumerSpec(
                    queue, "tag", settled, false, false, 1 + random.nextInt(3), false, 0, Map.of());
            consumers.add(consumer);
            client.loop.execute(() -> client.client.subscribe(spec, consumer, new Reply<>() {
                @Override
                public void done(Consumer port) {
                    consumer.port = port;
                }

                @Override
                public void failed(BrokerError error) {
                    consumers.remove(consumer);
                }
            }));
        }

        private void cancelOne() {
            if (!consumers.isEmpty()) {
                TestConsumer consumer = consumers.get(random.nextInt(consumers.size()));
                if (consumer.port != null) {
                    consumers.remove(consumer);
                    consumer.client.<Void>asksLater(reply -> consumer.port.cancel(reply));
                }
            }
        }

        private void get(TestClient client, String queue) {
            boolean settled = random.nextInt(4) == 0;
            client.loop.execute(() -> client.client.get(queue, settled, new Reply<>() {
                @Override
                public void done(Delivery delivery) {
                    if (delivery != null && !settled) {
                        hold(client, delivery);
                    }
                }

                @Override
                public void failed(BrokerError error) {
                    assertThat(error).isInstanceOf(BrokerError.NotFound.class); // it is being declared anew
                }
            }));
        }

        private void hold(TestClient client, Delivery delivery) {
            if (clients.contains(client) || client == admin) {
                held.add(delivery);
                holders.put(delivery, client);
            } else {
                delivery.settle(Outcome.REQUEUED); // as a session does that has ended
            }
        }

        private void settleSome() {
            for (int n = random.nextInt(5); n > 0 && !held.isEmpty(); n--) {
                settle(held.remove(random.nextInt(held.size())), switch (random.nextInt(5)) {
                    case 0 -> Outcome.REQUEUED;
                    case 1 -> Outcome.REJECTED;
                    default -> Outcome.ACCEPTED;
                });
            }
        }

        private void settle(Delivery delivery, Outcome outcome) {
            holders.remove(delivery).loop.execute(() -> delivery.settle(outcome));
        }

        /** Whether a transaction of it is on its way that acknowledges something: it may happen even if the client goes. */
        private boolean isCommitting(TestClient client) {
            return inCommits.entrySet().stream().anyMatch(
                    each -> asked.get(each.getKey()) == client && !each.getKey().done && !each.getValue().isEmpty());
        }

        /** A client goes, and what it holds goes back; another comes. */
        private void replace(int index) {
            TestClient client = clients.get(index);
            for (TestConsumer consumer : List.copyOf(consumers)) {
                if (consumer.client == client) {
                    if (consumer.port == null) {
                        return; // it is not told yet that it is one
                    }
                    consumers.remove(consumer);
                }
            }
            inCommits.forEach((answer, deliveries) -> {
                if (asked.get(answer) == client && !answer.done) {
                    held.addAll(deliveries);
                    deliveries.clear();
                }
            });
            links.removeIf(link -> link.client == client);
            client.<Void>asksLater(client.client::close);
            for (Delivery delivery : List.copyOf(held)) {
                if (holders.get(delivery) == client) {
                    held.remove(delivery);
                    settle(delivery, Outcome.REQUEUED);
                }
            }
            clients.set(index, connect());
        }

        // ---- what must be true

        private List<Queue> queues() {
            List<Queue> all = new ArrayList<>();
            for (int i = 0; i < loops.size(); i++) {
                all.addAll(broker.engine.context(i).queues);
            }
            return all;
        }

        private void check() {
            queues().forEach(queue -> accounts.add(queue.account()));
            accounts.addAll(host.exchangeAccounts().values());
            if (host.account() != null) {
                accounts.add(host.account());
            }
            for (Account account : accounts) {
                assertThat(account.usedBytes()).as("bytes used of %s", account).isNotNegative();
                assertThat(account.usedMessages()).as("messages used of %s", account).isNotNegative();
                AddressLimits limits = account.limits();
                boolean binding = limits.policy() != FullPolicy.PAGE
                        && (limits.policy() != FullPolicy.RING || account.parent() == null)
                        && (account.kind() != Account.Kind.EXCHANGE || limits.policy() != FullPolicy.RING);
                if (!changing && binding) {
                    if (limits.maxBytes() != AddressLimits.NONE) {
                        assertThat(account.usedBytes()).as("%s", account).isLessThanOrEqualTo(limits.maxBytes());
                    }
                    if (limits.maxMessages() != AddressLimits.NONE) {
                        assertThat(account.usedMessages()).as("%s", account)
                                .isLessThanOrEqualTo(limits.maxMessages());
                    }
                }
            }
        }

        /** Nothing is on its way: who waits must have a reason to. */
        private void checkAtRest() {
            // Who steps aside comes back.
            loops.advance(TimeUnit.MILLISECONDS.toNanos(10));
            broker.settle();
            check();
            links.forEach(TestCredit::check);
            if (random.nextInt(3) == 0) {
                letIdleCreditGoRound();
            }
            long ticketsParked = 0;
            for (Account account : accounts) {
                List<Ticket> tickets = on(account, () -> account.gate().tickets());
                assertThat(account.isWaited()).as("waited: %s", account).isEqualTo(!tickets.isEmpty());
                if (tickets.isEmpty()) {
                    continue;
                }
                for (Ticket ticket : tickets) {
                    ticketsParked += ticket.holder().parkedMessages();
                }
                Ticket first = tickets.getFirst();
                AddressLimits limits = account.limits();
                long maxBytes = limits.policy() == FullPolicy.PAGE ? limits.pageLimitBytes() : limits.maxBytes();
                long maxMessages = limits.policy() == FullPolicy.PAGE ? AddressLimits.NONE : limits.maxMessages();
                boolean fits = fits(account.usedBytes() + first.firstBytes(), maxBytes)
                        && fits(account.usedMessages() + first.firstMessages(), maxMessages);
                boolean mayWait = !fits
                        || account.kind() == Account.Kind.QUEUE && ready(account) > 0 && isAboveLowWater(account);
                assertThat(mayWait).as("a reason to wait for %s, %s of %s messages, %s of %s bytes used, %s ready",
                        account, account.usedMessages(), maxMessages, account.usedBytes(), maxBytes,
                        account.kind() == Account.Kind.QUEUE ? ready(account) : 0).isTrue();
            }
            // Whatever is parked stands in a line whose first stands at a gate.
            assertThat(broker.counters().parkedMessages()).isEqualTo(ticketsParked);
        }

        /** Whoever does not use its credit gives it back as long as somebody waits. */
        private void letIdleCreditGoRound() {
            for (int round = 0; round < 2 * links.size() + 2; round++) {
                loops.advance(TimeUnit.MILLISECONDS.toNanos(110));
                broker.settle();
                check();
                links.forEach(TestCredit::check);
            }
            for (Account account : accounts) {
                if (account.isWaited()) {
                    assertThat(account.creditLines()).as("lines that hold room in %s", account).isZero();
                }
            }
        }

        private static boolean fits(long used, long limit) {
            return limit == AddressLimits.NONE || used <= limit;
        }

        private static boolean isAboveLowWater(Account account) {
            AddressLimits limits = account.limits();
            double part = limits.lowWaterPercent() / 100.0;
            long maxBytes = limits.policy() == FullPolicy.PAGE ? limits.pageLimitBytes() : limits.maxBytes();
            return maxBytes != AddressLimits.NONE && account.usedBytes() > (long) (maxBytes * part)
                    || limits.policy() != FullPolicy.PAGE && limits.maxMessages() != AddressLimits.NONE
                            && account.usedMessages() > (long) (limits.maxMessages() * part);
        }

        private long ready(Account account) {
            return queues().stream().filter(each -> each.account() == account).mapToLong(Queue::ready).sum();
        }

        private <T> T on(Account account, java.util.function.Supplier<T> question) {
            return ((io.sluicemq.testkit.ManualLoop) account.home()).call(question);
        }

        // ---- the end

        private void drain() {
            for (TestConsumer consumer : List.copyOf(consumers)) {
                if (consumer.cancelledFor == null) {
                    consumer.client.<Void>asks(consumer.port::cancel);
                }
            }
            for (int round = 0; round < 10_000; round++) {
                while (!held.isEmpty()) {
                    settle(held.removeLast(), Outcome.ACCEPTED);
                }
                broker.settle();
                boolean any = !held.isEmpty();
                for (String queue : QUEUES) {
                    Delivery next = admin.gets(queue);
                    if (next != null) {
                        any = true;
                        admin.does(() -> next.settle(Outcome.ACCEPTED));
                    }
                }
                if (!any && broker.counters().parkedMessages() == 0) {
                    return;
                }
                if (!any) {
                    checkAtRest();
                    // A transaction may need more room than there is while what it acknowledges is counted.
                    for (int i = 0; i < CLIENTS; i++) {
                        replace(i);
                    }
                }
            }
            throw new AssertionError("it is never drained");
        }

        private void checkAllZero() {
            BrokerCounters counters = broker.counters();
            assertThat(counters.parkedMessages()).as("parked messages").isZero();
            assertThat(counters.parkedBytes()).as("parked bytes").isZero();
            assertThat(counters.readyMessages()).as("ready").isZero();
            assertThat(counters.unsettledMessages()).as("unsettled").isZero();
            assertThat(counters.messageBytes()).as("message bytes").isZero();
            for (Account account : accounts) {
                assertThat(account.usedBytes()).as("bytes left in %s", account).isZero();
                assertThat(account.usedMessages()).as("messages left in %s", account).isZero();
                assertThat(account.isWaited()).as("somebody waits for %s", account).isFalse();
                assertThat(account.creditLines()).as("lines that hold room in %s", account).isZero();
            }
        }
    }
}
