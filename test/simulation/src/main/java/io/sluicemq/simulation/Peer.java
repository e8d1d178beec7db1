package io.sluicemq.simulation;

import io.sluicemq.api.Access;
import io.sluicemq.api.Broker.ClientSpec;
import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client;
import io.sluicemq.api.ClientEvents;
import io.sluicemq.api.Completion;
import io.sluicemq.api.Consumer;
import io.sluicemq.api.ConsumerSpec;
import io.sluicemq.api.ConsumerSpec.Credit;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Delivery.Outcome;
import io.sluicemq.api.Message;
import io.sluicemq.api.Principal;
import io.sluicemq.api.Producer;
import io.sluicemq.api.Reply;
import io.sluicemq.broker.flow.Ticket;
import io.sluicemq.testkit.ManualLoop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * A client on one loop: does what the simulation chooses, as a protocol would do it, and keeps the {@link Ledger}. Everything it
 * asks for is an event on its loop, so a busy broker answers late.
 */
final class Peer implements ClientEvents {

    final Simulation simulation;
    final Ledger ledger;
    final RandomGenerator random;
    private final Machine machine;
    final ManualLoop loop;
    final String name;
    private final Outlets outlets;
    final Declaring declaring = new Declaring(this);
    final List<Held> held = new ArrayList<>();
    final List<Tap> taps = new ArrayList<>();
    private final Map<Outlet, Link> links = new LinkedHashMap<>();
    private final Map<Outlet, Target> linkTargets = new HashMap<>();
    private Client client;
    boolean closing;
    /** Whether what comes to it goes back at once. */
    boolean stopped;
    private boolean low;
    private int works;
    private Client.Transaction openTransaction;
    private final List<Held> inTransaction = new ArrayList<>();
    private final List<Held> committing = new ArrayList<>();
    private Work openWork;

    /** A delivery that waits to be settled. */
    record Held(Delivery delivery, Copy copy, Tap tap) {}

    Peer(Simulation simulation, Machine machine, int loop, String name) {
        this.simulation = simulation;
        this.ledger = simulation.ledger;
        this.random = simulation.random;
        this.machine = machine;
        this.loop = machine.loops.get(loop);
        this.name = name;
        this.outlets = new Outlets(simulation, this.loop, name);
        Command connect = simulation.command("the connection of " + name);
        this.loop.execute(() -> machine.engine.connect(
                new ClientSpec("/", Principal.named("guest", Access.ALL), name, "test", "test", this), this.loop,
                new Reply<>() {
                    @Override
                    public void done(Client result) {
                        connect.answered();
                        client = result;
                    }

                    @Override
                    public void failed(BrokerError error) {
                        throw new Broken("no connection: " + error);
                    }
                }));
    }

    Client client() {
        return client;
    }

    boolean isReady() {
        return client != null && !closing;
    }

    boolean isPaced() {
        return outlets.isHeld();
    }

    int heldCount() {
        return held.size() + inTransaction.size() + committing.size();
    }

    /** Whether a commit of it waits that may give back, or keep, what it was to settle. */
    boolean commits() {
        return !committing.isEmpty();
    }

    /** How many of its publishes and commits wait for room in their addresses. */
    long parkedCount() {
        return outlets.parkedCount();
    }

    /** What must hold of what waits for room when nothing goes on. */
    void checkWaiting() {
        outlets.check();
        links.values().forEach(Link::check);
    }

    /** Does something on its loop, unless it has gone by then. */
    void later(Runnable task) {
        loop.execute(() -> {
            if (isReady()) {
                task.run();
            }
        });
    }

    /** A reply that must come once, and may not be a refusal. */
    final class Answer<T> implements Reply<T> {
        private final Command command;
        private final java.util.function.Consumer<T> then;

        Answer(String what, java.util.function.Consumer<T> then) {
            this.command = simulation.command(what + " by " + name);
            this.then = then;
        }

        @Override
        public void done(T result) {
            Broken.unless(loop.isCurrent(), "%s was answered on another loop", command);
            command.answered();
            then.accept(result);
        }

        @Override
        public void failed(BrokerError error) {
            // A log that has failed takes nothing, and says so; that leaves it open what became of it.
            Broken.unless(error instanceof BrokerError.Unavailable && machine.hasFailed(), "%s was refused: %s",
                    command, error);
            command.answered();
        }
    }

    private Completion completion(String what, java.util.function.Consumer<BrokerError> then) {
        return completion(simulation.command(what), then);
    }

    private Completion completion(Command command, java.util.function.Consumer<BrokerError> then) {
        return new Completion(loop) {
            @Override
            protected void complete(BrokerError refusal) {
                command.answered();
                then.accept(refusal);
            }
        };
    }

    // ---- credit

    /** One of its outlets becomes a link to one address, asks for credit, sends by it or without, or is a link no more. */
    void usesCredit() {
        Outlet outlet = outlets.anyLink();
        Target target = target();
        int choice = random.nextInt(16);
        int count = 1 + random.nextInt(12);
        int bytesEach = 200 + random.nextInt(2 * simulation.plan.mostBodyBytes());
        later(() -> {
            Link link = links.get(outlet);
            if (link == null) {
                links.put(outlet, new Link(loop, client, target.exchange(), target.key(), outlet));
                linkTargets.put(outlet, target);
            } else if (choice < 6) {
                link.asks(count, bytesEach);
            } else if (choice < 14) {
                for (int i = 0; i < count && link.hasCredit(); i++) {
                    publish(linkTargets.get(outlet), outlet);
                }
            } else if (choice < 15) {
                publish(linkTargets.get(outlet), outlet);
            } else {
                links.remove(outlet).close();
            }
        });
    }

    // ---- publishing

    void publishes(int count) {
        for (int i = 0; i < count; i++) {
            later(() -> publish(target(), outlets.any()));
        }
    }

    /** Publishes many messages to one address, from one outlet. */
    void bursts(int count) {
        Target target = target();
        Outlet outlet = outlets.any();
        later(() -> {
            for (int i = 0; i < count; i++) {
                publish(target, outlet);
            }
        });
    }

    private Target target() {
        int choice = random.nextInt(12);
        if (choice == 0) {
            return new Target(Ledger.EXCHANGE, "", ledger.everywhere());
        }
        if (choice == 1) {
            QueueModel queue = ledger.queue("temporary" + random.nextInt(2));
            return new Target(Ledger.TEMPORARY_EXCHANGE, queue.name, List.of(queue));
        }
        String[] names = {"plain", "plain", "priority", "ageing", "ring", "overflowing", "refusing", "memory",
            "temporary0", "plain"};
        if (simulation.limits.isOn()) {
            names[0] = "circle" + random.nextInt(2);
            names[1] = "dead";
        }
        QueueModel queue = ledger.queue(names[choice - 2]);
        return new Target("", queue.name, List.of(queue));
    }

    private Message message(Target target, Sent sent) {
        int most = simulation.plan.mostBodyBytes();
        int size = random.nextInt(30) == 0 ? random.nextInt(12_000) : random.nextInt(most);
        return new Message(
                Payload.FORMAT, target.exchange(), target.key(), List.of(), Payload.header(sent.id, sent.group),
                Payload.body(sent.id, size), sent.durable, sent.priority, sent.ttlMillis, client)
                .notBefore(sent.notBeforeMillis)
                .group(sent.group < 0 ? null : "group " + sent.group);
    }

    private Sent sends(Target target, Work work, String producer) {
        Sent sent = ledger.sends(
                producer + target.path(), random.nextInt(5) > 0, random.nextInt(5),
                random.nextInt(15) == 0 ? random.nextInt(200) : Message.NO_TTL, work, target.exchange(),
                target.queues());
        if (simulation.credit != null && simulation.credit.nextInt(6) == 0) {
            sent.notBeforeMillis = loop.currentTimeMillis() + simulation.credit.nextInt(100);
        }
        if (simulation.filters != null && simulation.filters.nextInt(3) == 0) {
            sent.group = simulation.filters.nextInt(6);
        }
        return sent;
    }

    /** @param outlet null if the client is to choose one that is as good as another, since nothing is ever parked */
    private void publish(Target target, Outlet outlet) {
        if (low && random.nextInt(20) > 0 || client.congested(() -> {}) || outlets.isFull(outlet)) {
            return;
        }
        Link link = links.get(outlet);
        if (link != null && target != linkTargets.get(outlet) && random.nextInt(16) > 0) {
            return; // as a link it sends to one address
        }
        Sent sent = sends(target, null, outlets.order(outlet));
        boolean confirms = random.nextInt(6) > 0 || outlets.isNameless(outlet);
        sent.confirmed = confirms;
        if (!confirms) {
            sent.copies.stream().filter(copy -> copy.queue.refuses).forEach(copy -> copy.mayBeGone = true);
        }
        Completion completion = confirms ? confirm(sent, outlet) : null;
        Message message = message(target, sent);
        sent.bytes = message.sizeBytes();
        Producer producer = outlets.producer(outlet);
        Ticket.Holder before = outlets.latest(outlet);
        if (link != null) {
            link.sends();
        }
        int found = client.publish(message, completion, producer);
        routed(target, sent, found);
        outlets.published(outlet, sent, before);
        if (confirms) {
            completion.handedOut();
        }
    }

    private Completion confirm(Sent sent, Outlet outlet) {
        Command command = outlets.command("the confirm of " + sent, outlet, sent);
        return completion(command, refusal -> {
            outlets.answered(outlet, sent, command);
            confirmed(sent, refusal);
        });
    }

    private void confirmed(Sent sent, BrokerError refusal) {
        if (refusal == null) {
            ledger.confirmed(sent);
        } else if (refusal instanceof BrokerError.AddressFull) {
            simulation.statistics.refused();
            ledger.refusedByLimits(sent, refusal);
        } else if (closing && refusal instanceof BrokerError.Unavailable) {
            ledger.goneWithClient(sent);
        } else {
            ledger.refused(sent);
        }
    }

    private void routed(Target target, Sent sent, int found) {
        QueueModel only = target.queues().get(0);
        if (target.queues().size() > 1 || !only.temporary && only.durable) {
            Broken.unless(found == target.queues().size() || isWithoutMemory(target, found),
                    "%s reached %d queues", sent, found);
        }
        if (found == 0) {
            boolean expected = only.existence != QueueModel.Existence.YES
                    || !target.exchange().isEmpty() && !only.bound;
            Broken.unless(expected, "%s was published to %s and reached no queue", sent, only);
            ledger.reachedNone(sent);
        } else if (found < target.queues().size()) {
            sent.copies.stream().filter(copy -> !copy.queue.durable)
                    .forEach(copy -> copy.gone("it was not routed"));
        }
    }

    private boolean isWithoutMemory(Target target, int found) {
        return found == target.queues().size() - 1 && !ledger.queue("memory").bound;
    }

    // ---- transactions

    void transacts() {
        boolean atOnce = random.nextBoolean();
        later(() -> {
            if (low || openTransaction != null) {
                return;
            }
            openTransaction = client.begin();
            openWork = ledger.begins("t" + works++);
            addToTransaction();
            if (atOnce) {
                endTransaction();
            }
        });
        if (!atOnce) {
            later(this::addToTransaction);
            simulation.afterAWhile(() -> later(this::endTransaction));
        }
    }

    private void addToTransaction() {
        if (openTransaction == null) {
            return;
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            Target target = target();
            Sent sent = sends(target, openWork, name + "/" + openWork.name);
            Message message = message(target, sent);
            sent.bytes = message.sizeBytes();
            int found = openTransaction.publish(message);
            routed(target, sent, found);
        }
        List<Delivery> accepted = new ArrayList<>();
        List<Held> free = free();
        for (int i = random.nextInt(4); i > 0 && !free.isEmpty(); i--) {
            Held next = free.remove(random.nextInt(free.size()));
            held.remove(next);
            accepted.add(next.delivery);
            inTransaction.add(next);
            ledger.accepts(openWork, next.copy);
        }
        if (!accepted.isEmpty()) {
            openTransaction.settle(accepted, Outcome.ACCEPTED);
        }
    }

    private void endTransaction() {
        if (openTransaction == null) {
            return;
        }
        Client.Transaction transaction = openTransaction;
        Work work = openWork;
        List<Held> accepted = List.copyOf(inTransaction);
        openTransaction = null;
        inTransaction.clear();
        if (random.nextInt(6) == 0) {
            transaction.discard();
            isNothing(work, accepted);
            return;
        }
        work.state = Work.State.COMMITTING;
        committing.addAll(accepted);
        Command command = outlets.command("the commit of " + work + " by " + name, work);
        Ticket.Holder before = outlets.latestCommit();
        transaction.commit(new Reply<>() {
            @Override
            public void done(Void result) {
                answered();
                ledger.committed(work);
                accepted.forEach(each -> each.tap.settled());
            }

            @Override
            public void failed(BrokerError error) {
                answered();
                boolean mayBeRefused = error instanceof BrokerError.AddressFull
                        ? ledger.mayRefuse(work)
                        : work.publishes.stream().flatMap(sent -> sent.copies.stream())
                                .anyMatch(copy -> copy.queue.refuses);
                Broken.unless(mayBeRefused || closing && error instanceof BrokerError.Unavailable, "%s was refused: %s",
                        work, error);
                isNothing(work, accepted);
            }

            private void answered() {
                command.answered();
                committing.removeAll(accepted);
                outlets.answered(work, command);
            }
        });
        outlets.committed(work, before);
    }

    private void isNothing(Work work, List<Held> accepted) {
        ledger.isNothing(work, this);
        held.addAll(accepted);
        if (closing || stopped) {
            giveBackAll();
        }
    }

    // ---- consuming

    void subscribes() {
        QueueModel queue = anyQueue();
        boolean settles = queue.mayAutoAccept && random.nextInt(3) == 0;
        boolean shared = random.nextInt(4) == 0;
        int prefetch = random.nextInt(8);
        subscribes(new Tap(this, queue, settles, shared, prefetch));
    }

    /** Subscribes to a queue, sends to it, and keeps for a while what it has got of it. */
    void dawdles(QueueModel queue, int prefetch, int count) {
        Tap tap = new Tap(this, queue, false, false, prefetch);
        tap.dawdles = true;
        subscribes(tap);
        Target target = new Target("", queue.name, List.of(queue));
        Outlet outlet = outlets.any();
        later(() -> {
            for (int i = 0; i < count; i++) {
                publish(target, outlet);
            }
        });
        simulation.afterAWhile(() -> tap.dawdles = false);
    }

    /** What it holds and may settle. */
    private List<Held> free() {
        List<Held> free = new ArrayList<>(held);
        free.removeIf(each -> each.tap.dawdles);
        return free;
    }

    private void subscribes(Tap tap) {
        QueueModel queue = tap.queue;
        boolean settles = tap.settles;
        boolean shared = tap.shared;
        int prefetch = tap.prefetch;
        later(() -> {
            if (queue.existence != QueueModel.Existence.YES || taps.size() > 6) {
                return;
            }
            tap.limited = !shared && simulation.credit != null && simulation.credit.nextInt(3) > 0;
            if (simulation.filters != null) {
                tap.filter = simulation.filters.nextInt(3) == 0
                        ? new Some(simulation.filters.nextInt(Some.OF))
                        : null;
                tap.browses = !settles && simulation.filters.nextInt(6) == 0;
            }
            int priority = simulation.filters == null ? 0 : simulation.filters.nextInt(2);
            taps.add(tap);
            tap.begins();
            Command command = simulation.command("a subscription of " + name + " to " + queue);
            client.subscribe(
                    new ConsumerSpec(
                            queue.name, "tag", settles, false, false, prefetch,
                            tap.limited ? Credit.LIMIT : shared ? Credit.SHARED : Credit.NONE, priority,
                            tap.browses, tap.filter, Map.of()),
                    tap,
                    new Reply<>() {
                        @Override
                        public void done(Consumer result) {
                            command.answered();
                            tap.consumer = result;
                            if (tap.limited) {
                                tap.limit(simulation.credit.nextInt(20));
                            }
                        }

                        @Override
                        public void failed(BrokerError error) {
                            command.answered();
                            Broken.unless(queue.temporary, "no subscription to %s: %s", queue, error);
                            tap.ends();
                        }
                    });
        });
    }

    /** Raises, lowers or drains the credit of a consumer with a limit. */
    void changesCredit() {
        later(() -> {
            List<Tap> some = taps.stream()
                    .filter(tap -> tap.limited && tap.consumer != null && !tap.cancelling && !tap.ended)
                    .toList();
            if (!some.isEmpty()) {
                Tap tap = some.get(simulation.credit.nextInt(some.size()));
                if (simulation.credit.nextInt(3) > 0) {
                    tap.limit(simulation.credit.nextInt(20) - 4);
                }
                if (simulation.credit.nextInt(3) == 0) {
                    tap.drain();
                }
            }
        });
    }

    void cancels() {
        later(() -> {
            if (!taps.isEmpty()) {
                cancel(taps.get(random.nextInt(taps.size())));
            }
        });
    }

    void cancel(Tap tap) {
        if (tap.consumer != null && !tap.cancelling && !tap.ended) {
            tap.cancelling = true;
            tap.consumer.cancel(new Answer<>("the end of a consumer of " + tap.queue, result -> tap.ends()));
        }
    }

    QueueModel anyQueue() {
        List<QueueModel> all = List.copyOf(ledger.queues.values());
        return all.get(random.nextInt(all.size()));
    }

    void gets() {
        getsFrom(anyQueue());
    }

    /** Takes several messages from one queue, and ends as many. */
    void drains(int count) {
        QueueModel queue = anyQueue();
        for (int i = 0; i < count; i++) {
            getsFrom(queue);
        }
        for (int i = 0; i < count; i += 3) {
            settles();
        }
    }

    private void getsFrom(QueueModel queue) {
        later(() -> {
            if (queue.existence != QueueModel.Existence.YES) {
                return;
            }
            boolean settles = queue.mayAutoAccept && random.nextInt(3) == 0;
            Tap tap = new Tap(this, queue, settles, false, 0);
            tap.begins();
            Command command = simulation.command("a get of " + name + " from " + queue);
            client.get(queue.name, settles, new Reply<>() {
                @Override
                public void done(Delivery delivery) {
                    command.answered();
                    if (delivery != null) {
                        tap.deliver(delivery);
                    }
                    tap.ends();
                }

                @Override
                public void failed(BrokerError error) {
                    command.answered();
                    Broken.unless(queue.temporary, "no get from %s: %s", queue, error);
                    tap.ends();
                }
            });
        });
    }

    void settles() {
        later(() -> {
            List<Held> free = free();
            int count = Math.min(free.size(), 1 + random.nextInt(6));
            if (count == 0) {
                return;
            }
            List<Held> some = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                some.add(free.remove(random.nextInt(3) > 0 ? 0 : random.nextInt(free.size())));
            }
            held.removeAll(some);
            switch (random.nextInt(10)) {
                case 0 -> some.forEach(simulation.filters == null ? this::giveBack : this::giveBackOrRefuse);
                case 1 -> end(some, Outcome.REJECTED, random.nextBoolean());
                default -> end(some, Outcome.ACCEPTED, random.nextInt(3) > 0);
            }
        });
    }

    void giveBack(Held each) {
        ledger.returns(each.copy);
        each.tap.settled();
        each.delivery.settle(Outcome.REQUEUED);
    }

    private void giveBackOrRefuse(Held each) {
        if (simulation.filters.nextInt(3) > 0) {
            giveBack(each);
            return;
        }
        each.tap.refused.add(each.copy.sent.id);
        ledger.returns(each.copy);
        each.tap.settled();
        each.delivery.settle(Outcome.REQUEUED_ELSEWHERE);
    }

    private void giveBackAll() {
        List<Held> all = List.copyOf(held);
        held.clear();
        all.forEach(this::giveBack);
    }

    private void end(List<Held> some, Outcome outcome, boolean answered) {
        boolean accepts = outcome == Outcome.ACCEPTED;
        Command command = answered ? settlement(some, accepts) : null;
        for (Held each : some) {
            if (accepts) {
                ledger.accepts(each.copy);
            } else {
                ledger.rejects(each.copy);
            }
        }
        Completion completion = !answered
                ? null
                : completion(command, refusal -> {
                    for (Held each : some) {
                        if (accepts) {
                            ledger.accepted(each.copy);
                        } else {
                            ledger.rejected(each.copy);
                        }
                    }
                });
        for (Held each : some) {
            if (answered) {
                completion.hold();
            }
            each.tap.settled();
            each.delivery.settle(outcome, completion);
        }
        if (answered) {
            completion.handedOut();
        }
    }

    /** What is answered when some deliveries have ended; a rejection waits for its dead letter. */
    private Command settlement(List<Held> some, boolean accepts) {
        String what = "the settlement of " + some.size() + " by " + name;
        List<QueueModel> dying = accepts || !simulation.limits.isOn()
                ? List.of()
                : some.stream().map(each -> each.tap.queue).filter(QueueModel::sendsDeadLetters).distinct().toList();
        return dying.isEmpty()
                ? simulation.command(what)
                : simulation.command(what, () -> dying.stream().anyMatch(simulation.watch()::lettersWait));
    }

    /** Rejects all that it holds. */
    void rejects() {
        later(() -> {
            List<Held> all = List.copyOf(held);
            held.clear();
            if (!all.isEmpty()) {
                end(all, Outcome.REJECTED, random.nextBoolean());
            }
        });
    }

    /** Ends its consumers and gives everything back, but stays. */
    void takesNoMore() {
        later(() -> {
            List.copyOf(taps).forEach(this::cancel);
            stopped = true;
            // Else what was reserved is free a moment after all queues were found to be empty.
            links.values().forEach(Link::close);
            links.clear();
            if (openTransaction != null) {
                openTransaction.discard();
                openTransaction = null;
                held.addAll(inTransaction);
                inTransaction.clear();
                ledger.isNothing(openWork, this);
            }
            giveBackAll();
        });
    }

    void writes() {
        later(() -> List.copyOf(taps).forEach(Tap::write));
    }

    // ---- the end

    void disconnects() {
        later(() -> {
            for (Tap tap : List.copyOf(taps)) {
                cancel(tap);
            }
            closing = true;
            if (openTransaction != null) {
                openTransaction.discard();
                openTransaction = null;
                held.addAll(inTransaction);
                inTransaction.clear();
                ledger.isNothing(openWork, this);
            }
            giveBackAll();
            outlets.close();
            client.close(new Answer<>("the good-bye of " + name, result -> {
                // The others end when their own good-bye is answered.
                taps.stream().filter(tap -> !tap.cancelling).toList().forEach(Tap::ends);
                simulation.hasGone(this);
            }));
        });
    }

    /** What it waits for though nothing is in the way; null if all is well. Only while all is quiet. */
    String hungry(Map<String, Long> ready) {
        for (Tap tap : taps) {
            if (simulation.filters != null) {
                for (Copy copy : tap.queue.copies.values()) {
                    if (tap.isHungry() && tap.wants(copy) && ledger.isReady(copy)) {
                        return "a consumer of " + name + " with room waits at " + tap.queue + " that wants " + copy;
                    }
                }
            } else if (tap.isHungry() && ready.getOrDefault(tap.queue.name, 0L) > 0) {
                return "a consumer of " + name + " with room waits at " + tap.queue + ", which has "
                        + ready.get(tap.queue.name) + " ready messages";
            }
        }
        return null;
    }

    /** Asks how many messages wait in each of its consumers' queues. */
    void counts(Map<String, Long> into) {
        later(() -> taps.stream().map(tap -> tap.queue).distinct()
                .filter(queue -> queue.existence == QueueModel.Existence.YES)
                .forEach(queue -> client.findQueue(queue.name, new Answer<>(
                        "the state of " + queue, status -> into.put(queue.name, status.readyMessages())))));
    }

    @Override
    public void closeRequested(String reason) {
        throw new Broken(name + " was asked to close: " + reason);
    }

    @Override
    public void resourcesLow(String reason) {
        low = true;
    }

    @Override
    public void resourcesRecovered() {
        low = false;
    }

    @Override
    public String toString() {
        return name;
    }
}
