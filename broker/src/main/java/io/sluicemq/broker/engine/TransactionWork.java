package io.sluicemq.broker.engine;

import io.sluicemq.api.BrokerError;
import io.sluicemq.api.Client.Transaction;
import io.sluicemq.api.Completion;
import io.sluicemq.api.Delivery;
import io.sluicemq.api.Message;
import io.sluicemq.api.Producer;
import io.sluicemq.api.Reply;
import io.sluicemq.base.LoopOwned;
import io.sluicemq.broker.flow.Account;
import io.sluicemq.broker.flow.SharedCharge;
import io.sluicemq.broker.journal.CommitRecord;
import io.sluicemq.broker.journal.Journal;
import io.sluicemq.broker.journal.TurnRecord;
import io.sluicemq.broker.queue.QueueEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a client wants to happen together. At the commit each queue that may refuse is asked to promise room for all its
 * messages; only when all have promised is anything done, so that a refusal leaves no trace. Owned by the client's loop.
 */
@LoopOwned
final class TransactionWork implements Transaction {

    private record Settlement(List<Delivery> deliveries, Delivery.Outcome outcome) {}

    /** A message and where it goes. */
    private static final class Publish {
        private final Message message;
        private Route route;
        /** The account of the exchange; null if there is none. */
        private final Account exchange;
        private long position = Journal.NONE;
        private int recordBytes;
        private int share;

        Publish(Message message, Route route, Account exchange) {
            this.message = message;
            this.route = route;
            this.exchange = exchange;
        }

        /** It is not to go to that queue. */
        void leaveOut(QueueProxy target) {
            route = Route.of(Arrays.stream(route.targets()).filter(each -> each != target).toArray(QueueProxy[]::new));
        }

        boolean isLogged() {
            return message.durable() && route.isLogged();
        }
    }

    /** What one queue gets. */
    private static final class Share {
        private final List<Publish> publishes = new ArrayList<>();

        List<Message> messages() {
            return publishes.stream().map(each -> each.message).toList();
        }
    }

    private final ConnectedClient client;
    private List<Publish> publishes = new ArrayList<>();
    private List<Settlement> settlements = new ArrayList<>();
    /** Bytes of messages held here, each counted once. */
    private long heldBytes;
    /** What large messages take of that. */
    private long heldOfLarge;

    TransactionWork(ConnectedClient client) {
        this.client = client;
    }

    @Override
    public int publish(Message message) {
        if (message.exchange().isEmpty()
                && message.routingKey().startsWith(io.sluicemq.api.Client.ReplyAddress.PREFIX)) {
            // A reply goes by no queue and can be neither promised nor taken back.
            return client.publish(message, null);
        }
        int found = client.find(message);
        if (found > 0) {
            heldBytes += message.sizeBytes();
            heldOfLarge += MemoryBudget.ofLarge(message.sizeBytes());
            client.context().messageHeld(message.sizeBytes());
            publishes.add(new Publish(
                    message, client.found(), client.host().exchangeAccount(message.exchange())));
        }
        return found;
    }

    @Override
    public int publish(Message message, Producer producer) {
        if (producer != null && producer.credit() instanceof Credit line) {
            line.spendElsewhere();
        }
        return publish(message);
    }

    @Override
    public void settle(List<Delivery> deliveries, Delivery.Outcome outcome) {
        settlements.add(new Settlement(List.copyOf(deliveries), outcome));
    }

    private void letGoOfMemory() {
        client.context().messageBytes(-heldBytes, -heldOfLarge);
        heldBytes = 0;
        heldOfLarge = 0;
    }

    @Override
    public void discard() {
        letGoOfMemory();
        publishes = new ArrayList<>();
        settlements = new ArrayList<>();
    }

    @Override
    public void commit(Reply<Void> reply) {
        LoopContext here = client.context();
        List<Publish> all = publishes;
        List<Settlement> ends = settlements;
        publishes = new ArrayList<>();
        settlements = new ArrayList<>();
        Map<QueueProxy, Share> work = new LinkedHashMap<>();
        for (Publish publish : all) {
            for (QueueProxy target : publish.route.targets()) {
                work.computeIfAbsent(target, queue -> new Share()).publishes.add(publish);
            }
        }
        client.entrance().enter(new CommitArrival(all, work, ends, reply), this);
    }

    @Override
    public String toString() {
        return "transaction";
    }

    /** What a commit has all queues take, as soon as there is room in all of them. */
    private final class CommitArrival extends Arrival {

        private final List<Publish> all;
        private final Map<QueueProxy, Share> work;
        private final List<Settlement> ends;
        private final Reply<Void> reply;
        private final Map<Account, long[]> commons;

        CommitArrival(
                List<Publish> all, Map<QueueProxy, Share> work, List<Settlement> ends, Reply<Void> reply) {
            this(all, work, ends, reply, exchanges(all));
        }

        private CommitArrival(
                List<Publish> all, Map<QueueProxy, Share> work, List<Settlement> ends, Reply<Void> reply,
                Map<Account, long[]> commons) {
            super(work.keySet().toArray(QueueProxy[]::new), commons.keySet().toArray(Account[]::new));
            this.all = all;
            this.work = work;
            this.ends = ends;
            this.reply = reply;
            this.commons = commons;
        }

        @Override
        long bytes(int target) {
            long bytes = 0;
            for (Publish publish : work.get(targets()[target]).publishes) {
                bytes += publish.message.sizeBytes();
            }
            return bytes;
        }

        @Override
        long messages(int target) {
            return work.get(targets()[target]).publishes.size();
        }

        @Override
        long commonBytes(Account exchange) {
            return commons.getOrDefault(exchange, NOTHING)[0];
        }

        @Override
        long commonMessages(Account exchange) {
            return commons.getOrDefault(exchange, NOTHING)[1];
        }

        @Override
        long memoryBytes() {
            return 0; // counted since they were published
        }

        @Override
        Producer producer() {
            return null;
        }

        @Override
        void waits(Account where) {}

        @Override
        void admitted() {
            for (Publish publish : all) {
                if (publish.exchange != null) {
                    publish.message.charge(new SharedCharge(
                            publish.exchange, publish.message.sizeBytes(), publish.route.size()));
                }
            }
            askForPromises(this);
        }

        @Override
        void refused(BrokerError error) {
            letGoOfMemory();
            reply.failed(error);
        }

        @Override
        void heldTooLong(Account account) {
            client.context().tally.refusedByPolicy++;
            account.refusedByPolicy();
            refused(account.heldTooLong());
        }

        @Override
        void dropped() {
            letGoOfMemory();
            client.context().tally.droppedUnconfirmed += all.size();
            // With that its deliveries are the caller's again; not in the middle of whatever it is doing now.
            LoopContext here = client.context();
            here.loop.execute(() -> reply.failed(
                    new BrokerError.Unavailable("the client has gone while its commit waited for room")));
        }

        /** A queue whose policy drops what is too much takes none of them. */
        @Override
        void droppedFor(int target, Account full) {
            QueueProxy queue = targets()[target];
            for (Publish publish : work.remove(queue).publishes) {
                client.context().tally.droppedByPolicy++;
                full.droppedByPolicy();
                publish.leaveOut(queue);
            }
            all.removeIf(publish -> publish.route.size() == 0);
            countCommons();
        }

        /** What comes by other exchanges is not touched. */
        @Override
        QueueProxy[] droppedFor(Account exchange) {
            for (Publish publish : all) {
                if (publish.exchange == exchange) {
                    client.context().tally.droppedByPolicy++;
                    exchange.droppedByPolicy();
                }
            }
            all.removeIf(publish -> publish.exchange == exchange);
            work.values().forEach(share -> share.publishes.removeIf(publish -> publish.exchange == exchange));
            work.values().removeIf(share -> share.publishes.isEmpty());
            countCommons();
            return work.keySet().toArray(QueueProxy[]::new);
        }

        private void countCommons() {
            commons.clear();
            commons.putAll(exchanges(all));
        }
    }

    private static final long[] NOTHING = {0, 0};

    /** What the messages count for in the accounts of exchanges: bytes and messages. */
    private static Map<Account, long[]> exchanges(List<Publish> all) {
        Map<Account, long[]> sums = new LinkedHashMap<>();
        for (Publish publish : all) {
            if (publish.exchange != null) {
                long[] sum = sums.computeIfAbsent(publish.exchange, account -> new long[2]);
                sum[0] += SharedCharge.bytes(publish.message.sizeBytes(), publish.route.size());
                sum[1]++;
            }
        }
        return sums;
    }

    /** Asks each queue that may refuse for a promise to take its messages. */
    private void askForPromises(CommitArrival arrival) {
        LoopContext here = client.context();
        List<QueueProxy> promised = new ArrayList<>();
        Completion promises = new Completion(here.loop) {
            @Override
            protected void complete(BrokerError refusal) {
                if (refusal != null) {
                    for (QueueProxy proxy : promised) {
                        proxy.run(here, () -> proxy.queue().withdraw(arrival.work.get(proxy).messages()));
                    }
                    arrival.giveBack(here.loop, null);
                    letGoOfMemory();
                    arrival.reply.failed(refusal);
                } else {
                    new Commit(arrival).start();
                }
            }
        };
        for (Map.Entry<QueueProxy, Share> each : arrival.work.entrySet()) {
            QueueProxy proxy = each.getKey();
            if (!proxy.queue().options().rejectsOverflow()) {
                continue;
            }
            List<Message> messages = each.getValue().messages();
            promises.hold();
            proxy.run(here, () -> {
                BrokerError error = proxy.queue().promise(messages);
                if (error != null) {
                    promises.refused(proxy.home().loop, error);
                } else {
                    proxy.home().loop.send(here.loop, () -> promised.add(proxy));
                    promises.met(proxy.home().loop);
                }
            });
        }
        promises.handedOut();
    }

    /**
     * A commit that nothing refuses any more. Its messages' bodies come into the log first, over several turns if it has no room
     * at once; then one record says that they are published and that its acknowledgements are done. With that record the
     * transaction happens, in the log and here, in one turn; the answer leaves when it is durable.
     */
    private final class Commit implements Runnable {

        private final LoopContext here = client.context();
        private final CommitArrival arrival;
        private final List<Publish> all;
        private final Map<QueueProxy, Share> work;
        private final List<Settlement> ends;
        private final Reply<Void> reply;
        private final Completion done;
        private int next;
        private boolean refused;

        Commit(CommitArrival arrival) {
            this.arrival = arrival;
            this.all = arrival.all;
            this.work = arrival.work;
            this.ends = arrival.ends;
            this.reply = arrival.reply;
            this.done = new Completion(here.loop) {
                @Override
                protected void complete(BrokerError refusal) {
                    reply.done(null);
                }
            };
        }

        void start() {
            here.witness(Witness.Command.COMMIT, done);
            if (all.stream().anyMatch(each -> here.isParkingFor(each.route))) {
                here.park(this, work.keySet());
            } else if (log()) {
                finish();
            } else if (!refused) {
                here.park(this, work.keySet());
            }
        }

        @Override
        public void run() {
            if (log()) {
                finish();
            } else if (!refused) {
                here.stillNoRoom();
            }
        }

        private void finish() {
            letGoOfMemory();
            carryOut();
        }

        /** It is larger than a record of the log may be: nothing of it happens. */
        private void refuse() {
            refused = true;
            for (Publish publish : all) {
                if (publish.position != Journal.NONE) {
                    here.journal().abandon(publish.position, publish.share, publish.route.loggedIds().length);
                }
            }
            for (Map.Entry<QueueProxy, Share> each : work.entrySet()) {
                if (each.getKey().queue().options().rejectsOverflow()) {
                    List<Message> messages = each.getValue().messages();
                    each.getKey().run(here, () -> each.getKey().queue().withdraw(messages));
                }
            }
            arrival.giveBack(here.loop, null);
            letGoOfMemory();
            reply.failed(new BrokerError.LimitReached(
                    "bytes in the record of a transaction", "commit", client.virtualHost(),
                    here.journal().maxRecordBytes()));
        }

        /** Writes it, if there is a log; false if that has no room for the next part, or if it is refused. */
        private boolean log() {
            Journal journal = here.journal();
            if (journal == null) {
                return true;
            }
            for (; next < all.size(); next++) {
                Publish publish = all.get(next);
                if (publish.isLogged()) {
                    publish.position = journal.appendBody(publish.message, publish.route.loggedIds());
                    if (publish.position == Journal.NONE) {
                        return false;
                    }
                    publish.share = journal.lastShare();
                    publish.recordBytes = journal.lastLength();
                }
            }
            List<CommitRecord.Publish> published = new ArrayList<>();
            for (Publish publish : all) {
                if (publish.isLogged()) {
                    Message message = publish.message;
                    published.add(new CommitRecord.Publish(
                            publish.position, publish.recordBytes, message.priority(), message.body().length,
                            here.loop.currentTimeMillis(), message.ttlMillis(), message.notBeforeMillis(),
                            publish.route.loggedIds()));
                }
            }
            TurnRecord accepted = new TurnRecord();
            for (Settlement settlement : ends) {
                for (Delivery delivery : settlement.deliveries()) {
                    if (isLoggedAccept(delivery, settlement.outcome())) {
                        QueueEntry entry = (QueueEntry) delivery.origin();
                        accepted.removed(entry.queueId(), entry.position());
                    }
                }
            }
            if (published.isEmpty() && accepted.isEmpty()) {
                return true;
            }
            if (!journal.fits(published, accepted)) {
                refuse();
                return false;
            }
            long position = journal.commit(published, accepted);
            if (position == Journal.NONE) {
                return false;
            }
            done.hold();
            journal.await(position, done);
            return true;
        }

        private static boolean isLoggedAccept(Delivery delivery, Delivery.Outcome outcome) {
            return outcome == Delivery.Outcome.ACCEPTED && delivery.origin() instanceof QueueEntry entry
                    && entry.isLogged();
        }

        private void carryOut() {
            for (Share share : work.values()) {
                here.tally.published += share.publishes.size();
            }
            long now = here.loop.currentTimeMillis();
            for (Publish publish : all) {
                publish.message.published(now);
                if (publish.route.size() > 1) {
                    publish.message.share(publish.route.size());
                    here.messageHeld(publish.message.sizeBytes());
                }
            }
            for (int i = 0; i < arrival.targets().length; i++) {
                QueueProxy proxy = arrival.targets()[i];
                Share part = work.get(proxy);
                boolean reserved = arrival.isReserved(i);
                List<Message> messages = part.messages();
                boolean logged = proxy.queue().isLogged();
                long[] positions = part.publishes.stream()
                        .mapToLong(publish -> logged ? publish.position : Journal.NONE).toArray();
                int[] shares = part.publishes.stream().mapToInt(publish -> publish.share).toArray();
                done.hold();
                proxy.run(here, () -> {
                    proxy.queue().enqueuePromised(messages, positions, shares, reserved);
                    done.met(proxy.home().loop);
                });
            }
            for (Settlement settlement : ends) {
                for (Delivery delivery : settlement.deliveries()) {
                    if (here.journal() != null && isLoggedAccept(delivery, settlement.outcome())) {
                        ((QueueEntry) delivery.origin()).settleCommitted(here.loop);
                    } else {
                        done.hold();
                        delivery.settle(settlement.outcome(), done);
                    }
                }
            }
            done.handedOut();
        }
    }
}
